import { h } from '../dom.ts';

/** In a command a line is to end between words and not behind each hyphen. Words longer than `longest` stay as they are. */
export function keepWords(within: HTMLElement, selector: string, longest = Number.POSITIVE_INFINITY): void {
  const kept = (part: string): Node | string => (/^\s*$/.test(part) || part.length > longest ? part : h('span', { class: 'word' }, part));
  for (const code of within.querySelectorAll(selector)) {
    if (code.childElementCount === 0) code.replaceChildren(...code.textContent.split(/(\s+)/).map(kept));
  }
}
