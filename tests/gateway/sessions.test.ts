import { existsSync, rmSync } from 'node:fs';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ChatType } from '../../adapters/adapter.ts';
import { createSessions, isShared, type ResetRules, resetReason, sessionKey } from '../../gateway/sessions.ts';
import { temporaryHome, temporaryStore } from './support/home.ts';
import { message } from './support/inbound.ts';

const perPerson = { group_sessions_per_user: true, thread_sessions_per_user: false };

interface Place {
  readonly account: string;
  readonly chatType: ChatType;
  readonly chat: string;
  readonly thread: string | undefined;
  readonly person: string;
}

function keyOf({ account, chatType, chat, thread, person }: Place, rules = perPerson): string {
  return sessionKey(message('', { account, chatType, chat, from: { id: person }, ...(thread === undefined ? {} : { thread }) }), rules);
}

const hostileId = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.constantFrom('__proto__', 'constructor', '..', '.', '/', ':', 'a:b', 'a', 'b', '\0', 'a\0', '', 't.a', 'u.a', '%3A', '%', '@', 'main'),
  fc.constantFrom('\ud800', '\ud801', '\udc00', 'a\ud800', '\ufffd', '%uD800', 'é', 'e\u0301', 'A', 'ａ', ' ', '\u200b'),
  fc.integer({ min: 0, max: 3 }).map((end) => `${'x'.repeat(10_240)}${end}`),
);

const place = fc.record({
  account: fc.oneof(fc.constant('main'), hostileId),
  chatType: fc.constantFrom<ChatType>('dm', 'group', 'channel'),
  chat: hostileId,
  thread: fc.option(hostileId, { nil: undefined }),
  person: hostileId,
});

/** Most pairs differ in one thing only. */
const twoPlaces = fc
  .tuple(place, place, fc.constantFrom('account', 'chatType', 'chat', 'thread', 'person', 'all'))
  .map(([left, right, field]) => {
    return [left, field === 'all' ? right : { ...left, [field]: right[field] }] as const;
  });

describe('the key of a session', () => {
  it('reads as Hermes Agent’s keys do', () => {
    expect(keyOf({ account: 'main', chatType: 'dm', chat: '42', thread: undefined, person: '42' })).toBe('agent:main:fake:dm:42');
    expect(keyOf({ account: 'main', chatType: 'group', chat: '-7', thread: undefined, person: '42' })).toBe(
      'agent:main:fake:group:-7:u.42',
    );
    expect(keyOf({ account: 'main', chatType: 'group', chat: '-7', thread: '3', person: '42' })).toBe('agent:main:fake:group:-7:t.3');
    expect(keyOf({ account: 'work', chatType: 'dm', chat: '42', thread: undefined, person: '42' })).toBe('agent:main:fake@work:dm:42');
  });

  it('is never the same for two different places, whatever the ids', () => {
    const rules = fc.record({ group_sessions_per_user: fc.boolean(), thread_sessions_per_user: fc.boolean() });
    fc.assert(
      fc.property(twoPlaces, rules, ([left, right], rule) => {
        const parts = (each: Place) => {
          const personal =
            each.chatType !== 'dm' && (each.thread === undefined ? rule.group_sessions_per_user : rule.thread_sessions_per_user);
          return JSON.stringify([each.account, each.chatType, each.chat, each.thread ?? null, personal ? each.person : null]);
        };
        expect(keyOf(left, rule) === keyOf(right, rule)).toBe(parts(left) === parts(right));
      }),
      { numRuns: 3000 },
    );
  });

  it('is plain ASCII, so that no id can change on its way to the disk', () => {
    fc.assert(
      fc.property(place, (each) => {
        expect(keyOf(each)).toMatch(/^[\x21-\x7e]+$/);
      }),
    );
  });

  it('is one for all of a thread unless threads are per person too', () => {
    const inThread = { account: 'main', chatType: 'group' as const, chat: 'c', thread: '1', person: 'ann' };
    expect(keyOf(inThread)).toBe(keyOf({ ...inThread, person: 'bob' }));
    const rules = { group_sessions_per_user: true, thread_sessions_per_user: true };
    expect(keyOf(inThread, rules)).not.toBe(keyOf({ ...inThread, person: 'bob' }, rules));
  });

  it('a session that several people talk in is known as shared', () => {
    const group = message('', { chatType: 'group' });
    expect(isShared(group, perPerson)).toBe(false);
    expect(isShared(group, { ...perPerson, group_sessions_per_user: false })).toBe(true);
    expect(isShared(message('', { chatType: 'group', thread: '1' }), perPerson)).toBe(true);
    expect(isShared(message(''), { group_sessions_per_user: false, thread_sessions_per_user: false })).toBe(false);
  });
});

const both: ResetRules = { mode: 'both', at_hour: 4, idle_minutes: 1440, notify: true };
const daily: ResetRules = { ...both, mode: 'daily' };

describe('the reset of a session', () => {
  const zone = process.env['TZ'];
  beforeEach(() => {
    process.env['TZ'] = 'Europe/Berlin';
  });
  afterEach(() => {
    if (zone === undefined) delete process.env['TZ'];
    else process.env['TZ'] = zone;
  });
  const at = (local: string): number => new Date(local).getTime();

  it.each<[string, string, ResetRules, string | undefined]>([
    ['2026-11-20T12:00', '2026-11-20T23:00', both, undefined],
    ['2026-11-20T23:00', '2026-11-21T03:59', both, undefined],
    ['2026-11-20T23:00', '2026-11-21T04:00', both, 'daily'],
    ['2026-11-21T03:59', '2026-11-21T04:01', both, 'daily'],
    ['2026-11-21T04:00', '2026-11-22T03:59', both, undefined],
    ['2026-11-20T12:00', '2026-11-21T12:01', both, 'idle'],
    ['2026-11-20T12:00', '2026-11-25T12:00', { ...both, mode: 'none' }, undefined],
    ['2026-11-20T12:00', '2026-11-25T12:00', { ...both, mode: 'idle' }, 'idle'],
    ['2026-11-20T12:00', '2026-11-20T12:31', { ...both, mode: 'idle', idle_minutes: 30 }, 'idle'],
    ['2026-11-20T12:00', '2026-11-20T12:30', { ...both, mode: 'idle', idle_minutes: 30 }, undefined],
    ['2026-11-20T23:59', '2026-11-21T00:00', { ...daily, at_hour: 0 }, 'daily'],
    ['2026-11-21T00:00', '2026-11-21T23:59', { ...daily, at_hour: 0 }, undefined],
  ])('last used %s, now %s', (updated, now, rules, reason) => {
    expect(resetReason(at(updated), at(now), rules)).toBe(reason);
  });

  it('falls on the local hour on the days on which clocks change', () => {
    // 2026-03-29: 02:00 becomes 03:00. 2026-10-25: 03:00 becomes 02:00.
    expect(resetReason(at('2026-03-28T23:00'), at('2026-03-29T03:59'), daily)).toBeUndefined();
    expect(resetReason(at('2026-03-28T23:00'), at('2026-03-29T04:00'), daily)).toBe('daily');
    expect(resetReason(at('2026-03-29T04:00'), at('2026-03-30T03:59'), daily)).toBeUndefined();
    expect(resetReason(at('2026-10-24T23:00'), at('2026-10-25T03:59'), daily)).toBeUndefined();
    expect(resetReason(at('2026-10-24T23:00'), at('2026-10-25T04:00'), daily)).toBe('daily');
    expect(resetReason(at('2026-10-25T04:00'), at('2026-10-26T03:59'), daily)).toBeUndefined();
  });

  it('happens once even where its hour does not exist that day, or exists twice', () => {
    const atTwo = { ...daily, at_hour: 2 };
    expect(resetReason(at('2026-03-28T02:30'), at('2026-03-29T01:30'), atTwo)).toBeUndefined();
    expect(resetReason(at('2026-03-28T02:30'), at('2026-03-29T03:30'), atTwo)).toBe('daily');
    expect(resetReason(at('2026-10-25T02:00'), at('2026-10-25T02:00') + 5_400_000, atTwo)).toBeUndefined();
  });
});

describe('opening a session', () => {
  function sessionsAt(rules: ResetRules) {
    const clock = { now: new Date('2026-11-20T12:00').getTime() };
    const store = temporaryStore({ now: () => clock.now });
    return { clock, store, sessions: createSessions(store, { rules, workspaces: temporaryHome(), now: () => clock.now }) };
  }

  it('finds the same one again as long as no policy ends it', () => {
    const { sessions } = sessionsAt(both);
    const first = sessions.open('key').session;
    expect(sessions.open('key').session.id).toBe(first.id);
    expect(sessions.open('other').session.id).not.toBe(first.id);
    expect(first.id).toMatch(/^\d{8}_\d{6}_[0-9a-f]{8}$/);
  });

  it('makes a new one after a reset and says why; the old one is kept', () => {
    const { clock, store, sessions } = sessionsAt(both);
    const first = sessions.open('key').session;
    clock.now += 26 * 3_600_000;
    const second = sessions.open('key');
    expect(second.reset).toBe('idle');
    expect(second.session.workspace).not.toBe(first.workspace);
    expect(store.sessions.get(first.id)?.key).toBe('key');
    expect(sessions.open('key').reset).toBeUndefined();
  });

  it('makes a new one after it was ended by hand, without a word', () => {
    const { sessions } = sessionsAt(both);
    const first = sessions.open('key').session;
    expect(sessions.end('key', 'new')).toBe(true);
    expect(sessions.end('key', 'new')).toBe(false);
    const second = sessions.open('key');
    expect([second.session.id === first.id, second.reset]).toEqual([false, undefined]);
  });

  it('at the end of one, however it ends, what was chosen and approved for it ends too; what was left out stays so', () => {
    const { clock, store, sessions } = sessionsAt(both);
    const ends = [
      () => sessions.end('key', 'new'),
      () => sessions.begin('key', {}),
      () => {
        clock.now += 26 * 3_600_000;
        sessions.open('key');
      },
    ];
    for (const end of ends) {
      const { id } = sessions.open('key').session;
      store.sessions.setSettings(id, { yolo: true, model: 'big', keepFrom: 7 });
      store.approvals.remember({ scope: id, key: 'k', label: 'l', by: { id: 'ann', name: 'Ann' } });
      end();
      expect([store.sessions.get(id)?.settings, store.approvals.list(id)]).toEqual([{ keepFrom: 7 }, []]);
    }
  });

  it('begins one in place of the open one, and goes back to an earlier one, with its directory', () => {
    const { clock, store, sessions } = sessionsAt(both);
    const first = sessions.open('key').session;
    const second = sessions.begin('key', { title: 'Second', settings: { model: 'big' } });
    expect([second.title, second.settings, sessions.open('key').session.id]).toEqual(['Second', { model: 'big' }, second.id]);
    rmSync(first.workspace, { recursive: true });
    clock.now += 26 * 3_600_000;
    sessions.resume(first);
    const again = sessions.open('key');
    expect([again.session.id, again.reset, existsSync(first.workspace)]).toEqual([first.id, undefined, true]);
    expect(store.sessions.open('key')?.id).toBe(first.id);
  });
});
