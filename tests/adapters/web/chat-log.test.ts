import { describe, expect, it } from 'vitest';
import { ChatLog } from '../../../adapters/web/chat-log.ts';
import type { EntryBody } from '../../../adapters/web/codec.ts';
import { createMemoryStore } from './memory-store.ts';

const text = (markdown: string): EntryBody => ({ type: 'text', markdown });
const step = (done: boolean): EntryBody => ({ type: 'progress', steps: [], elapsedMs: 1, done });

function log(store = createMemoryStore()): ChatLog {
  let nowMs = 1000;
  return new ChatLog(store, () => nowMs++);
}

const mine = (id: string, words = 'hello') => ({ chat: 'main', id, person: 'owner', text: words });

describe('the log of a chat', () => {
  it('gives a page that comes back exactly what it missed', () => {
    const chats = log();
    chats.append('main', text('one'), 'k1');
    const seen = chats.missed('main', '', 0);
    chats.append('main', text('two'), 'k2');
    const missed = chats.missed('main', seen.epoch, seen.version);
    expect(missed).toMatchObject({ reset: false, version: 2, entries: [{ seq: 2, markdown: 'two' }] });
    expect(chats.missed('main', missed.epoch, missed.version)).toMatchObject({ reset: false, entries: [] });
  });

  it('an edit is missed once, however often it was edited', () => {
    const chats = log();
    const { entry } = chats.append('main', step(false), 'k1');
    const seen = chats.missed('main', '', 0);
    for (let count = 0; count < 5; count++) chats.replace('main', entry.seq, step(count === 4));
    expect(chats.missed('main', seen.epoch, seen.version).entries).toMatchObject([{ seq: entry.seq, done: true, version: 6 }]);
  });

  it('starts a page anew that knows another log, or more than there is', () => {
    const chats = log();
    chats.append('main', text('one'), 'k1');
    expect(chats.missed('main', 'of-another-home', 1)).toMatchObject({ reset: true, entries: [{ markdown: 'one' }] });
    expect(chats.missed('main', chats.epoch, 99)).toMatchObject({ reset: true, entries: [{ markdown: 'one' }] });
  });

  it('sends the newest hundred, and the earlier ones when asked', () => {
    const chats = log();
    for (let count = 1; count <= 250; count++) chats.append('main', text(String(count)), `k${count}`);
    const newest = chats.missed('main', '', 0).entries;
    expect([newest[0]?.seq, newest.at(-1)?.seq]).toEqual([151, 250]);
    expect(chats.earlier('main', 151).map((entry) => entry.seq)).toEqual(Array.from({ length: 100 }, (_, index) => index + 51));
    expect(chats.earlier('main', 51).map((entry) => entry.seq)).toEqual(Array.from({ length: 50 }, (_, index) => index + 1));
    expect(chats.earlier('main', 1)).toEqual([]);
  });

  it('keeps chats apart whose names begin alike', () => {
    const chats = log();
    chats.append('abcdefabcdef', text('long'), 'k1');
    chats.append('abcdefabcdefa', text('longer'), 'k2');
    expect(chats.missed('abcdefabcdef', '', 0).entries).toHaveLength(1);
  });

  it('an answer sent twice under one key is one entry', () => {
    const chats = log();
    const first = chats.append('main', text('answer'), 'key');
    expect(chats.append('main', text('answer'), 'key')).toEqual({ entry: first.entry, fresh: false });
    expect(chats.missed('main', '', 0).entries).toHaveLength(1);
  });

  it('a message of the page that comes twice is one entry', () => {
    const chats = log();
    expect(chats.accept(mine('message-1')).fresh).toBe(true);
    expect(chats.accept(mine('message-1')).fresh).toBe(false);
    expect(chats.missed('main', '', 0).entries).toHaveLength(1);
  });

  it('a message that the gateway did not take is pending after a restart, in order, until it takes it', () => {
    const store = createMemoryStore();
    const before = log(store);
    const first = before.accept(mine('message-1')).message;
    before.accept(mine('message-2'));
    before.accept({ ...mine('message-3'), chat: 'abcdefabcdef' });
    before.taken(first);
    const after = log(store);
    expect(after.pending().map(({ id }) => id)).toEqual(['message-2', 'message-3']);
    for (const message of after.pending()) after.taken(message);
    expect(after.pending()).toEqual([]);
    expect(after.accept(mine('message-2')).message.taken).toBe(true);
  });

  it('replacing what is not there changes nothing', () => {
    const chats = log();
    expect(chats.replace('main', 7, text('x'))).toBeUndefined();
    expect(chats.replace('main', Number('nonsense'), text('x'))).toBeUndefined();
  });

  it('lists the chats, the newest first, by their first message, and the main one always', () => {
    const chats = log();
    expect(chats.chats()).toEqual([{ chat: 'main', title: '', updatedAtMs: 0 }]);
    chats.accept(mine('message-1', 'Fix the build\nplease'));
    chats.accept({ ...mine('message-2', 'Plan a trip'), chat: 'abcdefabcdef' });
    chats.accept({ ...mine('message-3', 'Other words'), chat: 'abcdefabcdef' });
    expect(chats.chats().map(({ chat, title }) => [chat, title])).toEqual([
      ['abcdefabcdef', 'Plan a trip'],
      ['main', 'Fix the build'],
    ]);
  });

  it('costs one entry, one change and what makes a send repeatable, however often it is edited', () => {
    const store = createMemoryStore();
    const chats = log(store);
    const { entry } = chats.append('main', step(false), 'k1');
    const before = store.keys().length;
    for (let count = 0; count < 100; count++) chats.replace('main', entry.seq, step(false));
    expect(store.keys()).toHaveLength(before);
  });
});
