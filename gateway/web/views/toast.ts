import { h } from '../dom.ts';

const SHOWN_MS = 8000;

/** One sentence for a while, read out at once. */
export class Toast {
  /** Stands there empty: readers announce what changes in it. */
  readonly element = h('div', { class: 'toast', role: 'alert' });
  #timer: number | undefined;

  show(text: string): void {
    this.element.textContent = text;
    window.clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => this.element.replaceChildren(), SHOWN_MS);
  }
}
