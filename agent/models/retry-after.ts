/** How long a provider asks to wait: from its headers, else from its words. Pure but for `nowMs`. */
export function retryAfterMs(headers: unknown, words: string, nowMs: number = Date.now()): number | undefined {
  return fromHeaders(headers, nowMs) ?? fromWords(words);
}

function header(headers: unknown, name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  if (typeof headers !== 'object' || headers === null) return undefined;
  const value = (headers as Record<string, unknown>)[name];
  return typeof value === 'string' ? value : undefined;
}

function fromHeaders(headers: unknown, nowMs: number): number | undefined {
  const exact = Number(header(headers, 'retry-after-ms') ?? Number.NaN);
  if (exact >= 0) return exact;
  const value = header(headers, 'retry-after');
  if (value === undefined || value.trim() === '') return undefined;
  const seconds = Number(value);
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1_000);
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs);
}

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** "Please try again in 1m3.5s" (OpenAI, Groq), "retryDelay": "37s" (Gemini). */
function fromWords(words: string): number | undefined {
  const found = /(?:try again in|retry in|retryDelay"?:? ?"?)\s*((?:\d+(?:\.\d+)?\s*(?:ms|s|m|h)(?:ec(?:ond)?s?|in(?:ute)?s?)?\s*)+)/i.exec(
    words,
  )?.[1];
  if (found === undefined) return undefined;
  let total = 0;
  for (const [, amount, unit] of found.matchAll(/(\d+(?:\.\d+)?)\s*(ms|s|m|h)/gi)) {
    total += Number(amount) * (unitMs[(unit ?? '').toLowerCase()] ?? 0);
  }
  return Math.ceil(total);
}
