import type { OpenAsk } from '../api.ts';
import { h, icon } from '../dom.ts';
import { MarkdownView } from '../markdown/markdown-view.ts';
import { choiceButtons, showSending } from './ask-view.ts';

interface Item {
  readonly element: HTMLElement;
  readonly choices: HTMLElement;
  readonly left: HTMLElement;
}

/** "Waiting for you": hidden when nothing is. */
export class WaitingView {
  readonly #count = h('span', { class: 'waiting-count' });
  readonly #list = h('ul', { class: 'waiting-list' });
  readonly element = h(
    'details',
    { class: 'waiting', open: true, hidden: true },
    h('summary', {}, h('span', {}, 'Waiting for you'), this.#count, icon('chevron')),
    this.#list,
  );
  readonly #choose: (ask: OpenAsk, choice: string) => void;
  readonly #items = new Map<number, Item>();

  constructor(choose: (ask: OpenAsk, choice: string) => void) {
    this.#choose = choose;
  }

  show(asks: readonly OpenAsk[]): void {
    const wanted = new Set(asks.map(({ id }) => id));
    for (const [id, { element }] of this.#items) {
      if (wanted.has(id)) continue;
      element.remove();
      this.#items.delete(id);
    }
    for (const ask of asks) this.#item(ask).left.textContent = timeLeft(ask.deadlineAtMs - Date.now());
    this.#count.textContent = String(asks.length);
    this.element.hidden = asks.length === 0;
  }

  sending(id: number, choice: string | undefined): void {
    const item = this.#items.get(id);
    if (item) showSending(item.choices, choice);
  }

  #item(ask: OpenAsk): Item {
    const known = this.#items.get(ask.id);
    if (known) return known;
    const item = createItem(ask, (choice) => this.#choose(ask, choice));
    this.#items.set(ask.id, item);
    this.#list.append(item.element);
    return item;
  }
}

function createItem(ask: OpenAsk, choose: (choice: string) => void): Item {
  const text = new MarkdownView();
  text.show(ask.markdown);
  const choices = choiceButtons(`Answers to question #${ask.number} of ${ask.person}`, ask.choices, choose);
  const left = h('span', { class: 'waiting-left' });
  const head = h(
    'p',
    { class: 'waiting-head' },
    h('span', { class: 'ask-number' }, `#${ask.number}`),
    h('b', {}, ask.person),
    h('span', { class: 'waiting-chat', title: ask.chat }, `${ask.platform} · ${ask.chat}`),
    left,
  );
  return { element: h('li', {}, head, text.element, choices), choices, left };
}

export function timeLeft(ms: number): string {
  if (ms < 60_000) return 'under 1 min left';
  const minutes = Math.floor(ms / 60_000);
  return minutes < 120 ? `${minutes} min left` : `${Math.floor(minutes / 60)} h left`;
}
