import { menu } from './commands/table.ts';
import { controlHandlers } from './daemon-control.ts';
import { createControlSocket } from './http/control-socket.ts';
import { createHttpServer, type HttpServer } from './http/server.ts';
import { startIndexer } from './indexer.ts';
import { startJanitor } from './janitor.ts';
import { alertOwner } from './owner.ts';
import { assemble, type DaemonOptions, type Parts } from './parts.ts';
import type { ControlHandlers, PeopleControl } from './status.ts';
import { within } from './time.ts';

export interface Daemon {
  /** A one-time link to the browser page, when it is on. */
  readonly link: string | undefined;
  /** With which the first owner shows who they are; undefined once there is one. */
  readonly claimCode: string | undefined;
  /** Who is let in; absent in safe mode. */
  readonly people?: PeopleControl;
  /** Tells the owner, on the page. Never throws. */
  tell(sentence: string): void;
  /** See `Accounts.crashed`. */
  crashed(error: unknown): boolean;
  /** Every account has connected. */
  ready(): boolean;
  /**
   * Starts no more turns (what still arrives is stored for the next start), waits for those that run, flushes the outbox, disconnects and
   * closes the store; in bounded time.
   */
  stop(): Promise<void>;
  /** As `stop`, for a process that starts again: chats where a turn runs are told. */
  restart(drainMs: number): Promise<void>;
}

/** How long parts that are due may take to go out at a stop. */
const flushMs = 5000;
const disconnectMs = 3000;

export async function startDaemon(options: DaemonOptions): Promise<Daemon> {
  const parts = assemble(options);
  const connections = new AbortController();
  for (const on of options.platforms) await parts.accounts.add(on, menu);
  const handlers = controlHandlers(options, parts, () => http);
  const http = await serve(options, parts, handlers);
  const control = createControlSocket({ path: options.controlSocket, token: options.controlToken, handlers, log: options.log });
  await control.listen();
  takeUp(parts);
  const running = parts.accounts.run(connections.signal);
  const janitor = startJanitor({ ...options, media: parts.media });
  const indexer = startIndexer(options);
  const close = async (drainMs: number): Promise<void> => {
    await parts.lanes.close(drainMs, (lane) => options.store.asks.open().some((ask) => ask.lane === lane && ask.body.kind !== 'interrupt'));
    await parts.processes.close();
    await parts.outbox.close(flushMs);
    parts.cards.stop();
    parts.bubbles.stop();
    connections.abort();
    await within(disconnectMs, running);
    await control.close();
    await http?.close();
    janitor.close();
    indexer.close();
    options.store.turns.resetStarts();
    options.store.close();
  };
  return {
    link: http?.signInLink(),
    claimCode: parts.reception.people.all().claimCode,
    people: parts.reception.people,
    tell: (sentence) => alertOwner(options, parts.outbox, { account: 'config', sentence }),
    crashed: parts.accounts.crashed,
    ready: () => parts.accounts.statuses().every(({ state }) => state === 'connected'),
    stop: () => close(options.rules.drainMs),
    restart: (drainMs) => {
      parts.restarts.announce(parts.lanes.running());
      return close(drainMs);
    },
  };
}

/** What an earlier process has left. */
function takeUp(parts: Parts): void {
  parts.restarts.confirm();
  parts.outbox.recover();
  parts.desk.recover();
  parts.cards.recover();
  parts.bubbles.recover();
  parts.reception.door.sweep();
  parts.inbox.recover();
  parts.processes.begin(parts.wake);
}

async function serve(options: DaemonOptions, { accounts }: Parts, handlers: ControlHandlers): Promise<HttpServer | undefined> {
  if (options.http === undefined) return undefined;
  const { config, pageDirectory } = options.http;
  const http = createHttpServer({ config, pageDirectory, handlers, store: options.store.accounts.open('gateway/http'), log: options.log });
  for (const { adapter } of accounts.all()) adapter.routes?.(http.app, http.verified);
  await http.listen();
  return http;
}
