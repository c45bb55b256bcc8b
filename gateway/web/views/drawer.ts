import { button, h, icon } from '../dom.ts';

/** As the style sheet has it: from here on the chats stand beside the conversation. */
const BESIDE = '(width > 760px)';

/** The list of chats on a phone: slides in over the conversation, which is out of reach for as long. */
export class Drawer {
  readonly menu: HTMLButtonElement;
  readonly scrim = h('div', { class: 'scrim' });
  readonly #chats: HTMLElement;
  #open = false;

  constructor(chats: HTMLElement) {
    this.#chats = chats;
    const label = { label: 'Chats', class: 'menu', 'aria-controls': 'chats', 'aria-expanded': 'false' };
    this.menu = button(label, () => this.#show(true), icon('menu'));
    this.scrim.addEventListener('click', () => this.close());
    // A phone that was turned has room for both: the conversation must not stay out of reach.
    window.matchMedia(BESIDE).addEventListener('change', () => this.close());
  }

  /** Returns whether it was open. */
  close(): boolean {
    const was = this.#open;
    this.#show(false);
    return was;
  }

  #show(open: boolean): void {
    if (this.#open === open) return;
    this.#open = open;
    this.menu.setAttribute('aria-expanded', String(open));
    const page = this.#chats.parentElement;
    page?.classList.toggle('drawer-open', open);
    // Tab goes round in the list and not on behind it.
    page?.querySelector('main')?.toggleAttribute('inert', open);
    if (open) this.#chats.querySelector('button')?.focus();
    else this.menu.focus();
  }
}
