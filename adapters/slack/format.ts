/**
 * Markdown to Slack's mrkdwn. Pure. https://docs.slack.dev/messaging/formatting-message-text
 * `&`, `<` and `>` are escaped wherever they are text, so that no words of a model can mention anybody (`<!channel>`) or forge a link.
 */
import { isPlainText, type MarkdownNode, parseMarkdown } from '../shared/markdown.ts';
import { type Alignment, alignedTable } from '../shared/table.ts';

/** Deeper nesting is shown as its source: nobody reads it, and it must not cost a stack. */
const DEEPEST = 40;
const DEEPEST_INDENT = 8;
const BULLETS = ['•', '◦', '▪'];
const LINKS = /^(?:https?|mailto|tel|slack):/i;
/** mrkdwn has no escape for its own marks. This one looks the same and starts no code. */
const HARMLESS_TICK = 'ˋ';
const ZERO_WIDTH_SPACE = '\u200b';

interface Place {
  readonly source: string;
  readonly definitions: ReadonlyMap<string, string>;
  /** Depth in the tree. */
  readonly depth: number;
  /** Depth in lists. */
  readonly lists: number;
  /** Slack does not nest quotes. */
  readonly quoted: boolean;
  /** Without marks: the words alone. */
  readonly bare: boolean;
}

interface Span {
  readonly place: Place;
  /** Marks around every piece of text, outermost first. Leaves carry them, because code may not stand inside marks. */
  readonly marks: readonly string[];
  readonly linked: boolean;
}

export function escapeMrkdwn(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Never empty for a text that is not blank: what renders to nothing (a lone link definition) is shown as it was written. */
export function toMrkdwn(markdown: string): string {
  return isPlainText(markdown) ? escapeMrkdwn(markdown) : render(markdown, false);
}

/** The words without any mark, not escaped: a command reads as it will run. */
export function toPlainWords(markdown: string): string {
  return isPlainText(markdown) ? markdown : visibleText(render(markdown, true));
}

function render(markdown: string, bare: boolean): string {
  const tree = parseMarkdown(markdown);
  const place = { source: markdown, definitions: definitionsOf(tree.children, 0), depth: 0, lists: 0, quoted: false, bare };
  const text = blocks(tree.children, place);
  return visibleText(text).trim() === '' ? words(markdown) : text;
}

/** The words that people read, marks and escapes taken out. For mrkdwn made here only. */
export function visibleText(mrkdwn: string): string {
  return mrkdwn
    .replace(/<([^>|]*)(?:\|([^>]*))?>/g, (_whole, url: string, label: string | undefined) => label ?? url)
    .replaceAll(ZERO_WIDTH_SPACE, '')
    .replace(/&(lt|gt|amp);/g, (_whole, name: string) => CHARACTERS[name] ?? '');
}

const CHARACTERS: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&' };

function definitionsOf(nodes: readonly MarkdownNode[], depth: number): Map<string, string> {
  const found = new Map<string, string>();
  for (const node of nodes) {
    if (node.type === 'definition') found.set(node.identifier, node.url);
    else if ('children' in node && depth < DEEPEST) for (const entry of definitionsOf(node.children, depth + 1)) found.set(...entry);
  }
  return found;
}

/** Text that is none of ours to mark: a tick in it would open code up to the next one. */
function words(text: string): string {
  return escapeMrkdwn(text).replaceAll('`', HARMLESS_TICK);
}

function sourceOf(node: MarkdownNode, source: string): string {
  return words(source.slice(node.position?.start.offset ?? 0, node.position?.end.offset ?? 0));
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
      return spans(node.children, { place, marks: place.bare ? [] : ['*'], linked: false });
    case 'blockquote':
      return quote(node.children, place);
    case 'list':
      return node.children
        .map((item, index) => listItem(item, { bullet: bulletOf(node, index, place), before: node.children[index - 1] }, place))
        .join('');
    case 'code':
      return codeBlock(node.value, place);
    case 'table':
      return table(node.children, node.align ?? [], place);
    case 'thematicBreak':
      return '———';
    case 'html':
      return words(node.value);
    case 'definition':
      return '';
    case 'footnoteDefinition':
      return `[${words(node.identifier)}] ${blocks(node.children, place)}`;
    default:
      return 'children' in node ? spans(node.children, { place, marks: [], linked: false }) : sourceOf(node, place.source);
  }
}

/** A mark on each line of words. In code it would stand as part of the code, so code stands beside the quote. */
function quote(nodes: readonly MarkdownNode[], place: Place): string {
  const inner = blocks(nodes, { ...place, quoted: true });
  const pieces = inner.split(/(```\n.*?\n```)/s).map((piece, index) => {
    if (index % 2 === 1) return piece;
    const words = piece.replace(/^\n|\n$/g, '');
    return words === '' ? '' : indented(words, place.quoted ? '&gt; ' : '> ');
  });
  return pieces.filter((piece) => piece !== '').join('\n');
}

/** Three ticks in the code itself would end it. */
function codeBlock(value: string, { bare }: Place): string {
  if (value.trim() === '' || bare) return value.trim() && escapeMrkdwn(value);
  return `\`\`\`\n${escapeMrkdwn(value).replace(/`(?=``)/g, `\`${ZERO_WIDTH_SPACE}`)}\n\`\`\``;
}

type ListNode = Extract<MarkdownNode, { type: 'list' }>;
type ItemNode = ListNode['children'][number];

function bulletOf(list: ListNode, index: number, place: Place): string {
  const task = list.children[index]?.checked;
  const box = task === true ? '☑ ' : task === false ? '☐ ' : '';
  if (list.ordered === true) return `${(list.start ?? 1) + index}. ${box}`;
  return box === '' ? `${BULLETS[Math.min(place.lists, BULLETS.length - 1)]} ` : box;
}

function listItem(item: ItemNode, { bullet, before }: { bullet: string; before: ItemNode | undefined }, place: Place): string {
  const indent = '    '.repeat(Math.min(place.lists, DEEPEST_INDENT));
  const deeper = { ...place, lists: place.lists + 1, depth: place.depth + 1 };
  const [first, ...rest] = item.children;
  const leads = first?.type === 'paragraph';
  const head = leads ? indented(block(first, deeper), `${indent}    `).trimStart() : '';
  const tail = (leads ? rest : item.children).map((node, index) => {
    const previous = leads ? (index === 0 ? first : rest[index - 1]) : item.children[index - 1];
    const text = node.type === 'paragraph' ? indented(block(node, deeper), `${indent}    `) : block(node, deeper);
    return text === '' ? '' : (previous === undefined ? '\n' : gap(previous, node)) + text;
  });
  return (before === undefined ? '' : gap(before, item)) + indent + bullet + head + tail.join('');
}

/** For words only: a line of code must not be shifted. What else JavaScript takes for the end of a line is none in Slack. */
function indented(text: string, indent: string): string {
  return indent + text.replaceAll('\n', `\n${indent}`);
}

function table(
  rows: readonly { readonly children: readonly { readonly children: readonly MarkdownNode[] }[] }[],
  align: readonly Alignment[],
  place: Place,
): string {
  const text = rows.map((row) => row.children.map((cell) => cellText(cell.children, place)));
  return codeBlock(alignedTable(text, align), place);
}

function cellText(nodes: readonly MarkdownNode[], place: Place): string {
  return nodes
    .map((node) => plainOf(node, place.source, 0))
    .join('')
    .replace(/\s+/g, ' ')
    .trim();
}

/** In a fixed-width font nothing else is to be had. */
function plainOf(node: MarkdownNode, source: string, depth: number): string {
  if (node.type === 'image') return node.alt || node.url;
  if ('children' in node && depth < DEEPEST) return node.children.map((child) => plainOf(child, source, depth + 1)).join('');
  return 'value' in node ? node.value : source.slice(node.position?.start.offset ?? 0, node.position?.end.offset ?? 0);
}

function spans(nodes: readonly MarkdownNode[], at: Span): string {
  return nodes.reduce((text, node) => join(text, span(node, { ...at, place: { ...at.place, depth: at.place.depth + 1 } })), '');
}

/** Slack sees a mark only between a word and something else: where two pieces touch, nothing visible comes between them. */
function join(before: string, after: string): string {
  if (before === '' || after === '') return before + after;
  const touches = /[*_~`]$/.test(before) ? /^[^\s.,:;!?)\]}\n]/.test(after) : /^[*_~`]/.test(after) && /[^\s([{\n]$/.test(before);
  return touches ? before + ZERO_WIDTH_SPACE + after : before + after;
}

function span(node: MarkdownNode, at: Span): string {
  if (at.place.depth > DEEPEST) return sourceOf(node, at.place.source);
  switch (node.type) {
    case 'text':
      return wrap(words(node.value), at.marks);
    case 'strong':
      return spans(node.children, marked(at, '*'));
    case 'emphasis':
      return spans(node.children, marked(at, '_'));
    case 'delete':
      return spans(node.children, marked(at, '~'));
    case 'inlineCode':
      return code(node.value, at);
    case 'break':
      return '\n';
    case 'html':
      return /^<br\s*\/?>$/i.test(node.value) ? '\n' : wrap(words(node.value), at.marks);
    case 'link':
      return link(node.url, node.children, at);
    case 'image':
      return anchor(node.url, wrap(words(node.alt || 'image'), at.marks), at);
    case 'linkReference':
      return link(at.place.definitions.get(node.identifier) ?? '', node.children, at);
    case 'imageReference':
      return anchor(at.place.definitions.get(node.identifier) ?? '', wrap(words(node.alt || 'image'), at.marks), at);
    case 'footnoteReference':
      return `[${words(node.identifier)}]`;
    default:
      return 'children' in node ? spans(node.children, at) : sourceOf(node, at.place.source);
  }
}

function marked(at: Span, mark: string): Span {
  return at.place.bare || at.marks.includes(mark) ? at : { ...at, marks: [...at.marks, mark] };
}

function code(value: string, { place, linked, marks }: Span): string {
  if (place.bare) return escapeMrkdwn(value);
  if (linked) return wrap(words(value), marks);
  const text = escapeMrkdwn(value).replaceAll('`', HARMLESS_TICK).replace(/\s+/g, ' ');
  return text.trim() === '' ? text : `\`${text}\``;
}

/** Marks hold on one line only, and not next to white space. */
function wrap(text: string, marks: readonly string[]): string {
  if (marks.length === 0) return text;
  return text.replace(/[^\n]+/g, (line) => {
    const [, lead = '', words = '', trail = ''] = /^(\s*)(.*?)(\s*)$/su.exec(line) ?? [];
    return words === '' ? line : `${lead}${marks.join('')}${words}${marks.toReversed().join('')}${trail}`;
  });
}

function link(url: string, children: readonly MarkdownNode[], at: Span): string {
  const label = spans(children, { ...at, linked: true, marks: [] });
  const shown = visibleText(label).trim();
  if (shown === '' || shown === url || `mailto:${shown}` === url || `http://${shown}` === url) return anchor(url, '', at);
  return anchor(url, label, at);
}

/** `|` and `>` would end the address, which is what it says in front of them. */
function anchor(url: string, label: string, at: Span): string {
  const plain = label === '' ? words(url) : label;
  if (at.linked) return plain;
  if (!LINKS.test(url) || at.place.bare)
    return url === '' || label === '' ? wrap(plain, at.marks) : `${wrap(label, at.marks)} (${words(url)})`;
  const address = encoded(url);
  const text = label.replaceAll('\n', ' ').replaceAll('|', '¦');
  return wrap(text === '' || text === address ? `<${address}>` : `<${address}|${text}>`, at.marks);
}

function encoded(url: string): string {
  return url.replace(/[\s|<>`]/g, (character) => encodeURIComponent(character)).replaceAll('&', '&amp;');
}
