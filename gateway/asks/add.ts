/** A question and its card. */
import type { AskRow, NewAsk } from '../store/asks.ts';
import { newToken } from '../store/asks.ts';
import type { Store } from '../store/index.ts';
import { outboxLane } from '../target.ts';
import { cardOf } from './text.ts';

/** Part of the caller's transaction. */
export function addWithCard(store: Store, facts: Omit<NewAsk, 'token' | 'chat' | 'number' | 'cardId'>): AskRow {
  const { turnId, target } = facts;
  const chat = outboxLane(target.chat);
  const ask = { ...facts, token: newToken(), chat, number: store.asks.nextNumber(chat) };
  const payload = cardOf({ ...ask, state: 'open', decision: null });
  const cardId = store.outbox.add({ turnId, lane: chat, group: target.chatType !== 'dm', purpose: 'ask', payload });
  return store.asks.add({ ...ask, cardId });
}
