/** Where a markdown text may be cut, as its tree tells. Offsets are UTF-16 units into the text. */
import { isPlainText, type MarkdownNode, type MarkdownTree, parseMarkdown } from './markdown.ts';

/** Cuts strictly inside are to be avoided. `hard`: a cut would break it (a link); else it would only look worse (bold text). */
export interface Span {
  readonly start: number;
  readonly end: number;
  readonly hard: boolean;
}

/** A fenced or indented block of code. */
export interface CodeSpan {
  readonly start: number;
  readonly end: number;
  /** Undefined: indented. */
  readonly fence: Fence | undefined;
  /** Whether it stands in a list or a quote. */
  readonly nested: boolean;
  readonly value: string;
}

export interface Fence {
  /** "```" or longer, or "~~~". */
  readonly marks: string;
  readonly info: string;
  /** What stands before the fence on each line ("> ", the indentation of a list). */
  readonly prefix: string;
  /** First unit of the content, after the opening line. */
  readonly contentStart: number;
  /** The line break before the closing fence; where it is missing, the end. */
  readonly contentEnd: number;
  readonly closed: boolean;
}

export interface Shape {
  readonly spans: readonly Span[];
  readonly codes: readonly CodeSpan[];
}

/** Deeper is nothing that a reader would miss, and recursion must end. */
const DEEPEST = 60;
const HARD = new Set(['link', 'image', 'linkReference', 'imageReference', 'inlineCode', 'html', 'footnoteReference', 'definition']);
const SOFT = new Set(['emphasis', 'strong', 'delete', 'heading', 'tableRow']);
/** Escapes, character references, bare addresses and spoilers, which have no node of their own. */
const PIECES =
  /\\[!-/:-@[-`{-~]|&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,31});|(?:https?:\/\/|www\.)[^\s<]+|\|\|(?=\S)[^|\n]*?[^|\s]\|\|/gi;

export function shapeOf(text: string): Shape {
  const spans: Span[] = [];
  const codes: CodeSpan[] = [];
  if (!isPlainText(text)) collect(parseMarkdown(text), { text, spans, codes }, 0);
  for (const match of text.matchAll(PIECES)) spans.push({ start: match.index, end: match.index + match[0].length, hard: true });
  return { spans: spans.toSorted((one, other) => one.start - other.start), codes };
}

interface Found {
  readonly text: string;
  readonly spans: Span[];
  readonly codes: CodeSpan[];
}

function collect(parent: MarkdownTree | MarkdownNode, found: Found, depth: number): void {
  if (!('children' in parent) || depth > DEEPEST) return;
  for (const node of parent.children) {
    const start = node.position?.start.offset;
    const end = node.position?.end.offset;
    if (start !== undefined && end !== undefined) {
      if (node.type === 'code') found.codes.push(codeSpan(found.text, { start, end, value: node.value, nested: parent.type !== 'root' }));
      else if (HARD.has(node.type)) found.spans.push({ start, end, hard: true });
      else if (SOFT.has(node.type)) found.spans.push({ start, end, hard: false });
      if (node.type === 'table') found.spans.push(tableHead(found.text, start, end));
    }
    collect(node, found, depth + 1);
  }
}

/** Header, delimiter row and first row belong together: a header alone is no table. */
function tableHead(text: string, start: number, end: number): Span {
  let at = start;
  for (let line = 0; line < 3; line += 1) {
    const next = text.indexOf('\n', at);
    if (next < 0 || next >= end) return { start, end, hard: false };
    at = next + 1;
  }
  return { start, end: at - 1, hard: false };
}

function codeSpan(text: string, node: { start: number; end: number; value: string; nested: boolean }): CodeSpan {
  const { start, end } = node;
  const [, marks, rest = ''] = /^(`{3,}|~{3,})([^\n]*)/.exec(text.slice(start, end)) ?? [];
  if (marks === undefined) return { ...node, fence: undefined };
  const lineStart = text.lastIndexOf('\n', start - 1) + 1;
  const contentStart = Math.min(end, start + marks.length + rest.length + 1);
  const lastBreak = text.lastIndexOf('\n', end - 1);
  const lastLine = text.slice(Math.max(contentStart, lastBreak + 1), end);
  const closed = lastBreak >= contentStart - 1 && isClosing(lastLine, marks);
  return {
    ...node,
    fence: {
      marks,
      info: rest.trim(),
      prefix: text.slice(lineStart, start).replace(/[^>\s]/g, ' '),
      contentStart,
      contentEnd: closed ? lastBreak : end,
      closed,
    },
  };
}

function isClosing(line: string, marks: string): boolean {
  const bare = line.replace(/^[>\s]*/, '').trimEnd();
  return bare.length >= marks.length && bare === (marks[0] ?? '').repeat(bare.length);
}
