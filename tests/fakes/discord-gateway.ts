/** The fake's gateway: hello, identify, ready, resume with replay, heartbeats, close codes. https://docs.discord.com/developers/events/gateway */
import type { Server } from 'node:http';
import { type WebSocket, WebSocketServer } from 'ws';
import type { World } from './discord-world.ts';

export type GatewayFault =
  /** Takes the TCP connection and answers nothing. */
  | 'black-hole'
  /** Accepts the socket, greets, and closes it. */
  | 'accept-close'
  /** Accepts the socket and closes it before the greeting. */
  | 'accept-drop'
  /** Greets, takes the introduction, and never says READY. */
  | 'no-ready'
  /** Acknowledges heartbeats and sends no events. */
  | 'no-events'
  /** Goes on with open connections, answering nothing at all. */
  | 'silent'
  /** Says that every session is invalid. */
  | 'bad-session';

export interface SessionLimit {
  total: number;
  remaining: number;
  resetAfterMs: number;
}

export interface GatewayOptions {
  readonly token: string;
  readonly applicationId: string;
  readonly heartbeatMs: number;
  readonly messageContent: boolean;
  readonly limit: SessionLimit;
  readonly world: World;
  readonly url: () => string;
  readonly changed: () => void;
}

interface Session {
  readonly id: string;
  readonly events: { readonly s: number; readonly t: string; readonly d: unknown }[];
  sequence: number;
  socket: WebSocket | undefined;
}

export interface FakeGateway {
  fault: GatewayFault | undefined;
  readonly counts: { sockets: number; identifies: number; resumes: number; heartbeats: number; probes: number };
  /** Most introduced connections that were ever open at once. */
  readonly most: () => number;
  readonly live: () => boolean;
  dispatch(t: string, d: unknown): void;
  /** Closes all connections with a code, or cuts them. */
  drop(code?: number): void;
  /** Tells the connection to come again (op 7). */
  reconnect(): void;
  /** Forgets all sessions: a resume fails, and what happens meanwhile is never replayed. */
  forget(): void;
  close(): void;
}

const KNOWN_INTENTS = (1 << 26) - 1;
const MESSAGE_CONTENT = 1 << 15;

export function createGateway(server: Server, options: GatewayOptions): FakeGateway {
  const { world, limit, changed } = options;
  const sockets = new WebSocketServer({ noServer: true });
  const sessions = new Map<string, Session>();
  const open = new Set<WebSocket>();
  const counts = { sockets: 0, identifies: 0, resumes: 0, heartbeats: 0, probes: 0 };
  let most = 0;
  let made = 0;

  const write = (socket: WebSocket, payload: object): void => {
    if (gateway.fault !== 'silent') socket.send(JSON.stringify(payload));
  };
  const emit = (session: Session, t: string, d: unknown): void => {
    session.sequence += 1;
    const event = { s: session.sequence, t, d };
    session.events.push(event);
    if (session.socket !== undefined && gateway.fault !== 'no-events') write(session.socket, { op: 0, ...event });
  };
  const attach = (session: Session, socket: WebSocket): void => {
    session.socket?.close(4000);
    session.socket = socket;
    most = Math.max(most, [...sessions.values()].filter((one) => one.socket !== undefined).length);
  };

  function identify(socket: WebSocket, d: Record<string, unknown>): Session | undefined {
    counts.identifies += 1;
    limit.remaining -= 1;
    changed();
    const intents = Number(d['intents']);
    if (d['token'] !== options.token) return end(socket, 4004);
    if (!Number.isInteger(intents) || (intents & ~KNOWN_INTENTS) !== 0) return end(socket, 4013);
    if ((intents & MESSAGE_CONTENT) !== 0 && !options.messageContent) return end(socket, 4014);
    if (gateway.fault === 'bad-session') {
      write(socket, { op: 9, d: false });
      return undefined;
    }
    if (gateway.fault === 'no-ready') return undefined;
    made += 1;
    const session: Session = { id: `session-${made}`, events: [], sequence: 0, socket: undefined };
    sessions.set(session.id, session);
    attach(session, socket);
    emit(session, 'READY', {
      v: 10,
      user: world.bot,
      guilds: [...world.guilds.keys()].map((id) => ({ id, unavailable: true })),
      session_id: session.id,
      resume_gateway_url: options.url(),
      application: { id: options.applicationId, flags: 0 },
      shard: [0, 1],
    });
    for (const guild of world.guilds.values()) emit(session, 'GUILD_CREATE', world.guildJson(guild));
    return session;
  }

  function resume(socket: WebSocket, d: Record<string, unknown>): Session | undefined {
    counts.resumes += 1;
    const session = sessions.get(String(d['session_id']));
    if (d['token'] !== options.token) return end(socket, 4004);
    if (session === undefined || gateway.fault === 'bad-session') {
      write(socket, { op: 9, d: false });
      return undefined;
    }
    attach(session, socket);
    for (const event of session.events.filter(({ s }) => s > Number(d['seq']))) write(socket, { op: 0, ...event });
    emit(session, 'RESUMED', {});
    return session;
  }

  function end(socket: WebSocket, code: number): undefined {
    socket.close(code);
    return undefined;
  }

  function converse(socket: WebSocket): void {
    let session: Session | undefined;
    open.add(socket);
    socket.on('close', (code) => {
      open.delete(socket);
      if (session?.socket === socket) session.socket = undefined;
      // Closing like this ends the session for good.
      if (session !== undefined && (code === 1000 || code === 1001)) sessions.delete(session.id);
      changed();
    });
    socket.on('error', () => undefined);
    socket.on('message', (raw: Buffer) => {
      if (raw.length > 4096) return void end(socket, 4002);
      const { op, d } = JSON.parse(raw.toString('utf8'));
      if (op === 1) {
        counts.heartbeats += 1;
        write(socket, { op: 11 });
      } else if (op === 2) {
        if (session !== undefined) return void end(socket, 4005);
        session = identify(socket, d);
      } else if (op === 6) session = resume(socket, d);
      else if (session === undefined) end(socket, 4003);
      else if (op === 8) {
        counts.probes += 1;
        emit(session, 'GUILD_MEMBERS_CHUNK', { guild_id: d.guild_id, members: [], chunk_index: 0, chunk_count: 1, not_found: [] });
      } else if (op !== 3 && op !== 4) end(socket, 4001);
      changed();
    });
    write(socket, { op: 10, d: { heartbeat_interval: options.heartbeatMs } });
    if (gateway.fault === 'accept-close') socket.close(4000);
  }

  const tcp = new Set<{ destroy(): void }>();
  server.on('upgrade', (request, socket, head) => {
    counts.sockets += 1;
    changed();
    socket.on('error', () => undefined);
    tcp.add(socket);
    socket.on('close', () => tcp.delete(socket));
    if (gateway.fault === 'black-hole') return;
    if (gateway.fault === 'accept-drop') {
      socket.destroy();
      return;
    }
    const url = new URL(request.url ?? '/', 'http://fake');
    sockets.handleUpgrade(request, socket, head, (accepted) => {
      if (url.searchParams.get('v') !== '10') accepted.close(4012);
      else converse(accepted);
    });
  });

  const gateway: FakeGateway = {
    fault: undefined,
    counts,
    most: () => most,
    live: () => [...sessions.values()].some(({ socket }) => socket !== undefined),
    dispatch(t, d) {
      for (const session of sessions.values()) emit(session, t, d);
      changed();
    },
    drop(code) {
      for (const socket of open) {
        if (code === undefined) socket.terminate();
        else socket.close(code);
      }
    },
    reconnect() {
      for (const socket of open) write(socket, { op: 7, d: null });
    },
    forget: () => sessions.clear(),
    close() {
      for (const socket of tcp) socket.destroy();
      sockets.close();
    },
  };
  return gateway;
}
