import type { PhoneLink } from './phone-link.ts';
import { LinkView } from './views/link.ts';

/** While there is something to do, and while there is nothing. Looking is what makes the gateway ask for codes. */
const BUSY_MS = 2000;
const IDLE_MS = 60_000;

/** Accounts that are linked with a phone: shown as long as one of them waits for its owner. */
export class Links {
  readonly #view = new LinkView({
    accept: (link) => void this.#post(link, 'accept'),
    code: (link, phone) => void this.#post(link, `code/${phone}`),
    later: () => this.stop(),
  });
  #timer: number | undefined;
  #acted = false;

  get element(): HTMLElement {
    return this.#view.element;
  }

  start(): void {
    void this.#look();
  }

  /** Until the page is opened again. */
  stop(): void {
    window.clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#view.show(undefined);
  }

  async #look(): Promise<void> {
    window.clearTimeout(this.#timer);
    // Claimed before the answer is there: `stop` takes it away again.
    const turn = window.setTimeout(() => undefined, 0);
    this.#timer = turn;
    const links = document.hidden ? [] : await fetchLinks();
    if (this.#timer !== turn) return;
    const waiting = links.find(({ offer, state }) => offer !== undefined || (this.#acted && state !== 'connected' && state !== 'stopped'));
    if (waiting === undefined) this.#acted = false;
    this.#view.show(waiting);
    this.#timer = window.setTimeout(() => void this.#look(), waiting === undefined ? IDLE_MS : BUSY_MS);
  }

  async #post({ platform, account }: PhoneLink, what: string): Promise<void> {
    this.#acted = true;
    const route = ['/api/links', platform, account].map((part, index) => (index === 0 ? part : encodeURIComponent(part))).join('/');
    await fetch(`${route}/${what}`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }).catch(() => undefined);
    await this.#look();
  }
}

async function fetchLinks(): Promise<readonly PhoneLink[]> {
  try {
    const response = await fetch('/api/links', { cache: 'no-store' });
    // Our own gateway's answer, over the origin that the page came from.
    return response.ok ? ((await response.json()) as { readonly links: readonly PhoneLink[] }).links : [];
  } catch {
    return [];
  }
}
