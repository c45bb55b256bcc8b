import { describe, expect, it, type TestContext } from 'vitest';
import type { InboundMessage, Json } from '../../../adapters/adapter.ts';
import type { FakeDiscord } from '../../fakes/discord.ts';
import { type DiscordRig, PERSON, type RigOptions, startRig } from './rig.ts';

interface Town {
  readonly guild: string;
  readonly channels: readonly string[];
  readonly dm: string;
}

/** A server with three channels in which everything is meant for the bot, and a direct chat. */
function settle(fake: FakeDiscord): Town {
  const guild = fake.addGuild();
  const channels = ['one', 'two', 'three'].map((name) => fake.addChannel(guild.id, { name }).id);
  return { guild: guild.id, channels, dm: fake.dm(PERSON) };
}

async function start(
  { onTestFinished }: Pick<TestContext, 'onTestFinished'>,
  options: RigOptions = {},
): Promise<DiscordRig & { readonly town: Town }> {
  let town: Town | undefined;
  const rig = await startRig({
    ...options,
    before: (fake) => {
      town = settle(fake);
      options.before?.(fake);
    },
    config: { require_mention: false, ...options.config },
  });
  onTestFinished(rig.close);
  if (town === undefined) throw new Error('there is no town');
  return { ...rig, town };
}

/** A later run on what an earlier one kept. */
async function restart(t: Pick<TestContext, 'onTestFinished'>, on: FakeDiscord, kept: Map<string, Json>, config = {}): Promise<DiscordRig> {
  const rig = await startRig({ on, kept, config: { require_mention: false, ...config } });
  t.onTestFinished(rig.close);
  return rig;
}

/** As the inbox takes them: a message that is live and in the history as well counts once. */
const messages = ({ host }: DiscordRig): InboundMessage[] => {
  const all = host.received.flatMap((event) => (event.type === 'message' ? [event] : []));
  return all.filter(({ event }, index) => all.findIndex((other) => other.event === event) === index);
};
const texts = (rig: DiscordRig): string[] => messages(rig).map(({ text }) => text);
const settled = (rig: DiscordRig, count: number): Promise<void> => rig.fake.waitFor(() => messages(rig).length >= count, 10_000);
const quiet = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 150));

describe.concurrent('what people wrote while Discord could not reach us', () => {
  it('is handed over once, in order and marked as late, after the session was lost (AT-9)', async (t) => {
    const rig = await start(t);
    const { fake, town } = rig;
    const places = [...town.channels, town.dm];
    for (const channel of places) fake.say({ channel, text: `before in ${channel}` });
    await settled(rig, 4);
    fake.gateway.forget();
    fake.gateway.fault = 'accept-drop';
    fake.gateway.drop();
    for (let index = 0; index < 30; index += 1) fake.say({ channel: places[index % 4] ?? '', text: `missed ${index}` });
    fake.gateway.fault = undefined;
    await settled(rig, 34);
    for (const channel of places) fake.say({ channel, text: `after in ${channel}` });
    await settled(rig, 38);
    await quiet();
    for (const [at, channel] of places.entries()) {
      const here = messages(rig).filter(({ chat }) => chat.chat === channel);
      const missed = Array.from({ length: 30 }, (_unused, index) => index).filter((index) => index % 4 === at);
      expect(here.map(({ text }) => text)).toEqual([
        `before in ${channel}`,
        ...missed.map((index) => `missed ${index}`),
        `after in ${channel}`,
      ]);
      expect(here.slice(0, -1).map(({ late = false }) => late)).toEqual([false, ...missed.map(() => true)]);
    }
  });

  it('is handed over after a restart, also from a channel that was never read and one that is new', async (t) => {
    const kept = new Map<string, Json>();
    const first = await start(t, { kept });
    const { fake, town } = first;
    const [one = '', two = ''] = town.channels;
    fake.say({ channel: one, text: 'seen' });
    fake.say({ channel: town.dm, text: 'seen as well' });
    await settled(first, 2);
    await first.stop();
    const fresh = fake.addChannel(town.guild, { name: 'new' }).id;
    for (const channel of [one, two, fresh, town.dm]) fake.say({ channel, text: `missed in ${channel}` });
    const again = await restart(t, fake, kept);
    await settled(again, 4);
    await quiet();
    expect(texts(again).toSorted()).toEqual([one, two, fresh, town.dm].map((channel) => `missed in ${channel}`).toSorted());
    expect(messages(again).every(({ late }) => late === true)).toBe(true);
  });

  it('is handed over from a thread that was archived meanwhile', async (t) => {
    const kept = new Map<string, Json>();
    const first = await start(t, { kept });
    const { fake, town } = first;
    const thread = fake.addChannel(town.guild, { type: 11, parent: town.channels[0], members: new Set([fake.botId]) });
    fake.say({ channel: thread.id, text: 'seen' });
    await settled(first, 1);
    await first.stop();
    fake.say({ channel: thread.id, text: 'missed' });
    thread.archived = true;
    const again = await restart(t, fake, kept);
    await settled(again, 1);
    expect(messages(again)[0]).toMatchObject({ text: 'missed', late: true, chat: { chat: town.channels[0], thread: thread.id } });
  });

  it('is none of a fresh install: nothing is replayed', async (t) => {
    const rig = await start(t, {
      before: (fake) => {
        for (const channel of fake.world.channels.keys()) fake.say({ channel, text: 'long ago' });
      },
    });
    const { fake, town } = rig;
    fake.say({ channel: town.channels[0] ?? '', text: 'now' });
    await settled(rig, 1);
    await quiet();
    expect(texts(rig)).toEqual(['now']);
    expect(fake.calls.filter(({ path }) => path.endsWith('/messages'))).toEqual([]);
  });

  it('is nothing of what was written in a server before the bot came to it', async (t) => {
    const rig = await start(t);
    const { fake, town } = rig;
    const guild = fake.addGuild({ joinedAt: new Date(Date.now() + 5).toISOString() });
    const channel = fake.addChannel(guild.id).id;
    fake.world.messages.set(channel, [Object.assign(fake.say({ channel: town.dm, text: 'seen' }), { channel, content: 'before the bot' })]);
    await new Promise((resolve) => setTimeout(resolve, 10));
    fake.appear(guild);
    fake.say({ channel, text: 'welcome' });
    await settled(rig, 2);
    await quiet();
    expect(texts(rig)).toEqual(['seen', 'welcome']);
  });

  it('is not asked for where nothing new was written', async (t) => {
    const kept = new Map<string, Json>();
    const first = await start(t, { kept });
    const { fake, town } = first;
    for (const channel of town.channels) fake.say({ channel, text: 'seen' });
    await settled(first, 3);
    await first.stop();
    const again = await restart(t, fake, kept);
    await quiet();
    expect(texts(again)).toEqual([]);
    expect(fake.calls.filter(({ method, path }) => method === 'GET' && path.endsWith('/messages'))).toEqual([]);
  });

  it('passes the same gate as what is said now, with the roles of who wrote it', async (t) => {
    const kept = new Map<string, Json>();
    const config = { require_mention: true, auto_thread: false, allowed_roles: ['300000000000000001'] };
    const first = await start(t, { kept, config });
    const { fake, town } = first;
    const channel = town.channels[0] ?? '';
    fake.world.guilds.get(town.guild)?.members.set(PERSON, { nick: 'Nick', roles: ['300000000000000001'] });
    fake.say({ channel, user: PERSON, text: `<@${fake.botId}> seen` });
    await settled(first, 1);
    await first.stop();
    fake.say({ channel, user: PERSON, text: 'not for the bot' });
    fake.say({ channel, user: PERSON, text: `<@${fake.botId}> missed` });
    fake.say({ channel, user: '200000000000000099', text: `<@${fake.botId}> from somebody without roles` });
    const again = await restart(t, fake, kept, config);
    await settled(again, 2);
    expect(messages(again).map(({ text, sender }) => [text, sender.roles])).toEqual([
      ['missed', ['300000000000000001']],
      ['from somebody without roles', []],
    ]);
  });

  it('is read page after page when it is much', async (t) => {
    const kept = new Map<string, Json>();
    const first = await start(t, { kept });
    const { fake, town } = first;
    fake.say({ channel: town.dm, text: 'seen' });
    await settled(first, 1);
    await first.stop();
    for (let index = 0; index < 250; index += 1) fake.say({ channel: town.dm, text: String(index) });
    const again = await restart(t, fake, kept);
    await settled(again, 250);
    expect(texts(again)).toEqual(Array.from({ length: 250 }, (_unused, index) => String(index)));
  });

  it('waits until the history can be read, and comes before what is written meanwhile', async (t) => {
    const rig = await start(t);
    const { fake, town } = rig;
    const channel = town.dm;
    fake.say({ channel, text: 'seen' });
    await settled(rig, 1);
    fake.gateway.forget();
    fake.fail('GET /channels', { status: 500 }, 1);
    fake.gateway.drop();
    fake.say({ channel, text: 'missed' });
    await fake.waitFor(() => fake.gateway.live());
    fake.say({ channel, text: 'live' });
    await settled(rig, 3);
    expect(texts(rig)).toEqual(['seen', 'missed', 'live']);
  });

  it('is fetched again when the store refused it, because Discord sends nothing twice', async (t) => {
    const rig = await start(t);
    const { fake, host, town } = rig;
    host.refusal = new Error('disk full');
    fake.say({ channel: town.dm, text: 'keep me' });
    await fake.waitFor(() => host.offers.length > 0);
    host.refusal = undefined;
    fake.say({ channel: town.dm, text: 'and me' });
    await settled(rig, 2);
    expect(texts(rig)).toEqual(['keep me', 'and me']);
    expect(new Set(host.offers.flat().map(({ event }) => event)).size).toBe(2);
  });

  it('is fetched again when it could not be found out where it was written', async (t) => {
    const rig = await start(t);
    const { fake, town } = rig;
    const thread = fake.world.newId();
    // A thread that was asleep is not told of.
    const asleep = { type: 11, guild: town.guild, name: 'old', owner: fake.botId, members: new Set<string>(), denied: new Set<'view'>() };
    fake.world.channels.set(thread, { ...asleep, id: thread, parent: town.channels[0], archived: true });
    fake.fail(`GET /channels/${thread}`, { status: 500 }, 1);
    fake.say({ channel: thread, user: PERSON, text: `<@${fake.botId}> keep me` });
    await fake.waitFor(() => fake.calls.some(({ path, status }) => path === `/channels/${thread}` && status === 500));
    await settled(rig, 1);
    fake.say({ channel: thread, user: PERSON, text: 'and me' });
    await settled(rig, 2);
    expect(texts(rig)).toEqual(['keep me', 'and me']);
  });

  it('carries the same event id whichever way it comes', async (t) => {
    const kept = new Map<string, Json>();
    const first = await start(t, { kept });
    const { fake, town } = first;
    fake.say({ channel: town.dm, text: 'zero' });
    await settled(first, 1);
    const marks = new Map(kept);
    fake.say({ channel: town.dm, text: 'one' });
    await settled(first, 2);
    await first.stop();
    // A crash before the mark of the second one was stored.
    const again = await restart(t, fake, marks);
    await settled(again, 1);
    expect(messages(again)[0]).toMatchObject({ text: 'one', event: messages(first)[1]?.event });
  });
});
