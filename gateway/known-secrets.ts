/** Finds known values in text: in the forms in which JSON, addresses, markdown and base64 write them, and what a cut has left of one. Pure. */

export type TextKind = 'json' | 'plain';

const hidden = '[redacted]';
/** Shorter values would blacken ordinary words; whoever chooses such a secret has none. */
const shortestSecret = 6;
/** So much of the beginning or the end of a longer one tells too much, where text was cut. */
const tellingUnits = 12;

/** `json`: the text is a serialised line and must stay valid. Undefined: there is nothing to find. */
export function secretFinder(secrets: readonly string[], kind: TextKind): ((text: string) => string) | undefined {
  const usable = secrets.filter((secret) => secret.trim().length >= shortestSecret);
  // The longest first: one secret may begin with another.
  const forms = [...new Set(usable.flatMap(writtenForms))].sort((left, right) => right.length - left.length);
  if (forms.length === 0) return undefined;
  const beginnings = passOf(forms, { kind, end: 'beginning' });
  const long = forms.filter((form) => form.length > tellingUnits);
  const rests = passOf(long, { kind, end: 'rest' });
  return (text) => rests(beginnings(text));
}

function writtenForms(secret: string): string[] {
  const trimmed = secret.trim();
  const lines = trimmed.split(/[\r\n]+/).filter((line) => line.trim().length > tellingUnits);
  const texts = [secret, trimmed, trimmed.replaceAll(/\s+/g, ' '), ...(lines.length > 1 ? lines : [])];
  return [...texts.flatMap(inText), ...inBase64(trimmed), ...inHex(trimmed)];
}

/** As it is, in JSON, in JSON within JSON, in an address, in a form, and in our own markdown. */
function inText(text: string): string[] {
  const json = inJson(text);
  const address = encodeURIComponent(text.toWellFormed());
  return [text, json, inJson(json), address, address.replaceAll('%20', '+'), text.replaceAll(/[\\`*_~[\]<>#|&]/g, String.raw`\$&`)];
}

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** Whatever stands before it ("name:secret"): three ways, without the characters that it shares with its neighbours. */
function inBase64(text: string): string[] {
  const standard = [0, 1, 2].map((before) => {
    const whole = Buffer.from('x'.repeat(before) + text).toString('base64');
    const shared = before === 0 ? 0 : before + 1;
    const bytes = before + Buffer.byteLength(text);
    return whole.slice(shared, Math.floor((bytes * 4) / 3));
  });
  const long = standard.filter((form) => form.length >= shortestSecret);
  return [...long, ...long.map((form) => form.replaceAll('+', '-').replaceAll('/', '_'))];
}

function inHex(text: string): string[] {
  const hex = Buffer.from(text).toString('hex');
  return [hex, hex.toUpperCase()];
}

interface Pass {
  readonly kind: TextKind;
  /** `beginning`: whole values, and what a cut has left of their beginning. `rest`: what it has left of their end. */
  readonly end: 'beginning' | 'rest';
}

/** One look at the text: finds where a form may be by a few characters of it, and then how much of it is there. */
function passOf(forms: readonly string[], { kind, end }: Pass): (text: string) => string {
  if (forms.length === 0) return (text) => text;
  const known = new Map<string, string[]>();
  for (const form of forms) {
    const key = end === 'beginning' ? form.slice(0, tellingUnits) : form.slice(-tellingUnits);
    known.set(key, [...(known.get(key) ?? []), form]);
  }
  const keys = [...known.keys()].sort((left, right) => right.length - left.length).map(escaped);
  const pattern = new RegExp(keys.join('|'), 'g');
  const measure = end === 'beginning' ? spanOfBeginning : spanOfRest;
  return (text) => {
    const spans: Span[] = [];
    pattern.lastIndex = 0;
    for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
      const found = { text, kind, at: match.index, key: match[0], forms, alike: known.get(match[0]) ?? [] };
      const span = measure(found, spans.at(-1)?.to ?? 0);
      if (span !== undefined) spans.push(span);
      pattern.lastIndex = span?.to ?? match.index + 1;
    }
    return spans.length === 0 ? text : without(text, spans);
  };
}

interface Span {
  readonly from: number;
  readonly to: number;
}

interface Found {
  readonly text: string;
  readonly kind: TextKind;
  readonly at: number;
  readonly key: string;
  readonly forms: readonly string[];
  /** Those that begin, or end, with this key. */
  readonly alike: readonly string[];
}

function spanOfBeginning({ text, kind, at, forms, alike }: Found): Span | undefined {
  if (kind === 'json' && isEscaped(text, at)) return undefined;
  const whole = forms.find((form) => text.startsWith(form, at));
  const length = whole?.length ?? Math.max(...alike.map((form) => sharedLength(form, text, at)));
  const to = at + length - (kind === 'json' && isEscaped(text, at + length) ? 1 : 0);
  if (whole !== undefined) return { from: at, to };
  return to - at < tellingUnits || isWord(text[to]) ? undefined : { from: at, to };
}

function spanOfRest({ text, kind, at, key, alike }: Found, after: number): Span | undefined {
  const to = at + key.length;
  let from = to - Math.max(...alike.map((form) => sharedEnd(form, text, { after, to })));
  if (kind === 'json' && isEscaped(text, from)) from += 1;
  const isBegun = isWord(text[from - 1]) && !(kind === 'json' && isEscaped(text, from - 1));
  return to - from < tellingUnits || isBegun ? undefined : { from, to };
}

function sharedLength(form: string, text: string, at: number): number {
  let length = 0;
  while (length < form.length && form[length] === text[at + length]) length += 1;
  return length;
}

function sharedEnd(form: string, text: string, { after, to }: { readonly after: number; readonly to: number }): number {
  let length = 0;
  while (length < form.length && to - length > after && form.at(-1 - length) === text[to - 1 - length]) length += 1;
  return length;
}

/** The "n" of a line break begins no secret, and the backslash that stayed would break the line. */
function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text[at - 1 - backslashes] === '\\') backslashes += 1;
  return backslashes % 2 === 1;
}

function isWord(unit: string | undefined): boolean {
  return unit !== undefined && /[\w-]/.test(unit);
}

function without(text: string, spans: readonly Span[]): string {
  const kept = spans.map(({ from }, index) => text.slice(spans[index - 1]?.to ?? 0, from));
  return [...kept, text.slice(spans.at(-1)?.to ?? 0)].join(hidden);
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
}
