import { PIECE } from './pattern.ts';

/** The text that a shell makes of quoted and unquoted literals (bash manual, 3.1.2). Pure. */

// Stand for unquoted `{ , } [ ] ~` until the whole word is there: the parser splits words at these. Private use, like the placeholders.
const OPEN = '\uf000';
const COMMA = '\uf001';
const CLOSE = '\uf002';
const OPEN_SET = '\uf003';
const CLOSE_SET = '\uf004';
export const TILDE = '\uf005';
const MARKS: Readonly<Record<string, string>> = { '{': OPEN, ',': COMMA, '}': CLOSE, '[': OPEN_SET, ']': CLOSE_SET, '~': TILDE };
const UNMARK = new Map(Object.entries(MARKS).map(([character, mark]) => [mark, character]));
const MAX_EXPANSIONS = 64;

/** Unquoted text: a backslash takes the next character literally, glob characters match something, what depends on the whole word is marked. */
export function unquoted(text: string): string {
  return text.replaceAll(/\\([\s\S]?)|[*?{},[\]~]/gu, (match: string, escaped: string | undefined) => {
    if (escaped !== undefined) return escaped === '\n' ? '' : escaped;
    return MARKS[match] ?? PIECE;
  });
}

/** The value of an unquoted expansion: glob characters in it match something, all else is literal. */
export function globbed(value: string): string {
  return value.replaceAll(/[*?[\]]/gu, (character) => MARKS[character] ?? PIECE);
}

/** Between double quotes a backslash is special only before these. */
export function doubleQuoted(text: string): string {
  return text.replaceAll(/\\([$`"\\\n])/gu, (_, escaped: string) => (escaped === '\n' ? '' : escaped));
}

/** A substitution or expansion that the parser left inside literal text means that it read the text differently from bash. */
export function hidesExpansion(literal: string): boolean {
  return /^(?:[^\\]|\\[\s\S])*?(?:`|\$[({])/u.test(literal);
}

const SIMPLE_ESCAPES: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  e: '\u001b',
  E: '\u001b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  "'": "'",
  '"': '"',
  '?': '?',
};

/** What stands between `$'` and `'`. A NUL ends the string, as in bash. */
export function ansiC(body: string): string {
  const pattern = /\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|([0-7]{1,3})|c([\s\S])|([\s\S]))/gu;
  const decoded = body.replaceAll(pattern, (match: string, ...groups: (string | undefined)[]) => {
    const [x, u, upper, octal, control, simple] = groups;
    const hex = x ?? u ?? upper;
    if (hex !== undefined) return codePoint(Number.parseInt(hex, 16));
    if (octal !== undefined) return codePoint(Number.parseInt(octal, 8) & 0xff);
    if (control !== undefined) return codePoint((control.toUpperCase().codePointAt(0) ?? 0) ^ 0x40);
    return SIMPLE_ESCAPES[simple ?? ''] ?? match;
  });
  const end = decoded.indexOf('\0');
  return end < 0 ? decoded : decoded.slice(0, end);
}

function codePoint(value: number): string {
  return value > 0x10ffff ? '\ufffd' : String.fromCodePoint(value);
}

/** Finishes a word that was put together of marked text: `a{b,c}` becomes `ab ac`, `[xy]` matches something. `undefined`: too many words. */
export function finishWord(word: string): string[] | undefined {
  const done: string[] = [];
  const open = [word];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const expanded = expandOne(next);
    if (expanded === undefined) done.push(unmark(withoutSets(next)));
    else open.push(...expanded.toReversed());
    if (done.length + open.length > MAX_EXPANSIONS) return undefined;
  }
  return done;
}

/** `[xy]` matches something. Where sets hold brackets themselves (`[[:alpha:]]`, `[]x]`), all from the first to the last one is unknown. */
function withoutSets(word: string): string {
  const holdsBrackets = /\uf003[^/\uf004]*\uf003|\uf003[!^]?\uf004/u.test(word);
  return word.replaceAll(holdsBrackets ? /\uf003[^/]*\uf004/gu : /\uf003[^/\uf003\uf004]*\uf004/gu, PIECE);
}

/** `{a..e}`, `{1..9..2}` */
const RANGE = /^(?:[a-zA-Z]|[-+]?\d+)\.\.(?:[a-zA-Z]|[-+]?\d+)(?:\.\.[-+]?\d+)?$/u;

/** All but a tilde that means a home directory, which is the caller's: at the start of a word, or of the value of what looks like an assignment. */
function unmark(text: string): string {
  const start = /^(?:[A-Za-z_]\w*\+?=)?\uf005/u.exec(text)?.[0].length ?? 0;
  return text.replaceAll(/[\uf000-\uf005]/gu, (mark, offset: number) => (offset === start - 1 ? mark : (UNMARK.get(mark) ?? mark)));
}

/** Expands the first list; `undefined`: there is none. */
function expandOne(word: string): string[] | undefined {
  for (let start = word.indexOf(OPEN); start >= 0; start = word.indexOf(OPEN, start + 1)) {
    const list = listAt(word, start);
    if (list !== undefined) return list.items.map((item) => word.slice(0, start) + item + word.slice(list.end + 1));
  }
  return undefined;
}

function listAt(word: string, start: number): { items: string[]; end: number } | undefined {
  const items: string[] = [];
  let depth = 0;
  let from = start + 1;
  for (let index = start; index < word.length; index += 1) {
    const character = word[index];
    if (character === OPEN) depth += 1;
    if (character === CLOSE) depth -= 1;
    const ends = depth === 0;
    if (ends || (depth === 1 && character === COMMA)) {
      items.push(word.slice(from, index));
      from = index + 1;
    }
    if (ends && RANGE.test(items.join(','))) return { items: [PIECE], end: index };
    if (ends) return items.length > 1 ? { items, end: index } : undefined;
  }
  return undefined;
}
