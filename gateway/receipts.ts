/** People's messages are marked with what became of them, where the platform has such marks. A courtesy: nothing waits for it. */
import type { Inbound, Receipt } from '../adapters/adapter.ts';
import type { AccountDirectory } from './accounts.ts';
import type { Log } from './log.ts';
import { createCall } from './presenter/call.ts';
import type { InboxOutcome } from './store/schema.ts';
import { accountKey } from './target.ts';

const deadlineMs = 10_000;

export interface Receipts {
  /** Never throws. */
  show(events: readonly Inbound[], receipt: Receipt): void;
  /** Whether this chat's platform has marks at all: others need not be asked what to mark. */
  has(event: Pick<Inbound, 'chat'>): boolean;
}

export function createReceipts(accounts: Pick<AccountDirectory, 'get'>, log: Log): Receipts {
  const markOf = (event: Pick<Inbound, 'chat'>) => {
    const account = accounts.get(accountKey(event.chat));
    const react = account?.adapter.react?.bind(account.adapter);
    return account === undefined || react === undefined ? undefined : { account, react };
  };
  return {
    has: (event) => markOf(event) !== undefined,
    show: (events, receipt) => {
      for (const event of events) {
        const mark = markOf(event);
        if (mark === undefined || event.type !== 'message' || event.message === '') continue;
        const { chat, chatType, message: id } = event;
        const call = createCall({ account: mark.account, target: { chat, chatType }, log });
        void call('free', () => mark.react({ chat, id }, receipt, AbortSignal.timeout(deadlineMs)));
      }
    },
  };
}

export function receiptOf(outcome: InboxOutcome): Receipt {
  return outcome === 'failed' || outcome === 'parked' ? 'failed' : 'done';
}
