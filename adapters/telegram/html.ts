/** Markdown to Telegram's HTML. Pure. https://core.telegram.org/bots/api#html-style says which tags exist and which may nest. */
import { isPlainText, type MarkdownNode, parseMarkdown } from '../shared/markdown.ts';
import { type Alignment, alignedTable } from '../shared/table.ts';

/** Deeper nesting is shown as its source: nobody reads it, and it must not cost a stack. */
const DEEPEST = 40;
const DEEPEST_INDENT = 8;
const BULLETS = ['•', '◦', '▪'];
const LINKS = /^(?:https?|tg|mailto):/i;
const LANGUAGE = /^[\w+#.-]{1,32}$/;

interface Place {
  readonly source: string;
  readonly definitions: ReadonlyMap<string, string>;
  /** Depth in the tree. */
  readonly depth: number;
  /** Depth in lists. */
  readonly lists: number;
  /** Telegram does not nest block quotes. */
  readonly quoted: boolean;
}

interface Span {
  readonly place: Place;
  /** Tags around every piece of text, outermost first. Leaves carry them, because code may not stand inside a tag. */
  readonly tags: readonly string[];
  readonly linked: boolean;
}

export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** The text that people see: what Telegram counts. For HTML made here only. */
export function visibleText(html: string): string {
  return html.replace(/<[^>]*>/g, '').replace(/&(lt|gt|quot|amp);/g, (_whole, name) => CHARACTERS[name] ?? '');
}

const CHARACTERS: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', amp: '&' };

/** Never empty for a text that is not blank: what renders to nothing (a lone link definition) is shown as it was written. */
export function toTelegramHtml(markdown: string): string {
  if (isPlainText(markdown)) return escapeHtml(markdown);
  const tree = parseMarkdown(markdown);
  const place = { source: markdown, definitions: definitionsOf(tree.children, 0), depth: 0, lists: 0, quoted: false };
  const html = blocks(tree.children, place);
  return visibleText(html).trim() === '' ? escapeHtml(markdown) : html;
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
  return escapeHtml(source.slice(node.position?.start.offset ?? 0, node.position?.end.offset ?? 0));
}

/** Blank lines between blocks are kept, one at most; none is added. */
function blocks(nodes: readonly MarkdownNode[], place: Place): string {
  let html = '';
  let before: MarkdownNode | undefined;
  for (const node of nodes) {
    const rendered = block(node, { ...place, depth: place.depth + 1 });
    if (rendered === '') continue;
    html += before === undefined ? rendered : gap(before, node) + rendered;
    before = node;
  }
  return html;
}

function gap(before: MarkdownNode, after: MarkdownNode): string {
  const lines = (after.position?.start.line ?? 2) - (before.position?.end.line ?? 0);
  return lines > 1 ? '\n\n' : '\n';
}

function block(node: MarkdownNode, place: Place): string {
  if (place.depth > DEEPEST) return sourceOf(node, place.source);
  switch (node.type) {
    case 'heading':
      return spans(node.children, { place, tags: ['b'], linked: false });
    case 'blockquote':
      return quote(node.children, place);
    case 'list':
      return node.children
        .map((item, index) => listItem(item, { bullet: bulletOf(node, index, place), before: node.children[index - 1] }, place))
        .join('');
    case 'code':
      return codeBlock(node.value, node.lang);
    case 'table':
      return table(node.children, node.align ?? [], place);
    case 'thematicBreak':
      return '———';
    case 'html':
      return escapeHtml(node.value);
    case 'definition':
      return '';
    case 'footnoteDefinition':
      return `[${escapeHtml(node.identifier)}] ${blocks(node.children, place)}`;
    default:
      return 'children' in node ? spans(node.children, { place, tags: [], linked: false }) : sourceOf(node, place.source);
  }
}

function quote(nodes: readonly MarkdownNode[], place: Place): string {
  const inner = blocks(nodes, { ...place, quoted: true });
  if (inner === '') return '';
  return place.quoted ? indented(inner, '&gt; ') : `<blockquote>${inner}</blockquote>`;
}

function codeBlock(value: string, language: string | null | undefined): string {
  const code = escapeHtml(value);
  if (code.trim() === '') return '';
  const named = language !== null && language !== undefined && LANGUAGE.test(language);
  return named ? `<pre><code class="language-${language}">${code}</code></pre>` : `<pre>${code}</pre>`;
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
  const indent = '  '.repeat(Math.min(place.lists, DEEPEST_INDENT));
  const deeper = { ...place, lists: place.lists + 1, depth: place.depth + 1 };
  const [first, ...rest] = item.children;
  const leads = first?.type === 'paragraph';
  const head = leads ? indented(block(first, deeper), `${indent}  `).trimStart() : '';
  const tail = (leads ? rest : item.children).map((node, index) => {
    const previous = leads ? (index === 0 ? first : rest[index - 1]) : item.children[index - 1];
    const html = node.type === 'paragraph' ? indented(block(node, deeper), `${indent}  `) : block(node, deeper);
    return html === '' ? '' : (previous === undefined ? '\n' : gap(previous, node)) + html;
  });
  return (before === undefined ? '' : gap(before, item)) + indent + bullet + head + tail.join('');
}

/** For inline HTML only: a line of code must not be shifted. Lines end at `\n` alone; a regular expression would see more ends. */
function indented(html: string, indent: string): string {
  return indent + html.replaceAll('\n', `\n${indent}`);
}

function table(
  rows: readonly { readonly children: readonly { readonly children: readonly MarkdownNode[] }[] }[],
  align: readonly Alignment[],
  place: Place,
): string {
  const text = rows.map((row) =>
    row.children.map((cell) =>
      visibleText(spans(cell.children, { place, tags: [], linked: false }))
        .replace(/\s+/g, ' ')
        .trim(),
    ),
  );
  return `<pre>${escapeHtml(alignedTable(text, align))}</pre>`;
}

function spans(nodes: readonly MarkdownNode[], at: Span): string {
  return nodes.map((node) => span(node, { ...at, place: { ...at.place, depth: at.place.depth + 1 } })).join('');
}

function span(node: MarkdownNode, at: Span): string {
  if (at.place.depth > DEEPEST) return sourceOf(node, at.place.source);
  switch (node.type) {
    case 'text':
      return textWithSpoilers(node.value, at);
    case 'strong':
      return spans(node.children, tagged(at, 'b'));
    case 'emphasis':
      return spans(node.children, tagged(at, 'i'));
    case 'delete':
      return spans(node.children, tagged(at, 's'));
    case 'inlineCode':
      return at.linked ? wrap(escapeHtml(node.value), at.tags) : `<code>${escapeHtml(node.value)}</code>`;
    case 'break':
      return '\n';
    case 'html':
      return /^<br\s*\/?>$/i.test(node.value) ? '\n' : wrap(escapeHtml(node.value), at.tags);
    case 'link':
      return link(node.url, node.children, at);
    case 'image':
      return anchor(node.url, wrap(escapeHtml(node.alt || 'image'), at.tags), at);
    case 'linkReference':
      return link(at.place.definitions.get(node.identifier) ?? '', node.children, at);
    case 'imageReference':
      return anchor(at.place.definitions.get(node.identifier) ?? '', wrap(escapeHtml(node.alt || 'image'), at.tags), at);
    case 'footnoteReference':
      return `[${escapeHtml(node.identifier)}]`;
    default:
      return 'children' in node ? spans(node.children, at) : sourceOf(node, at.place.source);
  }
}

function tagged(at: Span, tag: string): Span {
  return at.tags.includes(tag) ? at : { ...at, tags: [...at.tags, tag] };
}

function wrap(html: string, tags: readonly string[]): string {
  return html === '' ? '' : tags.reduceRight((inner, tag) => `<${tag}>${inner}</${tag}>`, html);
}

/** `||hidden||`, as Telegram and Discord write it. The bars must touch the text: "a || b || c" is an expression. */
const SPOILER = /\|\|(?=\S)([^|]*?[^|\s])\|\|/g;

function textWithSpoilers(text: string, at: Span): string {
  let html = '';
  let from = 0;
  for (const match of text.matchAll(SPOILER)) {
    html += wrap(escapeHtml(text.slice(from, match.index)), at.tags);
    html += wrap(escapeHtml(match[1] ?? ''), [...at.tags, 'tg-spoiler']);
    from = match.index + match[0].length;
  }
  return html + wrap(escapeHtml(text.slice(from)), at.tags);
}

function link(url: string, children: readonly MarkdownNode[], at: Span): string {
  const label = spans(children, { ...at, linked: true });
  const shown = visibleText(label);
  // Telegram finds bare addresses itself.
  if (shown === url || `mailto:${shown}` === url || `http://${shown}` === url) return label;
  if (shown.trim() === '') return anchor(url, wrap(escapeHtml(url), at.tags), at);
  return anchor(url, label, at);
}

function anchor(url: string, label: string, at: Span): string {
  if (at.linked) return label;
  if (!LINKS.test(url)) return url === '' ? label : `${label} (${escapeHtml(url)})`;
  return `<a href="${escapeHtml(url).replaceAll('"', '&quot;')}">${label}</a>`;
}
