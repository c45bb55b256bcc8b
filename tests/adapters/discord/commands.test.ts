import { describe, expect, it, type TestContext } from 'vitest';
import type { ChatRef, InboundCommand, Json, OutboundText } from '../../../adapters/adapter.ts';
import { PERSON, type RigOptions, startRig } from './rig.ts';

const patience = (): AbortSignal => AbortSignal.timeout(8000);
const menu = [
  { name: 'help', description: 'What I can do' },
  { name: 'set-home', description: 'x'.repeat(300), aliases: ['sethome'] },
  { name: 'No Name', description: 'not a name for Discord' },
];

async function start({ onTestFinished }: Pick<TestContext, 'onTestFinished'>, options: RigOptions = {}) {
  const rig = await startRig({ menu, ...options });
  onTestFinished(rig.close);
  const dm = rig.fake.dm(PERSON);
  const chat: ChatRef = { platform: 'discord', account: 'main', chat: dm };
  const reply = (interaction: Json, markdown = 'the reply'): OutboundText => ({ type: 'text', chat, markdown, interaction });
  /** The person gives a command; it has been stored. */
  const given = async (name = 'help', args?: string): Promise<InboundCommand> => {
    const before = rig.host.received.length;
    rig.fake.command({ channel: dm }, name, args);
    await rig.fake.waitFor(() => rig.host.received.length > before);
    const event = rig.host.received.at(-1);
    if (event?.type !== 'command') throw new Error('no command');
    return event;
  };
  return { ...rig, dm, chat, reply, given };
}

describe.concurrent('slash commands', () => {
  it('are registered from the menu, each with one optional text', async (t) => {
    const { fake } = await start(t);
    await fake.waitFor(() => fake.commands() !== undefined);
    expect(fake.commands()?.map(({ name }) => name)).toEqual(['help', 'set-home']);
    expect(fake.commands()?.[0]).toMatchObject({
      description: 'What I can do',
      options: [{ type: 3, name: 'args', required: false }],
      contexts: [0, 1],
    });
    expect(String(fake.commands()?.[1]?.['description'])).toHaveLength(100);
  });

  it('are registered again only when they changed', async (t) => {
    const kept = new Map<string, Json>();
    const { fake, stop } = await start(t, { kept });
    const calls = () => fake.calls.filter(({ method }) => method === 'PUT').length;
    await fake.waitFor(() => kept.has('menu'));
    await stop();
    const again = await start(t, { kept, on: fake });
    fake.say({ channel: again.dm, text: 'hi' });
    await fake.waitFor(() => again.host.received.length === 1);
    await again.stop();
    expect(calls()).toBe(1);
    await start(t, { kept, on: fake, menu: menu.slice(0, 1) });
    await fake.waitFor(() => calls() === 2 && fake.commands()?.length === 1);
  });

  it('are none where they are switched off, and those of earlier are taken away', async (t) => {
    const kept = new Map<string, Json>();
    const off = { config: { slash_commands: false } };
    const { fake, host, stop, dm } = await start(t, { kept, ...off });
    fake.say({ channel: dm, text: 'hi' });
    await fake.waitFor(() => host.received.length === 1);
    expect(fake.commands()).toBeUndefined();
    await stop();
    const on = await start(t, { kept, on: fake });
    await fake.waitFor(() => fake.commands()?.length === 2 && kept.has('menu'));
    await on.stop();
    await start(t, { kept, on: fake, ...off });
    await fake.waitFor(() => fake.commands()?.length === 0);
  });

  it('that cannot be registered are a warning, and no reason to be away', async (t) => {
    const { fake, host } = await start(t, {
      before: (made) => made.fail('PUT /applications', { status: 403, code: 50_001, message: 'Missing Access' }),
    });
    await fake.waitFor(() => host.logged.some((line) => line.includes('could not be registered')));
    expect(host.states.at(-1)?.state).toBe('connected');
  });

  it('are acknowledged after they are stored and well within three seconds, and answered in the place that waits', async (t) => {
    const { fake, adapter, dm, given, reply } = await start(t);
    const { interaction, name, args } = await given('help', 'me please');
    expect([name, args]).toEqual(['help', 'me please']);
    const ref = await adapter.send(reply(interaction), 'key', patience());
    const [made] = fake.interactions;
    expect(made).toMatchObject({ answer: 5, original: { id: ref.id } });
    expect(made?.answeredAfterMs).toBeLessThan(3000);
    expect(fake.visible(dm)).toEqual(['the reply']);
    await adapter.edit?.(ref, reply(interaction, 'the reply, mended'), patience());
    expect(fake.visible(dm)).toEqual(['the reply, mended']);
  });

  it('are not acknowledged when they could not be stored, so that the person sees that it failed', async (t) => {
    const { fake, host, dm } = await start(t);
    host.refusal = new Error('disk full');
    fake.command({ channel: dm }, 'help');
    await fake.waitFor(() => host.offers.length === 1 && host.logged.some((line) => line.includes('could not be stored')));
    expect(fake.interactions[0]?.answer).toBeUndefined();
  });

  it('take one reply: the same part again is the same message, another part is one of its own', async (t) => {
    const kept = new Map<string, Json>();
    const { fake, adapter, dm, given, reply } = await start(t, { kept });
    const { interaction } = await given();
    const first = await adapter.send(reply(interaction, 'part one'), 'one', patience());
    const again = await adapter.send(reply(interaction, 'part one'), 'one', patience());
    expect(again).toEqual(first);
    // Also after a restart, which knows nothing but what was kept.
    const later = await start(t, { kept, on: fake });
    await later.adapter.send(reply(interaction, 'part two'), 'two', patience());
    expect(fake.visible(dm)).toEqual(['part one', 'part two']);
  });

  it('are answered with an ordinary message when Discord waits no more', async (t) => {
    const { fake, adapter, dm, given, reply } = await start(t);
    const { interaction } = await given();
    await fake.waitFor(() => fake.interactions[0]?.answer === 5);
    fake.expireInteractions();
    await adapter.send(reply(interaction, 'late'), 'key', patience());
    await adapter.send(reply({ id: '1', application: '1', token: 'x', kind: 'command' }, 'of long ago'), 'other', patience());
    expect(fake.visible(dm)).toEqual(['late', 'of long ago']);
  });

  it('stop waiting when nobody replies for a while, and what comes then is an ordinary message', async (t) => {
    const { fake, adapter, dm, given, reply } = await start(t);
    const { interaction } = await given();
    await fake.waitFor(() => fake.interactions[0]?.withdrawn === true);
    expect(fake.messages(dm)).toEqual([]);
    await adapter.send(reply(interaction, 'done at last'), 'key', patience());
    expect(fake.visible(dm)).toEqual(['done at last']);
  });

  it('without a reply are answered with a word', async (t) => {
    const { fake, adapter, dm, given, reply } = await start(t);
    const { interaction } = await given();
    await adapter.respond?.(interaction, '✓', patience());
    expect(fake.visible(dm)).toEqual(['✓']);
    const second = await given();
    await adapter.send(reply(second.interaction), 'key', patience());
    await adapter.respond?.(second.interaction, '✓', patience());
    expect(fake.visible(dm)).toEqual(['✓', 'the reply']);
  });

  it('are not taken in channels that the bot stays out of', async (t) => {
    const ignored = '300000000000000003';
    const { fake, host, dm } = await start(t, {
      config: { ignored_channels: [ignored] },
      before: (made) => void made.addChannel(made.addGuild().id, { id: ignored }),
    });
    fake.command({ channel: ignored }, 'help');
    fake.command({ channel: dm }, 'help');
    await fake.waitFor(() => host.received.length === 1);
    expect(host.received[0]).toMatchObject({ chat: { chat: dm } });
  });
});

describe.concurrent('slash commands in a thread', () => {
  it('are taken where the only channels are that thread, or that of the thread', async (t) => {
    const thread = '300000000000000004';
    const { fake, host } = await start(t, {
      config: { allowed_channels: [thread] },
      before(made) {
        const guild = made.addGuild().id;
        made.addChannel(guild, { id: '300000000000000003' });
        made.addChannel(guild, { id: thread, type: 11, parent: '300000000000000003' });
      },
    });
    fake.command({ channel: '300000000000000003' }, 'help');
    fake.command({ channel: thread }, 'help');
    await fake.waitFor(() => host.received.length === 1);
    expect(host.received[0]).toMatchObject({ chat: { chat: '300000000000000003', thread } });
  });
});

describe.concurrent('clicks', () => {
  const ask = (chat: ChatRef) =>
    ({
      type: 'ask',
      chat,
      token: 'abcdefgh12345678',
      number: 1,
      markdown: 'May I?',
      choices: [{ id: 'once', label: 'Once' }],
      hint: 'Or say so.',
    }) as const;

  it('are acknowledged at once, and answered to the one who clicked alone', async (t) => {
    const { fake, adapter, host, dm, chat } = await start(t);
    const card = await adapter.send(ask(chat), 'key', patience());
    const made = fake.click({ channel: dm, message: card.id }, 'Once');
    await fake.waitFor(() => made.answer === 6);
    const event = host.received[0];
    if (event?.type !== 'answer') throw new Error('no answer');
    await adapter.respond?.(event.interaction, 'Allowed once.', patience());
    expect(made.whispers).toEqual(['Allowed once.']);
    expect(fake.visible(dm)).toHaveLength(1);
  });

  it('on what is none of our buttons are acknowledged and otherwise ignored', async (t) => {
    const { fake, adapter, host, dm, chat } = await start(t);
    const card = await adapter.send(ask(chat), 'key', patience());
    Object.assign(fake.world.find(dm, card.id), { buttons: [{ label: 'Old', custom_id: 'of another program' }] });
    const made = fake.click({ channel: dm, message: card.id }, 'Old');
    await fake.waitFor(() => made.answer === 6);
    expect(host.offers).toEqual([]);
  });

  it('by others than the one who was asked tell who clicked', async (t) => {
    const { fake, adapter, host } = await start(t);
    const guild = fake.addGuild();
    guild.members.set('200000000000000009', { nick: 'Nine', roles: ['5'] });
    const channel = fake.addChannel(guild.id).id;
    const card = await adapter.send(ask({ platform: 'discord', account: 'main', chat: channel }), 'key', patience());
    fake.click({ channel, message: card.id, user: '200000000000000009' }, 'Once');
    await fake.waitFor(() => host.received.length === 1);
    expect(host.received[0]).toMatchObject({ sender: { id: '200000000000000009', name: 'Nine', roles: ['5'] }, chatType: 'group' });
  });

  it('with a reference that is none of ours cannot be answered', async (t) => {
    const { adapter } = await start(t);
    await expect(adapter.respond?.({ callback: 'x' }, 'hi', patience())).rejects.toMatchObject({ kind: 'rejected', certain: true });
  });
});
