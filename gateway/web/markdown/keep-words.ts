import { h } from '../dom.ts';

/** In a command a line is to end between words, not behind each hyphen, and inside a word only where that is longer than a line. */
export function keepWords(within: HTMLElement, selector: string): void {
  for (const code of within.querySelectorAll(selector)) {
    if (code.childElementCount > 0) continue;
    const parts = code.textContent.split(/(\s+)/);
    code.replaceChildren(...parts.map((part, index) => (index % 2 === 1 || part === '' ? part : h('span', { class: 'word' }, part))));
  }
}
