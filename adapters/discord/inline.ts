/** Spans of the markdown tree in Discord's markdown. Pure. */
import type { MarkdownNode } from '../shared/markdown.ts';
import { escapeText, inlineCode } from './escape.ts';

/** Deeper nesting is shown as its source: nobody reads it, and it must not cost a stack. */
export const DEEPEST = 40;

export interface Span {
  readonly source: string;
  readonly definitions: ReadonlyMap<string, string>;
  readonly depth: number;
  /** Marks around this already. */
  readonly marks: readonly ('bold' | 'italic' | 'gone' | 'link')[];
}

/** A node as text, and whether it is set in marks, which must not touch others. */
interface Piece {
  readonly text: string;
  readonly marked: boolean;
  /** Italics choose their marks when it is known what follows. */
  readonly italic: boolean;
}

export function spans(nodes: readonly MarkdownNode[], at: Span): string {
  const pieces = nodes.map((node) => span(node, { ...at, depth: at.depth + 1 })).filter(({ text }) => text !== '');
  let out = '';
  for (const [index, piece] of pieces.entries()) {
    const next = pieces[index + 1];
    const touches = index > 0 && piece.marked && pieces[index - 1]?.marked === true;
    // "**a***b*" would be read as something else.
    out +=
      (touches ? '\u200b' : '') +
      (piece.italic ? italics(piece.text, next === undefined ? '' : next.marked ? '\u200b' : next.text, at.source) : piece.text);
  }
  return out;
}

export function sourceOf(node: MarkdownNode, source: string): string {
  return escapeText(source.slice(node.position?.start.offset ?? 0, node.position?.end.offset ?? 0));
}

function words(text: string, { marks }: Span): string {
  return escapeText(text, { italic: marks.includes('italic'), link: marks.includes('link') });
}

const plain = (text: string): Piece => ({ text, marked: false, italic: false });

function span(node: MarkdownNode, at: Span): Piece {
  if (at.depth > DEEPEST) return plain(sourceOf(node, at.source));
  switch (node.type) {
    case 'text':
      return plain(words(node.value, at));
    case 'strong':
      return wrapped(node.children, at, 'bold');
    case 'delete':
      return wrapped(node.children, at, 'gone');
    case 'emphasis':
      return emphasis(node.children, at);
    case 'inlineCode':
      return { ...plain(inlineCode(node.value)), marked: true };
    case 'break':
      return plain('\n');
    case 'html':
      return plain(/^<br\s*\/?>$/i.test(node.value) ? '\n' : words(node.value, at));
    case 'link':
      return link(node.url, node.children, at);
    case 'image':
      return masked(node.url, words(node.alt || 'image', { ...at, marks: [...at.marks, 'link'] }), at);
    case 'linkReference':
      return link(at.definitions.get(node.identifier) ?? '', node.children, at);
    case 'imageReference':
      return masked(at.definitions.get(node.identifier) ?? '', words(node.alt || 'image', at), at);
    case 'footnoteReference':
      return plain(`[${words(node.identifier, at)}]`);
    default:
      return plain('children' in node ? spans(node.children, at) : sourceOf(node, at.source));
  }
}

const MARKS = { bold: '**', gone: '~~' } as const;

function wrapped(nodes: readonly MarkdownNode[], at: Span, mark: keyof typeof MARKS): Piece {
  const inner = spans(nodes, { ...at, marks: [...at.marks, mark] });
  // Marks that enclose nothing are shown as they are.
  if (at.marks.includes(mark) || !/\S/.test(inner.replaceAll('\u200b', ''))) return plain(inner);
  return { text: `${MARKS[mark]}${inner}${MARKS[mark]}`, marked: true, italic: false };
}

function emphasis(nodes: readonly MarkdownNode[], at: Span): Piece {
  const inner = spans(nodes, { ...at, marks: [...at.marks, 'italic'] });
  if (at.marks.includes('italic') || !/\S/.test(inner.replaceAll('\u200b', ''))) return plain(inner);
  return { text: inner, marked: true, italic: true };
}

/**
 * Underscores where no word follows and none stands inside, else stars, else nothing: italics are worth no broken text. Before anything but
 * a letter or digit of ASCII, the first of them would end what an underscore inside an earlier word began.
 */
function italics(inner: string, next: string, source: string): string {
  const bare = inner.replace(/\\[^0-9A-Za-z\s]/g, '');
  const endsAnother = !/^[0-9A-Za-z]/.test(inner) && INSIDE_WORD.test(source);
  if (!bare.includes('_') && !/^\w/.test(next) && !endsAnother) return `_${inner}_`;
  return bare.includes('*') || /^\s|\s$/.test(inner) ? inner : `*${inner}*`;
}

const INSIDE_WORD = /[0-9A-Za-z]_[0-9A-Za-z]/;

const WEB = /^https?:\/\/[^\s]+$/i;

function link(url: string, children: readonly MarkdownNode[], at: Span): Piece {
  const label = spans(children, { ...at, marks: [...at.marks, 'link'] });
  const [only] = children;
  const address = children.length === 1 && only?.type === 'text' ? only.value : undefined;
  if (at.marks.includes('link')) return plain(label);
  if (address !== undefined && (address === url || `http://${address}` === url)) return bare(url);
  if (`mailto:${address}` === url) return plain(label);
  return masked(url, label.trim() === '' ? escapeText(url) : label, at);
}

/** Discord finds bare addresses by itself; one that anything follows directly has brackets. Three backticks would begin a block. */
function bare(url: string): Piece {
  return plain(WEB.test(url) && !/[<>]/.test(url) ? `<${url.replaceAll('`', encoded)}>` : escapeText(url));
}

/** Only addresses of the web may hide behind words, and not behind words that look like an address. */
function masked(url: string, label: string, at: Span): Piece {
  const shown = label.replace(/\s+/g, ' ').trim();
  if (at.marks.includes('link') || url === '') return plain(label);
  if (!WEB.test(url) || /:\/\//.test(shown) || /[<>]/.test(url)) return plain(`${shown} (${escapeText(url)})`);
  return { text: `[${shown}](${url.replace(/[()*_~|`\\]/g, encoded)})`, marked: true, italic: false };
}

function encoded(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}
