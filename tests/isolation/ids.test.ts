/** Ids and names of others, through every store and file name: whatever they are, nobody gets what is somebody else's. */
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import type { ChatRef } from '../../adapters/adapter.ts';
import { accountsOf } from '../../gateway/config/accounts.ts';
import { isPersonsKey, sessionKey } from '../../gateway/sessions.ts';
import { outboxLane } from '../../gateway/target.ts';
import { startGateway } from '../gateway/support/gateway.ts';
import { temporaryStore } from '../gateway/support/home.ts';
import { command, message } from '../gateway/support/inbound.ts';
import { scriptedModel } from '../gateway/support/model.ts';

const words = [
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '..',
  '.',
  '/',
  '\\',
  ':',
  '%',
  '_',
  '*',
  '?',
  "'",
  '"',
  '--',
  ';',
  '$',
  '~',
];
const spelled = [
  'é',
  'e\u0301',
  'A',
  'a',
  'ａ',
  'ß',
  'ss',
  ' a',
  'a ',
  'a\0',
  'a\0b',
  '\0',
  '',
  '\u200b',
  '\u202e',
  '\ufffd',
  '\u{10ffff}',
  '😀',
];
const joined = [
  'a:b',
  'b:c',
  'a',
  'b',
  'c',
  'a/b',
  'b/c',
  'main',
  'u.a',
  't.a',
  'a%',
  'a_',
  '1',
  '01',
  '1.0',
  '1e0',
  '0x1',
  'null',
  'true',
  '[]',
  '{}',
];
const broken = ['\ud800', '\udc00', 'a\ud800', 'a\ud801'];

const plainId = fc.oneof(
  fc.constantFrom(...words, ...spelled, ...joined),
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.tuple(fc.constantFrom(...joined), fc.constantFrom(...words), fc.constantFrom(...joined)).map((parts) => parts.join('')),
  fc.integer({ min: 0, max: 2 }).map((end) => `${'x'.repeat(10_240)}${end}`),
);
/** Half a surrogate pair has no UTF-8: where two of them meet in a column, nobody may be taken for the other. */
const anyId = fc.oneof({ weight: 5, arbitrary: plainId }, fc.constantFrom(...broken));

describe('what an account keeps', () => {
  it('is found under the very key, and listed by what its key begins with', () => {
    const store = temporaryStore();
    let round = 0;
    fc.assert(
      fc.property(fc.uniqueArray(plainId, { minLength: 1, maxLength: 8 }), plainId, (keys, prefix) => {
        const account = store.accounts.open(`fuzz/${++round}`);
        const other = store.accounts.open(`fuzz/${round}/`);
        account.put(Object.fromEntries(keys.map((key, index) => [key, index])));
        other.put(Object.fromEntries(keys.map((key) => [key, 'theirs'])));
        expect(keys.map((key) => account.get(key))).toEqual(keys.map((_, index) => index));
        const listed = account.list(prefix, { limit: 100 }).map(([key]) => key);
        expect([...listed].sort()).toEqual(keys.filter((key) => key.startsWith(prefix)).sort());
      }),
      { numRuns: 150, examples: [[['\u{10ffff}', 'a\u{10ffff}b'], '']] },
    );
  });
});

describe('who was let in', () => {
  const person = fc.record({ account: plainId, id: anyId, aliases: fc.array(anyId, { maxLength: 2 }) });

  it('is nobody else, whatever their ids are', () => {
    const store = temporaryStore();
    fc.assert(
      fc.property(person, person, (known, visitor) => {
        const { people } = store;
        for (const { account, person: id } of people.all()) people.remove(account, id);
        const chat = { platform: 'p', account: 'main', chat: 'c' };
        const facts = { name: '', role: 'admin', groupRole: 'user', chat, approvedBy: 'owner', approvedAt: 1 } as const;
        people.put({ account: known.account, person: known.id, aliases: known.aliases, ...facts });
        const isSame =
          known.account === visitor.account && [known.id, ...known.aliases].some((id) => [visitor.id, ...visitor.aliases].includes(id));
        const found = people.find(visitor.account, visitor) !== undefined;
        if (!isSame) expect(found).toBe(false);
        if (isSame && [known, visitor].every(isWhole)) expect(found).toBe(true);
      }),
      { numRuns: 600 },
    );
  });

  const isWhole = ({ account, id, aliases }: { account: string; id: string; aliases: readonly string[] }): boolean =>
    [account, id, ...aliases].every((each) => each.isWellFormed());
});

describe('what is put together of ids', () => {
  const name = fc.constantFrom('main', 'work', 'a', 'a-b', 'a_b');
  const chat = fc.record({ platform: fc.constantFrom('fake', 'other'), account: name, chat: anyId });

  it('is the same for the same chat only: the lane in which it is answered', () => {
    fc.assert(
      fc.property(chat, chat, (one, other) => {
        expect(outboxLane(one) === outboxLane(other)).toBe(JSON.stringify(one) === JSON.stringify(other));
      }),
      { numRuns: 3000 },
    );
  });

  it('is known as a person’s own for that person only', () => {
    const rules = { group_sessions_per_user: true, thread_sessions_per_user: true };
    fc.assert(
      fc.property(chat, anyId, anyId, fc.constantFrom('dm', 'group', 'channel'), (place, talks, owner, chatType) => {
        const event = { ...message('', { chatType, from: { id: talks } }), chat: place };
        const direct: ChatRef = { ...place, chat: owner };
        const own = chatType === 'dm' ? place.chat === owner : talks === owner;
        expect(isPersonsKey(sessionKey(event, rules), { chat: direct, person: owner, aliases: [] })).toBe(own);
      }),
      { numRuns: 2000, examples: [[{ platform: 'fake', account: 'main', chat: 'u.a' }, '', 'a', 'dm']] },
    );
  });
});

describe('stores that are asked by a key of ours', () => {
  it('give back what was put under that very key', () => {
    const store = temporaryStore();
    let round = 0;
    fc.assert(
      fc.property(fc.uniqueArray(plainId, { minLength: 2, maxLength: 5 }), (ids) => {
        round += 1;
        const own = ids.map((id) => `${round} ${id}`);
        for (const [index, key] of own.entries()) {
          store.chats.set(key, { busy: index === 0 ? 'queue' : 'steer' });
          store.approvals.remember({ scope: key, key: own[0] ?? '', label: String(index), by: { id: key, name: key } });
          store.pairing.setLimit({ account: key, person: own[0] ?? '' }, { failures: index, until: 1 });
          store.inbox.add({ event: { ...message('', { event: key }) }, lane: key, state: 'pending' });
          store.outbox.add({
            lane: key,
            group: false,
            purpose: 'notice',
            payload: { type: 'text', chat: message('').chat, markdown: key },
          });
        }
        for (const [index, key] of own.entries()) {
          expect(store.chats.get(key).busy).toBe(index === 0 ? 'queue' : 'steer');
          expect(store.approvals.list(key).map(({ label }) => label)).toEqual([String(index)]);
          expect(store.approvals.has([{ scope: key, key: own[1] ?? '' }])).toBe(false);
          expect(store.pairing.limit(key, own[0]).failures).toBe(index);
          expect(store.inbox.pending(key)).toHaveLength(1);
          expect(store.inbox.add({ event: { ...message('', { event: key }) }, lane: 'x', state: 'pending' })).toBeUndefined();
          expect(store.outbox.next(key)?.payload).toMatchObject({ markdown: key });
        }
      }),
      { numRuns: 60 },
    );
  });
});

describe('a message with hostile ids', () => {
  it('is answered in its own chat, and makes no file but those of the home', { timeout: 30_000 }, async () => {
    const gateway = await startGateway({ model: scriptedModel(() => 'ok') });
    const before = new Set(readdirSync(path.dirname(gateway.home)));
    const ids = [...new Set([...words, ...spelled.filter((id) => id !== ''), ...joined, ...broken.slice(2, 3), `${'y'.repeat(10_240)}`])];
    for (const [index, id] of ids.entries()) {
      const attachments = [{ kind: 'file' as const, handle: 'x', name: `${id}/../../${id}`, mime: id }];
      gateway.receive([
        { ...message('hello', { event: `${index} ${id}`, chat: id, thread: id, from: { id, name: id }, attachments }), message: id },
      ]);
    }
    await gateway.idle();
    for (const id of ids) expect(gateway.answers(id), id.slice(0, 20)).toEqual(['ok']);
    expect(readdirSync(path.join(gateway.home, 'media')).every((name) => /^\d+$/.test(name))).toBe(true);
    expect(readdirSync(path.join(gateway.home, 'workspaces')).every((name) => /^\d{8}_\d{6}_[0-9a-f]{8}$/.test(name))).toBe(true);
    expect(existsSync(path.join(gateway.home, '..', 'passwd'))).toBe(false);
    const fresh = readdirSync(path.dirname(gateway.home)).filter((name) => !before.has(name) && words.includes(name));
    expect(fresh).toEqual([]);
    expect(Object.keys(Object.prototype)).toEqual([]);
  });

  test.each(['__proto__', 'constructor', 'toString', 'has-own-property', 'valueOf'])(
    'that is the command /%s is told that there is none',
    async (name) => {
      const gateway = await startGateway();
      gateway.say('ann', `/${name}`);
      gateway.receive([command(name)]);
      gateway.say('ann', `/personality ${name}`);
      gateway.say('ann', `/help ${name}`);
      await gateway.idle();
      expect(gateway.answers('ann').join('\n')).toMatch(/do not know/);
      expect(gateway.log.lines.filter(({ level }) => level === 'error')).toEqual([]);
    },
  );
});

test('no account has a name that is more than a name', () => {
  const section = { schema: {} as never, env: {}, secrets: [], template: '' };
  fc.assert(
    fc.property(anyId, (name) => {
      const { others, problem } = accountsOf('fake', section, { accounts: { [name]: {} } });
      const isGood = /^[a-z0-9][a-z0-9_-]{0,31}$/.test(name) && name !== 'main';
      expect([others.map((other) => other.name), problem === undefined]).toEqual([isGood ? [name] : [], isGood]);
    }),
  );
});
