/** Socket Mode of the fake Slack: single-use addresses, hello, envelopes that are sent again until they are acknowledged, refreshes. */
import { randomUUID } from 'node:crypto';
import type http from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';

export type EnvelopeType = 'events_api' | 'interactive' | 'slash_commands';

export interface FakeEnvelope {
  readonly type: EnvelopeType;
  readonly payload: unknown;
  /** Envelope ids under which it was sent. */
  readonly sentAs: string[];
  firstSentAt: number | undefined;
  acknowledgedAt: number | undefined;
  /** Slack gave up. */
  lost: boolean;
}

/** How the socket behaves. */
export type SocketMood =
  | 'well'
  /** Takes the connection and says nothing, not even that it is a web socket. */
  | 'silent'
  /** Says hello, then nothing any more, and answers no ping. */
  | 'frozen'
  /** Says hello and answers pings, and sends no event. */
  | 'deaf'
  /** Says hello and closes. */
  | 'closing';

export interface SocketOptions {
  readonly now: () => number;
  readonly changed: () => void;
  /** Until an event that was not acknowledged is sent again. */
  readonly retryMs: number;
}

const MOST_RETRIES = 3;

export function createSockets({ now, changed, retryMs }: SocketOptions) {
  const server = new WebSocketServer({ noServer: true });
  const tickets = new Set<string>();
  const open = new Set<WebSocket>();
  const raw = new Set<Duplex>();
  const envelopes: FakeEnvelope[] = [];
  const timers = new Set<NodeJS.Timeout>();
  let mood: SocketMood = 'well';
  let connections = 0;
  let most = 0;

  function transmit(envelope: FakeEnvelope): void {
    const socket = [...open].at(-1);
    if (socket === undefined || mood === 'deaf' || mood === 'frozen' || envelope.acknowledgedAt !== undefined || envelope.lost) return;
    const id = randomUUID();
    envelope.sentAs.push(id);
    envelope.firstSentAt ??= now();
    const attempt = envelope.sentAs.length - 1;
    const retry = attempt === 0 ? {} : { retry_attempt: attempt, retry_reason: 'timeout' };
    socket.send(
      JSON.stringify({
        envelope_id: id,
        type: envelope.type,
        payload: envelope.payload,
        accepts_response_payload: envelope.type !== 'events_api',
        ...retry,
      }),
    );
    // A click or a command is sent once only.
    if (envelope.type !== 'events_api') return;
    later(retryMs, () => {
      if (envelope.sentAs.length > MOST_RETRIES) envelope.lost = envelope.acknowledgedAt === undefined;
      else transmit(envelope);
      changed();
    });
  }

  function later(ms: number, work: () => void): void {
    const timer = setTimeout(() => {
      timers.delete(timer);
      work();
    }, ms);
    timers.add(timer);
  }

  function acknowledge(data: string): void {
    const { envelope_id: id } = JSON.parse(data) as { readonly envelope_id?: string };
    const envelope = envelopes.find(({ sentAs }) => id !== undefined && sentAs.includes(id));
    if (envelope === undefined) throw new Error(`No envelope has the id ${id}.`);
    envelope.acknowledgedAt ??= now();
    changed();
  }

  function welcome(socket: WebSocket): void {
    open.add(socket);
    most = Math.max(most, open.size);
    socket.on('message', (data) => acknowledge(String(data)));
    socket.on('close', () => {
      open.delete(socket);
      changed();
    });
    socket.send(
      JSON.stringify({ type: 'hello', num_connections: open.size, debug_info: { host: 'fake' }, connection_info: { app_id: 'A0FAKE' } }),
    );
    if (mood === 'closing') socket.close(1000);
    for (const envelope of envelopes) transmit(envelope);
    changed();
  }

  return {
    envelopes,
    /** Sockets that were ever opened, and the most at once. */
    connections: (): number => connections,
    most: (): number => most,
    open: (): number => open.size,
    ticket(host: string): string {
      const ticket = randomUUID();
      tickets.add(ticket);
      return `ws://${host}/link/?ticket=${ticket}&app_id=A0FAKE`;
    },
    upgrade(request: http.IncomingMessage, socket: Duplex, head: Buffer): void {
      const ticket = new URL(request.url ?? '/', 'http://fake').searchParams.get('ticket') ?? '';
      connections += 1;
      raw.add(socket);
      socket.on('close', () => void raw.delete(socket));
      socket.on('error', () => undefined);
      if (mood === 'silent') return;
      if (!tickets.delete(ticket)) {
        socket.end('HTTP/1.1 400 Bad Request\r\n\r\n');
        return;
      }
      server.handleUpgrade(request, socket, head, (client) => {
        welcome(client);
        if (mood === 'frozen') socket.pause();
      });
    },
    push(type: EnvelopeType, payload: unknown): FakeEnvelope {
      const envelope: FakeEnvelope = { type, payload, sentAs: [], firstSentAt: undefined, acknowledgedAt: undefined, lost: false };
      envelopes.push(envelope);
      transmit(envelope);
      return envelope;
    },
    /** Sends an event again, as if its acknowledgement had been lost. */
    again(envelope: FakeEnvelope): void {
      envelope.acknowledgedAt = undefined;
      transmit(envelope);
    },
    /** What was not delivered up to now never will be. */
    forget(): void {
      for (const envelope of envelopes) if (envelope.acknowledgedAt === undefined) envelope.lost = true;
    },
    setMood(next: SocketMood): void {
      mood = next;
      for (const socket of raw) next === 'frozen' ? socket.pause() : socket.resume();
    },
    /** Slack moves its connections elsewhere. */
    refresh(reason = 'refresh_requested'): void {
      for (const socket of open) socket.send(JSON.stringify({ type: 'disconnect', reason, debug_info: { host: 'fake' } }));
    },
    drop(): void {
      for (const socket of raw) socket.destroy();
    },
    close(): void {
      for (const timer of timers) clearTimeout(timer);
      for (const socket of raw) socket.destroy();
      server.close();
    },
  };
}
