/** The platform accounts that are switched on: each is supervised on its own, restarted with back-off, and paced. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { type Adapter, type AdapterState, FatalAdapterError, type Host, type Inbound } from '../adapters/adapter.ts';
import type { AccountConfig, MenuCommand, Platform } from '../adapters/platform.ts';
import { createGate, type Gate } from './gate.ts';
import type { Guard } from './guarded-adapter.ts';
import type { Log } from './log.ts';
import { createPacer, type Pacer } from './pacer.ts';
import type { AccountStatus } from './status.ts';
import type { Store } from './store/index.ts';
import { accountKey, outboxLane } from './target.ts';
import { type Clock, pause } from './time.ts';

/** At 50 ms a send this is five times what Telegram allows in a second. */
const sendsAtATime = 8;
/** A send that takes longer (a large file, a platform that hangs) holds back nobody else's. */
const slowSendMs = 1000;
const firstRestartMs = 1000;
const longestRestartMs = 300_000;
/** A connection that lasted this long was useful: the back-off starts over. */
const usefulMs = 120_000;
/** Without evidence of inbound progress for this long an account is not ready. */
const evidenceMs = 90_000;

export interface Account {
  readonly key: string;
  readonly platform: Platform;
  readonly config: AccountConfig;
  readonly adapter: Adapter;
  readonly pacer: Pacer;
  /** Few sends at a time: those that a crash cuts have an unknown outcome, and are the ones that people may see twice. */
  readonly sends: Gate;
  /** Until a person acts and the gateway starts again: what there is to send waits. */
  isStopped(): boolean;
  /** How long the platform still wants silence in this outbox lane, ms. */
  penaltyMs(lane: string): number;
  penalise(lane: string, ms: number): void;
}

export interface AccountDirectory {
  get(key: string): Account | undefined;
  all(): readonly Account[];
  statuses(): readonly AccountStatus[];
  /** Every account shows recent evidence of inbound progress. */
  ready(): boolean;
}

/** An account that the configuration switches on. */
export interface SwitchedOn {
  readonly platform: Platform;
  readonly config: AccountConfig;
  /** Its name; not set: `main`. */
  readonly account?: string;
}

export interface Accounts extends AccountDirectory {
  /** Loads the client library and makes the adapter; nothing is connected yet. */
  add(on: SwitchedOn, menu: readonly MenuCommand[]): Promise<void>;
  /** For what was thrown where nobody could catch it (a timer, an event): true when it came from an account's connection, which is then started again. */
  crashed(error: unknown): boolean;
  /** A person has acted: a stopped account runs again. */
  revive(key: string): void;
  /** Connects all; resolves when the signal fired and every connection has ended. */
  run(signal: AbortSignal): Promise<void>;
}

export interface AccountsOptions {
  readonly store: Store;
  readonly log: Log;
  readonly now: Clock;
  /** `keep` is to be part of the transaction. */
  readonly receive: (events: readonly Inbound[], keep?: () => void) => void;
  /** An account stopped for good, or has been deaf for a while: tell the owner elsewhere. */
  readonly alert: (account: string, sentence: string) => void;
  readonly guard: Guard;
}

interface Supervised {
  readonly account: Account;
  /** Ends the present connection, so that it is started again. */
  connection: AbortController;
  state: AdapterState | 'stopped';
  detail: string | undefined;
  aliveAtMs: number | undefined;
  restarts: number;
  alerted: boolean;
  /** Runs a stopped account again; nothing while it runs. */
  revive: () => void;
}

export function createAccounts(given: AccountsOptions): Accounts {
  const supervised = new Map<string, Supervised>();
  const penalties = new Map(given.store.accounts.penalties(given.now()));
  const context: Context = new AsyncLocalStorage();
  // What an alert sets going on another account is not the failing connection's doing.
  const options = { ...given, alert: (account: string, sentence: string) => context.exit(() => given.alert(account, sentence)) };
  return {
    get: (key) => supervised.get(key)?.account,
    all: () => [...supervised.values()].map(({ account }) => account),
    statuses: () => [...supervised.values()].map(statusOf),
    ready: () => [...supervised.values()].every((entry) => isReady(entry, options.now())),
    add: async ({ platform, config, account = 'main' }, menu) => {
      const key = accountKey({ platform: platform.name, account });
      const { create } = await platform.load();
      const entry = supervise({ key, platform, config, menu, create, context }, options, penalties);
      supervised.set(key, entry);
    },
    crashed: (error) => {
      const entry = context.getStore();
      entry?.connection.abort(error);
      return entry !== undefined;
    },
    revive: (key) => supervised.get(key)?.revive(),
    run: async (signal) => {
      const watch = setInterval(() => alertTheDeaf([...supervised.values()], options), 30_000);
      watch.unref();
      await Promise.all([...supervised.values()].map((entry) => context.run(entry, () => keepRunning(entry, options, signal))));
      clearInterval(watch);
    },
  };
}

/** Whose code is running: tells which connection threw what nobody could catch. */
type Context = AsyncLocalStorage<Supervised>;

interface Recipe {
  readonly context: Context;
  readonly key: string;
  readonly platform: Platform;
  readonly config: AccountConfig;
  readonly menu: readonly MenuCommand[];
  readonly create: Awaited<ReturnType<Platform['load']>>['create'];
}

function supervise(recipe: Recipe, options: AccountsOptions, penalties: Map<string, number>): Supervised {
  const { key, platform, config } = recipe;
  const facts = {
    connection: new AbortController(),
    state: 'connecting' as AdapterState,
    detail: undefined,
    aliveAtMs: undefined,
    restarts: 0,
    alerted: false,
    revive: () => undefined,
  };
  const host = hostOf(recipe, options, () => entry);
  const account: Account = {
    key,
    platform: options.guard.platform(platform),
    config,
    adapter: options.guard.adapter(recipe.create(config, host, recipe.menu)),
    sends: createGate(sendsAtATime, slowSendMs),
    isStopped: () => entry.state === 'stopped',
    pacer: createPacer(config.pacing, () => performance.now()), // a clock that is set back must not hold up answers
    ...penaltyBook(options, penalties),
  };
  const entry: Supervised = { account, ...facts };
  return entry;
}

/** A penalty that cannot be stored (the disk is full) holds all the same, as long as this process lives. */
function penaltyBook({ store, now, log }: AccountsOptions, penalties: Map<string, number>): Pick<Account, 'penaltyMs' | 'penalise'> {
  return {
    penaltyMs: (lane) => Math.max(0, (penalties.get(lane) ?? 0) - now()),
    penalise: (lane, ms) => {
      const until = Math.max(penalties.get(lane) ?? 0, now() + ms); // a shorter one that comes later ends nothing
      penalties.set(lane, until);
      try {
        store.accounts.penalise(lane, until);
      } catch (error) {
        log.error({ lane, err: error }, 'a penalty could not be stored (is the disk full?)');
      }
    },
  };
}

function hostOf({ key, context }: Recipe, options: AccountsOptions, entry: () => Supervised): Host {
  const { log, store, guard } = options;
  return {
    account: key.slice(key.indexOf('/') + 1),
    // turns are not the connection's doing
    receive: (events, keep) =>
      context.exit(() => options.receive(events, keep === undefined ? undefined : () => store.accounts.keep(key, keep))),
    sent: ({ chat, id }) => guard.message(store.outbox.payloadOf(outboxLane(chat), id)),
    state: (state, detail) => {
      const facts = entry();
      const before = facts.state;
      if (before !== state) log.info({ account: key, state, detail }, 'connection');
      facts.state = state;
      facts.detail = detail && guard.sentence(detail);
      if (state !== 'connected') return;
      facts.alerted = false;
      if (before !== state) hurry(options, key);
    },
    alive: () => {
      entry().aliveAtMs = options.now();
    },
    store: store.accounts.open(key),
    log: {
      info: (facts, message) => log.info({ account: key, ...facts }, message),
      warn: (facts, message) => log.warn({ account: key, ...facts }, message),
    },
  };
}

/** What waits for its next try need not wait longer: the account was what it waited for. Penalties hold all the same. */
function hurry({ store, log }: AccountsOptions, key: string): void {
  try {
    store.outbox.hurry(key);
  } catch (error) {
    log.warn({ account: key, err: error }, 'what waits to be sent is tried again later than it could be');
  }
}

async function keepRunning(entry: Supervised, options: AccountsOptions, signal: AbortSignal): Promise<void> {
  let failures = 0;
  while (!signal.aborted) {
    const startedAt = options.now();
    const fatal = await runOnce(entry, options, signal);
    if (fatal) {
      await revived(entry, signal);
      failures = 0;
      continue;
    }
    if (signal.aborted) return;
    failures = options.now() - startedAt >= usefulMs ? 0 : failures + 1;
    entry.restarts += 1;
    const backOffMs = Math.min(longestRestartMs, firstRestartMs * 2 ** Math.min(failures, 16)) * (0.5 + Math.random() / 2);
    await pause(backOffMs, signal);
  }
}

/** Resolves when a person has acted, or at the end of all. */
function revived(entry: Supervised, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
    entry.revive = () => {
      entry.state = 'connecting';
      entry.revive = () => undefined;
      resolve();
    };
  });
}

/** True when the account must not be started again before a person acts. */
async function runOnce(entry: Supervised, options: AccountsOptions, signal: AbortSignal): Promise<boolean> {
  const { key } = entry.account;
  entry.connection = new AbortController();
  const { signal: crash } = entry.connection;
  try {
    await entry.account.adapter.run(AbortSignal.any([signal, crash]));
    crash.throwIfAborted();
    if (!signal.aborted) options.log.warn({ account: key }, 'the connection ended by itself and is started again');
    return false;
  } catch (error) {
    if (signal.aborted) return false;
    const fatal = error instanceof FatalAdapterError;
    const sentence = options.guard.sentence(error instanceof Error ? error.message : String(error));
    entry.state = fatal ? 'stopped' : 'down';
    entry.detail = sentence;
    options.log.error(
      { account: key, err: error },
      fatal ? 'the account is stopped until a person acts' : 'the connection failed and is started again',
    );
    if (fatal) options.alert(key, `${labelOf(entry)} is stopped: ${sentence}`);
    return fatal;
  }
}

function isReady({ state, aliveAtMs }: Supervised, now: number): boolean {
  return state === 'connected' && aliveAtMs !== undefined && now - aliveAtMs < evidenceMs;
}

function alertTheDeaf(entries: readonly Supervised[], options: AccountsOptions): void {
  for (const entry of entries) {
    if (entry.alerted || entry.state === 'stopped' || isReady(entry, options.now())) continue;
    if (entry.aliveAtMs !== undefined && options.now() - entry.aliveAtMs < evidenceMs) continue;
    entry.alerted = true;
    const detail = entry.detail === undefined ? '' : ` (${entry.detail})`;
    options.alert(entry.account.key, `${labelOf(entry)} has received nothing for a while${detail}. It keeps trying.`);
  }
}

/** Of several accounts of a platform each has its name. */
function labelOf({ account: { key, platform } }: Supervised): string {
  const name = key.slice(key.indexOf('/') + 1);
  return name === 'main' ? platform.label : `${platform.label} (${name})`;
}

function statusOf({ account, state, detail, aliveAtMs, restarts }: Supervised): AccountStatus {
  const [platform = '', name = ''] = account.key.split('/');
  return {
    platform,
    account: name,
    state,
    restarts,
    ...(detail === undefined ? {} : { detail }),
    ...(aliveAtMs === undefined ? {} : { aliveAtMs }),
  };
}
