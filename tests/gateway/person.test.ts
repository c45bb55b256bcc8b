import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PersonRef } from '../../agent/tool.ts';
import { personKey } from '../../gateway/person.ts';
import type { PersonRow } from '../../gateway/store/people.ts';
import { createFakePlatform } from '../fakes/platform.ts';
import { talk } from './commands/support.ts';
import { type Gateway, type GatewayOptions, startGateway } from './support/gateway.ts';
import { chatRef, type Said } from './support/inbound.ts';
import { lastResults, type Script, scriptedModel } from './support/model.ts';
import { countedTool } from './support/tools.ts';

const main = { platform: 'telegram', account: 'main' };

describe('the key of a person', () => {
  it('is the platform and the id', () => {
    expect(personKey(main, '123')).toBe('telegram-123');
    expect(personKey({ platform: 'web', account: 'main' }, 'owner')).toBe('web-owner');
  });

  it('of a further account, whose ids may mean others, names it', () => {
    expect(personKey({ platform: 'slack', account: 'work' }, '123')).toBe('slack@work-123');
    expect(personKey({ platform: 'slack', account: 'Work' }, '123')).toMatch(/^slack@work\+[0-9a-f]{16}-123$/);
  });

  it('is another one for another id, fit for a file name, and that also where case does not count', () => {
    const id = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('U01', 'u01', 'u.01', 'u/01', '..', '', 'T1:U01', 'T1_U01', 't1_u01', 'é', 'é'),
    );
    fc.assert(
      fc.property(id, id, (one, other) => {
        const [left, right] = [personKey(main, one), personKey(main, other)];
        expect(left).toMatch(/^[a-z0-9@_+-]{1,100}$/);
        expect(left.toLowerCase() === right.toLowerCase()).toBe(one === other);
      }),
    );
  });
});

/** For whom a tool works that is called in answer to a message. */
async function workedFor(
  said: Said,
  options: GatewayOptions = {},
  then?: (gateway: Gateway) => Promise<void>,
): Promise<(PersonRef | undefined)[]> {
  const seen: (PersonRef | undefined)[] = [];
  const who = countedTool('who', 'read', (_args, { session }) => {
    seen.push(session.person);
    return { content: 'ok' };
  });
  const script: Script = ({ messages }) => (lastResults(messages).length === 0 ? { call: 'who' } : 'done');
  const gateway = await startGateway({ model: scriptedModel(script), tools: [who.tool], ...options });
  gateway.say(said.chat ?? 'ann', 'hello', said);
  await gateway.idle();
  await then?.(gateway);
  return seen;
}

const shared = { rules: { keys: { group_sessions_per_user: false, thread_sessions_per_user: false } } };
const group = { chat: 'team', chatType: 'group' as const, from: { id: 'ann' } };

function paired(person: string, aliases: readonly string[], role: 'owner' | 'user'): PersonRow {
  const { platform, account, chat } = chatRef({ chat: person });
  return {
    account: 'fake/main',
    person,
    aliases: [...aliases],
    name: 'Ann',
    role,
    groupRole: role,
    chat: { platform, account, chat },
    approvedBy: 'x',
    approvedAt: 1,
  };
}

describe('a turn works for', () => {
  it('whoever is alone with the agent', async () => {
    expect(await workedFor({})).toEqual([{ key: 'fake-ann', trusted: false, alone: true }]);
  });

  it('whoever has a session of their own in a group, where others read along', async () => {
    expect(await workedFor(group)).toEqual([{ key: 'fake-ann', trusted: false, alone: false }]);
  });

  it('nobody in particular where several people share the session', async () => {
    expect(await workedFor(group, shared)).toEqual([undefined]);
    expect(await workedFor({ ...group, thread: '7' })).toEqual([undefined]);
  });

  it('somebody who is trusted where they administer the gateway', async () => {
    const platform = createFakePlatform({ config: { allow_admin_from: ['ann'] } });
    expect(await workedFor({}, { platform })).toEqual([{ key: 'fake-ann', trusted: true, alone: true }]);
    const inGroup = createFakePlatform({ config: { allow_admin_from: ['ann'] } });
    expect(await workedFor(group, { platform: inGroup })).toMatchObject([{ trusted: false }]);
  });

  it('the same person whichever of their ids a message comes with, and trusts them only as long as they are', async () => {
    const seen = await workedFor(
      { from: { id: 'ann' } },
      { before: (store) => store.people.put(paired('ann', ['ann-lid'], 'owner')) },
      async (gateway) => {
        gateway.say('ann', 'and now?', { from: { id: 'ann-lid', aliases: ['ann'] } });
        await gateway.idle();
        gateway.store.people.put(paired('ann', ['ann-lid'], 'user'));
        await talk(gateway, 'and now?');
      },
    );
    const ann = { key: 'fake-ann', alone: true };
    expect(seen).toEqual([
      { ...ann, trusted: true },
      { ...ann, trusted: true },
      { ...ann, trusted: false },
    ]);
  });
});
