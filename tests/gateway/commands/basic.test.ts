import { describe, expect, it } from 'vitest';
import { commands } from '../../../gateway/commands/table.ts';
import { createFakePlatform } from '../../fakes/platform.ts';
import { startGateway } from '../support/gateway.ts';
import { command } from '../support/inbound.ts';
import { echo, scriptedModel } from '../support/model.ts';
import { annsPlatform, keyOf, reply, sessionOf, talk } from './support.ts';

describe('/help', () => {
  it('shows every command with its arguments', async () => {
    const gateway = await startGateway();
    const help = await reply(gateway, '/help');
    for (const { name, usage } of commands) expect(help).toContain(usage === '' ? `- /${name}: ` : `- /${name} \`${usage}\`: `);
    expect(await reply(gateway, '/commands')).toBe(help);
  });

  it('with a command says all about that one', async () => {
    const gateway = await startGateway();
    expect(await reply(gateway, '/help /bg')).toBe(
      [
        '/background `<prompt>`: do something beside this conversation and post the result here',
        '- Also: /bg, /btw',
        '- Works while I am at work',
      ].join('\n'),
    );
    expect(await reply(gateway, '/help undo')).toContain('- Waits until I am done');
    expect(await reply(gateway, '/help restart')).toContain('- For my owner and administrators');
    expect(await reply(gateway, '/help undoo')).toBe('There is no such command. Did you mean /undo? /help shows what there is.');
  });

  it('is cut where the platform’s messages end', async () => {
    const gateway = await startGateway({ platform: createFakePlatform({ partUnits: 400 }) });
    const whole = await reply(await startGateway(), '/help');
    gateway.say('ann', '/help');
    await gateway.idle();
    expect(gateway.answers('ann').length).toBeGreaterThan(2);
    expect(gateway.answers('ann').join('')).toBe(whole);
  });
});

describe('/whoami', () => {
  it('shows the person, the chat, the conversation and the role', async () => {
    const gateway = await startGateway();
    expect(await reply(gateway, '/whoami')).toBe(
      [
        '- You: `ann` (user)',
        '- Name: `Ann`',
        '- Platform: Fake',
        '- Chat: `ann` (dm)',
        '- Session: `none yet`',
        '- Commands: all but /yolo, /sethome, /restart',
        '- What I ask about: you may allow it',
      ].join('\n'),
    );
    await talk(gateway, 'one');
    expect(await reply(gateway, '/whoami')).toContain(`- Session: \`${sessionOf(gateway).id}\``);
  });

  it('shows the only person that may talk to be the admin, and no one else, nor that one in a group', async () => {
    const fake = createFakePlatform({ config: { allowed_users: ['ann'], group_allowed_chats: ['g'] } });
    const gateway = await startGateway({ platform: fake });
    expect(await reply(gateway, '/whoami')).toContain('`ann` (admin)');
    const group = { chat: 'g', chatType: 'group' } as const;
    expect(await reply(gateway, '/whoami', { ...group, from: { id: 'ann' } })).toContain('`ann` (user)');
    expect(await reply(gateway, '/whoami', { ...group, from: { id: 'bob' } })).toContain('`bob` (user)');
  });

  it('shows which commands somebody may use here, and whose yes counts', async () => {
    const config = { allow_admin_from: ['ann'], group_allow_admin_from: [], user_allowed_commands: ['new'], group_allowed_chats: ['g'] };
    const gateway = await startGateway({ platform: createFakePlatform({ config }) });
    expect(await reply(gateway, '/whoami')).toMatch(/- Commands: all\n- What I ask about: you may allow it$/);
    expect(await reply(gateway, '/whoami', { chat: 'bob', from: { id: 'bob' } })).toContain(
      '- Commands: only /stop, /new, /whoami, /help\n',
    );
    const group = await reply(gateway, '/whoami', { chat: 'g', chatType: 'group', from: { id: 'ann' } });
    expect(group).toContain('- What I ask about: my owner and administrators allow it; you may say no');
  });

  it('shows a hostile name as it is, on its own line', async () => {
    const gateway = await startGateway();
    expect(await reply(gateway, '/whoami', { from: { id: 'ann', name: 'Ann`\n- You: `root`' } })).toContain(
      "- Name: `Ann' - You: 'root'`\n",
    );
  });
});

describe('/version', () => {
  it('shows the version', async () => {
    expect(await reply(await startGateway(), '/version')).toBe('Hermes Gateway 0.0.0-test');
  });
});

describe('/sethome', () => {
  it('keeps which chat is the home of its platform', async () => {
    const gateway = await startGateway({ platform: annsPlatform() });
    expect(await reply(gateway, '/set-home')).toContain('This chat is now my home on Fake');
    const home = { chat: { platform: 'fake', account: 'main', chat: 'ann' }, chatType: 'dm' };
    expect(gateway.store.meta.get('home/fake/main')).toEqual(home);
    await reply(gateway, '/sethome', { chat: 'bob', from: { id: 'ann' }, thread: '3' });
    expect(gateway.store.meta.get('home/fake/main')).toMatchObject({ chat: { chat: 'bob', thread: '3' } });
  });
});

describe('/restart', () => {
  it('says where nothing could start the gateway again', async () => {
    expect(await reply(await startGateway({ platform: annsPlatform() }), '/restart')).toContain('I cannot start myself again here.');
  });
});

describe('a command for whoever runs the gateway', () => {
  it.each(commands.filter(({ who }) => who === 'admin').map(({ name }) => name))('/%s is refused in groups', async (name) => {
    const gateway = await startGateway({ platform: createFakePlatform({ config: { group_allowed_chats: ['g'] } }) });
    const before = gateway.store.meta.get('home/fake/main');
    expect(await reply(gateway, `/${name}`, { chat: 'g', chatType: 'group' })).toBe(
      `/${name} is for my owner and administrators. Write it to me in a direct chat if you are one of them.`,
    );
    expect(gateway.store.sessions.open('agent:main:fake:group:g:u.ann')?.settings.yolo).toBeUndefined();
    expect(gateway.store.meta.get('home/fake/main')).toBe(before);
  });

  it.each([
    ['everybody may talk', ['*'], []],
    ['others may talk here', ['ann', 'bob'], []],
    ['others may talk everywhere', ['ann'], ['bob']],
    ['only somebody else is listed here', ['bob'], ['ann']],
  ])('is refused in a direct chat where %s', async (_, here, everywhere) => {
    const platform = createFakePlatform({ config: { allowed_users: here } });
    const gateway = await startGateway({ platform, access: { allowed_users: everywhere, allow_all_users: false } });
    expect(await reply(gateway, '/yolo')).toBe('/yolo is for my owner and administrators.');
    expect(gateway.store.sessions.open(keyOf())).toBeUndefined();
  });

  it('is for the only person on the allowlist, by whatever id they are listed', async () => {
    const gateway = await startGateway({ platform: createFakePlatform({ config: { allowed_users: ['ann-2'] } }) });
    expect(await reply(gateway, '/yolo', { from: { id: 'ann', aliases: ['ann-2'] } })).toContain('From now on I do not ask');
  });

  it('is one that takes protection away or concerns everybody', () => {
    expect(commands.flatMap(({ name, who }) => (who === 'admin' ? [name] : [])).sort()).toEqual(['restart', 'sethome', 'yolo']);
  });
});

describe('a command', () => {
  it('from the platform’s menu does the same as a typed one', async () => {
    const model = scriptedModel(echo);
    const gateway = await startGateway({ model });
    gateway.receive([command('busy', 'steer'), command('background', 'go')]);
    await gateway.idle();
    expect(gateway.store.chats.get(keyOf())).toEqual({ busy: 'steer' });
    expect(gateway.answers('ann').at(-1)).toContain('echo: go');
  });
});
