/**
 * Markdown to WhatsApp's own marks. Pure. `*bold*`, `_italic_`, `~struck~`, `` `code` ``, fences of three backticks, `> quote`, `- item`,
 * `1. item`: https://faq.whatsapp.com/539178204879377. There is no escape and no link with a text, and a mark counts only on one line and
 * with no letter or digit at its outer side.
 */
import { isPlainText, type MarkdownNode, parseMarkdown } from '../shared/markdown.ts';
import { type Alignment, alignedTable } from '../shared/table.ts';

/** Deeper nesting is shown as its source: nobody reads it, and it must not cost a stack. */
const DEEPEST = 40;
const DEEPEST_INDENT = 8;
const FENCE = '```';
const BETWEEN = '\u200b';

interface Place {
  readonly source: string;
  readonly definitions: ReadonlyMap<string, string>;
  /** Depth in the tree. */
  readonly depth: number;
  /** Depth in lists. */
  readonly lists: number;
  /** In a quote no fence is understood. */
  readonly quoted: boolean;
  /** Marks of the same kind do not nest. */
  readonly bold: boolean;
}

/** Never empty for a text that is not blank: what renders to nothing (a lone link definition) is shown as it was written. */
export function toWhatsApp(markdown: string): string {
  if (isPlainText(markdown)) return markdown;
  const tree = parseMarkdown(markdown);
  const place = { source: markdown, definitions: definitionsOf(tree.children, 0), depth: 0, lists: 0, quoted: false, bold: false };
  const text = blocks(tree.children, place);
  return text.trim() === '' ? markdown : text;
}

function definitionsOf(nodes: readonly MarkdownNode[], depth: number): Map<string, string> {
  const found = new Map<string, string>();
  for (const node of nodes) {
    if (node.type === 'definition') found.set(node.identifier, node.url);
    else if ('children' in node && depth < DEEPEST) for (const entry of definitionsOf(node.children, depth + 1)) found.set(...entry);
  }
  return found;
}

function sourceOf(node: MarkdownNode, source: string): string {
  return source.slice(node.position?.start.offset ?? 0, node.position?.end.offset ?? 0);
}

/** Blank lines between blocks are kept, one at most; none is added. */
function blocks(nodes: readonly MarkdownNode[], place: Place): string {
  let text = '';
  let before: MarkdownNode | undefined;
  for (const node of nodes) {
    const rendered = block(node, { ...place, depth: place.depth + 1 });
    if (rendered === '') continue;
    text += before === undefined ? rendered : gap(before, node) + rendered;
    before = node;
  }
  return text;
}

function gap(before: MarkdownNode, after: MarkdownNode): string {
  const lines = (after.position?.start.line ?? 2) - (before.position?.end.line ?? 0);
  return lines > 1 ? '\n\n' : '\n';
}

function block(node: MarkdownNode, place: Place): string {
  if (place.depth > DEEPEST) return sourceOf(node, place.source);
  switch (node.type) {
    case 'heading':
      return marked(spans(node.children, { ...place, bold: true }), '*');
    case 'blockquote':
      return blocks(node.children, { ...place, quoted: true }).replace(/^/gm, '> ');
    case 'list':
      return node.children
        .map((item, index) => listItem(item, { bullet: bulletOf(node, index, place), before: node.children[index - 1] }, place))
        .join('');
    case 'code':
      return fenced(node.value, place);
    case 'table':
      return table(node.children, node.align ?? [], place);
    case 'thematicBreak':
      return '———';
    case 'html':
      return node.value;
    case 'definition':
      return '';
    case 'footnoteDefinition':
      return `[${node.identifier}] ${blocks(node.children, place)}`;
    default:
      return 'children' in node ? spans(node.children, place) : sourceOf(node, place.source);
  }
}

function fenced(code: string, { quoted }: Place): string {
  if (code.trim() === '') return '';
  if (quoted) return code;
  return `${FENCE}\n${code.replaceAll(FENCE, `\`${BETWEEN}\`${BETWEEN}\``)}\n${FENCE}`;
}

type ListNode = Extract<MarkdownNode, { type: 'list' }>;
type ItemNode = ListNode['children'][number];

/** WhatsApp knows lists of one level; below that a bullet of ours has to do. */
function bulletOf(list: ListNode, index: number, place: Place): string {
  const task = list.children[index]?.checked;
  const box = task === true ? '☑ ' : task === false ? '☐ ' : '';
  if (list.ordered === true) return `${(list.start ?? 1) + index}. ${box}`;
  return box === '' ? (place.lists === 0 ? '- ' : '◦ ') : box;
}

function listItem(item: ItemNode, { bullet, before }: { bullet: string; before: ItemNode | undefined }, place: Place): string {
  const indent = '  '.repeat(Math.min(place.lists, DEEPEST_INDENT));
  const deeper = { ...place, lists: place.lists + 1, depth: place.depth + 1 };
  const [first, ...rest] = item.children;
  const leads = first?.type === 'paragraph';
  const head = leads ? indented(block(first, deeper), `${indent}  `).trimStart() : '';
  const tail = (leads ? rest : item.children).map((node, index) => {
    const previous = leads ? (index === 0 ? first : rest[index - 1]) : item.children[index - 1];
    const text = node.type === 'paragraph' ? indented(block(node, deeper), `${indent}  `) : block(node, deeper);
    return text === '' ? '' : (previous === undefined ? '\n' : gap(previous, node)) + text;
  });
  return (before === undefined ? '' : gap(before, item)) + indent + bullet + head + tail.join('');
}

function indented(text: string, indent: string): string {
  return text.replace(/^/gm, indent);
}

function table(
  rows: readonly { readonly children: readonly { readonly children: readonly MarkdownNode[] }[] }[],
  align: readonly Alignment[],
  place: Place,
): string {
  const cells = rows.map((row) => row.children.map((cell) => plainSpans(cell.children, place).replace(/\s+/g, ' ').trim()));
  return fenced(alignedTable(cells, align), place);
}

/** A fixed-width table shows marks as they are, so it gets none. */
function plainSpans(nodes: readonly MarkdownNode[], place: Place): string {
  return nodes
    .map((node) => {
      if (node.type === 'inlineCode') return node.value;
      const deeper = { ...place, depth: place.depth + 1 };
      const styled = node.type === 'strong' || node.type === 'emphasis' || node.type === 'delete';
      return styled && deeper.depth <= DEEPEST ? plainSpans(node.children, deeper) : span(node, deeper);
    })
    .join('');
}

const LETTER = /[\p{L}\p{N}]/u;

function spans(nodes: readonly MarkdownNode[], place: Place): string {
  let text = '';
  for (const [index, node] of nodes.entries()) {
    const strong = node.type === 'strong';
    const rendered = span(node, { ...place, depth: place.depth + 1, bold: place.bold || strong });
    const mark = strong && place.bold ? undefined : MARKS[node.type];
    const standsAlone = mark !== undefined && !LETTER.test([...text].at(-1) ?? '') && !LETTER.test(firstOf(nodes[index + 1]));
    text += standsAlone ? marked(rendered, mark) : rendered;
  }
  return text;
}

const MARKS: Readonly<Record<string, string>> = { strong: '*', emphasis: '_', delete: '~' };

function firstOf(node: MarkdownNode | undefined): string {
  return node?.type === 'text' ? ([...node.value][0] ?? '') : '';
}

/** A mark ends with its line, and one that is inside already would end it early. */
function marked(text: string, mark: string): string {
  return text
    .split('\n')
    .map((line) => {
      const [, before = '', inner = '', after = ''] = /^(\s*)(.*?)(\s*)$/u.exec(line) ?? [];
      return inner === '' || inner.includes(mark) ? line : `${before}${mark}${inner}${mark}${after}`;
    })
    .join('\n');
}

function span(node: MarkdownNode, place: Place): string {
  if (place.depth > DEEPEST) return sourceOf(node, place.source);
  switch (node.type) {
    case 'text':
      return node.value;
    case 'inlineCode':
      return node.value.includes('`') ? node.value : `\`${node.value}\``;
    case 'break':
      return '\n';
    case 'html':
      return /^<br\s*\/?>$/i.test(node.value) ? '\n' : node.value;
    case 'link':
      return link(node.url, spans(node.children, place));
    case 'image':
      return link(node.url, node.alt || 'image');
    case 'linkReference':
      return link(place.definitions.get(node.identifier) ?? '', spans(node.children, place));
    case 'imageReference':
      return link(place.definitions.get(node.identifier) ?? '', node.alt || 'image');
    case 'footnoteReference':
      return `[${node.identifier}]`;
    default:
      return 'children' in node ? spans(node.children, place) : sourceOf(node, place.source);
  }
}

/** WhatsApp finds addresses itself; it has no text that stands for one. */
function link(url: string, label: string): string {
  if (url === '' || label === url || `mailto:${label}` === url || `http://${label}` === url) return label;
  return label.trim() === '' ? url : `${label} (${url})`;
}
