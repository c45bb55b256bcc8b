/**
 * A hard cap against bots that answer each other for ever: a bot's message counts only where we have taken up nothing for a while. Whatever the
 * two are told to do, a room with them falls silent after three messages.
 */
import type { InboundMessage } from '../adapters/adapter.ts';
import { outboxLane } from './target.ts';
import type { Clock } from './time.ts';

const quietMs = 600_000;
const rememberedChats = 10_000;

export interface BotGuard {
  /** Whether to take this message up; if so, it counts. The same message may be asked about again. */
  admits(message: InboundMessage): boolean;
}

export function createBotGuard(now: Clock): BotGuard {
  const taken = new Map<string, { readonly event: string; readonly at: number }>();
  return {
    admits: ({ chat, sender, event }) => {
      const room = outboxLane(chat);
      const last = taken.get(room);
      const isQuiet = last === undefined || last.event === event || now() - last.at >= quietMs;
      if (sender.isBot && !isQuiet) return false;
      taken.delete(room);
      taken.set(room, { event, at: now() });
      const [oldest] = taken.size > rememberedChats ? taken.keys() : [];
      if (oldest !== undefined) taken.delete(oldest);
      return true;
    },
  };
}
