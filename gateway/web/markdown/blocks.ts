import { button, h, icon } from '../dom.ts';
import { inlines } from './inline.ts';
import { keepWords } from './keep-words.ts';
import type { Block, Definitions } from './tree.ts';

type Of<T extends Block['type']> = Block & { readonly type: T };

/** Builds nodes and never parses HTML; what a model wrote as HTML is shown as it was written. Undefined: nothing to show. */
export function renderBlock(block: Block, definitions: Definitions): HTMLElement | undefined {
  switch (block.type) {
    case 'paragraph':
      return h('p', {}, ...inlines(block.children, definitions));
    case 'heading':
      // The page has its own h1 and h2.
      return h(HEADINGS[block.depth], {}, ...inlines(block.children, definitions));
    case 'code':
      return codeBlock(block.value, block.lang ?? '');
    case 'blockquote':
      return h('blockquote', {}, ...renderBlocks(block.children, definitions));
    case 'list':
      return list(block, definitions);
    case 'table':
      return table(block, definitions);
    case 'thematicBreak':
      return h('hr');
    case 'html':
      return h('p', { class: 'raw' }, block.value);
    case 'footnoteDefinition':
      return h('div', { class: 'footnote' }, h('sup', {}, block.label ?? block.identifier), ...renderBlocks(block.children, definitions));
    default:
      return undefined;
  }
}

const HEADINGS = { 1: 'h3', 2: 'h4', 3: 'h5', 4: 'h6', 5: 'h6', 6: 'h6' } as const;

export function renderBlocks(blocks: readonly Block[], definitions: Definitions): HTMLElement[] {
  return blocks.map((block) => renderBlock(block, definitions)).filter((element) => element !== undefined);
}

function list(block: Of<'list'>, definitions: Definitions): HTMLElement {
  const items = block.children.map((item) => {
    const loose = block.spread || item.spread;
    const children = item.children.flatMap((child): Node[] =>
      child.type === 'paragraph' && !loose ? inlines(child.children, definitions) : renderBlocks([child], definitions),
    );
    if (typeof item.checked !== 'boolean') return h('li', {}, ...children);
    return h('li', { class: 'task' }, h('input', { type: 'checkbox', disabled: true, checked: item.checked }), ...children);
  });
  return block.ordered ? h('ol', { start: block.start ?? 1 }, ...items) : h('ul', {}, ...items);
}

function table(block: Of<'table'>, definitions: Definitions): HTMLElement {
  const [head, ...body] = block.children.map((row, index) =>
    h(
      'tr',
      {},
      ...row.children.map((cell, column) =>
        h(index === 0 ? 'th' : 'td', { class: `align-${block.align?.[column] ?? 'left'}` }, ...inlines(cell.children, definitions)),
      ),
    ),
  );
  // A wide table scrolls by itself, and can be reached by keyboard to do so.
  const scroller = h(
    'div',
    { class: 'table', tabindex: 0, role: 'region', 'aria-label': 'Table' },
    h('table', {}, h('thead', {}, ...(head ? [head] : [])), h('tbody', {}, ...body)),
  );
  // A longer one would make its column wider than a phone.
  keepWords(scroller, 'code', 24);
  return scroller;
}

function codeBlock(code: string, language: string): HTMLElement {
  const pre = h('pre', { tabindex: 0 }, h('code', {}, code));
  const copy = copyButton('Copy code', () => code);
  // Without a name to show the button stands in the corner of the first line: a line of its own would look like a line of the code.
  if (language === '') return h('div', { class: 'code code-nameless' }, pre, copy);
  return h('div', { class: 'code' }, h('div', { class: 'code-bar' }, h('span', {}, language), copy), pre);
}

export function copyButton(label: string, text: () => string): HTMLButtonElement {
  const copy = button({ label, class: 'copy' }, () => void copyText(text()).then(() => confirmCopied(copy)), icon('copy'), icon('check'));
  return copy;
}

function confirmCopied(copy: HTMLButtonElement): void {
  copy.classList.add('copied');
  window.setTimeout(() => copy.classList.remove('copied'), 1500);
}

/** The clipboard interface exists in secure contexts only; over plain HTTP on a private network the old way still works. */
async function copyText(text: string): Promise<void> {
  if (window.isSecureContext) return navigator.clipboard.writeText(text);
  const area = h('textarea', { class: 'visually-hidden', 'aria-hidden': 'true' });
  area.value = text;
  // Behind an open dialog nothing can be selected.
  (document.querySelector('dialog[open]') ?? document.body).append(area);
  area.select();
  document.execCommand('copy');
  area.remove();
}
