import { h } from '../dom.ts';
import type { Block, Definitions } from './tree.ts';

type Paragraph = Block & { readonly type: 'paragraph' };
export type Phrasing = Paragraph['children'][number];

/** A model's text, so a link may say anything: only schemes that cannot run something here become links. */
const SAFE_SCHEMES = ['http:', 'https:', 'mailto:'];

export function inlines(nodes: readonly Phrasing[], definitions: Definitions): Node[] {
  return nodes.map((node) => inline(node, definitions));
}

function inline(node: Phrasing, definitions: Definitions): Node {
  switch (node.type) {
    case 'text':
      return document.createTextNode(node.value);
    case 'strong':
    case 'emphasis':
    case 'delete':
      return h(TAGS[node.type], {}, ...inlines(node.children, definitions));
    case 'inlineCode':
      return h('code', {}, node.value);
    case 'break':
      return h('br');
    case 'link':
      return link(node.url, inlines(node.children, definitions));
    case 'linkReference':
      return link(definitions.get(node.identifier)?.url ?? '', inlines(node.children, definitions));
    case 'image':
      return image(node.url, node.alt);
    case 'imageReference':
      return image(definitions.get(node.identifier)?.url ?? '', node.alt);
    case 'footnoteReference':
      return h('sup', {}, node.label ?? node.identifier);
    case 'html':
      return document.createTextNode(node.value);
  }
}

const TAGS = { strong: 'strong', emphasis: 'em', delete: 'del' } as const;

function link(url: string, children: Node[]): Node {
  const href = safeUrl(url);
  if (href === undefined) return h('span', {}, ...children);
  return h('a', { href, target: '_blank', rel: 'noopener noreferrer nofollow' }, ...children);
}

/** Not loaded: fetching it would tell its server who reads what, and when. */
function image(url: string, alt: string | null | undefined): Node {
  return link(url, [document.createTextNode(alt ? `image: ${alt}` : 'image')]);
}

function safeUrl(url: string): string | undefined {
  const parsed = URL.parse(url);
  return parsed && SAFE_SCHEMES.includes(parsed.protocol) ? parsed.href : undefined;
}
