/** How the owner makes this gateway a linked device of a number: reads the warning once, then scans a code or types one. */
import type { AccountStore } from '../adapter.ts';
import type { Linking, LinkOffer } from '../linking.ts';

const ACCEPTED = 'link:accepted';
/** Somebody who looks asks every few seconds. Codes are made only as long as somebody does. */
const INTEREST_MS = 30_000;
/** WhatsApp takes a pairing code for three minutes. */
const CODE_LIVES_MS = 160_000;

export const LINK_WARNING = [
  'WhatsApp has no official way for this. The gateway joins as a linked device through an unofficial client (Baileys), and WhatsApp may',
  'restrict or ban a number for that, sometimes for good. Use a number that you can do without, never write first to people who have not',
  'written to you, and keep the pace low. A part of that client, libsignal, is licensed under the GPL-3.0: it is an optional dependency,',
  'loaded only while WhatsApp is switched on. Whoever passes this software on together with it passes it on under the terms of the GPL-3.0.',
].join(' ');

export interface LinkDesk extends Linking {
  isAgreed(): boolean;
  /** Resolves when the owner has agreed. */
  agreed(signal: AbortSignal): Promise<void>;
  /** Resolves when somebody wants to link. */
  wanted(signal: AbortSignal): Promise<void>;
  /** What there is to scan. */
  showQr(qr: string, livesMs: number): void;
  /** A connection that can make pairing codes, or none any more. */
  pairing(pair: ((digits: string) => Promise<string>) | undefined): void;
  /** The link is gone: the owner has to agree again before another is made. */
  revoke(why: string): void;
}

export function createLinkDesk({ store, now }: { readonly store: AccountStore; readonly now: () => number }): LinkDesk {
  return new Desk(store, now);
}

type Pair = (digits: string) => Promise<string>;

class Desk implements LinkDesk {
  readonly #store: AccountStore;
  readonly #now: () => number;
  readonly #waiting = new Set<() => void>();
  #offer: LinkOffer | undefined;
  #pair: Pair | undefined;
  #wantedAtMs = Number.NEGATIVE_INFINITY;
  #why = '';

  constructor(store: AccountStore, now: () => number) {
    this.#store = store;
    this.#now = now;
  }

  offer(): LinkOffer | undefined {
    if (!this.isAgreed()) return { type: 'warning', text: this.#why === '' ? LINK_WARNING : `${this.#why} ${LINK_WARNING}` };
    this.#wantedAtMs = this.#now();
    this.#changed();
    const offer = this.#offer;
    return offer !== undefined && offer.type !== 'warning' && offer.expiresAtMs > this.#now() ? offer : undefined;
  }

  accept(): void {
    this.#store.put({ [ACCEPTED]: true });
    this.#wantedAtMs = this.#now();
    this.#changed();
  }

  async code(phone: string, signal: AbortSignal): Promise<string> {
    const digits = phone.replace(/[\s()./-]/g, '').replace(/^(?:\+|00)/, '');
    if (!/^[1-9]\d{6,14}$/.test(digits))
      throw new Error('A telephone number with its country code is needed, digits only, as 4915123456789.');
    if (!this.isAgreed()) throw new Error('Read the warning first and agree to it; then a pairing code can be made.');
    this.#wantedAtMs = this.#now();
    this.#changed();
    await this.#until(() => this.#pair !== undefined, signal);
    const code = await this.#pair?.(digits);
    if (code === undefined) throw new Error('The connection to WhatsApp ended before there was a code. Try again.');
    this.#offer = { type: 'code', code, expiresAtMs: this.#now() + CODE_LIVES_MS };
    return code;
  }

  isAgreed(): boolean {
    return this.#store.get(ACCEPTED) === true;
  }

  agreed(signal: AbortSignal): Promise<void> {
    return this.#until(() => this.isAgreed(), signal);
  }

  wanted(signal: AbortSignal): Promise<void> {
    return this.#until(() => this.isAgreed() && this.#now() - this.#wantedAtMs < INTEREST_MS, signal);
  }

  showQr(qr: string, livesMs: number): void {
    // Who asked for a code is typing it; it holds as long as the connection does.
    if (this.#offer?.type === 'code' && this.#offer.expiresAtMs > this.#now()) return;
    this.#offer = { type: 'qr', qr, expiresAtMs: this.#now() + livesMs };
  }

  pairing(pair: Pair | undefined): void {
    this.#pair = pair;
    if (pair === undefined) this.#offer = undefined;
    this.#changed();
  }

  revoke(why: string): void {
    this.#why = why;
    this.#store.put({ [ACCEPTED]: undefined });
    this.#wantedAtMs = Number.NEGATIVE_INFINITY;
  }

  #changed(): void {
    for (const look of this.#waiting) look();
  }

  #until(holds: () => boolean, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (end: () => void): void => {
        this.#waiting.delete(look);
        signal.removeEventListener('abort', abort);
        end();
      };
      const look = (): void => {
        if (holds()) settle(resolve);
      };
      const abort = (): void => settle(() => reject(signal.reason));
      if (signal.aborted) return reject(signal.reason);
      this.#waiting.add(look);
      signal.addEventListener('abort', abort, { once: true });
      look();
    });
  }
}
