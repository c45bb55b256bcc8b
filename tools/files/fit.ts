import { indentOf } from './line-ladder.ts';

/** Lets new lines follow the indentation of the place where they go. Pure. */

export interface Window {
  /** As the model quoted them. */
  readonly sought: readonly string[];
  /** The same lines as they are in the file. */
  readonly found: readonly string[];
}

/** Every indentation that the model used for a matched line becomes the one that the file has there. */
export function fitLines(added: readonly string[], { sought, found }: Window): string[] {
  const translation = new Map<string, string>();
  for (const [index, line] of sought.entries()) {
    if (line.trim() !== '' && !translation.has(indentOf(line))) translation.set(indentOf(line), indentOf(found[index] ?? ''));
  }
  if ([...translation].every(([from, to]) => from === to)) return [...added];
  const known = [...translation.keys()].toSorted((left, right) => right.length - left.length);
  return added.map((line) => {
    if (line.trim() === '') return line;
    const indent = indentOf(line);
    const nearest = known.find((candidate) => indent.startsWith(candidate));
    if (nearest === undefined) return (translation.get(known.at(-1) ?? '') ?? '') + line.trimStart();
    return (translation.get(nearest) ?? '') + deeper(indent.slice(nearest.length), translation) + line.slice(indent.length);
  });
}

/** Further levels keep their blanks, or become as many as the file has for a level where that shows, or tabs in a file that is indented by tabs. */
function deeper(extra: string, translation: ReadonlyMap<string, string>): string {
  const usesTabs = [...translation].some(([from, to]) => /^ +$/u.test(from) && /^\t+$/u.test(to));
  if (!usesTabs) return /^ *$/u.test(extra) ? ' '.repeat(Math.round(extra.length * blanksFor(translation))) : extra;
  const [from = '', to = ''] = [...translation].find(([spaces, tabs]) => spaces !== '' && tabs !== '') ?? [];
  const width = Math.max(1, Math.round(from.length / Math.max(1, to.length)));
  return '\t'.repeat(Math.round(extra.length / width));
}

/** How many blanks the file has for each of the model's: to be seen where two levels are known. */
function blanksFor(translation: ReadonlyMap<string, string>): number {
  const levels = [...translation]
    .filter(([from, to]) => /^ *$/u.test(from) && /^ *$/u.test(to))
    .map(([from, to]) => ({ from: from.length, to: to.length }))
    .toSorted((left, right) => left.from - right.from);
  const first = levels[0];
  const last = levels.at(-1);
  if (first === undefined || last === undefined || first.from === last.from || last.to <= first.to) return 1;
  return (last.to - first.to) / (last.from - first.from);
}
