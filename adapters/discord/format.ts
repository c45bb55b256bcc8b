/** Markdown to Discord's markdown, which knows no tables, no deeper headings than three and no quotes in quotes. Pure. */
import { isPlainText, type MarkdownNode, parseMarkdown } from '../shared/markdown.ts';
import { type Alignment, alignedTable } from '../shared/table.ts';
import { codeBlock, escapeLineStarts, escapeText } from './escape.ts';
import { DEEPEST, type Span, sourceOf, spans } from './inline.ts';

const DEEPEST_HEADING = 3;
const DEEPEST_LIST = 8;

interface Place {
  readonly source: string;
  readonly definitions: ReadonlyMap<string, string>;
  readonly depth: number;
  /** Depth in lists. */
  readonly lists: number;
  readonly quoted: boolean;
}

/** Never empty for a text that is not blank: what renders to nothing (a lone link definition) is shown as it was written. */
export function toDiscord(markdown: string): string {
  if (isPlainText(markdown)) return markdown;
  const tree = parseMarkdown(markdown);
  const place = { source: markdown, definitions: definitionsOf(tree.children, 0), depth: 0, lists: 0, quoted: false };
  const text = blocks(tree.children, place);
  return text.trim() === '' ? escapeLineStarts(escapeText(markdown)) : text;
}

function definitionsOf(nodes: readonly MarkdownNode[], depth: number): Map<string, string> {
  const found = new Map<string, string>();
  for (const node of nodes) {
    if (node.type === 'definition') found.set(node.identifier, node.url);
    else if ('children' in node && depth < DEEPEST) for (const entry of definitionsOf(node.children, depth + 1)) found.set(...entry);
  }
  return found;
}

/** Blank lines between blocks are kept, one at most; none is added. */
function blocks(nodes: readonly MarkdownNode[], place: Place): string {
  let text = '';
  let before: MarkdownNode | undefined;
  for (const node of nodes) {
    const rendered = block(node, { ...place, depth: place.depth + 1 });
    if (rendered === '') continue;
    text += before === undefined ? rendered : gap(before, node, place) + rendered;
    before = node;
  }
  return text;
}

/** A blank line would end a list. */
function gap(before: MarkdownNode, after: MarkdownNode, { lists }: Place): string {
  const lines = (after.position?.start.line ?? 2) - (before.position?.end.line ?? 0);
  const apart = lines > 1 || before.type === 'list' || before.type === 'blockquote';
  return apart && lists === 0 ? '\n\n' : '\n';
}

function block(node: MarkdownNode, place: Place): string {
  if (place.depth > DEEPEST) return sourceOf(node, place.source);
  switch (node.type) {
    case 'heading':
      return heading(node, place);
    case 'blockquote':
      return quote(node.children, place);
    case 'list':
      return node.children.map((item, index) => listItem(item, bulletOf(node, index), place)).join('\n');
    case 'code':
      return codeBlock(node.value, node.lang);
    case 'table':
      return codeBlock(tableText(node.children, node.align ?? [], place));
    case 'thematicBreak':
      return '———';
    case 'html':
      return escapeLineStarts(escapeText(node.value));
    case 'definition':
      return '';
    case 'footnoteDefinition':
      return `[${escapeText(node.identifier)}] ${blocks(node.children, place)}`;
    default:
      return 'children' in node ? escapeLineStarts(inline(node.children, place)) : sourceOf(node, place.source);
  }
}

function inline(nodes: readonly MarkdownNode[], { source, definitions, depth }: Place, marks: Span['marks'] = []): string {
  return withoutNeedlessBrackets(spans(nodes, { source, definitions, depth, marks }));
}

/** An address that white space or the end follows is found without its brackets, and then shows a preview. */
function withoutNeedlessBrackets(text: string): string {
  return text.replace(/(?<=^|\s)<(https?:\/\/[^\s<>]+[^\s<>.,:;"'\])*_~|])>(?=\s|$)/gi, '$1');
}

function heading({ depth, children }: Extract<MarkdownNode, { type: 'heading' }>, place: Place): string {
  const flat = inline(children, place).replace(/\s+/g, ' ').trim();
  if (flat === '') return '';
  // Marks at the end of a heading are taken for its closing.
  if (depth <= DEEPEST_HEADING && place.lists === 0)
    return `${'#'.repeat(depth)} ${flat.replace(/#+$/, (marks) => marks.replaceAll('#', '\\#'))}`;
  const bold = inline(children, place, ['bold']).replace(/\s+/g, ' ').trim();
  return `**${bold}**`;
}

function quote(nodes: readonly MarkdownNode[], place: Place): string {
  const inner = blocks(nodes, { ...place, quoted: true });
  return inner === '' ? '' : inner.replace(/^/gm, place.quoted ? '\\> ' : '> ');
}

type ListNode = Extract<MarkdownNode, { type: 'list' }>;

function bulletOf(list: ListNode, index: number): string {
  const task = list.children[index]?.checked;
  const box = task === true ? '☑ ' : task === false ? '☐ ' : '';
  return `${list.ordered === true ? `${(list.start ?? 1) + index}.` : '-'} ${box}`;
}

/**
 * Code, tables and quotes of an item stand at the left margin: inside a list a blank line would end it in the middle of them. The items
 * behind them are a list of their own, which begins with the right number.
 */
function listItem(item: ListNode['children'][number], bullet: string, place: Place): string {
  const indent = '  '.repeat(Math.min(place.lists, DEEPEST_LIST));
  const deeper = { ...place, lists: place.lists + 1, depth: place.depth + 1 };
  const lines = [`${indent}${bullet}`.trimEnd()];
  for (const [index, node] of item.children.entries()) {
    const text = block(node, deeper);
    if (text === '') continue;
    const flows = node.type === 'paragraph' || node.type === 'heading';
    if (index === 0 && flows) lines[0] = `${indent}${bullet}${hanging(text, `${indent}  `)}`;
    else lines.push(flows ? `${indent}  ${hanging(text, `${indent}  `)}` : text);
  }
  return lines.join('\n');
}

/** Lines behind the first are shifted to where the first begins. */
function hanging(text: string, indent: string): string {
  return text.replace(/\n/g, `\n${indent}`);
}

function tableText(
  rows: readonly { readonly children: readonly { readonly children: readonly MarkdownNode[] }[] }[],
  align: readonly Alignment[],
  place: Place,
): string {
  const text = rows.map((row) => row.children.map((cell) => wordsOf(cell.children, place, 0).replace(/\s+/g, ' ').trim()));
  return alignedTable(text, align);
}

/** Without any marks: what stands in a fixed-width font. */
function wordsOf(nodes: readonly MarkdownNode[], place: Place, depth: number): string {
  return nodes
    .map((node) => {
      if (node.type === 'break') return ' ';
      if ('value' in node) return node.value;
      if (node.type === 'image' || node.type === 'imageReference') return node.alt ?? '';
      if (node.type === 'footnoteReference') return `[${node.identifier}]`;
      return 'children' in node && depth < DEEPEST ? wordsOf(node.children, place, depth + 1) : '';
    })
    .join('');
}
