import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { killedCopy, temporaryHome, temporaryStore } from '../support/home.ts';
import { message } from '../support/inbound.ts';

describe('a transaction', () => {
  it.each(['durable', 'quick'] as const)('%s: a throw leaves nothing behind and the store works on', (kind) => {
    const store = temporaryStore();
    const failing = () =>
      store[kind](() => {
        store.inbox.add({ event: message('lost'), lane: 'lane', state: 'pending' });
        throw new Error('the caller failed');
      });
    expect(failing).toThrow('the caller failed');
    expect(store.inbox.countOpen()).toBe(0);
    store[kind](() => store.meta.set('next', 1));
    expect(store.meta.get('next')).toBe(1);
  });

  it('a durable one refuses to be part of another', () => {
    const store = temporaryStore();
    expect(() => store.quick(() => store.durable(() => undefined))).toThrow('cannot be part of another');
  });

  it('a quick one joins a durable one and goes down with it', () => {
    const store = temporaryStore();
    const failing = () =>
      store.durable(() => {
        store.quick(() => store.meta.set('joined', 1));
        throw new Error('outer');
      });
    expect(failing).toThrow('outer');
    expect(store.meta.get('joined')).toBeUndefined();
  });

  it('that ended is there after a kill', () => {
    const home = temporaryHome();
    const store = temporaryStore({ home });
    store.quick(() => store.meta.set('intent', 1));
    store.durable(() => store.meta.set('promise', 2));
    const after = temporaryStore({ home: killedCopy(home) });
    expect([after.meta.get('intent'), after.meta.get('promise')]).toEqual([1, 2]);
  });
});

describe('the store of an account', () => {
  it('keeps JSON values, removes undefined ones and keeps null', () => {
    const account = temporaryStore().accounts.open('fake/main');
    account.put({ offset: 17, list: [1, { deep: 'yes' }], nothing: null });
    account.put({ offset: undefined });
    expect(account.get('offset')).toBeUndefined();
    expect(account.get('list')).toEqual([1, { deep: 'yes' }]);
    expect(account.get('nothing')).toBeNull();
  });

  it('never shows one account what belongs to another', () => {
    const { accounts } = temporaryStore();
    accounts.open('fake/main').put({ secret: 1 });
    expect(accounts.open('fake/other').get('secret')).toBeUndefined();
    expect(accounts.open('fake/other').list('', { limit: 10 })).toEqual([]);
  });

  it('lists what begins with a prefix, in key order, from either end', () => {
    const account = temporaryStore().accounts.open('fake/main');
    account.put({ log: 0, 'log/1': 1, 'log/2': 2, 'log/3': 3, lof: 9, loh: 9 });
    expect(account.list('log', { limit: 9 }).map(([key]) => key)).toEqual(['log', 'log/1', 'log/2', 'log/3']);
    expect(account.list('log/', { limit: 2 }).map(([key]) => key)).toEqual(['log/1', 'log/2']);
    expect(account.list('log/', { limit: 2, newest: true }).map(([key]) => key)).toEqual(['log/2', 'log/3']);
    expect(account.list('log/', { limit: 9, after: 'log/1' }).map(([key]) => key)).toEqual(['log/2', 'log/3']);
  });

  it('a put is one transaction: a value that cannot be stored stores none', () => {
    const account = temporaryStore().accounts.open('fake/main');
    const cyclic: Record<string, unknown> = {};
    cyclic['self'] = cyclic;
    expect(() => account.put({ first: 1, second: cyclic as never })).toThrow();
    expect(account.get('first')).toBeUndefined();
  });
});

describe('what is remembered of events and parts', () => {
  it('an event is stored once, whatever its content is the second time', () => {
    const store = temporaryStore();
    const add = (text: string) => store.inbox.add({ event: message(text, { event: 'same' }), lane: 'lane', state: 'pending' });
    expect(add('one')).toBeTypeOf('number');
    expect(add('two')).toBeUndefined();
    expect(store.inbox.pending('lane')).toHaveLength(1);
  });

  it('is forgotten only once it is settled and old', () => {
    let now = 0;
    const store = temporaryStore({ now: () => now });
    const open = store.inbox.add({ event: message('open', { event: 'open' }), lane: 'lane', state: 'pending' });
    const done = store.inbox.add({ event: message('done', { event: 'done' }), lane: 'lane', state: 'pending' });
    store.inbox.settle(done ?? 0, 'answered');
    now = 1000;
    store.inbox.prune(now);
    expect(store.inbox.pending('lane').map((entry) => entry.id)).toEqual([open]);
    expect(store.inbox.add({ event: message('done', { event: 'done' }), lane: 'lane', state: 'pending' })).toBeTypeOf('number');
  });
});

describe('the database file', () => {
  it('is opened by nothing but gateway/store', () => {
    const root = fileURLToPath(new URL('../../..', import.meta.url));
    const sources = globSync('{gateway,agent,tools,adapters,deploy}/**/*.{ts,js,mjs}', { cwd: root });
    const using = sources.filter((file) =>
      /(?:from|import\(|require\()\s*['"](?:better-sqlite3|node:sqlite|drizzle-orm)/.test(readFileSync(path.join(root, file), 'utf8')),
    );
    const lock = path.join('tools', 'memory', 'file-lock.ts'); // locks a file of its own, in which nothing ever is
    const outside = using.filter((file) => file !== lock && !file.startsWith(path.join('gateway', 'store') + path.sep));
    expect(sources.length).toBeGreaterThan(50);
    expect(outside).toEqual([]);
    expect(using.length).toBeGreaterThan(5);
  });
});
