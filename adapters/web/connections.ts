import { randomUUID } from 'node:crypto';
import type { WebSocket } from '@fastify/websocket';
import type { ServerFrame } from './codec.ts';

/** A page that takes its frames slower than this is cut off; it comes back and catches up from the log. */
const MAX_BUFFERED_BYTES = 8 * 1024 * 1024;
const FRAME_BURST = 120;
const FRAMES_A_SECOND = 30;
const CLOSE_GRACE_MS = 500;

/** WebSocket close codes, RFC 6455 section 7.4.1. */
export const CloseCode = { goingAway: 1001, malformed: 1007, policy: 1008, internal: 1011, tryLater: 1013 } as const;

interface Connection {
  readonly socket: WebSocket;
  readonly page: string;
  answering: boolean;
  allowance: number;
  refilledAtMs: number;
}

/** The open pages. */
export class Connections {
  readonly #open = new Map<WebSocket, Connection>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  get size(): number {
    return this.#open.size;
  }

  add(socket: WebSocket): void {
    const connection = { socket, page: randomUUID(), answering: true, allowance: FRAME_BURST, refilledAtMs: this.#now() };
    this.#open.set(socket, connection);
    socket.on('pong', () => {
      connection.answering = true;
    });
    socket.on('close', () => this.#open.delete(socket));
  }

  /** False: this page sends more than a page does. */
  allows(socket: WebSocket): boolean {
    const connection = this.#open.get(socket);
    if (!connection) return false;
    const now = this.#now();
    const refill = ((now - connection.refilledAtMs) / 1000) * FRAMES_A_SECOND;
    connection.allowance = Math.min(FRAME_BURST, connection.allowance + refill) - 1;
    connection.refilledAtMs = now;
    return connection.allowance >= 0;
  }

  /** Names a page as long as its connection lasts. */
  pageOf(socket: WebSocket): string {
    return this.#open.get(socket)?.page ?? '';
  }

  send(socket: WebSocket, frame: ServerFrame): void {
    this.#write(socket, JSON.stringify(frame));
  }

  /** Nothing happens when that page is gone. */
  sendTo(page: string, frame: ServerFrame): void {
    for (const connection of this.#open.values()) if (connection.page === page) this.send(connection.socket, frame);
  }

  broadcast(frame: ServerFrame): void {
    if (this.#open.size === 0) return;
    const data = JSON.stringify(frame);
    for (const socket of this.#open.keys()) this.#write(socket, data);
  }

  /** Ends the pages that did not answer the last probe (a laptop that sleeps keeps its connection for hours) and probes the others. */
  probe(): void {
    for (const connection of this.#open.values()) {
      if (!connection.answering) connection.socket.terminate();
      connection.answering = false;
      if (connection.socket.readyState === connection.socket.OPEN) connection.socket.ping();
    }
  }

  /** Bounded: a page that does not answer the closing handshake is cut off. */
  closeAll(): void {
    for (const socket of [...this.#open.keys()]) {
      socket.close(CloseCode.goingAway, 'The gateway stops.');
      setTimeout(() => socket.terminate(), CLOSE_GRACE_MS).unref();
    }
  }

  #write(socket: WebSocket, data: string): void {
    if (socket.readyState !== socket.OPEN) return;
    if (socket.bufferedAmount > MAX_BUFFERED_BYTES) socket.terminate();
    else socket.send(data);
  }
}
