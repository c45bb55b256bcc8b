import type { OpenAsk } from '../api.ts';
import { h, icon } from '../dom.ts';
import { keepWords } from '../markdown/keep-words.ts';
import { MarkdownView } from '../markdown/markdown-view.ts';
import { choiceButtons, showSending } from './ask-view.ts';
import { platformName } from './platform-name.ts';

interface Item {
  readonly element: HTMLElement;
  readonly choices: HTMLElement;
  readonly left: HTMLElement;
}

/** Where the panel would take the room that the conversation needs. */
const SMALL = '(width <= 760px), (height <= 560px)';

/** "Waiting for you": hidden when nothing is; on a small screen one line until it is opened. */
export class WaitingView {
  readonly #count = h('span', { class: 'waiting-count' });
  readonly #list = h('ul', { class: 'waiting-list' });
  readonly #people = h('span', { class: 'waiting-people' });
  readonly element = h(
    'details',
    { class: 'waiting', hidden: true },
    h('summary', {}, h('span', {}, 'Waiting for you'), this.#count, this.#people, icon('chevron')),
    this.#list,
  );
  readonly #choose: (ask: OpenAsk, choice: string) => void;
  readonly #items = new Map<number, Item>();
  #names = '';

  constructor(choose: (ask: OpenAsk, choice: string) => void) {
    this.#choose = choose;
    this.element.addEventListener('toggle', () => this.#showPeople());
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
    if (this.element.hidden) this.element.open = !window.matchMedia(SMALL).matches;
    this.#names = [...new Set(asks.map(({ person }) => person))].join(', ');
    this.#showPeople();
    this.element.hidden = asks.length === 0;
  }

  sending(id: number, choice: string | undefined): void {
    const item = this.#items.get(id);
    if (item) showSending(item.choices, choice);
  }

  /** Open, each question says whose it is. */
  #showPeople(): void {
    this.#people.textContent = this.element.open ? '' : this.#names;
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
  keepWords(text.element, 'pre > code');
  const choices = choiceButtons(`Answers to question #${ask.number} of ${ask.person}`, ask.choices, choose);
  const left = h('span', { class: 'waiting-left' });
  const head = h(
    'p',
    { class: 'waiting-head' },
    h('span', { class: 'ask-number' }, `#${ask.number}`),
    h('b', {}, ask.person),
    h('span', { class: 'waiting-chat', title: `Chat ${ask.chat}` }, `${platformName(ask.platform)}, ${CHAT_TYPES[ask.chatType]}`),
    left,
  );
  return { element: h('li', {}, head, text.element, choices), choices, left };
}

const CHAT_TYPES = { dm: 'direct message', group: 'group', channel: 'channel' } as const;

export function timeLeft(ms: number): string {
  if (ms < 60_000) return 'under 1 min left';
  const minutes = Math.floor(ms / 60_000);
  return minutes < 120 ? `${minutes} min left` : `${Math.floor(minutes / 60)} h left`;
}
