/** Every chat command, driven by people who may not use it and by the owner. The list is the table of commands itself. */
import { describe, expect, it } from 'vitest';
import { commands } from '../../gateway/commands/table.ts';
import { createFakePlatform, type FakePlatform } from '../fakes/platform.ts';
import { askingGateway, card, riskyTool } from '../gateway/asks/support.ts';
import { type Gateway, startGateway, until } from '../gateway/support/gateway.ts';
import { command, message, type Said } from '../gateway/support/inbound.ts';
import { never, scriptedModel } from '../gateway/support/model.ts';
import { effectsOf, stateOf } from './state.ts';

/** What each is given, so that it does something where it may. A new command needs a line here. */
const given: Readonly<Record<string, string>> = {
  stop: '',
  background: 'count to three',
  agents: '',
  queue: 'later',
  steer: 'left',
  approve: 'all',
  deny: 'all',
  new: 'another one',
  title: 'a title',
  sessions: '',
  resume: '1',
  branch: 'a copy',
  retry: '',
  undo: '1',
  compress: '',
  usage: '',
  model: 'default',
  reasoning: 'high',
  personality: 'none',
  verbose: 'off',
  busy: 'queue',
  yolo: '',
  status: '',
  whoami: '',
  version: '',
  help: '',
  sethome: '',
  restart: '',
};

const group = { chat: 'room', chatType: 'group' } as const;
const forms = ['typed', 'native'] as const;
type Form = (typeof forms)[number];

/** In a direct chat and in a group, typed and chosen from the platform's menu. */
const waysOf = (direct: string) =>
  forms.flatMap((form) => [
    { chat: direct, form },
    { ...group, form },
  ]);

function give(gateway: Gateway, name: string, how: Said & { readonly form: Form }): void {
  const args = given[name] ?? '';
  gateway.receive([how.form === 'native' ? command(name, args, how) : message(`/${name} ${args}`.trim(), how)]);
}

const unheard = (gateway: Gateway): object => {
  const { refusals: _, ...rest } = stateOf(gateway.home);
  return rest;
};

function refusals(gateway: Gateway): number {
  return gateway.log.lines.filter((line) => line.message === 'a message was refused').length;
}

const refused = /is for my owner and administrators|is not for you here|^Sorry/;

async function next(gateway: Gateway, chat: string, act: () => void): Promise<string> {
  const before = gateway.answers(chat).length;
  act();
  return (await gateway.answered(chat, before + 1))[before] ?? '';
}

/** Ann owns it, Bob may use it; nobody else is let in. */
async function gatewayOf(config: FakePlatform['config'] | object = {}): Promise<Gateway> {
  const platform = createFakePlatform({ config: { allowed_users: ['bob', 'robot'], ...config } });
  const gateway = await startGateway({ platform });
  const chat = { platform: 'fake', account: 'main', chat: 'ann' };
  const facts = { name: 'Ann', aliases: [], role: 'owner', groupRole: 'owner', approvedBy: 'claim', approvedAt: 1 } as const;
  gateway.store.people.put({ account: 'fake/main', person: 'ann', chat, ...facts });
  for (const person of ['ann', 'bob']) await next(gateway, person, () => gateway.say(person, 'hello'));
  await gateway.idle();
  return gateway;
}

describe('the inventory', () => {
  it('names every command, and none that there is not', () => {
    expect(Object.keys(given).sort()).toEqual(commands.map(({ name }) => name).sort());
  });

  it('knows which are for administrators alone', () => {
    const names = commands.filter(({ who }) => who === 'admin').map(({ name }) => name);
    expect(names.sort()).toEqual(['restart', 'sethome', 'yolo']);
  });
});

describe.each(commands)('/$name', ({ name }) => {
  it('by a stranger is not even kept, in a direct chat or a group, also of the same name, or from a bot that is listed', async () => {
    const gateway = await gatewayOf();
    const before = unheard(gateway);
    const strangers: readonly Said[] = [
      { chat: 'eve', from: { id: 'eve', name: 'Eve' } },
      { ...group, from: { id: 'eve', name: 'Eve' } },
      { chat: 'eve', from: { id: 'eve', name: 'ann' } },
      { chat: 'ann', from: { id: 'eve', name: 'Ann' } },
      { ...group, from: { id: 'robot', name: 'Robot', isBot: true } },
    ];
    for (const form of forms) for (const stranger of strangers) give(gateway, name, { ...stranger, form });
    const count = forms.length * strangers.length;
    await until(
      () => refusals(gateway) === count,
      () => `${refusals(gateway)} were refused`,
    );
    await gateway.idle();
    expect(unheard(gateway)).toEqual(before);
    expect([...gateway.answers('eve'), ...gateway.answers('room'), ...gateway.answers('ann').slice(1)]).toEqual([]);
    expect(gateway.platform.responses).toEqual(strangers.map(() => 'Sorry, I only talk to people whom my owner has let in.'));
  });

  it('changes nothing for whom the configuration leaves the floor only', async () => {
    const gateway = await gatewayOf({ allow_admin_from: ['ann'], group_allow_admin_from: ['ann'], user_allowed_commands: [] });
    const isFloor = ['help', 'whoami', 'stop'].includes(name);
    for (const { form, ...place } of waysOf('bob')) {
      const before = effectsOf(gateway.home);
      const reply = await next(gateway, place.chat, () => give(gateway, name, { ...place, from: { id: 'bob', name: 'Ann' }, form }));
      expect([reply, refused.test(reply)]).toEqual([reply, !isFloor]);
      await gateway.idle();
      expect(effectsOf(gateway.home)).toEqual(before);
    }
  });

  it("is the owner's", async () => {
    const gateway = await gatewayOf({ allow_admin_from: ['boss'], group_allow_admin_from: ['boss'], user_allowed_commands: [] });
    for (const { form, ...place } of waysOf('ann')) {
      const reply = await next(gateway, place.chat, () => give(gateway, name, { ...place, from: { id: 'ann', name: 'Ann' }, form }));
      expect(reply).not.toMatch(refused);
      await gateway.idle();
    }
  });
});

describe.each(commands.filter(({ who }) => who === 'admin'))('/$name, which is for administrators', ({ name }) => {
  it('changes nothing for somebody who only uses the gateway', async () => {
    const gateway = await gatewayOf();
    for (const { form, ...place } of waysOf('bob')) {
      const before = effectsOf(gateway.home);
      const reply = await next(gateway, place.chat, () => give(gateway, name, { ...place, from: { id: 'bob', name: 'Ann' }, form }));
      expect(reply).toMatch(/is for my owner and administrators/);
      await gateway.idle();
      expect(effectsOf(gateway.home)).toEqual(before);
    }
  });
});

/** Commands that name something that may be somebody else's. */
const naming: Readonly<Record<string, (gateway: Gateway) => Promise<readonly string[]>>> = {
  approve: async () => ['1', 'all', 'all always'],
  deny: async () => ['1', 'all'],
  stop: async (gateway) => [runOf(gateway)],
  agents: async (gateway) => [`stop ${runOf(gateway)}`],
  resume: async (gateway) => [
    gateway.store.sessions.openKeys().map((key) => gateway.store.sessions.open(key)?.id ?? '')[0] ?? '',
    'secret plans',
  ],
};

function runOf({ store }: Gateway): string {
  return `t${store.turns.atWork()[0]?.id}`;
}

describe("what is somebody else's", () => {
  it('is looked at for every command that names something', () => {
    const names = commands.filter(({ usage }) => /\bid\b|n\|/.test(usage)).map(({ name }) => name);
    expect(names.sort()).toEqual(Object.keys(naming).sort());
  });

  const others: readonly Said[] = [
    { chat: 'bob', from: { id: 'bob', name: 'Ann' } },
    { ...group, from: { id: 'bob', name: 'Ann' } },
  ];

  it.each(Object.entries(naming))('is out of reach of /%s, from elsewhere and beside it in a group', async (name, argsOf) => {
    const { tool, ran } = riskyTool();
    const gateway = await askingGateway({ tools: [tool], platform: createFakePlatform({ config: { allowed_users: ['ann', 'bob'] } }) });
    const mine = { ...group, from: { id: 'ann', name: 'Ann' } };
    await next(gateway, 'room', () => gateway.receive([message('/title secret plans', mine)]));
    gateway.receive([message('remove build', mine)]);
    await card(gateway.platform, 'room');
    const args = await argsOf(gateway);
    const before = effectsOf(gateway.home);
    for (const other of others)
      for (const words of args) await next(gateway, other.chat ?? '', () => gateway.receive([message(`/${name} ${words}`, other)]));
    expect([effectsOf(gateway.home), ran]).toEqual([before, []]);
    for (const text of gateway.answers('bob')) expect(text).not.toContain('secret plans (');
  });

  it('is not ended by a /stop beside it in a group, where each has a conversation', async () => {
    const gateway = await startGateway({
      model: scriptedModel((_, signal) => never(signal)),
      platform: createFakePlatform({ config: { allowed_users: ['ann', 'bob'] } }),
    });
    gateway.receive([message('a long story', { ...group, from: { id: 'ann', name: 'Ann' } })]);
    await until(
      () => gateway.store.turns.runningLanes().length === 1,
      () => 'nothing is at work',
    );
    for (const name of ['stop', 'new', 'retry', 'undo']) {
      await next(gateway, 'room', () => gateway.receive([message(`/${name}`, { ...group, from: { id: 'bob', name: 'Ann' } })]));
    }
    expect(gateway.store.turns.atWork().map(({ cut }) => cut)).toEqual([null]);
    await next(gateway, 'room', () => gateway.receive([message('/stop', { ...group, from: { id: 'ann', name: 'Ann' } })]));
    await gateway.idle();
  });
});
