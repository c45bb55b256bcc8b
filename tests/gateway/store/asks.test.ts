import { expect, it } from 'vitest';
import type { NewAsk } from '../../../gateway/store/asks.ts';
import { temporaryHome, temporaryStore } from '../support/home.ts';
import { chatRef } from '../support/inbound.ts';

function ask(chat: string, number: number): NewAsk {
  const who = { id: 'ann', name: 'Ann' };
  const body = { kind: 'question', markdown: 'which?', choices: [], allowFreetext: true } as const;
  const place = { turnId: number, callId: chat, n: 1, token: `${chat}-${number}`, cardId: number, lane: 'lane', deadline: 0 };
  return { ...place, chat, number, target: { chat: chatRef({ chat }), chatType: 'dm' }, requester: who, body };
}

it('a question is forgotten once it is closed and old, but for the newest of a chat, so that no number is given twice', () => {
  let now = 0;
  const store = temporaryStore({ home: temporaryHome(), now: () => now });
  const add = (chat: string, number: number, isClosed: boolean) => {
    const { id } = store.asks.add(ask(chat, number));
    if (isClosed) store.asks.close(id, { state: 'closed' });
    return id;
  };
  const [open, old, alone] = [add('a', 1, false), add('a', 2, true), add('b', 1, true)];
  now = 100;
  const [recent, newest] = [add('a', 3, true), add('a', 4, true)];
  store.asks.prune(50);
  const left = (ids: readonly number[]) => ids.filter((id) => store.asks.get(id) !== undefined);
  expect(left([open, old, alone, recent, newest])).toEqual([open, alone, recent, newest]);
  now = 1000;
  store.asks.prune(500);
  expect(left([open, recent, newest])).toEqual([open, newest]);
  expect([store.asks.nextNumber('a'), store.asks.nextNumber('b')]).toEqual([5, 2]);
});
