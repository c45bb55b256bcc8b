import { fitLines } from '../fit.ts';
import { createLineFinder } from '../line-ladder.ts';
import { createLines, type Lines } from '../lines.ts';
import type { Match } from '../matching.ts';
import { withoutMark } from '../replace.ts';
import { splice, toLf } from '../splice.ts';
import type { Hunk } from './parse.ts';
import { type Place, placeOf, quoted } from './places.ts';

/** Puts the parts of a patch into a text, or says of each why not. Pure. */

export type Applied =
  | {
      readonly kind: 'applied';
      readonly text: string;
      readonly tolerances: readonly string[];
      readonly diff: readonly string[];
      readonly added: number;
      readonly removed: number;
    }
  | { readonly kind: 'refused'; readonly problems: readonly string[] };

const CONTEXT = 2;

export function applyHunks(given: string, hunks: readonly Hunk[]): Applied {
  const { mark, text: raw } = withoutMark(given);
  const text = toLf(raw);
  const lines = createLines(text);
  const searched = { lines: lines.texts, find: createLineFinder(lines.texts) };
  const places: Place[] = [];
  const problems: string[] = [];
  for (const [index, hunk] of hunks.entries()) {
    const place = placeOf(hunk, searched, places);
    if (typeof place === 'string') problems.push(`part ${index + 1} (patch line ${hunk.patchLine}): ${place}`);
    else places.push(place);
  }
  if (problems.length > 0) return { kind: 'refused', problems };
  const ordered = places.toSorted((left, right) => left.at - right.at);
  const edits = ordered.map((place) => editsOf(place, lines));
  const matches = edits.flatMap((each) => each.matches);
  return {
    kind: 'applied',
    text: mark + splice(raw, text, matches),
    tolerances: [...new Set(places.map(({ tolerance }) => tolerance).filter((tolerance) => tolerance !== ''))],
    diff: edits.flatMap((each) => each.diff),
    added: edits.reduce((sum, { added }) => sum + added, 0),
    removed: edits.reduce((sum, { removed }) => sum + removed, 0),
  };
}

interface Edits {
  /** One for each run of lines that change: the lines around them stay as the file has them. */
  readonly matches: readonly Match[];
  readonly diff: readonly string[];
  readonly added: number;
  readonly removed: number;
}

function editsOf({ hunk, at, rewrite }: Place, lines: Lines): Edits {
  const sought = quoted(hunk);
  const found = lines.texts.slice(at, at + sought.length);
  const news = hunk.lines.filter(({ mark }) => mark === '+').map(({ text }) => rewrite(text));
  const fitted = fitLines(news, { sought, found });
  const edits: { at: number; removed: number; added: string[] }[] = [];
  const diff: string[] = [];
  let line = at;
  let next = 0;
  let isOpen = false;
  for (const { mark } of hunk.lines) {
    if (mark !== ' ' && !isOpen) edits.push({ at: line, removed: 0, added: [] });
    isOpen = mark !== ' ';
    const edit = edits.at(-1);
    if (mark === '+') edit?.added.push(fitted[next] ?? '');
    if (mark === '-' && edit !== undefined) edit.removed += 1;
    diff.push(mark + (mark === '+' ? (fitted[next] ?? '') : (lines.texts[line] ?? '')));
    if (mark === '+') next += 1;
    else line += 1;
  }
  return {
    matches: edits.map((edit) => matchOf(edit, lines)),
    diff: [`@@ line ${at + 1} @@`, ...shortened(diff)],
    added: news.length,
    removed: hunk.lines.filter(({ mark }) => mark === '-').length,
  };
}

/** Long runs of unchanged lines at both ends tell nothing. */
function shortened(diff: readonly string[]): string[] {
  const isChange = (line: string): boolean => !line.startsWith(' ');
  return diff.slice(Math.max(0, diff.findIndex(isChange) - CONTEXT), diff.findLastIndex(isChange) + 1 + CONTEXT);
}

/** Whole lines, with their line ends where they have one. */
function matchOf({ at, removed, added }: { at: number; removed: number; added: readonly string[] }, lines: Lines): Match {
  const start = lines.startOf(at);
  const joined = added.join('\n');
  if (removed === 0) {
    const isBehindOpenLine = at > 0 && at === lines.texts.length && !lines.endsWithBreak(at - 1);
    return { start, end: start, replacement: isBehindOpenLine ? `\n${joined}` : `${joined}\n` };
  }
  const last = at + removed - 1;
  const endsWithBreak = lines.endsWithBreak(last);
  const end = lines.endOf(last) + (endsWithBreak ? 1 : 0);
  return { start, end, replacement: added.length > 0 && endsWithBreak ? `${joined}\n` : joined };
}
