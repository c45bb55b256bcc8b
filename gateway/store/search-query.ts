/** From what a model asks for to what SQLite's full-text search takes. Pure. */

export interface SearchQuery {
  /** Expression for FTS5, of at least three characters a term where `parts` says so; undefined: nothing is left to match. */
  readonly match: string | undefined;
  /** Terms that are too short for trigrams: looked for one by one. */
  readonly short: readonly string[];
  /** The text is in a script without spaces: the trigram index answers. */
  readonly isCjk: boolean;
  /** What to show the surroundings of. */
  readonly terms: readonly string[];
}

const operators: readonly string[] = ['AND', 'OR', 'NOT'];
const cjk = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
const trigramLength = 3;

interface Term {
  readonly text: string;
  readonly prefix: boolean;
}

/** `"a phrase"`, `word*`, AND, OR, NOT in capitals; several words without an operator must all be there. Nothing else has a meaning. */
export function searchQuery(text: string, anyWord = false): SearchQuery {
  const tokens = tokensOf(text.normalize('NFC'));
  const all = tokens.flatMap((token) => (typeof token === 'string' ? [] : [token.text]));
  const isCjk = all.some((term) => cjk.test(term));
  const fits = ({ text: term }: Term): boolean => !isCjk || [...term].length >= trigramLength;
  const short = tokens.flatMap((token) => (typeof token === 'string' || fits(token) ? [] : [token.text]));
  const kept = tokens.filter((token) => typeof token === 'string' || fits(token));
  return { match: expression(kept, { isCjk, joint: anyWord ? 'OR' : 'AND' }), short, isCjk, terms: all };
}

function tokensOf(text: string): readonly (string | Term)[] {
  const found = text.matchAll(/"([^"]*)"|([^\s"]+)/g);
  return [...found].flatMap(([, phrase, word = '']): (string | Term)[] => {
    if (phrase !== undefined) return termOf(phrase, false);
    return operators.includes(word) ? [word] : termOf(word, word.endsWith('*'));
  });
}

/** Without a letter or a digit there is nothing to match. */
function termOf(text: string, prefix: boolean): Term[] {
  const term = text.replace(/[\p{Cc}*"]+/gu, ' ').trim();
  return /[\p{L}\p{N}]/u.test(term) ? [{ text: term, prefix }] : [];
}

/** Operators stand between two terms only. */
function expression(
  tokens: readonly (string | Term)[],
  { isCjk, joint }: { readonly isCjk: boolean; readonly joint: string },
): string | undefined {
  let made: string | undefined;
  let operator: string | undefined;
  for (const token of tokens) {
    if (typeof token === 'string') operator = made === undefined ? undefined : token;
    else {
      const term = `"${token.text}"${token.prefix && !isCjk ? '*' : ''}`;
      made = made === undefined ? term : `(${made} ${operator ?? joint} ${term})`;
      operator = undefined;
    }
  }
  return made;
}

const around = 90;

/** Where the text speaks of one of the terms, with »« around it; its beginning where none is found. */
export function snippetOf(text: string, terms: readonly string[]): string {
  const plain = text.replace(/\s+/g, ' ').trim();
  const lower = plain.toLowerCase();
  const found = terms
    .map((term) => ({ at: lower.indexOf(term.toLowerCase()), length: term.length }))
    .filter(({ at }) => at >= 0)
    .sort((one, other) => one.at - other.at)[0] ?? { at: 0, length: 0 };
  const [from, to] = [Math.max(0, found.at - around), found.at + found.length + around];
  const end = found.at + found.length;
  const shown =
    found.length === 0 ? plain.slice(from, to) : `${plain.slice(from, found.at)}»${plain.slice(found.at, end)}«${plain.slice(end, to)}`;
  return `${from > 0 ? '…' : ''}${shown.toWellFormed()}${to < plain.length ? '…' : ''}`;
}
