/** After too many failed starts in a row: only the control surface, so that a person can see why. Nothing is connected and no turn runs. */
import { cleanControl } from './clean-control.ts';
import type { Daemon } from './daemon.ts';
import { createControlSocket } from './http/control-socket.ts';
import { createHttpServer, type HttpServer } from './http/server.ts';
import type { Log } from './log.ts';
import type { HttpOptions } from './parts.ts';
import { recordedControl } from './recorded-control.ts';
import type { Redact } from './secrets.ts';
import type { Starts } from './starts.ts';
import type { ControlHandlers, Status } from './status.ts';
import type { Store } from './store/index.ts';
import type { Clock } from './time.ts';

export interface SafeModeOptions {
  readonly version: string;
  readonly home: string;
  /** What of these could not be had is told by a note. */
  readonly store: Store | undefined;
  readonly http: HttpOptions | undefined;
  readonly notes: readonly string[];
  readonly controlSocket: string;
  readonly controlToken?: string | undefined;
  readonly restart: () => void;
  readonly redact: Redact;
  readonly log: Log;
  readonly now: Clock;
}

export function safeModeNote({ failed, lastError, file }: Pick<Starts, 'failed' | 'lastError' | 'file'>): string {
  const why = lastError === undefined ? 'The process ended without saying why; its log may tell.' : `The last one said: ${lastError}`;
  const next = `Mend that and run "hermes gateway restart", or stop this and run "hermes gateway run" again (deleting ${file} does the same).`;
  return `Safe mode: ${failed} starts in a row failed, so nothing is connected and no message is worked on; none is lost. ${why} ${next}`;
}

/** Rejects only when the control socket cannot be had. */
export async function startSafeMode(options: SafeModeOptions): Promise<Daemon> {
  const notes = [...options.notes];
  for (const note of notes) options.log.error({}, note);
  const handlers = onRecord(
    safeHandlers(options, notes, () => http),
    options,
  );
  const control = createControlSocket({ path: options.controlSocket, token: options.controlToken, handlers, log: options.log });
  await control.listen();
  const http = await servePage(options, handlers, notes);
  const close = async (): Promise<void> => {
    await control.close();
    await http?.close();
    options.store?.close();
  };
  return {
    link: http?.signInLink(),
    claimCode: undefined,
    tell: (sentence) => options.log.warn({}, sentence),
    crashed: () => false,
    ready: () => false,
    stop: close,
    restart: close,
  };
}

/** Where there is a store. What is recorded here holds no secret. */
function onRecord(handlers: ControlHandlers, { store, log, now }: SafeModeOptions): ControlHandlers {
  return store === undefined ? handlers : recordedControl(handlers, { store, secrets: () => [], now, log });
}

function safeHandlers(options: SafeModeOptions, notes: readonly string[], http: () => HttpServer | undefined): ControlHandlers {
  const startedAtMs = options.now();
  const handlers: ControlHandlers = {
    ready: () => ({ ready: false, accounts: [] }),
    signInLink: () => http()?.signInLink(),
    status: () => statusOf(options, notes, startedAtMs),
    restart: options.restart,
    asks: () => [],
    ...(options.store === undefined ? {} : { audit: options.store.audit }),
    answerAsk: () => ({ done: false, text: 'The gateway is in safe mode and decides nothing.' }),
  };
  return cleanControl(handlers, options.redact);
}

/** The page may be what keeps failing (its port is taken): then the socket alone has to do. */
async function servePage(
  { http, store, log }: SafeModeOptions,
  handlers: ControlHandlers,
  notes: string[],
): Promise<HttpServer | undefined> {
  if (http === undefined || store === undefined) return undefined;
  const server = createHttpServer({ ...http, handlers, store: store.accounts.open('gateway/http'), log });
  try {
    await server.listen();
    return server;
  } catch (error) {
    notes.push(`The page is not there: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
}

function statusOf({ version, home, store }: SafeModeOptions, notes: readonly string[], startedAtMs: number): Status {
  const { pending, unknown } = store?.outbox.count() ?? { pending: 0, unknown: 0 };
  return {
    version,
    pid: process.pid,
    startedAtMs,
    home,
    database: store?.file ?? 'not open',
    model: { name: 'none (safe mode)', demo: false },
    accounts: [],
    work: { inboxPending: store?.inbox.countOpen() ?? 0, turnsRunning: 0, outboxPending: pending, outboxUnknown: unknown },
    notes: [...(store?.notes ?? []), ...notes],
  };
}
