import { showPlaces } from './candidates.ts';
import { diffOf, lineNumbers } from './diff.ts';
import { createLines } from './lines.ts';
import { findMatches, type Match, MOST_MATCHES } from './matching.ts';
import { similarity } from './similarity.ts';
import { splice, toLf } from './splice.ts';

/** Replaces a passage of a text, forgiving small differences, refusing to guess. Pure. */

export interface Replacement {
  readonly old: string;
  readonly new: string;
  readonly all: boolean;
}

export type Replaced =
  | { readonly kind: 'replaced'; readonly text: string; readonly count: number; readonly tolerance: string; readonly diff: string }
  | { readonly kind: 'refused'; readonly why: string };

const SHOWN_CANDIDATES = 12;

export function replaceText(given: string, wanted: Replacement): Replaced {
  const { mark, text: raw } = withoutMark(given);
  const old = toLf(withoutMark(wanted.old).text);
  const replacement = toLf(mark === '' ? wanted.new : withoutMark(wanted.new).text);
  if (old === '') return refused('old_string is empty. Quote the passage to replace, or use write_file to write a whole file.');
  if (old === replacement) return refused('old_string and new_string are the same, so nothing would change.');
  const text = toLf(raw);
  const { matches, tolerance } = findMatches(text, old, replacement);
  if (matches.length === 0) return refused(notFound(text, old, replacement));
  if (matches.length > MOST_MATCHES)
    return refused(`old_string is found at more than ${MOST_MATCHES} places. Use sed or a script in the terminal.`);
  if (matches.length > 1 && !wanted.all) return refused(ambiguous(text, matches));
  const chosen = withoutOverlaps(matches);
  const result = splice(raw, text, chosen);
  if (result === raw) return refused('The passage has this text already; nothing was changed.');
  return { kind: 'replaced', text: mark + result, count: chosen.length, tolerance, diff: diffOf(text, chosen) };
}

function refused(why: string): Replaced {
  return { kind: 'refused', why };
}

function ambiguous(text: string, matches: readonly Match[]): string {
  const lineAt = lineNumbers(text);
  const lines = [...new Set(matches.map((match) => lineAt(match.start)))];
  const shown = lines.slice(0, SHOWN_CANDIDATES).join(', ') + (lines.length > SHOWN_CANDIDATES ? ', ...' : '');
  const where = lines.length === 1 ? `${matches.length} times in line ${shown}` : `at ${matches.length} places (lines ${shown})`;
  const places = showPlaces(createLines(text).texts, lines.slice(0, SHOWN_CANDIDATES));
  return `old_string is found ${where}. Quote more of the surrounding text so that it is found once, or set replace_all.\n${places}`;
}

function notFound(text: string, old: string, replacement: string): string {
  if (replacement.trim() !== '' && text.includes(replacement))
    return 'old_string is not in the file, but new_string is: the change seems to be made already.';
  const near = nearest(text, old);
  const hint =
    near === undefined
      ? 'Read the file again and quote it exactly.'
      : `The most similar line is ${near.line}: ${near.text.trim().slice(0, 200)}\nRead the file around it and quote it exactly.`;
  return `old_string is not in the file. ${hint}`;
}

function nearest(text: string, old: string): { line: number; text: string } | undefined {
  const sought =
    old
      .split('\n')
      .find((line) => line.trim() !== '')
      ?.trim() ?? '';
  const lines = text.split('\n').slice(0, 20_000);
  const scored = lines.map((line, index) => ({
    line: index + 1,
    text: line,
    score: similarity(sought.slice(0, 200), line.trim().slice(0, 200)),
  }));
  const best = scored.reduce((left, right) => (right.score > left.score ? right : left), { line: 0, text: '', score: 0.5 });
  return best.line === 0 ? undefined : best;
}

function withoutOverlaps(matches: readonly Match[]): Match[] {
  const chosen: Match[] = [];
  for (const match of matches) if (match.start >= (chosen.at(-1)?.end ?? 0)) chosen.push(match);
  return chosen;
}

/** A byte order mark belongs to the file, not to its first line. */
export function withoutMark(text: string): { readonly mark: string; readonly text: string } {
  return text.startsWith('\ufeff') ? { mark: '\ufeff', text: text.slice(1) } : { mark: '', text };
}
