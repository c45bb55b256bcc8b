import { describe, expect, it } from 'vitest';
import type { ChatType, Sender } from '../../adapters/adapter.ts';
import type { AccountConfig } from '../../adapters/platform.ts';
import { type AccessRules, decide, type GlobalAccess } from '../../gateway/access.ts';
import { command, message } from './support/inbound.ts';

const pacing = { chat_interval_ms: 0, chat_burst: 1, group_per_minute: 0, per_second: 0 };

/** Every input of the decision, with all that it can be. */
const inputs = {
  who: ['a person', 'a bot', 'a bot that mentions us'],
  bots: [undefined, 'none', 'mentions', 'all'],
  chatType: ['dm', 'group', 'channel'],
  accountAll: [false, true],
  paired: [false, true],
  /** What the platform's own allowlist says. */
  users: ['none', 'others', 'this person', 'an alias', 'everybody'],
  groups: ['none', 'others', 'this chat'],
  roles: [undefined, 'others', 'this role'],
  everywhere: ['none', 'others', 'this person', 'everybody'],
  allowAll: [false, true],
  ownBehaviour: [undefined, 'pair', 'ignore'],
  behaviour: ['pair', 'ignore'],
} as const;

type Case = { readonly [Name in keyof typeof inputs]: (typeof inputs)[Name][number] };

const lists = { none: [], others: ['bob'], 'this person': ['bob', 'ann'], 'an alias': ['+491'], everybody: ['*'] } as const;
const groupLists = { none: [], others: ['elsewhere'], 'this chat': ['elsewhere', 'here'] } as const;
const roleLists = { others: ['r9'], 'this role': ['r9', 'r1'] } as const;

function* everyCase(names = Object.keys(inputs) as (keyof Case)[], chosen: Partial<Case> = {}): Generator<Case> {
  const [name, ...rest] = names;
  if (name === undefined) yield chosen as Case;
  else for (const value of inputs[name]) yield* everyCase(rest, { ...chosen, [name]: value });
}

/** The rule in words, in its order. */
function expected(each: Case): 'allow' | 'pair' | 'refuse' {
  const isBot = each.who !== 'a person';
  const wanted = each.bots === 'all' || (each.bots === 'mentions' && each.who === 'a bot that mentions us');
  if (isBot && !wanted) return 'refuse';
  if (each.accountAll || each.paired) return 'allow';
  if (['this person', 'an alias', 'everybody'].includes(each.users) || ['this person', 'everybody'].includes(each.everywhere))
    return 'allow';
  if (each.roles === 'this role' || (each.chatType !== 'dm' && each.groups === 'this chat')) return 'allow';
  const noList = each.users === 'none' && each.groups === 'none' && each.everywhere === 'none' && each.roles === undefined;
  if (noList && each.allowAll) return 'allow';
  return each.chatType === 'dm' && !isBot && (each.ownBehaviour ?? each.behaviour) === 'pair' ? 'pair' : 'refuse';
}

function decideCase(each: Case) {
  const from: Partial<Sender> = { id: 'ann', aliases: ['+491'], name: 'bob', roles: ['r1'], isBot: each.who !== 'a person' };
  const account: AccountConfig = {
    allowed_users: lists[each.users],
    group_allowed_chats: groupLists[each.groups],
    allowed_roles: each.roles === undefined ? undefined : roleLists[each.roles],
    allow_bots: each.bots,
    allow_all_users: each.accountAll,
    unauthorized_dm_behavior: each.ownBehaviour,
    pacing,
  };
  const everywhere: GlobalAccess = {
    allowed_users: lists[each.everywhere],
    allow_all_users: each.allowAll,
    unauthorized_dm_behavior: each.behaviour,
  };
  const event = { ...message('hello', { chat: 'here', chatType: each.chatType as ChatType, from }), mentioned: each.who !== 'a bot' };
  return decide(event, { account, everywhere, paired: each.paired });
}

const closed: AccessRules = {
  account: { allowed_users: ['ann'], group_allowed_chats: [], pacing },
  everywhere: { allowed_users: [], allow_all_users: false, unauthorized_dm_behavior: 'ignore' },
  paired: false,
};

describe('who is served', () => {
  it('is what the rule says, in every combination of everything that counts', () => {
    const wrong: unknown[] = [];
    let cases = 0;
    for (const each of everyCase()) {
      cases += 1;
      if (decideCase(each).decision !== expected(each)) wrong.push(each);
    }
    expect(cases).toBe(3 * 4 * 3 * 2 * 2 * 5 * 3 * 3 * 4 * 2 * 3 * 2);
    expect(wrong.slice(0, 3)).toEqual([]);
  });

  it('is nobody where nothing is configured, and says so', () => {
    const account = { ...closed.account, allowed_users: [] };
    expect(decide(message('hello'), { ...closed, account })).toEqual({ decision: 'refuse', reason: 'no allowlist is configured' });
  });

  it('is never decided by a name, whatever somebody calls himself', () => {
    for (const name of ['ann', '*', 'Ann']) {
      const event = message('hello', { from: { id: 'mallory', name, roles: ['ann'] } });
      expect(decide(event, closed).decision).toBe('refuse');
    }
  });

  it('is decided by roles of which only the ids count', () => {
    const account = { ...closed.account, allowed_users: [], allowed_roles: ['r1'] };
    expect(decide(message('hello', { from: { id: 'x', name: 'r1', aliases: ['r1'] } }), { ...closed, account }).decision).toBe('refuse');
  });

  it('holds for native commands as for messages, and offers them no code', () => {
    const event = command('stop', '', { from: { id: 'mallory' } });
    expect(decide(event, closed).decision).toBe('refuse');
  });
});
