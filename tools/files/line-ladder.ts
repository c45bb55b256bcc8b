import { similarity } from './similarity.ts';

/** Finds lines in a file although the model quoted them a little differently. Pure. */

export interface FoundLines {
  /** What was forgiven; empty for an exact match. */
  readonly tolerance: string;
  /** Indexes of the first line of each place. */
  readonly starts: readonly number[];
  /** What has to be done to new lines, too, when this was forgiven. */
  rewrite(line: string): string;
}

type Normalise = (line: string) => string;

/** Every line of the file after the same change, made once. */
type Normal = (normalise: Normalise) => readonly string[];

interface Rung {
  readonly tolerance: string;
  find(lines: Normal, sought: readonly string[]): number[];
  readonly rewrite?: (line: string) => string;
}

/** Strictest first. The first that finds anything decides, so that a looser one never adds candidates to a stricter one. */
const RUNGS: readonly Rung[] = [
  { tolerance: '', find: equalAfter(unchanged) },
  { tolerance: 'typographic characters', find: equalAfter(plainLine) },
  { tolerance: 'blanks at line ends', find: unlessBlank(equalAfter(endTrimmed)) },
  { tolerance: 'indentation', find: unlessBlank(sameShape) },
  { tolerance: 'indentation', find: unlessBlank(equalAfter(trimmed)) },
  { tolerance: 'spacing inside lines', find: unlessBlank(equalAfter(spaced)) },
  { tolerance: 'escaped characters', find: unescapedLines, rewrite: withoutEscapes },
  { tolerance: 'the middle of the block', find: anchored },
];

/** `least`: the rung to begin with, by what it forgives; `most`: the last one. */
export interface Range {
  readonly least?: string;
  readonly most?: string;
}

export type LineFinder = (sought: readonly string[], range?: Range) => FoundLines;

/** For any number of searches in the same lines. */
export function createLineFinder(lines: readonly string[]): LineFinder {
  const known = new Map<Normalise, readonly string[]>([[unchanged, lines]]);
  const normal: Normal = (normalise) => {
    const found = known.get(normalise) ?? lines.map(normalise);
    known.set(normalise, found);
    return found;
  };
  return (sought, { least, most } = {}) => {
    const from = least === undefined ? 0 : RUNGS.findIndex(({ tolerance }) => tolerance === least);
    const to = most === undefined ? RUNGS.length : RUNGS.findLastIndex(({ tolerance }) => tolerance === most) + 1;
    for (const { tolerance, find, rewrite = unchanged } of RUNGS.slice(from, to)) {
      const starts = sought.length > lines.length ? [] : find(normal, sought);
      if (starts.length > 0) return { tolerance, starts, rewrite };
    }
    return { tolerance: '', starts: [], rewrite: unchanged };
  };
}

function unchanged(line: string): string {
  return line;
}

function equalAfter(normalise: Normalise): Rung['find'] {
  return (lines, sought) => {
    const wanted = sought.map(normalise);
    const first = wanted[0];
    const given = lines(normalise);
    const starts: number[] = [];
    for (let at = 0; at <= given.length - wanted.length; at += 1)
      if (given[at] === first && wanted.every((line, index) => given[at + index] === line)) starts.push(at);
    return starts;
  };
}

/** Blank lines are everywhere: they are found as they are written, or not at all. */
function unlessBlank(find: Rung['find']): Rung['find'] {
  return (lines, sought) => (sought.every((line) => line.trim() === '') ? [] : find(lines, sought));
}

/** Also without what cannot be seen, and with one way to write each letter. */
function plainLine(line: string): string {
  if (/^[\t -~]*$/u.test(line)) return line;
  return plainCharacters(line)
    .normalize('NFKC')
    .replaceAll(/[\u00ad\u200b-\u200d\u2060\ufeff]/gu, '');
}

function endTrimmed(line: string): string {
  return plainLine(line).trimEnd();
}

function trimmed(line: string): string {
  return plainLine(line).trim();
}

function spaced(line: string): string {
  return trimmed(line).replaceAll(/\s+/gu, ' ');
}

/** The same text, moved to the left or right as a whole. */
function sameShape(lines: Normal, sought: readonly string[]): number[] {
  const shape = (window: readonly string[]): string => outdented(window).join('\n');
  const wanted = shape(sought.map(endTrimmed));
  const near = equalAfter(trimmed)(lines, sought);
  return near.filter((at) => shape(lines(endTrimmed).slice(at, at + sought.length)) === wanted);
}

function outdented(lines: readonly string[]): string[] {
  const depth = Math.min(...lines.filter((line) => line !== '').map((line) => indentOf(line).length));
  return lines.map((line) => line.slice(depth));
}

export function indentOf(line: string): string {
  return /^[ \t]*/u.exec(line)?.[0] ?? '';
}

/** The model wrote `\"` or `\t` as two characters where one was meant. */
function withoutEscapes(line: string): string {
  return line.replaceAll(/\\(["'`\\t])/gu, (_, character: string) => (character === 't' ? '\t' : character));
}

function unescapedLines(lines: Normal, sought: readonly string[]): number[] {
  const meant = sought.map(withoutEscapes);
  return meant.every((line, index) => line === sought[index]) ? [] : equalAfter(trimmed)(lines, meant);
}

const LEAST_ALIKE = 0.7;

/** First and last line are right, and what stands between them is alike. */
function anchored(lines: Normal, sought: readonly string[]): number[] {
  const wanted = sought.map(spaced);
  const first = wanted[0];
  const last = wanted.at(-1);
  if (wanted.length < 3 || first === undefined || first === '' || last === undefined || last === '') return [];
  const given = lines(spaced);
  return given
    .keys()
    .filter((at) => given[at] === first && given[at + wanted.length - 1] === last)
    .filter((at) => likeness(given.slice(at + 1, at + wanted.length - 1), wanted.slice(1, -1)) >= LEAST_ALIKE)
    .toArray();
}

function likeness(left: readonly string[], right: readonly string[]): number {
  const scores = right.map((line, index) => similarity(line.slice(0, 500), (left[index] ?? '').slice(0, 500)));
  return scores.reduce((sum, score) => sum + score, 0) / Math.max(1, scores.length);
}

const TYPOGRAPHIC: Readonly<Record<string, string>> = {
  '\u2018': "'",
  '\u2019': "'",
  '\u201a': "'",
  '\u201b': "'",
  '\u2032': "'",
  '\u201c': '"',
  '\u201d': '"',
  '\u201e': '"',
  '\u201f': '"',
  '\u2033': '"',
  '\u00ab': '"',
  '\u00bb': '"',
  '\u2010': '-',
  '\u2011': '-',
  '\u2012': '-',
  '\u2013': '-',
  '\u2014': '-',
  '\u2015': '-',
  '\u2212': '-',
  '\u00a0': ' ',
  '\u2002': ' ',
  '\u2003': ' ',
  '\u2009': ' ',
  '\u202f': ' ',
  '\u3000': ' ',
};

/** One character for one, so that offsets stay. */
export function plainCharacters(text: string): string {
  return text.replaceAll(
    /[\u00a0\u00ab\u00bb\u2002\u2003\u2009-\u2015\u2018-\u201f\u202f\u2032\u2033\u2212\u3000]/gu,
    (character) => TYPOGRAPHIC[character] ?? character,
  );
}
