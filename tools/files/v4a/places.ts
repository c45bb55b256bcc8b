import { showPlaces } from '../candidates.ts';
import type { FoundLines, LineFinder } from '../line-ladder.ts';
import { findAnchors } from './anchors.ts';
import type { Hunk } from './parse.ts';

const SHOWN_CANDIDATES = 12;

/** Where a hunk goes: the line that its first one is, and what was forgiven. */
export interface Place {
  readonly hunk: Hunk;
  readonly at: number;
  readonly tolerance: string;
  readonly rewrite: FoundLines['rewrite'];
}

/** The lines of the file that a hunk speaks of, as it quotes them. */
export function quoted({ lines }: Hunk): string[] {
  return lines.filter(({ mark }) => mark !== '+').map(({ text }) => text);
}

/** The lines of a file, and a finder in them. */
export interface Searched {
  readonly lines: readonly string[];
  readonly find: LineFinder;
}

/** A sentence: why there is no such place, or that there are several. */
export function placeOf(hunk: Hunk, { lines, find }: Searched, taken: readonly Place[]): Place | string {
  const sought = quoted(hunk);
  if (sought.length === 0) return insertion(hunk, lines);
  const { starts, tolerance, rewrite } = find(sought);
  const free = starts.filter((at) => taken.every((other) => at + sought.length <= other.at || at >= other.at + quoted(other.hunk).length));
  const chosen = choose(free, { hunk, lines, length: sought.length, cursor: endOfLast(taken) });
  if (chosen.length === 1 && chosen[0] !== undefined) return { hunk, at: chosen[0], tolerance, rewrite };
  if (chosen.length > 0) return ambiguous(lines, chosen);
  return starts.length > 0 ? TAKEN : missing(sought, { lines, find });
}

function endOfLast(taken: readonly Place[]): number {
  const last = taken.at(-1);
  return last === undefined ? 0 : last.at + quoted(last.hunk).length;
}

interface Choice {
  readonly hunk: Hunk;
  readonly lines: readonly string[];
  readonly length: number;
  /** Hunks come in the order of the file. */
  readonly cursor: number;
}

/** Narrows several places down by what else the patch says of the place; only where there are several. */
function choose(starts: readonly number[], { hunk, lines, length, cursor }: Choice): readonly number[] {
  if (starts.length < 2) return starts;
  const steps: ((left: readonly number[]) => readonly number[])[] = [
    (left) => (hunk.atEnd ? left.filter((at) => at + length === lines.length) : left),
    (left) => nearestBelow(left, hunk.anchors.length === 0 ? [] : findAnchors(lines, hunk.anchors)),
    (left) => left.filter((at) => at + 1 === hunk.line),
    (left) => left.filter((at) => at >= cursor),
  ];
  let left = starts;
  for (const step of steps) {
    const narrowed = step(left);
    if (narrowed.length > 0) left = narrowed;
    if (left.length === 1) break;
  }
  return left;
}

/** The first place at or below each of the anchors. */
function nearestBelow(starts: readonly number[], anchors: readonly number[]): number[] {
  const firsts = anchors.flatMap((anchor) => starts.find((at) => at >= anchor) ?? []);
  return [...new Set(firsts)];
}

/** New lines without any around them. */
function insertion(hunk: Hunk, lines: readonly string[]): Place | string {
  const shared = { hunk, tolerance: '', rewrite: (line: string): string => line };
  if (hunk.atEnd || lines.length === 0) return { ...shared, at: lines.length };
  if (hunk.line !== undefined && hunk.line <= lines.length) return { ...shared, at: hunk.line };
  const anchors = findAnchors(lines, hunk.anchors);
  if (anchors.length === 1 && anchors[0] !== undefined) return { ...shared, at: anchors[0] + 1 };
  if (anchors.length > 1) return ambiguous(lines, anchors);
  return hunk.anchors.length > 0
    ? `there is no line "${hunk.anchors.join('" with "')}" in the file.`
    : 'it adds lines and does not say where. Quote a line before or after them, or write "*** End of File" below them.';
}

function ambiguous(lines: readonly string[], starts: readonly number[]): string {
  const numbers = starts.map((at) => at + 1);
  const shown = numbers.slice(0, SHOWN_CANDIDATES);
  const more = numbers.length > shown.length ? ', ...' : '';
  return `its lines are found at ${numbers.length} places (lines ${shown.join(', ')}${more}). Quote more of the lines around them, or name what they stand below with "@@ line".\n${showPlaces(lines, shown)}`;
}

const TAKEN = 'its lines are found only where another part of the patch has changed them already.';

function missing(sought: readonly string[], { lines, find }: Searched): string {
  const first = sought.find((line) => line.trim() !== '') ?? '';
  const { starts } = find([first]);
  const near =
    starts.length > 0 && first.trim() !== ''
      ? ` Its first line is there:\n${showPlaces(
          lines,
          starts.slice(0, 3).map((at) => at + 1),
        )}`
      : '';
  return `its lines are not in the file (${JSON.stringify(first.trim().slice(0, 120))}). Read the file again and quote them exactly.${near}`;
}
