import { indentOf } from './line-ladder.ts';

const SHOWN = 160;

/** The lines of these numbers, each with the line that it stands below, so that what tells them apart can be seen. Pure. */
export function showPlaces(lines: readonly string[], numbers: readonly number[]): string {
  return numbers.map((number) => `${shown(lines, number)}${below(lines, number)}`).join('\n');
}

function below(lines: readonly string[], number: number): string {
  const depth = indentOf(lines[number - 1] ?? '').length;
  const isAbove = (line: string): boolean => line.trim() !== '' && (depth === 0 || indentOf(line).length < depth);
  const above = lines.slice(Math.max(0, number - 2_000), number - 1).findLastIndex(isAbove);
  return above < 0 ? '' : `   (below ${shown(lines, Math.max(0, number - 2_000) + above + 1)})`;
}

function shown(lines: readonly string[], number: number): string {
  const line = (lines[number - 1] ?? '').trim();
  return `${number}| ${line.length > SHOWN ? `${line.slice(0, SHOWN).toWellFormed()}...` : line}`;
}
