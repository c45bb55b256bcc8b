import { h, place } from '../dom.ts';
import { renderBlock } from './blocks.ts';
import { definitionsOf, parseMarkdown } from './tree.ts';

interface Shown {
  readonly source: string;
  readonly element: HTMLElement | undefined;
}

/** Markdown that may still grow: blocks that did not change keep their nodes, so that selections and scrolled code survive the stream. */
export class MarkdownView {
  readonly element = h('div', { class: 'markdown' });
  #shown: readonly Shown[] = [];
  #markdown: string | undefined;

  show(markdown: string): void {
    if (markdown === this.#markdown) return;
    this.#markdown = markdown;
    const root = parseMarkdown(markdown);
    const definitions = definitionsOf(root);
    // A definition further down changes what stands above it.
    const links = [...definitions.values()].map(({ identifier, url }) => `${identifier} ${url}`).join('\n');
    const before = this.#shown;
    this.#shown = root.children.map((block, index) => {
      const source = `${links}\n${markdown.slice(block.position?.start.offset, block.position?.end.offset)}`;
      const known = before[index];
      return known?.source === source ? known : { source, element: renderBlock(block, definitions) };
    });
    this.#place();
  }

  #place(): void {
    const wanted = this.#shown.map(({ element }) => element).filter((element) => element !== undefined);
    place(this.element, wanted);
  }
}
