import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest';
import {
  type ChatRef,
  DeliveryError,
  type Json,
  type OutboundAsk,
  type OutboundFile,
  type OutboundProgress,
  type OutboundText,
} from '../../../adapters/adapter.ts';
import type { FakeDiscord } from '../../fakes/discord.ts';
import { type DiscordRig, PERSON, type RigOptions, startRig } from './rig.ts';

const patience = (): AbortSignal => AbortSignal.timeout(8000);

interface Delivery extends DiscordRig {
  readonly guild: string;
  readonly channel: string;
  readonly dm: string;
  at(chat: string, thread?: string): ChatRef;
  text(markdown: string, more?: Partial<OutboundText>): OutboundText;
}

async function start({ onTestFinished }: Pick<TestContext, 'onTestFinished'>, options: RigOptions = {}): Promise<Delivery> {
  const made = { guild: '', channel: '' };
  const rig = await startRig({
    ...options,
    before(fake) {
      made.guild = fake.addGuild().id;
      made.channel = fake.addChannel(made.guild).id;
      options.before?.(fake);
    },
  });
  onTestFinished(rig.close);
  const dm = rig.fake.dm(PERSON);
  const at = (chat: string, thread?: string): ChatRef => ({
    platform: 'discord',
    account: 'main',
    chat,
    ...(thread === undefined ? {} : { thread }),
  });
  return { ...rig, ...made, dm, at, text: (markdown, more = {}) => ({ type: 'text', chat: at(dm), markdown, ...more }) };
}

function forbidThreads({ world }: FakeDiscord): void {
  for (const { denied } of world.channels.values()) denied.add('threads');
}

const rejection = async (attempt: Promise<unknown>): Promise<DeliveryError> => {
  const error: unknown = await attempt.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(DeliveryError);
  return error as DeliveryError;
};

/** Somebody mentions the bot in a channel; the answer is to open a thread. */
async function asked(
  { fake, host, channel }: Delivery,
  text = 'what about lunch?',
): Promise<{ readonly chat: ChatRef; readonly message: string }> {
  const message = fake.say({ channel, user: PERSON, text: `<@${fake.botId}> ${text}` });
  const event = `m:${channel}:${message.id}`;
  await fake.waitFor(() => host.received.some((one) => one.event === event));
  const received = host.received.find((one) => one.event === event);
  return { chat: received?.chat ?? { platform: '', account: '', chat: '' }, message: message.id };
}

describe.concurrent('a message to Discord', () => {
  it('that is sent twice with the same key is one message, also when the first answer was lost', async (t) => {
    const { adapter, fake, text, dm } = await start(t);
    expect(adapter.idempotent).toBe(true);
    fake.fail('POST /channels', 'reset-after');
    await rejection(adapter.send(text('once'), 'turn-1/part-1', patience()));
    const second = await adapter.send(text('once'), 'turn-1/part-1', patience());
    expect(fake.visible(dm)).toEqual(['once']);
    expect(second.id).toBe(fake.messages(dm)[0]?.id);
    await adapter.send(text('once'), 'turn-1/part-2', patience());
    expect(fake.visible(dm)).toEqual(['once', 'once']);
  });

  it('pings nobody', async (t) => {
    const { adapter, fake, text, dm, channel, at } = await start(t);
    await adapter.send(text('@everyone <@200000000000000001> <@&1>', { chat: at(channel) }), 'a', patience());
    const ref = await adapter.send(text('quiet'), 'b', patience());
    await adapter.edit?.(ref, text('@here'), patience());
    expect([...fake.messages(dm), ...fake.messages(channel)].flatMap(({ pings }) => pings)).toEqual([]);
  });

  it('replies to the message that it answers, and is sent all the same when that is gone', async (t) => {
    const { adapter, fake, text, dm } = await start(t);
    const question = fake.say({ channel: dm, text: 'question' });
    await adapter.send(text('answer', { replyTo: question.id }), 'a', patience());
    await adapter.send(text('late answer', { replyTo: '1' }), 'b', patience());
    await adapter.send(text('answer to a command', { replyTo: '' }), 'c', patience());
    expect(fake.messages(dm).map(({ replyTo }) => replyTo)).toEqual([question.id, undefined, undefined]);
  });

  it('shows previews of links or not, as it is configured', async (t) => {
    const { adapter, fake, text, dm } = await start(t, { config: { suppress_embeds: true } });
    const ref = await adapter.send(text('https://example.org'), 'a', patience());
    await adapter.edit?.(ref, text('https://example.org/2'), patience());
    expect(fake.messages(dm)[0]).toMatchObject({ flags: 4, edits: 1 });
    expect((await start(t)).config.suppress_embeds).toBe(false);
  });

  it('of two thousand characters is taken, and one of more is refused for good', async (t) => {
    const { adapter, text } = await start(t);
    await adapter.send(text('x'.repeat(2000)), 'a', patience());
    const error = await rejection(adapter.send(text('x'.repeat(2001)), 'b', patience()));
    expect(error).toMatchObject({ kind: 'rejected', certain: true });
    expect(error.message).toContain('2000 or fewer');
  });

  it('waits out a short limit of its channel by itself', async (t) => {
    const { adapter, fake, text, dm } = await start(t, { fake: { rateWindowMs: 500 } });
    for (let index = 0; index < 6; index += 1) await adapter.send(text(String(index)), `key-${index}`, patience());
    expect(fake.visible(dm)).toHaveLength(6);
    expect(fake.calls.filter(({ status }) => status === 429)).toEqual([]);
  });

  it('is not sent any more when it was given up while it waited for its channel', async (t) => {
    const { adapter, fake, text, dm } = await start(t, { fake: { rateWindowMs: 500 } });
    for (let index = 0; index < 5; index += 1) await adapter.send(text(String(index)), `key-${index}`, patience());
    const reason = new Error('stopped');
    const stop = new AbortController();
    const attempt = adapter.send(text('never'), 'never', stop.signal);
    setTimeout(() => stop.abort(reason), 50);
    await expect(attempt).rejects.toBe(reason);
    await adapter.send(text('after'), 'after', patience());
    expect(fake.visible(dm).at(-1)).toBe('after');
    expect(fake.visible(dm)).not.toContain('never');
  });

  it('is not asked about again at once when something in front of Discord blocks us', async (t) => {
    const { adapter, fake, text } = await start(t);
    fake.fail('POST /channels', { status: 429, message: 'You are being blocked' }, 100);
    expect(await rejection(adapter.send(text('x'), 'a', patience()))).toMatchObject({
      kind: 'rate_limited',
      certain: true,
      retryAfterMs: 60_000,
    });
    expect(fake.calls.filter(({ method }) => method === 'POST')).toHaveLength(1);
  });

  it('shows what is being done within the limits, however much that is', async (t) => {
    const { adapter, fake, dm, at } = await start(t);
    const step = {
      tool: 'run_a_command_with_a_long_name`'.repeat(4),
      preview: '`*_'.repeat(100),
      state: 'running',
      arguments: '`*_'.repeat(200),
      note: '_*'.repeat(90),
    } as const;
    const progress: OutboundProgress = {
      type: 'progress',
      chat: at(dm),
      steps: Array(30)
        .fill(step)
        .map((one, index) => ({ ...one, count: index + 2 })),
      elapsedMs: 65_000,
      done: false,
      notice: '*'.repeat(500),
    };
    const ref = await adapter.send(progress, 'a', patience());
    await adapter.edit?.(ref, { ...progress, steps: [{ tool: 'read_file', preview: 'a_b.txt', state: 'ok' }], done: true }, patience());
    expect(fake.visible(dm)[0]).toMatch(/^Worked · 1 min 5 s\n✓ read_file: a_b\.txt/);
  });

  it('shows its buttons in rows, and what a long label says above them', async (t) => {
    const { adapter, fake, dm, at } = await start(t);
    const choices = Array.from({ length: 8 }, (_unused, index) => ({
      id: `c${index}`,
      label: index === 0 ? 'A label that is much too long for any button' : `No ${index}`,
    }));
    const ask: OutboundAsk = {
      type: 'ask',
      chat: at(dm),
      token: 'abcdefgh12345678',
      number: 1,
      markdown: 'Which?',
      choices,
      hint: 'Or say it.',
    };
    await adapter.send(ask, 'a', patience());
    expect(fake.messages(dm)[0]?.buttons).toHaveLength(8);
    expect(fake.visible(dm)[0]).toContain('1. A label that is much too long for any button');
  });

  it('tells that somebody types, and where', async (t) => {
    const { adapter, fake, dm, at, channel } = await start(t);
    await adapter.typing?.(at(dm), patience());
    await adapter.typing?.(at(channel, '1'), patience());
    expect(fake.typing.map((one) => one.channel)).toEqual([dm, channel]);
  });
});

describe.concurrent('the answer to a mention in a channel', () => {
  it('opens one thread on the message, named by what it says, however many parts come at once', async (t) => {
    const rig = await start(t);
    const { adapter, fake, text } = rig;
    const { chat, message } = await asked(rig);
    expect(chat).toMatchObject({ chat: rig.channel, thread: message });
    await Promise.all(['one', 'two', 'three'].map((part) => adapter.send(text(part, { chat, replyTo: message }), part, patience())));
    expect(fake.visible(message).toSorted()).toEqual(['one', 'three', 'two']);
    expect(fake.visible(rig.channel)).toEqual([]);
    expect(fake.world.channels.get(message)?.name).toBe('what about lunch?');
    expect(fake.calls.filter(({ path }) => path.endsWith('/threads'))).toHaveLength(1);
    // A message of another channel cannot be replied to.
    for (const { body } of fake.calls) expect(body).not.toHaveProperty('message_reference');
  });

  it('finds the thread that an earlier run has opened', async (t) => {
    const rig = await start(t);
    const { chat, message } = await asked(rig);
    await rig.adapter.send(rig.text('before', { chat }), 'a', patience());
    const thread = rig.fake.world.channels.get(message);
    if (thread !== undefined) thread.archived = true; // the next run is not told of it
    const again = await startRig({ on: rig.fake });
    t.onTestFinished(again.close);
    const ref = await again.adapter.send(rig.text('after', { chat }), 'b', patience());
    await again.adapter.edit?.(ref, rig.text('after all', { chat }), patience());
    expect(rig.fake.visible(message)).toEqual(['before', 'after all']);
  });

  it('opens a thread named by what it says, also when an earlier run read the message, and before this one is greeted', async (t) => {
    const rig = await start(t);
    const { chat, message } = await asked(rig, 'how is <@200000000000000001>?');
    await rig.stop();
    rig.fake.gateway.fault = 'no-ready';
    const again = await startRig({ on: rig.fake, early: true });
    t.onTestFinished(again.close);
    await again.adapter.send(rig.text('answer', { chat }), 'a', patience());
    expect(rig.fake.world.channels.get(message)?.name).toBe('how is @User 0001?');
  });

  it('is for its thread alone: where that was deleted after people wrote in it, the channel gets nothing, now or after a restart', async (t) => {
    const kept = new Map<string, Json>();
    const rig = await start(t, { kept });
    const { fake, channel, guild } = rig;
    const secret = fake.addChannel(guild, { type: 12, parent: channel, members: new Set([fake.botId]) });
    fake.say({ channel: secret.id, user: PERSON, text: 'a secret' });
    await fake.waitFor(() => rig.host.received.length === 1);
    const chat = rig.at(channel, secret.id);
    fake.world.channels.delete(secret.id);
    const why = 'Discord: Unknown Channel.';
    expect(await rejection(rig.adapter.send(rig.text('the secret', { chat }), 'a', patience()))).toMatchObject({
      kind: 'rejected',
      message: why,
    });
    await rig.stop();
    const again = await startRig({ on: fake, kept });
    t.onTestFinished(again.close);
    const error = await rejection(again.adapter.send(rig.text('the secret', { chat }), 'a', patience()));
    expect(error).toMatchObject({ kind: 'rejected', certain: true, message: expect.stringContaining('deleted') });
    expect(fake.visible(channel)).toEqual([]);
  });

  it('is followed up in the thread without a mention', async (t) => {
    const rig = await start(t);
    const { chat, message } = await asked(rig);
    await rig.adapter.send(rig.text('answer', { chat }), 'a', patience());
    rig.fake.say({ channel: message, user: PERSON, text: 'and dinner?' });
    await rig.fake.waitFor(() => rig.host.received.length === 2);
    expect(rig.host.received[1]).toMatchObject({ text: 'and dinner?', chat });
  });

  it('goes to the channel as a reply where the bot may open no threads', async (t) => {
    const rig = await start(t, { before: forbidThreads });
    const { adapter, fake, text, channel, host } = rig;
    const { chat, message } = await asked(rig);
    const ref = await adapter.send(text('answer', { chat, replyTo: message }), 'a', patience());
    await adapter.send(text('more', { chat }), 'b', patience());
    await adapter.edit?.(ref, text('answer again', { chat }), patience());
    expect(fake.visible(channel)).toEqual(['answer again', 'more']);
    expect(fake.messages(channel)[0]?.replyTo).toBe(message);
    expect(host.logged.join()).toContain('Create Public Threads');
    expect(fake.calls.filter(({ path }) => path.endsWith('/threads'))).toHaveLength(1);
  });

  it('goes to the channel when the message was deleted before there was a thread', async (t) => {
    const rig = await start(t);
    const { chat, message } = await asked(rig);
    rig.fake.world.remove(rig.fake.world.find(rig.channel, message));
    await rig.adapter.send(rig.text('answer', { chat, replyTo: message }), 'a', patience());
    expect(rig.fake.visible(rig.channel)).toEqual(['answer']);
  });

  it('is tried again when Discord fails, without a second thread', async (t) => {
    const rig = await start(t);
    const { chat, message } = await asked(rig);
    rig.fake.fail(`POST /channels/${rig.channel}/messages`, 'reset-after');
    expect(await rejection(rig.adapter.send(rig.text('answer', { chat }), 'a', patience()))).toMatchObject({ kind: 'transient' });
    await rig.adapter.send(rig.text('answer', { chat }), 'a', patience());
    expect(rig.fake.visible(message)).toEqual(['answer']);
  });
});

describe.concurrent('receipts', () => {
  const marks = (fake: FakeDiscord, channel: string, id: string): string[] =>
    fake.world.find(channel, id).reactions.map(({ emoji }) => emoji);

  it('mark a message as seen, then as done or failed', async (t) => {
    const { adapter, fake, dm, at } = await start(t);
    const one = { chat: at(dm), id: fake.say({ channel: dm, text: 'one' }).id };
    const two = { chat: at(dm), id: fake.say({ channel: dm, text: 'two' }).id };
    for (const message of [one, two]) await adapter.react?.(message, 'seen', patience());
    expect(marks(fake, dm, one.id)).toEqual(['👀']);
    await adapter.react?.(one, 'done', patience());
    await adapter.react?.(two, 'failed', patience());
    expect([marks(fake, dm, one.id), marks(fake, dm, two.id)]).toEqual([['✅'], ['❌']]);
  });

  it('stand on the message in the channel, and not in the thread that it opens', async (t) => {
    const rig = await start(t);
    const { chat, message } = await asked(rig);
    await rig.adapter.react?.({ chat, id: message }, 'seen', patience());
    await rig.adapter.send(rig.text('answer', { chat }), 'a', patience());
    await rig.adapter.react?.({ chat, id: message }, 'done', patience());
    expect(marks(rig.fake, rig.channel, message)).toEqual(['✅']);
  });

  it('are given for the first message of a post in a forum, too', async (t) => {
    const { adapter, fake, guild, at } = await start(t);
    const forum = fake.addChannel(guild, { type: 15 }).id;
    const post = fake.addChannel(guild, { id: fake.world.newId(), type: 11, parent: forum });
    const first = fake.say({ channel: post.id, user: PERSON, text: 'post' });
    Object.assign(first, { id: post.id });
    await adapter.react?.({ chat: at(forum, post.id), id: post.id }, 'seen', patience());
    expect(first.reactions).toHaveLength(1);
  });

  it('can be switched off', async (t) => {
    const { adapter } = await start(t, { config: { reactions: false } });
    expect(adapter.react).toBeUndefined();
  });
});

describe.concurrent('a file for Discord', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'discord-'));
  });
  afterAll(async () => {
    await rm(folder, { recursive: true });
  });
  const file = async (chat: ChatRef, more: Partial<OutboundFile>, content: string | Buffer = 'content'): Promise<OutboundFile> => {
    const path = join(folder, `${Math.random()}`);
    await writeFile(path, content);
    return { type: 'file', chat, path, name: 'notes.txt', mime: 'text/plain', kind: 'file', ...more };
  };

  it('arrives as it is, once, with its name', async (t) => {
    const { adapter, fake, dm, at } = await start(t);
    const notes = await file(at(dm), {}, Buffer.from([0, 13, 10, 255]));
    await adapter.send(notes, 'key', patience());
    await adapter.send(notes, 'key', patience());
    expect(fake.messages(dm)).toMatchObject([
      { files: [{ filename: 'notes.txt', content_type: 'text/plain', content: Buffer.from([0, 13, 10, 255]) }] },
    ]);
  });

  it('that is an animation has a name that makes Discord play it', async (t) => {
    const { adapter, fake, dm, at } = await start(t);
    await adapter.send(await file(at(dm), { name: 'dance', mime: 'image/gif', kind: 'image' }), 'a', patience());
    await adapter.send(await file(at(dm), { name: 'Dance.GIF', mime: 'image/gif', kind: 'image' }), 'b', patience());
    expect(fake.messages(dm).map(({ files }) => files[0]?.filename)).toEqual(['dance.gif', 'Dance.GIF']);
  });

  it.for<[string, string | Buffer, RegExp]>([
    ['is empty', '', /is empty/],
    ['is too large', Buffer.alloc(10 * 1024 * 1024 + 1), /larger than the 10 MB/],
  ])('that %s is refused for good before it is sent', async ([, content, why], t) => {
    const { adapter, fake, dm, at } = await start(t);
    const error = await rejection(adapter.send(await file(at(dm), {}, content), 'a', patience()));
    expect(error).toMatchObject({ kind: 'rejected', certain: true, message: expect.stringMatching(why) });
    expect(fake.messages(dm)).toEqual([]);
  });

  /** Two seconds of Opus, but for the sound: its first page, and the last one with the position. */
  const recording = (): Buffer => {
    const [first, head, last] = [Buffer.alloc(28), Buffer.alloc(19), Buffer.alloc(27)];
    first.write('OggS');
    head.write('OpusHead');
    head.writeUInt16LE(312, 10);
    last.write('OggS');
    last.writeBigInt64LE(96_312n, 6);
    return Buffer.concat([first, head, last]);
  };

  it('that is a recording becomes a voice message with its length, or a file where voice messages are forbidden', async (t) => {
    const { adapter, fake, dm, channel, at } = await start(t);
    fake.world.channel(channel).denied.add('voice');
    const voice = { name: 'answer.ogg', mime: 'audio/ogg', kind: 'voice' } as const;
    await adapter.send(await file(at(dm), voice, recording()), 'a', patience());
    await adapter.send(await file(at(channel), voice, recording()), 'b', patience());
    await adapter.send(await file(at(dm), voice, 'no recording'), 'c', patience());
    expect(fake.messages(dm).map(({ flags, files }) => [flags, files[0]?.filename])).toEqual([
      [8192, 'voice-message.ogg'],
      [0, 'answer.ogg'],
    ]);
    expect(fake.messages(channel).map(({ flags, files }) => [flags, files[0]?.filename])).toEqual([[0, 'answer.ogg']]);
    const sent = fake.calls.find(({ path }) => path === `/channels/${dm}/messages`)?.body;
    expect(sent).toMatchObject({ attachments: [{ duration_secs: 2 }] });
  });

  it('that is gone is refused for good', async (t) => {
    const { adapter, dm, at } = await start(t);
    const gone: OutboundFile = { type: 'file', chat: at(dm), path: join(folder, 'nowhere'), name: 'x', mime: 'text/plain', kind: 'file' };
    expect(await rejection(adapter.send(gone, 'a', patience()))).toMatchObject({ kind: 'rejected', message: 'Discord: x is gone.' });
  });
});
