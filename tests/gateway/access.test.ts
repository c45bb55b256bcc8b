import { describe, expect, it } from 'vitest';
import type { ChatType, Sender } from '../../adapters/adapter.ts';
import type { AccountConfig } from '../../adapters/platform.ts';
import { decide, type GlobalAccess } from '../../gateway/access.ts';
import { command, message } from './support/inbound.ts';

const pacing = { chat_interval_ms: 0, chat_burst: 1, group_per_minute: 0, per_second: 0 };

interface Case {
  readonly isBot: boolean;
  readonly chatType: ChatType;
  /** What the platform's own allowlist says. */
  readonly users: 'none' | 'others' | 'this person' | 'an alias' | 'everybody';
  readonly groups: 'none' | 'others' | 'this chat';
  readonly everywhere: 'none' | 'others' | 'this person' | 'everybody';
  readonly allowAll: boolean;
}

const lists = { none: [], others: ['bob'], 'this person': ['bob', 'ann'], 'an alias': ['+491'], everybody: ['*'] } as const;
const groupLists = { none: [], others: ['elsewhere'], 'this chat': ['elsewhere', 'here'] } as const;

function everyCase(): Case[] {
  const cases: Case[] = [];
  for (const isBot of [false, true])
    for (const chatType of ['dm', 'group', 'channel'] as const)
      for (const users of ['none', 'others', 'this person', 'an alias', 'everybody'] as const)
        for (const groups of ['none', 'others', 'this chat'] as const)
          for (const everywhere of ['none', 'others', 'this person', 'everybody'] as const)
            for (const allowAll of [false, true]) cases.push({ isBot, chatType, users, groups, everywhere, allowAll });
  return cases;
}

/** The rule in words: bots never; a list that names the person; in groups a list that names the chat; everybody only where there is no list. */
function expected({ isBot, chatType, users, groups, everywhere, allowAll }: Case): boolean {
  if (isBot) return false;
  const named = ['this person', 'an alias', 'everybody'].includes(users) || ['this person', 'everybody'].includes(everywhere);
  const inGroup = chatType !== 'dm' && groups === 'this chat';
  const noList = users === 'none' && groups === 'none' && everywhere === 'none';
  return named || inGroup || (noList && allowAll);
}

function decideCase({ isBot, chatType, users, groups, everywhere, allowAll }: Case) {
  const from: Partial<Sender> = { id: 'ann', aliases: ['+491'], name: 'bob', isBot };
  const account: AccountConfig = { allowed_users: lists[users], group_allowed_chats: groupLists[groups], pacing };
  const global: GlobalAccess = { allowed_users: lists[everywhere], allow_all_users: allowAll };
  return decide(message('hello', { chat: 'here', chatType, from }), account, global);
}

describe('who is served', () => {
  it('is what the rule says, in every combination', () => {
    const cases = everyCase();
    expect(cases).toHaveLength(2 * 3 * 5 * 3 * 4 * 2);
    for (const each of cases) expect([each, decideCase(each).decision]).toEqual([each, expected(each) ? 'allow' : 'refuse']);
  });

  it('only a person in a direct chat is told of a refusal', () => {
    for (const each of everyCase()) {
      const decision = decideCase(each);
      if (decision.decision === 'refuse') expect([each, decision.tell]).toEqual([each, each.chatType === 'dm' && !each.isBot]);
    }
  });

  it('nobody, where nothing is configured', () => {
    const decision = decide(
      message('hello'),
      { allowed_users: [], group_allowed_chats: [], pacing },
      { allowed_users: [], allow_all_users: false },
    );
    expect(decision).toEqual({ decision: 'refuse', reason: 'no allowlist is configured', tell: true });
  });

  it('is never decided by a name, whatever somebody calls himself', () => {
    const account = { allowed_users: ['ann'], group_allowed_chats: [], pacing };
    for (const name of ['ann', '*', 'Ann']) {
      const event = message('hello', { from: { id: 'mallory', name, roles: ['ann'] } });
      expect(decide(event, account, { allowed_users: [], allow_all_users: false }).decision).toBe('refuse');
    }
  });

  it('is decided by roles, of which only the ids count', () => {
    const account = { allowed_users: [], group_allowed_chats: [], allowed_roles: ['r1', 'r2'], pacing };
    const none = { allowed_users: [], allow_all_users: true };
    const of = (from: Partial<Sender>) => decide(message('hello', { from }), account, none).decision;
    expect(of({ roles: ['r9', 'r2'] })).toBe('allow');
    expect(of({ roles: ['r9'], name: 'r1', aliases: ['r1'] })).toBe('refuse');
    expect(of({ roles: ['r1'], isBot: true })).toBe('refuse');
  });

  it('holds for native commands as for messages', () => {
    const account = { allowed_users: ['bob'], group_allowed_chats: [], pacing };
    expect(decide(command('stop'), account, { allowed_users: [], allow_all_users: true }).decision).toBe('refuse');
  });
});
