import type { ClientFrame, ServerFrame } from './protocol.ts';

export type ConnectionState = 'connecting' | 'connected' | 'offline';

export interface ConnectionEvents {
  frame(frame: ServerFrame): void;
  state(state: ConnectionState): void;
  /** The connection could not be made or broke: is the session still good? Resolves to false when there is no point in trying again. */
  mayRetry(): Promise<boolean>;
}

const FIRST_WAIT_MS = 300;
const LONGEST_WAIT_MS = 8000;
const PROBE_MS = 20_000;

/** One WebSocket to the gateway that this page came from, made again whenever it breaks. No parameter can point it elsewhere. */
export class Connection {
  readonly #events: ConnectionEvents;
  #socket: WebSocket | undefined;
  #waitMs = FIRST_WAIT_MS;
  #timer: number | undefined;
  #probing = false;
  #closed = false;

  constructor(events: ConnectionEvents) {
    this.#events = events;
    window.addEventListener('online', () => this.#hurry());
    document.addEventListener('visibilitychange', () => {
      if (!document.hidden) this.#hurry();
    });
    window.setInterval(() => this.#probe(), PROBE_MS);
  }

  open(): void {
    if (this.#closed) return;
    this.#timer = undefined;
    this.#events.state('connecting');
    const socket = new WebSocket(`${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/ws`);
    this.#socket = socket;
    socket.addEventListener('open', () => this.#events.state('connected'));
    socket.addEventListener('message', (event: MessageEvent<string>) => this.#received(event.data));
    socket.addEventListener('close', () => this.#lost(socket));
  }

  /** False: not connected; nothing was sent. */
  send(frame: ClientFrame): boolean {
    if (this.#socket?.readyState !== WebSocket.OPEN) return false;
    this.#socket.send(JSON.stringify(frame));
    return true;
  }

  /** Gives this connection up and makes a new one: something that should have come did not. */
  renew(): void {
    const socket = this.#socket;
    if (!socket) return;
    socket.close();
    this.#lost(socket);
  }

  close(): void {
    this.#closed = true;
    window.clearTimeout(this.#timer);
    this.#socket?.close();
  }

  #received(data: string): void {
    this.#waitMs = FIRST_WAIT_MS;
    this.#probing = false;
    // Frames come from our own gateway only; their types are held to its codec by a test.
    this.#events.frame(JSON.parse(data) as ServerFrame);
  }

  async #lost(socket: WebSocket): Promise<void> {
    if (this.#socket !== socket) return;
    this.#socket = undefined;
    this.#probing = false;
    if (this.#closed) return;
    this.#events.state('offline');
    if (!(await this.#events.mayRetry()) || this.#closed || this.#socket || this.#timer !== undefined) return;
    this.#timer = window.setTimeout(() => this.open(), this.#waitMs * (0.7 + Math.random() * 0.6));
    this.#waitMs = Math.min(this.#waitMs * 1.7, LONGEST_WAIT_MS);
  }

  #hurry(): void {
    if (this.#timer === undefined) return;
    window.clearTimeout(this.#timer);
    this.open();
  }

  /** A connection that died without a word (a laptop that slept, a network that changed) is found by a probe that nobody answers. */
  #probe(): void {
    if (this.#probing) this.renew();
    else this.#probing = this.send({ type: 'ping' });
  }
}
