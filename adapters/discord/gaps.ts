/** Which channels may have missed something, and when that is read: after a lost session, a restart, and whenever the store refused a message. */
import type { Host } from '../adapter.ts';
import { createCatchUp } from '../shared/backfill.ts';
import { createBackoff } from '../shared/backoff.ts';
import type { Decoded, Found } from './codec.ts';
import type { History } from './history.ts';
import type { Places } from './places.ts';
import { compareSnowflakes, snowflakeAt, timeOf } from './wire.ts';

export interface Gaps {
  /** READY: what was before is lost but for the history. Synchronous: nothing live overtakes what was missed. */
  sessionBegins(signal: AbortSignal): void;
  /** GUILD_CREATE tells what the newest message of each channel is. */
  guildAppears(guild: Appearing, signal: AbortSignal): void;
  live(channel: string, found: Found, signal: AbortSignal): void;
  /** A message that is not for us. */
  passed(channel: string, message: string): void;
}

export interface Appearing {
  readonly id: string;
  /** When we came to it. What was written before that was not for us. */
  readonly joinedAtMs: number;
}

export interface GapsParts {
  readonly host: Host;
  readonly places: Places;
  readonly history: History;
  readonly now: () => number;
  decode(found: Found): Decoded;
}

/** Up to when everything was heard: where channels begin that were never read before. */
const HEARD = 'heard';
const HEARD_EVERY_MS = 30_000;
/** Where a channel is: `dm` or its server. READY tells of no direct chats, and a server of no archived threads. */
const HOME = 'home:';
const DIRECT = 'dm';
/** Threads are archived after a week without a message at the latest. */
const ARCHIVED_AFTER_MS = 7 * 24 * 60 * 60_000;
const MOST_HOMES = 10_000;

export function createGaps(parts: GapsParts): Gaps {
  const { host, places, now } = parts;
  const { store } = host;
  const owed = new Set<string>();
  const catchUp = createChannels(parts, owed);
  const runner = createRunner(host, { run: catchUp.run, owed, again: () => catchUp.begin([...owed], heard()) });
  const heard = (): string | undefined => textIn(store.get(HEARD));
  const homes = (wanted: string): string[] => channelsIn(host, wanted);
  const hasNews = (channel: string, newest: string | undefined, since: string | undefined): boolean => {
    const mark = catchUp.markOf(channel) ?? since;
    return mark !== undefined && newest !== undefined && compareSnowflakes(newest, mark) > 0;
  };
  const isRecent = (channel: string): boolean => now() - timeOf(catchUp.markOf(channel) ?? '0') < ARCHIVED_AFTER_MS;
  return {
    sessionBegins(signal) {
      // A fresh install replays nothing.
      if (heard() === undefined) hear(host, snowflakeAt(now()));
      catchUp.begin(homes(DIRECT));
      runner.start(signal);
    },
    guildAppears({ id: guild, joinedAtMs }, signal) {
      const since = later(heard(), snowflakeAt(joinedAtMs));
      const known = places.channelsOf(guild);
      const listed = new Set(known.map(({ id }) => id));
      const news = known.filter(({ id, lastMessage }) => hasNews(id, lastMessage, since)).map(({ id }) => id);
      const archived = homes(guild).filter((id) => !listed.has(id) && isRecent(id));
      catchUp.begin([...news, ...archived], since);
      runner.start(signal);
    },
    live(channel, found, signal) {
      catchUp.live(channel, found).catch((error: unknown) => {
        if (signal.aborted) return;
        host.log.warn({ channel, why: whyOf(error) }, 'A message could not be stored. It is fetched again.');
        owed.add(channel);
        catchUp.begin([channel], String(BigInt(found.message.id) - 1n));
        runner.later(signal);
      });
    },
    passed(channel, message) {
      catchUp.skip(channel, message);
      if (runner.isIdle() && timeOf(message) - timeOf(heard() ?? '0') > HEARD_EVERY_MS) hear(host, message);
    },
  };
}

/** The channels' gaps, with those in `owed` that could not be read or stored. */
function createChannels({ host, history, decode }: GapsParts, owed: Set<string>) {
  return createCatchUp<Found>({
    store: host.store,
    log: host.log,
    compare: compareSnowflakes,
    positionOf: ({ message }) => message.id,
    async fetch(channel, after, signal) {
      owed.add(channel);
      const page = await history.page(channel, after, signal);
      if (page.length === 0) owed.delete(channel);
      return page;
    },
    hand(found, keep, late) {
      const events = found.flatMap((one) => {
        const decoded = decode(late ? { ...one, late: true } : one);
        return decoded.type === 'message' ? [decoded.message] : [];
      });
      const kept = { ...keep, ...homesOf(found, host) };
      if (events.length > 0) host.receive(events, kept);
      else host.store.put(kept);
    },
  });
}

/** Only saves work at the next start: not worth losing the connection when the store refuses it. */
function hear({ store, log }: Host, position: string): void {
  try {
    store.put({ [HEARD]: position });
  } catch (error) {
    log.warn({ why: whyOf(error) }, 'How far everything was heard could not be stored.');
  }
}

function later(one: string | undefined, other: string): string | undefined {
  return one === undefined || compareSnowflakes(one, other) > 0 ? one : other;
}

function channelsIn({ store }: Host, wanted: string): string[] {
  const homes = store.list(HOME, { limit: MOST_HOMES }).filter(([, home]) => home === wanted);
  return homes.map(([key]) => key.slice(HOME.length));
}

function homesOf(found: readonly Found[], { store }: Host): Record<string, string> {
  const homes = found.map(({ message, place }): [string, string] => [HOME + message.channel_id, place.guild ?? DIRECT]);
  return Object.fromEntries(homes.filter(([key, home]) => store.get(key) !== home));
}

interface Work {
  run(signal: AbortSignal): Promise<void>;
  readonly owed: ReadonlySet<string>;
  /** Opens the owed channels' gaps again. */
  again(): void;
}

/** One run at a time; what is still owed after it is tried again, ever more rarely. */
function createRunner(host: Host, { run, owed, again }: Work) {
  const backoff = createBackoff({ firstMs: 2000, maxMs: 120_000 });
  let running = false;
  let asked = false;
  let timer: NodeJS.Timeout | undefined;
  const later = (signal: AbortSignal): void => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      if (signal.aborted) return;
      again();
      start(signal);
    }, backoff.next()).unref();
  };
  const work = async (signal: AbortSignal): Promise<void> => {
    running = true;
    try {
      do {
        asked = false;
        await run(signal);
      } while (asked && !signal.aborted);
    } catch (error) {
      if (!signal.aborted) host.log.warn({ why: whyOf(error) }, 'What was missed could not be read.');
    } finally {
      running = false;
    }
    if (signal.aborted) return;
    if (owed.size > 0) later(signal);
    else backoff.reset();
  };
  const start = (signal: AbortSignal): void => {
    asked = true;
    if (!running) void work(signal);
  };
  return { start, later, isIdle: () => !running && owed.size === 0 };
}

function textIn(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function whyOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
