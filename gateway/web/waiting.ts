import { answerAsk, fetchWaiting, type OpenAsk } from './api.ts';
import { platformName } from './views/platform-name.ts';
import { WaitingView } from './views/waiting-view.ts';

export interface WaitingPorts {
  /** One sentence about what was just clicked. */
  toast(text: string): void;
  announce(text: string): void;
  /** So many ask to be let in. */
  strangers(count: number): void;
}

const POLL_MS = 5000;

/** The questions of other chats, which the owner may decide here. Those of the page's own chats are in these chats. */
export class Waiting {
  readonly #ports: WaitingPorts;
  readonly #view = new WaitingView((ask, choice) => void this.#decide(ask, choice));
  #known = new Set<number>();
  /** Only the newest list counts: one that was asked for before a decision still has what was decided. */
  #round = 0;
  #timer: number | undefined;

  constructor(ports: WaitingPorts) {
    this.#ports = ports;
  }

  get element(): HTMLElement {
    return this.#view.element;
  }

  start(): void {
    const look = (): void => {
      if (!document.hidden && this.#timer !== undefined) void this.#refresh();
    };
    this.#timer = window.setInterval(look, POLL_MS);
    window.addEventListener('focus', look);
    document.addEventListener('visibilitychange', look);
    look();
  }

  stop(): void {
    window.clearInterval(this.#timer);
    this.#timer = undefined;
  }

  async #refresh(): Promise<void> {
    const round = ++this.#round;
    const found = await fetchWaiting();
    if (found === undefined || round !== this.#round) return;
    this.#ports.strangers(found.strangers ?? 0);
    const asks = found.asks.filter(({ onPage }) => !onPage);
    const fresh = asks.filter(({ id }) => !this.#known.has(id));
    this.#known = new Set(asks.map(({ id }) => id));
    this.#view.show(asks);
    if (fresh.length > 0)
      this.#ports.announce(fresh.map(({ person, platform }) => `${person} on ${platformName(platform)} waits for you.`).join(' '));
  }

  async #decide(ask: OpenAsk, choice: string): Promise<void> {
    this.#view.sending(ask.id, choice);
    const { text } = await answerAsk(ask.id, choice);
    this.#view.sending(ask.id, undefined);
    this.#ports.toast(text);
    await this.#refresh();
  }
}
