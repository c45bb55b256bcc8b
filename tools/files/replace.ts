import { findMatches, type Match } from './matching.ts';
import { similarity } from './text-file.ts';

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

export function replaceText(raw: string, wanted: Replacement): Replaced {
  const old = toLf(wanted.old);
  const replacement = toLf(wanted.new);
  if (old === '') return refused('old_string is empty. Quote the passage to replace, or use write_file to write a whole file.');
  if (old === replacement) return refused('old_string and new_string are the same, so nothing would change.');
  const text = toLf(raw);
  const { matches, tolerance } = findMatches(text, old, replacement);
  if (matches.length === 0) return refused(notFound(text, old, replacement));
  if (matches.length > 1 && !wanted.all) return refused(ambiguous(text, matches));
  const chosen = withoutOverlaps(matches);
  const result = splice(raw, text, chosen);
  if (result === raw) return refused('The passage has this text already; nothing was changed.');
  return { kind: 'replaced', text: result, count: chosen.length, tolerance, diff: describe(text, chosen) };
}

function refused(why: string): Replaced {
  return { kind: 'refused', why };
}

function toLf(text: string): string {
  return text.replaceAll('\r\n', '\n');
}

/** Line numbers of offsets, asked in rising order. */
function lineNumbers(text: string): (offset: number) => number {
  let line = 1;
  let from = 0;
  return (offset) => {
    for (let end = text.indexOf('\n', from); end >= 0 && end < offset; end = text.indexOf('\n', from)) {
      line += 1;
      from = end + 1;
    }
    return line;
  };
}

function ambiguous(text: string, matches: readonly Match[]): string {
  const lineAt = lineNumbers(text);
  const lines = [...new Set(matches.map((match) => lineAt(match.start)))];
  const shown = lines.slice(0, SHOWN_CANDIDATES).join(', ') + (lines.length > SHOWN_CANDIDATES ? ', ...' : '');
  const where = lines.length === 1 ? `${matches.length} times in line ${shown}` : `at ${matches.length} places (lines ${shown})`;
  return `old_string is found ${where}. Quote more of the surrounding text so that it is found once, or set replace_all.`;
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

/** Works on the raw text, so that line ends outside of the passages stay as they are; inside they follow the file. */
function splice(raw: string, text: string, matches: readonly Match[]): string {
  const toRaw = rawOffsets(raw, text);
  const lineEnd = dominantLineEnd(raw);
  let result = '';
  let from = 0;
  for (const match of matches) {
    const start = toRaw(match.start);
    const end = toRaw(match.end);
    result += raw.slice(from, start) + match.replacement.replaceAll('\n', lineEndNear(raw.slice(start, end), lineEnd));
    from = end;
  }
  return result + raw.slice(from);
}

function dominantLineEnd(raw: string): string {
  const crlf = raw.split('\r\n').length - 1;
  const all = raw.split('\n').length - 1;
  return crlf * 2 > all ? '\r\n' : '\n';
}

function lineEndNear(passage: string, otherwise: string): string {
  const end = passage.indexOf('\n');
  if (end < 0) return otherwise;
  return passage[end - 1] === '\r' ? '\r\n' : '\n';
}

/** From an offset in the LF text to the one in the raw text. Asked in rising order. */
function rawOffsets(raw: string, text: string): (offset: number) => number {
  if (raw.length === text.length) return (offset) => offset;
  let at = 0;
  let rawAt = 0;
  return (offset) => {
    for (; at < offset; at += 1) rawAt += raw[rawAt] === '\r' && raw[rawAt + 1] === '\n' ? 2 : 1;
    return rawAt;
  };
}

const DIFF_LINES = 60;
const CONTEXT = 2;

/** What changed, in the manner of diff -u, shortened. */
function describe(text: string, matches: readonly Match[]): string {
  const lineAt = lineNumbers(text);
  const lines = matches.flatMap((match) => hunk(text, match, lineAt(match.start)));
  return lines.length > DIFF_LINES
    ? [...lines.slice(0, DIFF_LINES), `[... ${lines.length - DIFF_LINES} more lines of changes ...]`].join('\n')
    : lines.join('\n');
}

/** Looks only around the place: there may be thousands of them in a large file. */
function hunk(text: string, match: Match, line: number): string[] {
  const start = text.lastIndexOf('\n', match.start - 1) + 1;
  const lineEnd = text.indexOf('\n', Math.max(match.start, match.end - 1));
  const end = lineEnd < 0 ? text.length : lineEnd;
  const before = text.slice(start, end).split('\n');
  const after = (text.slice(start, match.start) + match.replacement + text.slice(match.end, Math.max(match.end, end)))
    .replace(/\n$/u, '')
    .split('\n');
  const marked = (mark: string, lines: readonly string[]): string[] => lines.map((line) => mark + line);
  const removed = match.replacement === '' && match.end > end ? [] : after;
  return [
    `@@ line ${line} @@`,
    ...marked(' ', linesBefore(text, start)),
    ...marked('-', before),
    ...marked('+', removed),
    ...marked(' ', linesAfter(text, end)),
  ];
}

/** `start` begins a line. */
function linesBefore(text: string, start: number): string[] {
  let from = start;
  for (let count = 0; count < CONTEXT && from > 0; count += 1) from = from === 1 ? 0 : text.lastIndexOf('\n', from - 2) + 1;
  return start === 0 ? [] : text.slice(from, start - 1).split('\n');
}

/** `end` ends a line. */
function linesAfter(text: string, end: number): string[] {
  if (end + 1 >= text.length) return [];
  let to = end;
  for (let count = 0; count < CONTEXT && to < text.length; count += 1) {
    const next = text.indexOf('\n', to + 1);
    to = next < 0 ? text.length : next;
  }
  const following = text.slice(end + 1, to);
  return (to === text.length ? following.replace(/\n$/u, '') : following).split('\n');
}
