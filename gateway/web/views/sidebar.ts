import { button, h, icon, setAttribute } from '../dom.ts';
import type { ChatSummary } from '../protocol.ts';
import { THEMES, type Theme } from '../theme.ts';

export interface SidebarPorts {
  select(chat: string): void;
  create(): void;
  theme(): Theme;
  signOut(): void;
}

export interface SidebarState {
  readonly chats: readonly ChatSummary[];
  readonly selected: string;
  readonly unread: ReadonlySet<string>;
}

/** The list of chats; on a phone a drawer. */
export class Sidebar {
  readonly #ports: SidebarPorts;
  readonly #list = h('ul', { class: 'chats' });
  readonly #theme: HTMLButtonElement;
  readonly element: HTMLElement;

  constructor(ports: SidebarPorts, theme: Theme) {
    this.#ports = ports;
    this.#theme = button({ label: 'Theme', class: 'tool' }, () => this.#showTheme(this.#ports.theme()));
    this.#showTheme(theme);
    const create = button({ label: 'New chat', class: 'new-chat' }, () => this.#ports.create(), icon('plus'), 'New chat');
    const leave = button({ label: 'Sign out', class: 'tool' }, () => this.#ports.signOut(), icon('leave'), h('span', {}, 'Sign out'));
    this.element = h(
      'nav',
      { class: 'sidebar', id: 'chats', 'aria-label': 'Chats' },
      h('div', { class: 'brand' }, h('span', { class: 'logo', 'aria-hidden': 'true' }), 'Hermes'),
      create,
      this.#list,
      h('div', { class: 'tools' }, this.#theme, leave),
    );
  }

  show({ chats, selected, unread }: SidebarState): void {
    const known = chats.some(({ chat }) => chat === selected);
    const all = known ? chats : [{ chat: selected, title: '', updatedAtMs: Date.now() }, ...chats];
    this.#list.replaceChildren(...all.map((summary) => this.#item(summary, summary.chat === selected, unread.has(summary.chat))));
  }

  #item({ chat, title }: ChatSummary, selected: boolean, unread: boolean): HTMLElement {
    const entry = h(
      'button',
      { type: 'button', 'aria-current': selected ? 'page' : undefined, class: unread ? 'unread' : undefined },
      title || 'New chat',
    );
    if (unread) entry.append(h('span', { class: 'visually-hidden' }, ', new answer'));
    entry.addEventListener('click', () => this.#ports.select(chat));
    return h('li', {}, entry);
  }

  #showTheme(theme: Theme): void {
    const { label, icon: name } = THEMES[theme];
    this.#theme.replaceChildren(icon(name), h('span', {}, label));
    setAttribute(this.#theme, 'title', label);
    setAttribute(this.#theme, 'aria-label', label);
  }
}
