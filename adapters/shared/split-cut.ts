/** The choice of the place to cut at. Pure. */
import type { CodeSpan, Shape, Span } from './split-shape.ts';

/** How much is spared: all spans, only those that a cut would break, or none because there is no other way. */
type Care = 'all' | 'hard' | 'none';

/**
 * The best place in (0, reach]: a paragraph's end in the second half, else a line's, a sentence's, a word's; else any of these in the
 * first half, so that a link is not cut; else between two characters as people see them. 0 when there is none.
 */
export function candidates(text: string, shape: Shape, reach: number): number {
  // Only the end of the whole text is within reach like this.
  if (reach >= text.length) return text.length;
  const half = Math.floor(reach / 2);
  for (const care of ['all', 'hard'] as const) {
    const found = lastBreak(text, { shape, care, from: half, to: reach }) ?? lastBreak(text, { shape, care, from: 0, to: half });
    if (found !== undefined) return found;
    const character = lastCharacter(text, { shape, care, from: 0, to: reach });
    if (character !== undefined && character > half) return character;
  }
  const any = { shape, from: 0, to: reach };
  return lastCharacter(text, { ...any, care: 'hard' }) ?? lastCharacter(text, { ...any, care: 'none' }) ?? reach;
}

interface Search {
  readonly shape: Shape;
  readonly care: Care;
  /** Places in (from, to]. */
  readonly from: number;
  readonly to: number;
}

function lastBreak(text: string, search: Search): number | undefined {
  return lastLineBreak(text, search, true) ?? lastLineBreak(text, search, false) ?? lastSentence(text, search) ?? lastSpace(text, search);
}

function lastLineBreak(text: string, search: Search, paragraph: boolean): number | undefined {
  for (let at = text.lastIndexOf('\n', search.to); at > search.from; at = text.lastIndexOf('\n', at - 1)) {
    if (paragraph && (!/^\n[ \t]*\n/.test(text.slice(at, at + 200)) || codeAt(search.shape, at) !== undefined)) continue;
    if (isAllowed(text, at, search)) return at;
  }
  return undefined;
}

const SENTENCE = /[.!?…]["'”’)\]*_]*(?=\s)|[。！？]["'”’」』）]*/g;

function lastSentence(text: string, search: Search): number | undefined {
  let found: number | undefined;
  for (const match of text.slice(search.from, search.to + 1).matchAll(SENTENCE)) {
    const at = search.from + match.index + match[0].length;
    if (at > search.from && at <= search.to && codeAt(search.shape, at) === undefined && isAllowed(text, at, search)) found = at;
  }
  return found;
}

function lastSpace(text: string, search: Search): number | undefined {
  for (let at = search.to; at > search.from; at -= 1) {
    const character = text[at];
    if ((character === ' ' || character === '\t') && isAllowed(text, at, search)) return at;
  }
  return undefined;
}

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

function lastCharacter(text: string, search: Search): number | undefined {
  const segments = graphemes.segment(text);
  for (let at = segments.containing(search.to)?.index ?? 0; at > search.from; at = segments.containing(at - 1)?.index ?? 0) {
    const inside = spanAt(text, at, search);
    if (inside === undefined) return at;
    // On to the start of what must not be cut, rather than through it a character at a time.
    if (inside.start <= search.from) return undefined;
    at = Math.min(at, inside.start + 1);
  }
  return undefined;
}

function isAllowed(text: string, at: number, search: Search): boolean {
  return spanAt(text, at, search) === undefined;
}

/** Begins a list, quote, heading, fence, rule or definition where it stands first in a line: words would turn into markup. */
const BLOCK_START =
  /^[ \t]*(?:[-+*](?:\s|$)|>|#{1,6}(?:\s|$)|\d{1,9}[.)](?:\s|$)|`{3}|~{3}|=+\s*$|\[[^\]\n]{1,999}\]:|(?:[-*_][ \t]*){3,}$)/;

function startsBlock(text: string, at: number): boolean {
  const [line = ''] = text.slice(at, at + 1024).split('\n', 1);
  return BLOCK_START.test(line);
}

/** What a cut at this place would go through. */
function spanAt(text: string, at: number, { shape, care }: Search): { start: number } | undefined {
  const code = codeAt(shape, at);
  if (code !== undefined) return care === 'none' || isInsideContent(code, at) ? undefined : code;
  if (care === 'none') return undefined;
  if (startsBlock(text, at)) return { start: at };
  return shape.spans.find((span: Span) => span.start < at && at < span.end && (span.hard || care === 'all'));
}

function codeAt(shape: Shape, at: number): CodeSpan | undefined {
  return shape.codes.find(({ start, end }) => start < at && at < end);
}

/** Not in the fences' own lines, and with something on both sides. */
function isInsideContent({ fence }: CodeSpan, at: number): boolean {
  return fence === undefined || (at > fence.contentStart && at < fence.contentEnd);
}

/** Blank lines go; the indentation of what follows goes too, evenly, so that a list that was cut in its middle stays one. */
export function trimStart(text: string): string {
  const bare = text.replace(/^(?:[ \t]*\n)+/, '');
  const [indent = ''] = /^[ \t]*/.exec(bare) ?? [];
  if (indent === '') return bare;
  const lines = bare.split('\n');
  const foreign = lines.findIndex((line) => line.trim() !== '' && !line.startsWith(indent));
  const own = foreign < 0 ? lines : lines.slice(0, foreign);
  return [...own.map((line) => line.slice(indent.length)), ...lines.slice(own.length)].join('\n');
}
