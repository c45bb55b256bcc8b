/** What shows that something is over: behind what people wait for, within the platform's limits, and tried again until it is done. */
import { DeliveryError } from '../../adapters/adapter.ts';
import type { Account } from '../accounts.ts';
import type { Log } from '../log.ts';
import type { Store } from '../store/index.ts';
import { pause } from '../time.ts';

const callDeadlineMs = 15_000;
const waitsMs = [0, 500, 2000, 10_000, 60_000, 300_000] as const;
/** What is to be delivered in the chat comes first, but not for ever. */
const lookMs = 250;
const patienceMs = 60_000;

export interface Ending {
  readonly account: Account;
  readonly log: Log;
  readonly lane: string;
  readonly group: boolean;
  /** It is a message or an edit, which keep their distance in a chat. */
  readonly slot: boolean;
  /** Before anything is waited for or called: whether it is done already, or cannot be done yet. */
  look?(): 'done' | 'later' | 'now';
  /** The call itself. False: it is to be tried again. */
  call(signal: AbortSignal): Promise<boolean>;
}

/** False when it was given up, or the signal fired. */
export async function settle(store: Store, ending: Ending, signal: AbortSignal): Promise<boolean> {
  for (const wait of waitsMs) {
    await pause(wait, signal);
    if (signal.aborted) return false;
    const due = ending.look?.() ?? 'now';
    if (due === 'done') return true;
    if (due === 'later') continue;
    await untilFree(store, ending, signal);
    if (signal.aborted) return false;
    if (await isDone(ending, signal)) return true;
  }
  return false;
}

/** No penalty, nothing that a person waits for, and a slot. */
async function untilFree(store: Store, { account, lane, group, slot }: Ending, signal: AbortSignal): Promise<void> {
  let patience = patienceMs;
  while (!signal.aborted) {
    const penalty = account.penaltyMs(lane);
    const isNext = penalty === 0 && (patience <= 0 || store.outbox.next(lane) === undefined);
    if (isNext && (!slot || account.pacer.tryReserve(lane, group))) return;
    await pause(Math.max(penalty, lookMs), signal);
    if (penalty === 0) patience -= lookMs;
  }
}

/** True when there is nothing more to do. */
async function isDone({ account, log, lane, call }: Ending, signal: AbortSignal): Promise<boolean> {
  const patience = AbortSignal.any([signal, AbortSignal.timeout(callDeadlineMs)]);
  try {
    return await call(patience);
  } catch (error) {
    if (!(error instanceof DeliveryError)) {
      if (!patience.aborted) log.error({ lane, err: error }, 'showing that something is over failed in a way the adapter did not explain');
      return false;
    }
    if (error.kind === 'rate_limited') account.penalise(lane, error.retryAfterMs ?? lookMs);
    return error.kind === 'rejected'; // somebody deleted it, say
  }
}
