/** In a group whoever is there may be heard: what runs on the machine is allowed by the owner and administrators alone. */
import { describe, expect, it } from 'vitest';
import type { AccountConfig } from '../../../adapters/platform.ts';
import type { Role } from '../../../gateway/store/people-schema.ts';
import { createFakePlatform } from '../../fakes/platform.ts';
import type { Gateway } from '../support/gateway.ts';
import { click, message, replyTo } from '../support/inbound.ts';
import { askingGateway, card, closedCard, questionTool, riskyTool } from './support.ts';

const group = { chat: 'g', chatType: 'group' } as const;
const ann = { ...group, from: { id: 'ann', name: 'Ann' } };
const boss = { ...group, from: { id: 'boss', name: 'The Boss' } };
const notYours = 'Only my owner and administrators may allow this here. You can say no.';

interface World extends Gateway {
  readonly ran: readonly string[];
}

/** Ann, whom the group lets in, has asked for something. */
async function asked(config: Partial<AccountConfig> = { group_allowed_chats: ['g'] }): Promise<World> {
  const { tool, ran } = riskyTool();
  const platform = createFakePlatform({ config: { allowed_users: [], ...config } });
  const gateway = await askingGateway({ platform, tools: [tool, questionTool()] });
  gateway.receive([message('remove build', ann)]);
  await card(platform, 'g');
  return { ...gateway, ran };
}

function isNow({ store }: World, role: Role): void {
  const person = { person: 'boss', aliases: [], name: 'The Boss', approvedBy: '', approvedAt: 0, role: 'user', groupRole: role } as const;
  store.people.put({ ...person, account: 'fake/main', chat: { platform: 'fake', account: 'main', chat: 'boss' } });
}

describe('an approval in a group', () => {
  it('is given by nobody whom only the group lets in: not with a click, a reply or a command, also not by whoever asked', async () => {
    const world = await asked();
    const shown = await card(world.platform, 'g');
    expect(shown.hint).toContain('Only my owner and administrators may allow it.');
    for (const choice of ['once', 'session']) world.receive([click(shown, choice, ann), click(shown, choice, boss)]);
    world.receive([message('yes', { ...ann, replyTo: replyTo(shown) }), message('/approve 1 session', ann), message('/approve', boss)]);
    expect(world.platform.responses).toEqual(
      Array.from({ length: 2 }, () => [notYours, 'Only my owner and administrators may decide this here.']).flat(),
    );
    const answers = await world.answered('g', 3);
    expect([...answers].sort()).toEqual([`Not #1: ${notYours}`, 'Nothing here waits for your approval.', notYours].sort());
    expect([world.store.asks.open().length, world.ran]).toEqual([1, []]);
  });

  it.each(['click', 'reply', 'command'])('may be refused by whoever asked for it, with a %s', async (how) => {
    const world = await asked();
    const shown = await card(world.platform, 'g');
    const ways = {
      click: click(shown, 'deny', ann),
      reply: message('no', { ...ann, replyTo: replyTo(shown) }),
      command: message('/deny', ann),
    };
    world.receive([ways[how as keyof typeof ways]]);
    expect(await closedCard(world.platform, 'g')).toBe('❌ Ann said no.');
  });

  it.each(['owner', 'admin'] as const)('is given by whoever is %s there when they click, and by no user', async (role) => {
    const world = await asked();
    const shown = await card(world.platform, 'g');
    isNow(world, 'user');
    world.receive([click(shown, 'once', boss)]);
    expect(world.store.asks.open()).toHaveLength(1);
    isNow(world, role);
    world.receive([click(shown, 'once', boss)]);
    expect(await closedCard(world.platform, 'g')).toBe('✅ The Boss allowed it once.');
    await world.answered('g', 1);
    expect(world.ran).toEqual(['build']);
  });

  it('is given by an administrator with a command or a reply, too', async () => {
    const world = await asked({ group_allowed_chats: ['g'], group_allow_admin_from: ['boss'] });
    world.receive([message('/approve 1', boss)]);
    expect(await closedCard(world.platform, 'g')).toBe('✅ The Boss allowed it once.');
    await world.idle();
    world.receive([message('remove dist', ann)]);
    const shown = await card(world.platform, 'g', 2);
    world.receive([message('yes', { ...boss, replyTo: replyTo(shown) })]);
    await world.idle();
    expect(world.ran).toEqual(['build', 'dist']);
  });

  it.each([
    ['nobody else is let in', { allowed_users: ['ann'] }, 1],
    ['others are named, too', { allowed_users: ['ann', 'bob'] }, 0],
    ['everybody is let in', { allowed_users: ['*'] }, 0],
    ['the group lets in others', { allowed_users: ['ann'], group_allowed_chats: ['g'] }, 0],
    ['a role lets in others', { allowed_users: ['ann'], allowed_roles: ['r'] }, 0],
  ])('is given by the one person on the lists as far as %s', async (_, config, ran) => {
    const world = await asked(config);
    const shown = await card(world.platform, 'g');
    expect(shown.hint?.startsWith('You can also')).toBe(ran === 1);
    world.receive([click(shown, 'once', ann)]);
    if (ran === 1) await world.answered('g', 1);
    expect(world.ran).toHaveLength(ran);
  });

  it('is judged by the place in which it was asked for, whatever a click says of its own', async () => {
    const world = await asked({ allowed_users: ['*'] });
    world.receive([click(await card(world.platform, 'g'), 'once', { ...ann, chatType: 'dm' })]);
    expect(world.platform.responses).toEqual([notYours]);
    expect(world.store.asks.open()).toHaveLength(1);
  });

  it('has nothing to do with a loose word of an administrator, which is something to say', async () => {
    const world = await asked({ group_allowed_chats: ['g'], group_allow_admin_from: ['boss'] });
    world.receive([message('ok', boss)]);
    await world.answered('g', 1);
    expect(world.answers('g')).toEqual(['nothing to do']);
    expect(world.store.asks.open()).toHaveLength(1);
  });

  it('leaves questions to whoever is asked', async () => {
    const world = await asked();
    isNow(world, 'owner');
    world.receive([click(await card(world.platform, 'g'), 'deny', ann)]);
    await world.idle();
    world.receive([message('clarify colour?', ann)]);
    const shown = await card(world.platform, 'g', 2);
    world.receive([message('green', { ...boss, replyTo: replyTo(shown) }), message('blue', ann)]);
    await world.idle();
    expect(world.platform.texts('g').slice(-2)).toEqual(['Only Ann may answer this.', 'ok: They said: blue']);
  });
});
