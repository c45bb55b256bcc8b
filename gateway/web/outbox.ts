import { type ClientFrame, isChatId, type ServerFrame } from './protocol.ts';
import type { Shelf } from './storage.ts';

export interface UnsentMessage {
  readonly chat: string;
  readonly id: string;
  readonly text: string;
  /** The gateway refused it for good, and why. */
  readonly refused?: string;
}

export interface OutboxPorts {
  readonly shelf: Shelf;
  /** False: not connected. */
  send(frame: ClientFrame): boolean;
  /** An acknowledgement did not come: the connection is not what it seems. */
  stalled(): void;
  changed(): void;
}

const KEY = 'hermes.unsent';
const ACK_MS = 10_000;
const RETRY_MS = 2000;

/**
 * Messages on their way. Each is kept in the browser until the gateway says that it is on its disk, and is sent again under the same id after
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

  list(): readonly UnsentMessage[] {
    try {
      const value: unknown = JSON.parse(this.#ports.shelf.read(KEY) ?? '[]');
      return Array.isArray(value) ? value.filter(isUnsent) : [];
    } catch {
      return [];
    }
  }

  add(chat: string, text: string): void {
    this.#write([...this.list(), { chat, id: randomId(), text }]);
    this.flush();
  }

  discard(id: string): void {
    this.#write(this.list().filter((message) => message.id !== id));
  }

  /** Sends the oldest one, unless one is on its way. */
  flush(): void {
    if (this.#inFlight !== undefined) return;
    const next = this.list().find((message) => message.refused === undefined);
    if (!next || !this.#ports.send({ type: 'message', chat: next.chat, id: next.id, text: next.text })) return;
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
    if (frame.type === 'refused') {
      this.#write(this.list().map((message) => (message.id === frame.id ? { ...message, refused: frame.reason } : message)));
    }
    if (frame.id !== this.#inFlight) return;
    this.#settle();
    if (frame.type === 'retry') this.#wait(RETRY_MS, () => this.flush());
    else this.flush();
  }

  #settle(): void {
    window.clearTimeout(this.#timer);
    this.#inFlight = undefined;
  }

  #wait(ms: number, then: () => void): void {
    window.clearTimeout(this.#timer);
    this.#timer = window.setTimeout(then, ms);
  }

  #write(messages: readonly UnsentMessage[]): void {
    this.#ports.shelf.write(KEY, messages.length === 0 ? undefined : JSON.stringify(messages));
    this.#ports.changed();
  }
}

function isUnsent(value: unknown): value is UnsentMessage {
  if (typeof value !== 'object' || value === null) return false;
  const { chat, id, text } = value as Partial<Record<string, unknown>>;
  return (
    typeof chat === 'string' && isChatId(chat) && typeof id === 'string' && /^[A-Za-z0-9-]{8,64}$/.test(id) && typeof text === 'string'
  );
}

/** `crypto.randomUUID` exists in secure contexts only, and a page on a private network over plain HTTP is none. */
export function randomId(): string {
  return [...crypto.getRandomValues(new Uint8Array(12))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
