import { afterEach, describe, expect, it } from 'vitest';
import type { InboundMessage, Json } from '../../../adapters/adapter.ts';
import { CHANNEL, chatOf, DIRECT, type RigOptions, type SlackRig, startRig } from './rig.ts';

let rigs: SlackRig[] = [];
afterEach(async () => {
  for (const rig of rigs.toReversed()) await rig.close();
  rigs = [];
});

async function connected(options: RigOptions = {}): Promise<SlackRig> {
  const rig = await startRig(options);
  rigs.push(rig);
  await rig.connected();
  return rig;
}

const quiet = async ({ fake }: SlackRig): Promise<void> => fake.waitFor(() => fake.unacknowledged() === 0);
const messages = ({ host }: SlackRig): InboundMessage[] => host.received.flatMap((event) => (event.type === 'message' ? [event] : []));
const texts = (rig: SlackRig): string[] => messages(rig).map(({ text }) => text);
const mention = ({ fake }: SlackRig, words: string): string => `<@${fake.botUser}> ${words}`;

describe('a mention in a channel', () => {
  it('opens a thread under it, which is where everything about it stays', async () => {
    const rig = await connected();
    const ts = rig.fake.say(mention(rig, 'hello'), { channel: CHANNEL });
    await quiet(rig);
    expect(messages(rig)).toMatchObject([{ text: 'hello', chat: chatOf(CHANNEL, ts), chatType: 'group', mentioned: true, message: ts }]);
    await rig.adapter.send({ type: 'text', chat: chatOf(CHANNEL, ts), markdown: 'hi' }, 'k', AbortSignal.timeout(5000));
    expect(rig.fake.messages(CHANNEL)).toMatchObject([{ text: 'hi', thread: ts }]);
  });

  it('is answered in the channel itself where that is wanted, and in its thread where it stands in one', async () => {
    const rig = await connected({ config: { reply_in_thread: false } });
    const root = rig.fake.say('a question for people', { channel: CHANNEL });
    rig.fake.say(mention(rig, 'one'), { channel: CHANNEL });
    rig.fake.say(mention(rig, 'two'), { channel: CHANNEL, thread: root });
    await quiet(rig);
    expect(messages(rig).map(({ chat }) => chat)).toEqual([chatOf(CHANNEL), chatOf(CHANNEL, root)]);
  });

  it('is the only thing that is heard there', async () => {
    const rig = await connected();
    rig.fake.say('between people', { channel: CHANNEL });
    rig.fake.say(mention(rig, 'you'), { channel: CHANNEL });
    await quiet(rig);
    expect(texts(rig)).toEqual(['you']);
  });
});

describe('a thread that the bot takes part in', () => {
  it('is followed without a mention, at once and after a restart', async () => {
    const kept = new Map<string, Json>();
    const rig = await connected({ kept });
    const root = rig.fake.say(mention(rig, 'start'), { channel: CHANNEL });
    rig.fake.say('and go on', { channel: CHANNEL, thread: root });
    await quiet(rig);
    await rig.stop();
    const again = await connected({ kept, on: rig.fake });
    rig.fake.say('after the restart', { channel: CHANNEL, thread: root });
    rig.fake.say('in another thread', { channel: CHANNEL, thread: rig.fake.say('not ours', { channel: CHANNEL }) });
    await quiet(rig);
    expect(texts(rig)).toEqual(['start', 'and go on']);
    expect(texts(again)).toEqual(['after the restart']);
    expect(messages(again)).toMatchObject([{ mentioned: true, chat: chatOf(CHANNEL, root) }]);
  });

  it('is also one in which it only wrote', async () => {
    const rig = await connected();
    const root = rig.fake.say('a report, please', { channel: CHANNEL });
    await rig.adapter.send({ type: 'text', chat: chatOf(CHANNEL, root), markdown: 'here it is' }, 'k', AbortSignal.timeout(5000));
    rig.fake.say('thanks', { channel: CHANNEL, thread: root });
    await quiet(rig);
    expect(texts(rig)).toEqual(['thanks']);
  });

  it('is also one that hangs on a message of its own', async () => {
    const rig = await connected();
    rig.fake.channel(CHANNEL);
    const { id } = await rig.adapter.send(
      { type: 'text', chat: chatOf(CHANNEL), markdown: 'good morning' },
      'k',
      AbortSignal.timeout(5000),
    );
    rig.fake.say('morning', { channel: CHANNEL, thread: id });
    await quiet(rig);
    expect(texts(rig)).toEqual(['morning']);
  });

  it('needs a mention each time where that is wanted', async () => {
    const rig = await connected({ config: { strict_mention: true } });
    const root = rig.fake.say(mention(rig, 'start'), { channel: CHANNEL });
    rig.fake.say('between people', { channel: CHANNEL, thread: root });
    rig.fake.say(mention(rig, 'again'), { channel: CHANNEL, thread: root });
    await quiet(rig);
    expect(texts(rig)).toEqual(['start', 'again']);
  });

  it('takes commands with "!", because Slack keeps those with "/" for itself', async () => {
    const rig = await connected({ menu: [{ name: 'stop', description: 'stop', aliases: ['halt'] }], config: { strict_mention: true } });
    const root = rig.fake.say(mention(rig, 'work'), { channel: CHANNEL });
    rig.fake.say('!stop', { channel: CHANNEL, thread: root });
    rig.fake.say(mention(rig, '!halt now'), { channel: CHANNEL, thread: root });
    rig.fake.say('!important: no command', { channel: DIRECT });
    rig.fake.say('!stop', { channel: CHANNEL });
    await quiet(rig);
    expect(texts(rig)).toEqual(['work', '/stop', '/halt now', '!important: no command']);
  });

  it('is forgotten when nobody wrote in it for a quarter of a year', async () => {
    const kept = new Map<string, Json>();
    const clock = { ms: Date.now() };
    const first = await connected({ kept, now: () => clock.ms });
    const root = first.fake.say(mention(first, 'start'), { channel: CHANNEL });
    await quiet(first);
    await first.stop();
    clock.ms += 100 * 24 * 60 * 60_000;
    await connected({ kept, on: first.fake, now: () => clock.ms });
    expect([...kept.keys()].filter((key) => key.includes(root) && key.startsWith('thread:'))).toEqual([]);
  });
});

describe('what was written while nobody listened', () => {
  const away = async (rig: SlackRig): Promise<void> => {
    await quiet(rig);
    await rig.stop();
  };

  it('is run once and in order, marked as late, ahead of what comes live', async () => {
    const kept = new Map<string, Json>();
    const clock = { ms: Date.now() - 10_000_000 };
    const rig = await connected({ kept, now: () => clock.ms, fake: { now: () => clock.ms } });
    rig.fake.say('before');
    const root = rig.fake.say(mention(rig, 'channel before'), { channel: CHANNEL });
    await away(rig);
    for (let index = 1; index <= 3; index += 1) rig.fake.say(`missed ${index}`, { quietly: true });
    rig.fake.say(mention(rig, 'missed mention'), { channel: CHANNEL, quietly: true });
    rig.fake.say('not for us', { channel: CHANNEL, quietly: true });
    rig.fake.say('missed reply', { channel: CHANNEL, thread: root, quietly: true });
    clock.ms += 3_600_000;
    const again = await connected({ kept, on: rig.fake, now: () => clock.ms });
    clock.ms += 1000;
    rig.fake.say('live');
    await rig.fake.waitFor(() => again.host.received.length === 6);
    await quiet(rig);
    const direct = messages(again).filter(({ chat }) => chat.chat === DIRECT);
    expect(direct.map(({ text, late }) => `${text}${late ? ' late' : ''}`)).toEqual([
      'missed 1 late',
      'missed 2 late',
      'missed 3 late',
      'live',
    ]);
    const others = messages(again).filter(({ chat }) => chat.chat === CHANNEL);
    expect(others.map(({ text, late }) => [text, late]).toSorted()).toEqual([
      ['missed mention', true],
      ['missed reply', true],
    ]);
    await again.stop();
    clock.ms += 3_600_000;
    const third = await connected({ kept, on: rig.fake, now: () => clock.ms });
    third.fake.say('later');
    await rig.fake.waitFor(() => third.host.received.length === 1);
    expect(texts(third)).toEqual(['later']);
  });

  it('has the same id as its live copy', async () => {
    const kept = new Map<string, Json>();
    const rig = await connected({ kept });
    rig.fake.say('before');
    await away(rig);
    const ts = rig.fake.say('both ways');
    const again = await connected({ kept, on: rig.fake });
    await rig.fake.waitFor(() => again.host.received.length >= 1);
    await quiet(rig);
    expect(again.host.received.map(({ event }) => event)).toEqual([`${DIRECT}:${ts}`]);
  });

  it('is found in chats that were never read, and in threads that began meanwhile', async () => {
    const kept = new Map<string, Json>();
    const clock = { ms: Date.now() - 10_000_000 };
    const rig = await connected({ kept, now: () => clock.ms, fake: { now: () => clock.ms } });
    await rig.fake.waitFor(() => kept.has('listening'));
    await away(rig);
    clock.ms += 3_600_000;
    const root = rig.fake.say(mention(rig, 'new thread'), { channel: CHANNEL, quietly: true });
    rig.fake.say('its reply', { channel: CHANNEL, thread: root, quietly: true });
    rig.fake.say('new chat', { channel: 'D0DIRECT2', quietly: true });
    const again = await connected({ kept, on: rig.fake, now: () => clock.ms });
    await rig.fake.waitFor(() => again.host.received.length === 3);
    expect(texts(again).toSorted()).toEqual(['its reply', 'new chat', 'new thread']);
    expect(texts(again).indexOf('its reply')).toBeGreaterThan(texts(again).indexOf('new thread'));
    expect(messages(again).find(({ text }) => text === 'its reply')?.chat).toEqual(chatOf(CHANNEL, root));
  });

  it('is found where the bot was called into a thread of others', async () => {
    const kept = new Map<string, Json>();
    const rig = await connected({ kept });
    rig.fake.say(mention(rig, 'before'), { channel: CHANNEL });
    await away(rig);
    const root = rig.fake.say('people talk', { channel: CHANNEL, quietly: true });
    rig.fake.say('and go on', { channel: CHANNEL, thread: root, quietly: true });
    rig.fake.say(mention(rig, 'what do you think?'), { channel: CHANNEL, thread: root, quietly: true });
    const again = await connected({ kept, on: rig.fake });
    await rig.fake.waitFor(() => again.host.received.length === 1);
    expect(messages(again)).toMatchObject([{ text: 'what do you think?', chat: chatOf(CHANNEL, root) }]);
  });

  it('is looked for in threads of its own before those of others, and in none that nobody wrote in for a week', async () => {
    const kept = new Map<string, Json>();
    const clock = { ms: Date.now() - 10_000_000 };
    const rig = await connected({ kept, now: () => clock.ms, fake: { now: () => clock.ms } });
    const root = rig.fake.say(mention(rig, 'mine'), { channel: CHANNEL });
    await away(rig);
    clock.ms += 60_000;
    const ago = (days: number, index: number): string => `${Math.floor(clock.ms / 1000) - days * 86_400}.${100_000 + index}`;
    for (let index = 0; index < 150; index += 1) kept.set(`mark:${CHANNEL}:${ago(1, index)}`, ago(0, index));
    const over = `mark:${CHANNEL}:${ago(9, 0)}`;
    kept.set(over, ago(8, 0));
    rig.fake.say('missed', { channel: CHANNEL, thread: root, quietly: true });
    clock.ms += 3_600_000;
    const again = await connected({ kept, on: rig.fake, now: () => clock.ms });
    await rig.fake.waitFor(() => again.host.received.length === 1);
    expect(texts(again)).toEqual(['missed']);
    expect(kept.has(over)).toBe(false);
  });

  it('is looked for everywhere by a new process, however short the gap, because Slack may believe it delivered', async () => {
    const kept = new Map<string, Json>();
    const rig = await connected({ kept });
    await rig.fake.waitFor(() => kept.has('listening'));
    await away(rig);
    rig.fake.say('in a chat that was never read', { quietly: true });
    const again = await connected({ kept, on: rig.fake });
    await rig.fake.waitFor(() => again.host.received.length === 1);
    rig.fake.dropSockets();
    await rig.fake.waitFor(() => rig.fake.sockets().ever === 3);
    expect(rig.fake.calls.filter(({ method }) => method === 'users.conversations')).toHaveLength(1);
  });

  it('is nothing on a fresh install', async () => {
    const rig = await startRig({
      before: (fake) => {
        fake.say('long ago', { quietly: true });
      },
    });
    rigs.push(rig);
    await rig.connected();
    rig.fake.say('now');
    await rig.fake.waitFor(() => rig.host.received.length === 1);
    expect(texts(rig)).toEqual(['now']);
    expect(rig.fake.calls.filter(({ method }) => method === 'conversations.history')).toEqual([]);
  });

  it('is waited for when Slack asks for a pause', async () => {
    const kept = new Map<string, Json>();
    const rig = await connected({ kept });
    rig.fake.say('before');
    await away(rig);
    rig.fake.say('missed', { quietly: true });
    rig.fake.fail('conversations.history', { status: 429, retryAfter: 1 });
    const again = await connected({ kept, on: rig.fake });
    await rig.fake.waitFor(() => again.host.received.length === 1);
    expect(texts(again)).toEqual(['missed']);
  });

  it('lets nothing be lost that is said meanwhile without a mention, in a thread that was begun meanwhile', async () => {
    const kept = new Map<string, Json>();
    const rig = await connected({ kept });
    rig.fake.say(mention(rig, 'before'), { channel: CHANNEL });
    await away(rig);
    rig.fake.fail('conversations.history', { status: 429, retryAfter: 1 });
    const again = await connected({ kept, on: rig.fake });
    const root = rig.fake.say(mention(rig, 'live'), { channel: CHANNEL });
    rig.fake.say('and more', { channel: CHANNEL, thread: root });
    await rig.fake.waitFor(() => again.host.received.length === 2);
    expect(texts(again).toSorted()).toEqual(['and more', 'live']);
  });

  it('comes in pages', async () => {
    const kept = new Map<string, Json>();
    const rig = await connected({ kept });
    rig.fake.say('before');
    await away(rig);
    for (let index = 0; index < 450; index += 1) rig.fake.say(`missed ${index}`, { quietly: true });
    const again = await connected({ kept, on: rig.fake });
    await rig.fake.waitFor(() => again.host.received.length === 450);
    expect(texts(again)).toEqual(Array.from({ length: 450 }, (_unused, index) => `missed ${index}`));
  });
});
