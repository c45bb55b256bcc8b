/** The one way in which progress calls a platform: never during a penalty, never in an answer's slot, never with a failure that reaches the turn. */
import { DeliveryError } from '../../adapters/adapter.ts';
import type { Account } from '../accounts.ts';
import type { Log } from '../log.ts';
import { outboxLane, type TurnTarget } from '../target.ts';

const unnamedPenaltyMs = 4000;
const groupEditIntervalMs = 4000;
const callDeadlineMs = 15_000;

/**
 * `held`: not now, try again later. `rejected`: this will never work. `unknown`: it may have had its effect. `failed`: it had none, and may
 * work another time.
 */
export type CallResult = 'done' | 'held' | 'rejected' | 'unknown' | 'failed';

/** `free`: takes no slot (typing, deletions). `edit`: messages and edits, which keep their distance in a chat. */
export type Call = (kind: 'free' | 'preview' | 'edit', work: () => Promise<unknown>) => Promise<CallResult>;

export interface CallOptions {
  readonly account: Account;
  readonly target: Pick<TurnTarget, 'chat' | 'chatType'>;
  readonly log: Log;
}

/** Between two edits of what is only shown in passing. */
export function editIntervalMs({ account, target }: Pick<CallOptions, 'account' | 'target'>): number {
  const { editIntervalMs: usual } = account.platform.progress;
  return target.chatType === 'dm' ? usual : Math.max(usual, groupEditIntervalMs);
}

/** The growing answer is shown beside the chat's messages, and not as one of them. */
export function hasPreviews({ account: { adapter }, target }: Pick<CallOptions, 'account' | 'target'>): boolean {
  return adapter.preview !== undefined && (adapter.previews?.(target.chat) ?? true);
}

export function createCall(options: CallOptions): Call {
  const { account, target, log } = options;
  const lane = outboxLane(target.chat);
  const group = target.chatType !== 'dm';
  return async (kind, work) => {
    if (account.penaltyMs(lane) > 0) return 'held';
    if (kind !== 'free' && !account.pacer.tryReserve(lane, group, kind === 'edit' ? editIntervalMs(options) : 0)) return 'held';
    try {
      await work();
      return 'done';
    } catch (error) {
      const result = resultOf(error);
      if (result !== 'held') log.debug({ lane, err: error }, 'showing progress failed');
      else account.penalise(lane, (error instanceof DeliveryError ? error.retryAfterMs : undefined) ?? unnamedPenaltyMs);
      return result;
    }
  };
}

function resultOf(error: unknown): CallResult {
  if (!(error instanceof DeliveryError)) return 'unknown';
  if (error.kind === 'rate_limited') return 'held';
  if (error.kind === 'rejected') return 'rejected';
  return error.certain ? 'failed' : 'unknown';
}

/** Whether what a failed edit shows now is anybody's guess, or the message is gone. */
export function isLost(error: unknown): boolean {
  if (!(error instanceof DeliveryError)) return true;
  if (error.kind === 'transient') return !error.certain;
  return error.kind === 'rejected' && !error.formatting;
}

/** As far as the platform lets us, and once. Never rejects. */
export async function removeMessage(options: CallOptions, id: string): Promise<void> {
  const { account, target } = options;
  const remove = account.adapter.delete?.bind(account.adapter);
  if (remove === undefined) return;
  await createCall(options)('free', () => remove({ chat: target.chat, id }, AbortSignal.timeout(callDeadlineMs)));
}
