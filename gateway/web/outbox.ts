import { type AskRef, type ClientFrame, isChatId, type ServerFrame } from './protocol.ts';
import type { Shelf } from './storage.ts';

export interface UnsentMessage {
  readonly chat: string;
  readonly id: string;
  readonly text: string;
  readonly replyTo?: AskRef;
  /** The gateway refused it for good, and why. */
  readonly refused?: string;
}

/** A click on a card. */
export interface UnsentAnswer {
  readonly chat: string;
  readonly id: string;
  readonly seq: number;
  readonly token: string;
  readonly choice: string;
}

type Unsent = UnsentMessage | UnsentAnswer;

export interface OutboxPorts {
  readonly shelf: Shelf;
  /** False: not connected. */
  send(frame: ClientFrame): boolean;
  /** An acknowledgement did not come: the connection is not what it seems. */
  stalled(): void;
  /** The gateway refused an answer for good; it is gone. */
  refused(answer: UnsentAnswer, reason: string): void;
  changed(): void;
}

const KEY = 'hermes.unsent';
const ACK_MS = 10_000;
const RETRY_MS = 2000;

/**
 * Messages and answers on their way. Each is kept in the browser until the gateway says that it is on its disk, and is sent again under the same id after
 * anything that may have gone wrong, so that it arrives once. One at a time, so that they arrive in order. All tabs share them; that two
 * tabs send the same one is harmless.
 */
export class Outbox {
  readonly #ports: OutboxPorts;
  #inFlight: string | undefined;
  #timer: number | undefined;

  constructor(ports: OutboxPorts) {
    this.#ports = ports;
  }

  messages(chat: string): readonly UnsentMessage[] {
    return this.#list().filter((unsent): unsent is UnsentMessage => unsent.chat === chat && !isAnswer(unsent));
  }

  /** What was chosen on this card and is on its way. */
  choiceOf(chat: string, seq: number): string | undefined {
    return this.#list().find((unsent): unsent is UnsentAnswer => isAnswer(unsent) && unsent.chat === chat && unsent.seq === seq)?.choice;
  }

  #list(): readonly Unsent[] {
    try {
      const value: unknown = JSON.parse(this.#ports.shelf.read(KEY) ?? '[]');
      return Array.isArray(value) ? value.filter(isUnsent) : [];
    } catch {
      return [];
    }
  }

  add(chat: string, text: string, replyTo?: AskRef): void {
    this.#push({ chat, id: randomId(), text, ...(replyTo === undefined ? {} : { replyTo }) });
  }

  answer(answer: Omit<UnsentAnswer, 'id'>): void {
    this.#push({ ...answer, id: randomId() });
  }

  discard(id: string): void {
    this.#write(this.#list().filter((unsent) => unsent.id !== id));
  }

  /** Sends the oldest one, unless one is on its way. */
  flush(): void {
    if (this.#inFlight !== undefined) return;
    const next = this.#list().find((unsent) => isAnswer(unsent) || unsent.refused === undefined);
    if (!next || !this.#ports.send(frameOf(next))) return;
    this.#inFlight = next.id;
    this.#wait(ACK_MS, () => this.#ports.stalled());
  }

  /** A new connection: nothing is on its way any more. */
  restart(): void {
    this.#settle();
    this.flush();
  }

  receive(frame: ServerFrame & { readonly type: 'ack' | 'retry' | 'refused' }): void {
    if (frame.type === 'ack') this.discard(frame.id);
    if (frame.type === 'refused') this.#refused(frame.id, frame.reason);
    if (frame.id !== this.#inFlight) return;
    this.#settle();
    if (frame.type === 'retry') this.#wait(RETRY_MS, () => this.flush());
    else this.flush();
  }

  #push(unsent: Unsent): void {
    this.#write([...this.#list(), unsent]);
    this.flush();
  }

  /** A message stays, for whoever wrote it; an answer is a click, and clicked again where it still can be. */
  #refused(id: string, reason: string): void {
    const unsent = this.#list();
    const answer = unsent.find((one): one is UnsentAnswer => one.id === id && isAnswer(one));
    if (answer) {
      this.discard(id);
      this.#ports.refused(answer, reason);
    } else this.#write(unsent.map((one) => (one.id === id ? { ...one, refused: reason } : one)));
  }

  #settle(): void {
    window.clearTimeout(this.#timer);
    this.#inFlight = undefined;
  }

  #wait(ms: number, then: () => void): void {
    window.clearTimeout(this.#timer);
    this.#timer = window.setTimeout(then, ms);
  }

  #write(unsent: readonly Unsent[]): void {
    this.#ports.shelf.write(KEY, unsent.length === 0 ? undefined : JSON.stringify(unsent));
    this.#ports.changed();
  }
}

function isAnswer(unsent: Unsent): unsent is UnsentAnswer {
  return 'choice' in unsent;
}

function frameOf(unsent: Unsent): ClientFrame {
  if (isAnswer(unsent)) return { type: 'answer', ...unsent };
  const { chat, id, text, replyTo } = unsent;
  return { type: 'message', chat, id, text, ...(replyTo === undefined ? {} : { replyTo: replyTo.seq }) };
}

function isUnsent(value: unknown): value is Unsent {
  if (typeof value !== 'object' || value === null) return false;
  const { chat, id, text, seq, token, choice } = value as Partial<Record<string, unknown>>;
  const words = typeof text === 'string' || (typeof seq === 'number' && typeof token === 'string' && typeof choice === 'string');
  return words && typeof chat === 'string' && isChatId(chat) && typeof id === 'string' && /^[A-Za-z0-9-]{8,64}$/.test(id);
}

/** `crypto.randomUUID` exists in secure contexts only, and a page on a private network over plain HTTP is none. */
export function randomId(): string {
  return [...crypto.getRandomValues(new Uint8Array(12))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
