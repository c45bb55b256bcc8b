/** The end of progress bubbles. For showing only, but tried again until it is done, after a restart too: nothing says "Working" for ever. */
import { DeliveryError, type OutboundProgress, type SentRef } from '../../adapters/adapter.ts';
import type { Account, AccountDirectory } from '../accounts.ts';
import type { Log } from '../log.ts';
import type { Store } from '../store/index.ts';
import { accountKey, outboxLane } from '../target.ts';
import { type Clock, pause } from '../time.ts';

const callDeadlineMs = 15_000;
const waitsMs = [0, 500, 2000, 10_000, 60_000, 300_000] as const;
/** What is to be delivered in the chat comes first, but not for ever. */
const lookMs = 250;
const patienceMs = 60_000;
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

async function endBubble(options: BubblesOptions, ending: BubbleEnding, signal: AbortSignal): Promise<void> {
  const account = options.accounts.get(accountKey(ending.ref.chat));
  if (account === undefined) return; // the platform is switched off
  for (const wait of waitsMs) {
    await pause(wait, signal);
    await untilFree(options, { account, lane: outboxLane(ending.ref.chat), group: ending.group }, signal);
    if (signal.aborted) return;
    if (!(await isEnded(account, ending, signal))) continue;
    options.store.turns.setBubble(ending.turnId, null);
    return;
  }
}

interface Place {
  readonly account: Account;
  readonly lane: string;
  readonly group: boolean;
}

/** No penalty, nothing that a person waits for, and (for an edit) a slot. */
async function untilFree({ store }: BubblesOptions, { account, lane, group }: Place, signal: AbortSignal): Promise<void> {
  let patience = patienceMs;
  while (!signal.aborted) {
    const penalty = account.penaltyMs(lane);
    const isNext = penalty === 0 && (patience <= 0 || store.outbox.next(lane) === undefined);
    if (isNext && (account.adapter.delete !== undefined || account.pacer.tryReserve(lane, group))) return;
    await pause(Math.max(penalty, lookMs), signal);
    if (penalty === 0) patience -= lookMs;
  }
}

/** True when there is nothing more to do. */
async function isEnded({ adapter, penalise }: Account, { ref, last }: BubbleEnding, signal: AbortSignal): Promise<boolean> {
  const patience = AbortSignal.any([signal, AbortSignal.timeout(callDeadlineMs)]);
  try {
    if (adapter.delete !== undefined) await adapter.delete(ref, patience);
    else await adapter.edit?.(ref, last, patience);
    return true;
  } catch (error) {
    if (!(error instanceof DeliveryError)) return false;
    if (error.kind === 'rate_limited') penalise(outboxLane(ref.chat), error.retryAfterMs ?? lookMs);
    return error.kind === 'rejected'; // somebody deleted it, say
  }
}
