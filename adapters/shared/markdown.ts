/** Markdown as a tree, the one form from which every platform's formatting is made. */
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';

export type MarkdownTree = ReturnType<typeof fromMarkdown>;
export type MarkdownNode = MarkdownTree['children'][number];

const syntax = [gfm({ singleTilde: false })];
const nodes = [gfmFromMarkdown()];

/** Containers opened on one line. Nobody means it, and the parser needs minutes for thousands of them. */
const ABYSS = /^[ \t]*(?:(?:[-+*>]|\d{1,9}[.)])[ \t]*){24}/m;

/**
 * CommonMark with GitHub's tables, task lists, footnotes, autolinks and `~~strikethrough~~` ("~5 to ~10" is no strikethrough).
 * Text that nests absurdly deep is one paragraph of plain text.
 */
export function parseMarkdown(markdown: string): MarkdownTree {
  if (ABYSS.test(markdown)) return plainTree(markdown);
  return fromMarkdown(markdown, { extensions: syntax, mdastExtensions: nodes });
}

function plainTree(text: string): MarkdownTree {
  const lines = text.split('\n');
  const position = {
    start: { line: 1, column: 1, offset: 0 },
    end: { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1, offset: text.length },
  };
  return { type: 'root', children: [{ type: 'paragraph', children: [{ type: 'text', value: text, position }], position }], position };
}

const MARKUP = /[\\`*_~[\]<>&#|]|^[ \t]*(?:[-+=]|\d+[.)]|\S.*[ \t]{2}$)|^(?: {4}|\t)/m;

/** The text means the same with and without parsing: most messages, and the reason why they cost microseconds. */
export function isPlainText(markdown: string): boolean {
  return !MARKUP.test(markdown);
}
