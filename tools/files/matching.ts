import { fitLines } from './fit.ts';
import { createLineFinder, type FoundLines, type LineFinder, plainCharacters, type Range } from './line-ladder.ts';
import { createLines, type Lines } from './lines.ts';

/** Finds a passage in a file although the model quoted it a little differently. Pure; all texts have LF line ends. */

export interface Match {
  /** Offsets in the text. */
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
}

export interface Matches {
  /** What was forgiven; empty for an exact match. */
  readonly tolerance: string;
  readonly matches: readonly Match[];
}

/** The text, looked at in each of the ways. */
interface Subject {
  readonly text: string;
  readonly lines: Lines;
  readonly find: LineFinder;
}

type Strategy = (subject: Subject, wanted: string, replacement: string) => Matches;

/** Strictest first. The first that finds anything decides, so that a looser one never adds candidates to a stricter one. */
const LADDER: readonly Strategy[] = [
  named('', exact),
  named('typographic characters', sameCharacters),
  byLines({ least: 'typographic characters', most: 'spacing inside lines' }),
  named('escaped characters', unescaped),
  withoutOuterBlankLines,
  byLines({ least: 'the middle of the block' }),
];

/** More are as good as none: nobody means them all. */
export const MOST_MATCHES = 100_000;

export function findMatches(text: string, wanted: string, replacement: string): Matches {
  const lines = createLines(text);
  const subject = { text, lines, find: createLineFinder(lines.texts) };
  for (const strategy of LADDER) {
    const found = strategy(subject, wanted, replacement);
    if (found.matches.length > 0) return found;
  }
  return { tolerance: '', matches: [] };
}

function named(tolerance: string, strategy: (text: string, wanted: string, replacement: string) => Match[]): Strategy {
  return ({ text }, wanted, replacement) => ({ tolerance, matches: strategy(text, wanted, replacement) });
}

/** Overlapping ones, too: each is a place that could be meant. */
function exact(text: string, wanted: string, replacement: string): Match[] {
  const matches: Match[] = [];
  for (let start = text.indexOf(wanted); start >= 0 && matches.length <= MOST_MATCHES; start = text.indexOf(wanted, start + 1)) {
    matches.push({ start, end: start + wanted.length, replacement });
  }
  return matches;
}

function sameCharacters(text: string, wanted: string, replacement: string): Match[] {
  return exact(plainCharacters(text), plainCharacters(wanted), replacement);
}

/** The model wrote `\n` and `\"` as two characters where one was meant. */
function unescaped(text: string, wanted: string, replacement: string): Match[] {
  const plain = (escaped: string): string =>
    escaped.replaceAll(/\\([nt"'\\])/gu, (_, character: string) => ({ n: '\n', t: '\t' })[character] ?? character);
  const meant = plain(wanted);
  return meant === wanted || meant.trim() === '' ? [] : exact(text, meant, plain(replacement));
}

/** Whole lines. What the model left as it quoted it stays as the file has it; new lines get the indentation of the place. */
function byLines(range: Range): Strategy {
  return ({ lines, find }, wanted, replacement) => {
    const endsLine = wanted.endsWith('\n');
    const sought = (endsLine ? wanted.slice(0, -1) : wanted).split('\n');
    const { tolerance, starts, rewrite } = find(sought, range);
    const change = { sought, endsLine, replacement, rewrite };
    return { tolerance, matches: starts.map((at) => lineMatch(lines, at, change)) };
  };
}

interface LineChange extends Pick<FoundLines, 'rewrite'> {
  readonly sought: readonly string[];
  /** The quotation held the end of its last line. */
  readonly endsLine: boolean;
  readonly replacement: string;
}

function lineMatch(lines: Lines, at: number, { sought, endsLine, replacement, rewrite }: LineChange): Match {
  const found = lines.texts.slice(at, at + sought.length);
  const keepsEnd = endsLine && replacement.endsWith('\n');
  const wanted = (keepsEnd ? replacement.slice(0, -1) : replacement).split('\n');
  const same = sameAtBothEnds(sought, wanted);
  const middle = wanted.slice(same.before, wanted.length - same.after).map(rewrite);
  const kept = (from: number, to: number): readonly string[] => found.slice(from, to);
  const fitted = [...kept(0, same.before), ...fitLines(middle, { sought, found }), ...kept(found.length - same.after, found.length)];
  const takesEnd = endsLine && lines.endsWithBreak(at + sought.length - 1);
  return {
    start: lines.startOf(at),
    end: lines.endOf(at + sought.length - 1) + (takesEnd ? 1 : 0),
    replacement: fitted.join('\n') + (keepsEnd && takesEnd ? '\n' : ''),
  };
}

/** How many lines the two have in common before and after what differs. */
function sameAtBothEnds(left: readonly string[], right: readonly string[]): { before: number; after: number } {
  const least = Math.min(left.length, right.length);
  let before = 0;
  while (before < least && left[before] === right[before]) before += 1;
  let after = 0;
  while (after < least - before && left.at(-1 - after) === right.at(-1 - after)) after += 1;
  return { before, after };
}

function withoutOuterBlankLines(subject: Subject, wanted: string, replacement: string): Matches {
  const tolerance = 'blank lines around the text';
  const trimmed = withoutBlankEnds(wanted);
  if (trimmed === wanted || trimmed.trim() === '') return { tolerance, matches: [] };
  const fitting = withoutBlankEnds(replacement);
  const found = exact(subject.text, trimmed, fitting);
  const matches =
    found.length > 0 ? found : byLines({ least: 'blanks at line ends', most: 'indentation' })(subject, trimmed, fitting).matches;
  return { tolerance, matches };
}

function withoutBlankEnds(text: string): string {
  return text.replace(/^(?:[ \t]*\n)+/u, '').replace(/(?:\n[ \t]*)+$/u, '');
}
