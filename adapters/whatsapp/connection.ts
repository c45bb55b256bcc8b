/** Keeps one connection going: never two at once, with health told from evidence, and with patience that grows. */
import { FatalAdapterError, type Host } from '../adapter.ts';
import { createBackoff, sleep } from '../shared/backoff.ts';
import { type CloseVerdict, closeVerdict } from './closes.ts';
import { createHealth, type Health } from './health.ts';
import type { Intake } from './intake.ts';
import type { KeyRing } from './keys.ts';
import type { Content, Line, LineClosed, LineEvent, LineTiming, OpenLine } from './line.ts';
import type { LinkDesk } from './linking.ts';
import type { WhatsAppConfig } from './platform.ts';
import type { StormWatch } from './storm.ts';
import type { ReceiptWindow } from './window.ts';

/** Real times; tests shorten them. All in ms. */
export interface Timing extends LineTiming {
  /** From the start of a connection until messages flow, or until there is something to scan. */
  readonly openMs: number;
  readonly backoffFirstMs: number;
  readonly backoffMaxMs: number;
  /** Where coming back soon does harm. */
  readonly slowFirstMs: number;
  readonly slowMaxMs: number;
  /** A connection that lasted this long was useful. */
  readonly usefulMs: number;
  /** After the last message that waited, before what is missing is asked for; and between two questions. */
  readonly settleMs: number;
  readonly askMs: number;
  /** Until what could not be stored is tried again. */
  readonly storeAgainMs: number;
}

export const TIMING: Timing = {
  connectMs: 20_000,
  queryMs: 60_000,
  takenMs: 30_000,
  keepAliveMs: 25_000,
  openMs: 60_000,
  backoffFirstMs: 2000,
  backoffMaxMs: 300_000,
  slowFirstMs: 600_000,
  slowMaxMs: 6 * 3_600_000,
  usefulMs: 300_000,
  settleMs: 5000,
  askMs: 3000,
  storeAgainMs: 3000,
};

export interface ConnectionParts {
  readonly config: WhatsAppConfig;
  readonly host: Host;
  readonly timing: Timing;
  readonly keys: KeyRing;
  readonly desk: LinkDesk;
  readonly intake: Intake;
  readonly window: ReceiptWindow;
  readonly storm: StormWatch;
  readonly now: () => number;
  readonly random: () => number;
  /** Loads the client library. */
  readonly client: () => Promise<OpenLine>;
  readonly sent: (chat: string, id: string) => Content | undefined;
  /** The line that messages flow over from now on; none when it is over. */
  readonly usable: (line: Line | undefined) => void;
}

const READ_WARNING = 'Nobody has agreed to the risk to the number yet. Run: hermes whatsapp link (or open the browser page).';
const NOT_LINKED = 'Not linked with a phone. Run: hermes whatsapp link (or open the browser page).';
const RESTRICTED = 'WhatsApp lets this account begin no new chats for a while.';
const REFUSED = 'Incoming messages cannot be stored and wait in memory. The log says why.';
const SCAN = 'A code waits to be scanned: hermes whatsapp link, or the browser page.';

/** Resolves when the signal is aborted; rejects with FatalAdapterError when a person must act. */
export async function keepConnected(parts: ConnectionParts, signal: AbortSignal): Promise<void> {
  try {
    await connections(parts, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

async function connections(parts: ConnectionParts, signal: AbortSignal): Promise<void> {
  const { host, desk, keys, timing, now } = parts;
  const health = createHealth(host, parts.storm);
  const patience = createPatience(parts);
  const storeAgain = createStoreAgain(parts, health, signal);
  storeAgain();
  if (!desk.isAgreed()) health.down(READ_WARNING);
  await desk.agreed(signal);
  while (!signal.aborted) {
    if (!keys.isLinked()) {
      health.down(NOT_LINKED);
      await desk.wanted(signal);
    }
    health.connecting();
    const startedAt = now();
    const closed = await oneLine({ ...parts, health, storeAgain }, signal);
    signal.throwIfAborted();
    if (now() - startedAt >= timing.usefulMs) patience.reset();
    await afterwards(parts, { health, patience, verdict: closeVerdict(closed, keys.isLinked()) }, signal);
  }
}

interface Patience {
  waitMs(verdict: CloseVerdict): number;
  reset(): void;
}

function createPatience({ timing, random }: ConnectionParts): Patience {
  const soon = createBackoff({ firstMs: timing.backoffFirstMs, maxMs: timing.backoffMaxMs }, random);
  const late = createBackoff({ firstMs: timing.slowFirstMs, maxMs: timing.slowMaxMs }, random);
  let restarts = 0;
  return {
    waitMs({ action }) {
      if (action === 'slowly' || action === 'replaced') return late.next();
      // WhatsApp asks for one new connection after the phone has agreed; one that asks for ever is treated as any other.
      restarts = action === 'restart' ? restarts + 1 : 0;
      return restarts > 0 && restarts <= 2 ? 0 : soon.next();
    },
    reset() {
      soon.reset();
      late.reset();
      restarts = 0;
    },
  };
}

interface Aftermath {
  readonly health: Health;
  readonly patience: Patience;
  readonly verdict: CloseVerdict;
}

async function afterwards(
  { host, keys, desk }: ConnectionParts,
  { health, patience, verdict }: Aftermath,
  signal: AbortSignal,
): Promise<void> {
  const { action, sentence } = verdict;
  if (action === 'logged-out') {
    keys.clear();
    desk.revoke(sentence);
  }
  if (action === 'logged-out' || action === 'fatal') throw new FatalAdapterError(sentence);
  const waitMs = patience.waitMs(verdict);
  if (action === 'slowly' || action === 'replaced') health.down(sentence);
  else if (action !== 'restart' && !keys.isLinked()) health.down(sentence);
  else if (action === 'retry') health.failed(sentence);
  host.log.warn({ action, waitMs: Math.round(waitMs) }, sentence);
  await sleep(waitMs, signal);
}

type LineParts = ConnectionParts & { readonly health: Health; readonly storeAgain: () => void };

/** Resolves with why it ended. */
async function oneLine(parts: LineParts, signal: AbortSignal): Promise<LineClosed> {
  const { config, host, timing, keys, usable, desk } = parts;
  const open = await parts.client();
  const over = new AbortController();
  const alive = AbortSignal.any([signal, over.signal]);
  const ready = Promise.withResolvers<Line>();
  parts.window.begun();
  const progress = createProgress(parts, ready.promise, alive);
  const line = await open({
    url: config.socket_url,
    version: config.version,
    keys,
    log: host.log,
    timing,
    event: progress.event,
    sent: parts.sent,
  });
  ready.resolve(line);
  const end = (): void => line.end();
  alive.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  try {
    return await Promise.race([line.closed, progress.silent]);
  } finally {
    over.abort();
    usable(undefined);
    desk.pairing(undefined);
  }
}

interface Progress {
  readonly event: (event: LineEvent) => void;
  /** Resolves when nothing came of the connection. */
  readonly silent: Promise<LineClosed>;
}

function createProgress(parts: LineParts, line: Promise<Line>, signal: AbortSignal): Progress {
  const { timing, health, intake, desk, usable, storeAgain } = parts;
  const silent = Promise.withResolvers<LineClosed>();
  const deadline = setTimeout(() => silent.resolve({ code: 408, message: 'no answer' }), timing.openMs);
  signal.addEventListener('abort', () => clearTimeout(deadline), { once: true });
  let isOpen = false;
  const handlers: { readonly [T in LineEvent['type']]: (event: Extract<LineEvent, { type: T }>) => void } = {
    open: () => {
      clearTimeout(deadline);
      isOpen = true;
      desk.pairing(undefined);
      void line.then((opened) => signal.aborted || usable(opened));
      health.open();
    },
    qr: ({ qr, livesMs }) => {
      clearTimeout(deadline);
      void line.then((opened) => signal.aborted || desk.pairing((digits) => opened.pair(digits)));
      desk.showQr(qr, livesMs);
      health.down(SCAN);
    },
    linked: () => desk.pairing(undefined),
    alive: () => {
      if (isOpen) health.alive();
    },
    'caught-up': () => void line.then((opened) => recover(parts, opened, signal)).catch(() => undefined),
    arriving: ({ arrival }) => intake.arriving(arrival),
    messages: ({ messages, offline }) => {
      intake.messages(messages, offline);
      storeAgain();
    },
    restricted: ({ active }) => health.limited('chats', active ? RESTRICTED : undefined),
  };
  return { event: (event) => handle(handlers, event), silent: silent.promise };
}

type Handlers = { readonly [T in LineEvent['type']]: (event: Extract<LineEvent, { type: T }>) => void };

function handle<T extends LineEvent['type']>(handlers: Handlers, event: Extract<LineEvent, { type: T }>): void {
  // TypeScript cannot tie the key of the table to the member of the union by itself.
  (handlers[event.type] as (event: LineEvent) => void)(event);
}

/** Until everything is stored that came in, whatever becomes of the connection that it came over. */
function createStoreAgain({ intake, timing }: ConnectionParts, health: Health, signal: AbortSignal): () => void {
  let isTrying = false;
  const trying = async (): Promise<void> => {
    health.limited('store', REFUSED);
    do await sleep(timing.storeAgainMs, signal);
    while (!intake.again());
    health.limited('store', undefined);
  };
  return () => {
    if (isTrying || !intake.isBehind()) return;
    isTrying = true;
    const over = (): void => {
      isTrying = false;
    };
    trying().then(over, over);
  };
}

async function recover({ window, host, timing }: LineParts, line: Line, signal: AbortSignal): Promise<void> {
  await sleep(timing.settleMs, signal);
  const { asked, lost, left } = await window.recover(line, signal);
  if (asked + lost + left === 0) return;
  host.log.warn(
    { asked, lost, left },
    'messages were acknowledged before the connection ended and not stored; the phone is asked for them, those that are lost stay unanswered',
  );
}
