import { button, h, icon, place, setAttribute } from '../dom.ts';
import type { ChatSummary } from '../protocol.ts';
import { THEMES, type Theme } from '../theme.ts';

export interface SidebarPorts {
  select(chat: string): void;
  create(): void;
  people(): void;
  gateway(): void;
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
  readonly #entries = new Map<string, HTMLElement>();
  readonly #theme: HTMLButtonElement;
  /** Beside the button's own name, which stays the same: how many wait behind it. */
  readonly #strangers = h('span', { class: 'tool-count', id: 'strangers', hidden: true });
  readonly element: HTMLElement;

  constructor(ports: SidebarPorts, theme: Theme) {
    this.#ports = ports;
    this.#theme = button({ label: 'Theme', class: 'tool' }, () => this.#showTheme(this.#ports.theme()));
    this.#showTheme(theme);
    const create = button({ label: 'New chat', class: 'new-chat' }, () => this.#ports.create(), icon('plus'), 'New chat');
    const people = button(
      { label: 'People: who may talk to Hermes', class: 'tool', 'aria-describedby': 'strangers' },
      () => this.#ports.people(),
      icon('people'),
      'People',
      this.#strangers,
    );
    const gateway = button(
      { label: 'Gateway: status and restart', class: 'tool' },
      () => this.#ports.gateway(),
      icon('gateway'),
      'Gateway',
    );
    const leave = button({ label: 'Sign out', class: 'tool' }, () => this.#ports.signOut(), icon('leave'), h('span', {}, 'Sign out'));
    this.element = h(
      'nav',
      { class: 'sidebar', id: 'chats', 'aria-label': 'Chats' },
      h('div', { class: 'brand' }, h('span', { class: 'logo', 'aria-hidden': 'true' }), 'Hermes'),
      create,
      this.#list,
      h('div', { class: 'tools' }, people, gateway, this.#theme, leave),
    );
  }

  show({ chats, selected, unread }: SidebarState): void {
    const known = chats.some(({ chat }) => chat === selected);
    const all = known ? chats : [{ chat: selected, title: '', updatedAtMs: Date.now() }, ...chats];
    const wanted = all.map((summary) => this.#entry(summary, summary.chat === selected, unread.has(summary.chat)));
    for (const [chat, entry] of this.#entries) if (!wanted.includes(entry)) this.#entries.delete(chat);
    place(this.#list, wanted);
  }

  showStrangers(count: number): void {
    this.#strangers.hidden = count === 0;
    const words = count === 1 ? ' stranger waits to be let in' : ' strangers wait to be let in';
    this.#strangers.replaceChildren(...(count === 0 ? [] : [String(count), h('span', { class: 'visually-hidden' }, words)]));
  }

  /** The same one each time: whoever goes through the list by keyboard keeps the place. */
  #entry({ chat, title }: ChatSummary, selected: boolean, unread: boolean): HTMLElement {
    const entry = this.#entries.get(chat) ?? this.#newEntry(chat);
    const open = entry.querySelector('button');
    if (open) {
      setAttribute(open, 'aria-current', selected ? 'page' : undefined);
      setAttribute(open, 'class', unread ? 'unread' : undefined);
      const name = title || 'New chat';
      const parts = unread ? [name, h('span', { class: 'visually-hidden' }, ', new answer')] : [name];
      open.replaceChildren(...parts);
    }
    return entry;
  }

  #newEntry(chat: string): HTMLElement {
    const open = h('button', { type: 'button' });
    open.addEventListener('click', () => this.#ports.select(chat));
    const entry = h('li', {}, open);
    this.#entries.set(chat, entry);
    return entry;
  }

  #showTheme(theme: Theme): void {
    const { label, icon: name } = THEMES[theme];
    this.#theme.replaceChildren(icon(name), h('span', {}, label));
    setAttribute(this.#theme, 'title', label);
    setAttribute(this.#theme, 'aria-label', label);
  }
}
