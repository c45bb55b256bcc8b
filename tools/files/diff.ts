import type { Match } from './matching.ts';

const DIFF_LINES = 60;
const CONTEXT = 2;

/** What changed, in the manner of diff -u, shortened. */
export function diffOf(text: string, matches: readonly Match[]): string {
  const lineAt = lineNumbers(text);
  const lines = matches.flatMap((match) => hunk(text, match, lineAt(match.start)));
  return lines.length > DIFF_LINES
    ? [...lines.slice(0, DIFF_LINES), `[... ${lines.length - DIFF_LINES} more lines of changes ...]`].join('\n')
    : lines.join('\n');
}

/** Looks only around the place: there may be thousands of them in a large file. */
function hunk(text: string, match: Match, line: number): string[] {
  const start = match.start === 0 ? 0 : text.lastIndexOf('\n', match.start - 1) + 1;
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

/** Line numbers of offsets, asked in rising order. */
export function lineNumbers(text: string): (offset: number) => number {
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
