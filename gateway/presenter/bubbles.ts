/** The end of progress bubbles. For showing only, but tried again until it is done, after a restart too: nothing says "Working" for ever. */
import type { OutboundProgress, SentRef } from '../../adapters/adapter.ts';
import type { AccountDirectory } from '../accounts.ts';
import type { Log } from '../log.ts';
import type { Store } from '../store/index.ts';
import { accountKey, outboxLane } from '../target.ts';
import type { Clock } from '../time.ts';
import { settle } from './settle.ts';

/** Older ones no platform lets a bot change any more. */
const recentMs = 48 * 3_600_000;

export interface Bubbles {
  /** The turn is over. Never rejects. */
  close(ending: BubbleEnding): void;
  /** The bubbles of turns that ended while nobody could show it: all at start, or the one of a turn that a crash left behind. */
  recover(turnId?: number): void;
  stop(): void;
}

export interface BubblesOptions {
  readonly store: Store;
  readonly accounts: AccountDirectory;
  readonly log: Log;
  readonly now: Clock;
}

export interface BubbleEnding {
  readonly turnId: number;
  readonly ref: SentRef;
  readonly group: boolean;
  /** What the bubble says where it cannot be taken away. */
  readonly last: OutboundProgress;
}

export function createBubbles(options: BubblesOptions): Bubbles {
  const stop = new AbortController();
  const end = (ending: BubbleEnding): void => {
    endBubble(options, ending, stop.signal).catch((error: unknown) =>
      options.log.debug({ turn: ending.turnId, err: error }, 'a bubble stays as it is'),
    );
  };
  return {
    close: end,
    recover: (turnId) => {
      for (const { id, bubble, target, elapsedMs } of options.store.turns.leftBubbles(options.now() - recentMs)) {
        if (turnId !== undefined && turnId !== id) continue;
        const last = { type: 'progress', chat: bubble.chat, steps: [], elapsedMs, done: true } as const;
        end({ turnId: id, ref: bubble, group: target.chatType !== 'dm', last });
      }
    },
    stop: () => stop.abort(),
  };
}

async function endBubble({ store, accounts, log }: BubblesOptions, ending: BubbleEnding, signal: AbortSignal): Promise<void> {
  const { turnId, ref, group, last } = ending;
  const account = accounts.get(accountKey(ref.chat));
  if (account === undefined) return; // the platform is switched off
  const { adapter } = account;
  const call = async (patience: AbortSignal): Promise<boolean> => {
    if (adapter.delete !== undefined) await adapter.delete(ref, patience);
    else await adapter.edit?.(ref, last, patience);
    return true;
  };
  const place = { account, log, lane: outboxLane(ref.chat), group, slot: adapter.delete === undefined };
  if (await settle(store, { ...place, call }, signal)) store.turns.setBubble(turnId, null);
}
