/**
 * What was written while nobody listened: fetched from the platform's history and handed over once, in order, ahead of what comes meanwhile.
 * How far a channel was read (its mark) is stored in the transaction of the messages themselves, so that a crash neither loses nor repeats one.
 */
import type { AccountStore, AdapterLog, Json } from '../adapter.ts';
import { createBackoff, sleep } from './backoff.ts';

/** What a channel's mark is stored under, below this. */
const PREFIX = 'mark:';
const MOST_CHANNELS = 10_000;
/** Of one channel and gap. Whoever was away for longer than this many pages is told so in the log, and the rest is left. */
const MOST_PAGES = 100;
const ATTEMPTS = 4;
const AT_A_TIME = 4;
/** Of what is not for us; whoever is forgotten is fetched again after the next gap. */
const MOST_SKIPPED = 1000;

export interface CatchUpPorts<T> {
  readonly store: AccountStore;
  readonly log: AdapterLog;
  /** Orders positions as the platform does. */
  compare(one: string, other: string): number;
  positionOf(item: T): string;
  /** One page of what came after `after`, oldest first; empty: there is no more, or nothing that we may read. */
  fetch(channel: string, after: string, signal: AbortSignal): Promise<readonly T[]>;
  /** To `Host.receive`, with `keep`. Throws what that throws. `late`: from history. */
  hand(items: readonly T[], keep: Readonly<Record<string, Json>>, late: boolean): void;
}

export interface CatchUp<T> {
  /** A live message: handed over before this returns, or behind what its channel missed. Rejects where the store refused it. */
  live(channel: string, item: T): Promise<void>;
  /** A live message that is not for us: need not be fetched again. Stored with the next that is. */
  skip(channel: string, position: string): void;
  /**
   * There is a gap: from now on live messages of these channels wait for `run`. A channel that was never read begins at `since`, or, without it
   * (a fresh install), with its next live message.
   */
  begin(channels: readonly string[], since?: string): void;
  /** Hands over what the channels missed. Rejects only with the signal's reason; a channel that cannot be read is tried again at the next gap. */
  run(signal: AbortSignal): Promise<void>;
  /** Channels that have been read before. */
  channels(): readonly string[];
  /** How far a channel was read. */
  markOf(channel: string): string | undefined;
}

interface Waiting<T> {
  readonly item: T;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** `behind`: its gap could not be read; what comes is handed over, and the mark stays before the gap. */
interface Gap<T> {
  state: 'waiting' | 'behind';
  after: string;
  readonly queue: Waiting<T>[];
}

export function createCatchUp<T>(ports: CatchUpPorts<T>): CatchUp<T> {
  const { store, compare, positionOf } = ports;
  const gaps = new Map<string, Gap<T>>();
  const skipped = new Map<string, string>();
  const markOf = (channel: string): string | undefined => {
    const mark = store.get(PREFIX + channel);
    return typeof mark === 'string' ? mark : undefined;
  };
  const hand = (channel: string, items: readonly T[], late: boolean): void => {
    const marks = new Map<string, string>();
    const advance = (name: string, position: string): void => {
      const mark = marks.get(name) ?? markOf(name);
      if (mark === undefined || compare(position, mark) > 0) marks.set(name, position);
    };
    const last = items.at(-1);
    if (last !== undefined && gaps.get(channel)?.state !== 'behind') advance(channel, positionOf(last));
    // Never past what is still unread in a gap.
    for (const [other, position] of skipped) if (!gaps.has(other)) advance(other, position);
    ports.hand(items, Object.fromEntries([...marks].map(([name, mark]) => [PREFIX + name, mark])), late);
    skipped.clear();
  };
  const gate = { gaps, hand, markOf };
  return {
    live: (channel, item) => live(gate, channel, item),
    skip: (channel, position) => {
      const known = skipped.get(channel);
      if (!gaps.has(channel) && (known === undefined || compare(position, known) > 0)) putNewest(skipped, channel, position);
    },
    begin: (channels, since) => {
      const behind = [...gaps].filter(([, { state }]) => state === 'behind').map(([channel]) => channel);
      for (const channel of new Set([...behind, ...channels])) {
        const after = markOf(channel) ?? since;
        const known = gaps.get(channel);
        if (known !== undefined) known.state = 'waiting';
        else if (after !== undefined) gaps.set(channel, { state: 'waiting', after, queue: [] });
      }
    },
    run: (signal) => run({ ...gate, ports }, signal),
    channels: () => store.list(PREFIX, { limit: MOST_CHANNELS }).map(([key]) => key.slice(PREFIX.length)),
    markOf,
  };
}

function putNewest(skipped: Map<string, string>, channel: string, position: string): void {
  skipped.delete(channel);
  skipped.set(channel, position);
  for (const oldest of skipped.size > MOST_SKIPPED ? [...skipped.keys()].slice(0, -MOST_SKIPPED) : []) skipped.delete(oldest);
}

/** These channels are over: their marks go. One that is written in again begins as one that was never read. */
export function forgetMarks(store: AccountStore, channels: readonly string[]): void {
  if (channels.length > 0) store.put(Object.fromEntries(channels.map((channel) => [PREFIX + channel, undefined])));
}

interface Gate<T> {
  readonly gaps: Map<string, Gap<T>>;
  markOf(channel: string): string | undefined;
  hand(channel: string, items: readonly T[], late: boolean): void;
}

function live<T>({ gaps, hand, markOf }: Gate<T>, channel: string, item: T): Promise<void> {
  const gap = gaps.get(channel);
  if (gap?.state === 'waiting') return new Promise((resolve, reject) => gap.queue.push({ item, resolve, reject }));
  try {
    hand(channel, [item], false);
    return Promise.resolve();
  } catch (error) {
    // What comes after it may be stored: the mark must not pass what was refused.
    const after = markOf(channel);
    if (gap === undefined && after !== undefined) gaps.set(channel, { state: 'behind', after, queue: [] });
    return Promise.reject(error);
  }
}

interface Running<T> extends Gate<T> {
  readonly ports: CatchUpPorts<T>;
}

async function run<T>(running: Running<T>, signal: AbortSignal): Promise<void> {
  const open = [...running.gaps].filter(([, { state }]) => state === 'waiting');
  const worker = async (): Promise<void> => {
    for (let next = open.shift(); next !== undefined; next = open.shift()) await close(running, next, signal);
  };
  try {
    await Promise.all(Array.from({ length: AT_A_TIME }, worker));
  } finally {
    if (signal.aborted) abandon(running.gaps, signal.reason);
  }
  signal.throwIfAborted();
}

/** What waits was not handed over; the platform, or the next gap, brings it again. */
function abandon<T>(gaps: Map<string, Gap<T>>, reason: unknown): void {
  for (const gap of gaps.values()) for (const { reject } of gap.queue.splice(0)) reject(reason);
}

async function close<T>(running: Running<T>, [channel, gap]: readonly [string, Gap<T>], signal: AbortSignal): Promise<void> {
  const { gaps, ports } = running;
  const backoff = createBackoff({ firstMs: 1000, maxMs: 30_000 });
  while (!signal.aborted) {
    try {
      await readGap(running, [channel, gap], signal);
      gaps.delete(channel);
      break;
    } catch (error) {
      if (signal.aborted) return;
      const why = error instanceof Error ? error.message : String(error);
      ports.log.warn({ channel, attempt: backoff.failures() + 1 }, `What was missed in a channel could not be read. ${why}`);
      if (backoff.failures() + 1 >= ATTEMPTS) {
        gap.state = 'behind';
        break;
      }
      await sleep(backoff.next(), signal).catch(() => undefined); // the loop looks at the signal
    }
  }
  if (!signal.aborted) release(running, channel, gap);
}

async function readGap<T>({ ports, hand }: Running<T>, [channel, gap]: readonly [string, Gap<T>], signal: AbortSignal): Promise<void> {
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const items = await ports.fetch(channel, gap.after, signal);
    signal.throwIfAborted();
    const last = items.at(-1);
    if (last === undefined) return;
    hand(channel, items, true);
    gap.after = ports.positionOf(last);
  }
  ports.log.warn({ channel, pages: MOST_PAGES }, 'So much was missed in a channel that the rest of it is left unread.');
}

function release<T>({ hand }: Running<T>, channel: string, { queue }: Gap<T>): void {
  for (const { item, resolve, reject } of queue.splice(0)) {
    try {
      hand(channel, [item], false);
      resolve();
    } catch (error) {
      reject(error);
    }
  }
}
