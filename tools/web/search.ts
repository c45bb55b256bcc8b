/** Asks the search services one after the other until one answers. */
import type { SearchProvider, SearchRequest, SearchResult } from './providers.ts';

export type SearchOutcome =
  | { readonly ok: true; readonly label: string; readonly results: readonly SearchResult[] }
  /** Why none did, a sentence for each. */
  | { readonly ok: false; readonly problems: readonly string[] };

export interface SearchQuery {
  readonly query: string;
  readonly limit: number;
  /** For one service. */
  readonly timeoutMs: number;
}

const maxAnswerBytes = 10_000_000;

/** Rejects with the signal's reason only. */
export async function search(providers: readonly SearchProvider[], query: SearchQuery, signal: AbortSignal): Promise<SearchOutcome> {
  const problems: string[] = [];
  for (const provider of providers) {
    const deadline = AbortSignal.timeout(query.timeoutMs);
    try {
      return { ok: true, label: provider.label, results: await resultsOf(provider, query, AbortSignal.any([signal, deadline])) };
    } catch (error) {
      signal.throwIfAborted();
      problems.push(`${provider.label}: ${deadline.aborted ? 'it did not answer in time' : reasonOf(error)}.`);
    }
  }
  return { ok: false, problems };
}

/** As many pages as there are and are needed. A later page that fails ends it: what is there is better than nothing. */
async function resultsOf(provider: SearchProvider, { query, limit }: SearchQuery, signal: AbortSignal): Promise<readonly SearchResult[]> {
  const found = new Map<string, SearchResult>();
  for (let page = 0; found.size < limit; page += 1) {
    const request = provider.request(query, limit, page);
    if (request === undefined) break;
    const before = found.size;
    try {
      for (const result of provider.results(await ask(request, provider, signal)))
        if (!found.has(result.url)) found.set(result.url, result);
    } catch (error) {
      if (found.size === 0 || signal.aborted) throw error;
      break;
    }
    if (found.size === before) break;
  }
  return [...found.values()].slice(0, limit);
}

/** No redirects: the key goes to whom it was given for, and to nobody else. */
async function ask({ url, headers, body }: SearchRequest, { forbidden }: SearchProvider, signal: AbortSignal): Promise<unknown> {
  const sent = { headers: { accept: 'application/json', ...headers }, redirect: 'error', signal } as const;
  const response = await fetch(url, body === undefined ? sent : { ...sent, method: 'POST', body });
  if (!response.ok) {
    await response.body?.cancel();
    throw new Error(statusSentence(response.status, forbidden));
  }
  const answer = await limitedText(response);
  try {
    return JSON.parse(answer);
  } catch (error) {
    throw new Error('what it answered is no JSON', { cause: error });
  }
}

async function limitedText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > maxAnswerBytes) throw new Error('its answer is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function statusSentence(status: number, forbidden = 'check its key'): string {
  if (status === 401) return 'it does not accept the key (HTTP 401)';
  if (status === 402 || status === 432 || status === 433) return `its quota is used up (HTTP ${status})`;
  if (status === 403) return `it refuses (HTTP 403): ${forbidden}`;
  if (status === 429) return 'too many searches (HTTP 429)';
  return `it answered HTTP ${status}`;
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'ZodError') return 'what it answered is not what it documents';
  const { cause } = error;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : undefined;
  return error.message === 'fetch failed'
    ? `it cannot be reached (${code ?? (cause instanceof Error ? cause.message : 'no reason given')})`
    : error.message;
}
