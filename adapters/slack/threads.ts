/** Threads that the bot takes part in, and threads of Slack's assistant: durable, because people come back to them after a restart. */
import type { AccountStore, Json } from '../adapter.ts';
import { msOf } from './codec.ts';

const JOINED = 'thread:';
const ASSISTANT = 'assistant:';
/** A thread that nobody wrote in for so long is forgotten; a mention takes it up again. */
const REMEMBERED_MS = 90 * 24 * 60 * 60_000;
/** A thread in use is written down again once a day. */
const REFRESHED_MS = 24 * 60 * 60_000;
const MOST = 10_000;
const MOST_EXPECTED = 200;

export interface Threads {
  joined(channel: string, thread: string): boolean;
  /** The bot was called into it, and what was said is still on its way to the store. */
  expect(channel: string, thread: string): void;
  join(channel: string, thread: string): void;
  /** To be stored with the message that brings the bot into the thread; empty where that is known. */
  entry(channel: string, thread: string): Readonly<Record<string, Json>>;
  /** Those in which something was written since then, as `<channel>:<thread>`. */
  since(ms: number): readonly string[];
  readonly assistant: AssistantThreads;
  /** Forgets what is long over. */
  prune(): void;
}

export interface AssistantThreads {
  has(channel: string, thread: string): boolean;
  add(channel: string, thread: string): void;
}

export function createThreads(store: AccountStore, now: () => number): Threads {
  const entry = (channel: string, thread: string): Readonly<Record<string, Json>> => {
    const key = `${JOINED}${channel}:${thread}`;
    const seen = store.get(key);
    return typeof seen === 'number' && now() - seen < REFRESHED_MS ? {} : { [key]: now() };
  };
  const expected = new Set<string>();
  return {
    joined: (channel, thread) => expected.has(`${channel}:${thread}`) || store.get(`${JOINED}${channel}:${thread}`) !== undefined,
    expect(channel, thread) {
      expected.add(`${channel}:${thread}`);
      for (const oldest of [...expected].slice(0, -MOST_EXPECTED)) expected.delete(oldest);
    },
    join: (channel, thread) => {
      const entries = entry(channel, thread);
      if (Object.keys(entries).length > 0) store.put(entries);
    },
    entry,
    since: (ms) => {
      const places = [JOINED, ASSISTANT].flatMap((prefix) =>
        store
          .list(prefix, { limit: MOST })
          .filter(([, seen]) => typeof seen === 'number' && seen >= ms)
          .map(([key]) => key.slice(prefix.length)),
      );
      return [...new Set(places)];
    },
    assistant: {
      has: (channel, thread) => store.get(`${ASSISTANT}${channel}:${thread}`) !== undefined,
      add: (channel, thread) => store.put({ [`${ASSISTANT}${channel}:${thread}`]: msOf(thread) }),
    },
    prune() {
      const old = [JOINED, ASSISTANT]
        .flatMap((prefix) => store.list(prefix, { limit: MOST }))
        .filter(([, seen]) => typeof seen !== 'number' || now() - seen > REMEMBERED_MS);
      if (old.length > 0) store.put(Object.fromEntries(old.map(([key]) => [key, undefined])));
    },
  };
}
