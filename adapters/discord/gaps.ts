/** Which channels may have missed something, and when that is read: after a lost session, a restart, and whenever the store refused a message. */
import type { Host } from '../adapter.ts';
import { type CatchUp, createCatchUp } from '../shared/backfill.ts';
import { createBackoff } from '../shared/backoff.ts';
import type { Decoded, Found } from './codec.ts';
import type { History } from './history.ts';
import { DIRECT, type Homes } from './homes.ts';
import type { Places } from './places.ts';
import { compareSnowflakes, snowflakeAt, timeOf } from './wire.ts';

export interface Gaps {
  /** READY: what was before is lost but for the history. Synchronous: nothing live overtakes what was missed. `guilds` will appear one by one. */
  sessionBegins(guilds: readonly string[], signal: AbortSignal): void;
  /** GUILD_CREATE tells what the newest message of each channel is. */
  guildAppears(guild: Appearing, signal: AbortSignal): void;
  live(channel: string, found: Found, signal: AbortSignal): void;
  /** A message that is not for us. */
  passed(channel: string, message: string): void;
  /** A message came that could not be handed over: it is fetched again, until it can be. */
  owe(channel: string, message: string, signal: AbortSignal): void;
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
  readonly homes: Homes;
  readonly now: () => number;
  decode(found: Found): Decoded;
}

/** Up to when everything was heard: where channels begin that were never read before. */
const HEARD = 'heard';
const HEARD_EVERY_MS = 30_000;
/** A server that is out of order for longer does not keep the others' messages from counting as heard. */
const APPEARS_WITHIN_MS = 10 * 60_000;
/** Threads are archived after a week without a message at the latest. */
const ARCHIVED_AFTER_MS = 7 * 24 * 60 * 60_000;

export function createGaps(parts: GapsParts): Gaps {
  const { host, homes, now } = parts;
  const { store } = host;
  const owed = new Set<string>();
  const catchUp = createChannels(parts, owed);
  const heard = (): string | undefined => textIn(store.get(HEARD));
  const runner = createRunner(host, { run: catchUp.run, owed, again: () => catchUp.begin([...owed], heard()) });
  const expected = createExpected(now);
  const owe = (channel: string, message: string, signal: AbortSignal): void => {
    owed.add(channel);
    catchUp.begin([channel], String(BigInt(message) - 1n));
    runner.later(signal);
  };
  return {
    sessionBegins(guilds, signal) {
      // A fresh install replays nothing.
      if (heard() === undefined) hear(host, snowflakeAt(now()));
      expected.begin(guilds, heard());
      catchUp.begin(homes.channelsIn(DIRECT));
      runner.start(signal);
    },
    guildAppears({ id: guild, joinedAtMs }, signal) {
      const since = later(expected.appears(guild) ?? heard(), snowflakeAt(joinedAtMs));
      catchUp.begin(channelsWithNews(parts, catchUp, { guild, since }), since);
      runner.start(signal);
    },
    live(channel, found, signal) {
      catchUp.live(channel, found).catch((error: unknown) => {
        if (signal.aborted) return;
        host.log.warn({ channel, why: whyOf(error) }, 'A message could not be stored. It is fetched again.');
        owe(channel, found.message.id, signal);
      });
    },
    passed(channel, message) {
      catchUp.skip(channel, message);
      const isSettled = runner.isIdle() && !expected.areMissing();
      if (isSettled && timeOf(message) - timeOf(heard() ?? '0') > HEARD_EVERY_MS) hear(host, message);
    },
    owe,
  };
}

interface Since {
  readonly guild: string;
  readonly since: string | undefined;
}

/** Those whose newest message is not read yet, and what may lie in the archive, of which a server does not tell. */
function channelsWithNews({ places, homes, now }: GapsParts, { markOf }: CatchUp<Found>, of: Since): string[] {
  const known = places.channelsOf(of.guild);
  const listed = new Set(known.map(({ id }) => id));
  const isNew = (channel: string, newest: string | undefined): boolean => {
    const mark = markOf(channel) ?? of.since;
    return mark !== undefined && newest !== undefined && compareSnowflakes(newest, mark) > 0;
  };
  const isRecent = (channel: string): boolean => now() - timeOf(markOf(channel) ?? '0') < ARCHIVED_AFTER_MS;
  const news = known.filter(({ id, lastMessage }) => isNew(id, lastMessage)).map(({ id }) => id);
  return [...news, ...homes.channelsIn(of.guild).filter((id) => !listed.has(id) && isRecent(id))];
}

/** Servers of a new session that have not appeared yet: what they missed begins where the session did, and not where a live message of another is. */
function createExpected(now: () => number) {
  const guilds = new Map<string, string>();
  let beganAt = 0;
  return {
    begin(ids: readonly string[], since: string | undefined): void {
      beganAt = now();
      for (const id of ids) if (since !== undefined && !guilds.has(id)) guilds.set(id, since);
    },
    appears(id: string): string | undefined {
      const since = guilds.get(id);
      guilds.delete(id);
      return since;
    },
    areMissing: (): boolean => guilds.size > 0 && now() - beganAt < APPEARS_WITHIN_MS,
  };
}

/** The channels' gaps, with those in `owed` that could not be read or stored. */
function createChannels({ host, history, homes, decode }: GapsParts, owed: Set<string>) {
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
      const kept = { ...keep, ...homes.news(found) };
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
