/** Where the channels are in which people have written to us: with direct people, or in a server. Kept, because Discord does not list them all. */
import type { Host } from '../adapter.ts';
import type { Found } from './codec.ts';

export interface Homes {
  /** Somebody wrote to us there, or we opened it. */
  isKnown(channel: string): boolean;
  /** The channels of a server, or the direct chats. */
  channelsIn(home: string): string[];
  /** What is not kept of these yet, to be stored with them. */
  news(found: readonly Found[]): Record<string, string>;
  /** Only saves work later: a store that refuses is no reason to fail. */
  add(channel: string, guild: string): void;
}

/** READY tells of no direct chats, and a server of no archived threads. */
export const DIRECT = 'dm';
const PREFIX = 'home:';
const MOST = 10_000;

export function createHomes({ store, log }: Host): Homes {
  return {
    isKnown: (channel) => store.get(PREFIX + channel) !== undefined,
    channelsIn: (wanted) =>
      store
        .list(PREFIX, { limit: MOST })
        .filter(([, home]) => home === wanted)
        .map(([key]) => key.slice(PREFIX.length)),
    news(found) {
      const homes = found.map(({ message, place }): [string, string] => [PREFIX + message.channel_id, place.guild ?? DIRECT]);
      return Object.fromEntries(homes.filter(([key, home]) => store.get(key) !== home));
    },
    add(channel, guild) {
      try {
        store.put({ [PREFIX + channel]: guild });
      } catch (error) {
        log.warn({ channel, why: error instanceof Error ? error.message : String(error) }, 'Where a channel is could not be stored.');
      }
    },
  };
}
