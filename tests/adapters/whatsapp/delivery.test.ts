import { mkdtempSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Outbound, OutboundFile } from '../../../adapters/adapter.ts';
import { DeliveryError } from '../../../adapters/adapter.ts';
import { deliveryError } from '../../../adapters/whatsapp/errors.ts';
import { LineError } from '../../../adapters/whatsapp/line.ts';
import { ANN, BOT } from '../../fakes/whatsapp-line.ts';
import { type RigOptions, startRig, until, type WhatsAppRig } from './rig.ts';

const rigs: WhatsAppRig[] = [];
afterEach(async () => {
  vi.useRealTimers();
  for (const rig of rigs.splice(0)) await rig.stop();
});

async function connected(options: RigOptions = {}) {
  const rig = startRig(options);
  rigs.push(rig);
  await until(() => rig.host.states.at(-1)?.state === 'connected');
  return rig;
}

const patience = () => AbortSignal.timeout(3000);
const chat = { platform: 'whatsapp', account: 'main', chat: ANN };
const text = (markdown: string) => ({ type: 'text', chat, markdown }) as const;

describe('sending', () => {
  it('never writes first, and says why', async () => {
    const rig = await connected();
    await expect(rig.adapter.send(text('Buy now!'), 'k', patience())).rejects.toMatchObject({
      kind: 'rejected',
      certain: true,
      message: expect.stringContaining('reply_only'),
    });
    expect(rig.fake.relayed).toEqual([]);
    rig.fake.say('hello');
    await rig.adapter.send(text('Hello Ann.'), 'k', patience());
    expect(rig.fake.messages(ANN)).toHaveLength(1);
    // That she has written is known for good.
    await rig.stop();
    const again = await connected({ kept: rig.kept, on: rig.fake });
    await again.adapter.send(text('Still there?'), 'k2', patience());
    expect(rig.fake.messages(ANN)).toHaveLength(2);
  });

  it('has the same id for the same key, another for another, and knows its own ids again after a restart', async () => {
    const rig = await connected({ config: { reply_only: false } });
    const first = await rig.adapter.send(text('a'), 'one', patience());
    const second = await rig.adapter.send(text('a'), 'one', patience());
    const third = await rig.adapter.send(text('a'), 'two', patience());
    expect(second.id).toBe(first.id);
    expect(third.id).not.toBe(first.id);
    expect(first.id).toMatch(/^3EB0[0-9A-F]{18}$/);
    expect(rig.fake.messages(ANN)).toHaveLength(2);
    await rig.stop();
    const self = await connected({ kept: rig.kept, on: rig.fake, config: { mode: 'self-chat' } });
    self.fake.say('mine', { chat: BOT.phone, fromMe: true, id: '3EB0ABCDEFABCDEFABCDEF' });
    self.fake.say('its own words', { chat: BOT.phone, fromMe: true, id: first.id });
    expect(self.host.received.map((event) => event.type === 'message' && event.text)).toEqual(['mine']);
  });

  it('waits a random while before each message, and stops waiting when it is told to', async () => {
    const rig = await connected({ config: { reply_only: false, jitter_ms: [400, 1800] }, random: () => 0.5 });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const sent = rig.adapter.send(text('slowly'), 'k', AbortSignal.timeout(60_000));
    await vi.advanceTimersByTimeAsync(1099);
    expect(rig.fake.relayed).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    await sent;
    const stop = new AbortController();
    const attempt = rig.adapter.send(text('never'), 'k2', stop.signal);
    stop.abort(new Error('stopped'));
    await expect(attempt).rejects.toThrow('stopped');
    expect(rig.fake.messages(ANN)).toHaveLength(1);
  });

  it('is refused for now while there is no connection', async () => {
    const rig = startRig({ fresh: true, config: { reply_only: false } });
    rigs.push(rig);
    await expect(rig.adapter.send(text('x'), 'k', patience())).rejects.toMatchObject({ kind: 'transient', certain: true });
  });

  it('quotes what it answers, and vanishes where the chat forgets', async () => {
    const rig = await connected();
    const id = rig.fake.say('', { message: { extendedTextMessage: { text: 'how much?', contextInfo: { expiration: 86_400 } } } });
    await rig.adapter.send({ ...text('Seven.'), replyTo: id }, 'k', patience());
    expect(rig.fake.messages(ANN)[0]?.content).toEqual({
      extendedTextMessage: {
        text: 'Seven.',
        contextInfo: { stanzaId: id, participant: ANN, quotedMessage: { conversation: 'how much?' }, expiration: 86_400 },
      },
    });
    // What is not remembered any more is answered without a quote.
    await rig.adapter.send({ ...text('Eight.'), replyTo: 'FORGOTTEN' }, 'k2', patience());
    expect(rig.fake.messages(ANN)[1]?.content).toEqual({ extendedTextMessage: { text: 'Eight.', contextInfo: { expiration: 86_400 } } });
  });

  it('begins with the prefix, in the chat with oneself without being told to', async () => {
    const rig = await connected({ config: { mode: 'self-chat', reply_only: false } });
    await rig.adapter.send({ ...text('Done.'), chat: { ...chat, chat: BOT.phone } }, 'k', patience());
    expect(rig.fake.messages(BOT.phone)[0]?.text).toBe('*Hermes*\nDone.');
  });

  it('takes the answers of another gateway on the same number for what they are, so that two do not talk for ever', async () => {
    const rig = await connected({ config: { mode: 'self-chat', reply_only: false } });
    const progress = { type: 'progress', chat: { ...chat, chat: BOT.phone }, steps: [], elapsedMs: 1, done: false } as const;
    await rig.adapter.send(progress, 'k', patience());
    const shown = rig.fake.messages(BOT.phone)[0]?.text ?? '';
    for (const words of ['*Hermes*\nDone.', shown, 'mine']) rig.fake.say(words, { chat: BOT.phone, fromMe: true });
    expect(rig.host.received.map((event) => event.type === 'message' && event.text)).toEqual(['mine']);
  });

  it('changes a message for a quarter of an hour, not longer, and no file', async () => {
    const rig = await connected({ config: { reply_only: false } });
    const ref = await rig.adapter.send(text('one'), 'k', patience());
    await rig.adapter.edit?.(ref, text('two'), patience());
    expect(rig.fake.messages(ANN)[0]?.text).toBe('two');
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 16 * 60_000 });
    await expect(rig.adapter.edit?.(ref, text('three'), patience())).rejects.toMatchObject({ kind: 'rejected', certain: true });
    const file = { type: 'file', chat, path: '/x', name: 'x', mime: 'a/b', kind: 'file' } as const;
    await expect(rig.adapter.edit?.(ref, file, patience())).rejects.toMatchObject({ kind: 'rejected' });
  });

  it('shows that it types', async () => {
    const rig = await connected();
    await rig.adapter.typing?.(chat, patience());
    expect(rig.fake.typed).toEqual([ANN]);
  });

  it('marks messages only where that is wanted', async () => {
    const plain = await connected();
    expect(plain.adapter.react).toBeUndefined();
    const rig = await connected({ config: { read_receipts: true, reactions: true } });
    const id = rig.fake.say('do it');
    for (const receipt of ['seen', 'done'] as const) await rig.adapter.react?.({ chat, id }, receipt, patience());
    await rig.adapter.react?.({ chat, id: 'UNKNOWN' }, 'seen', patience());
    expect(rig.fake.read).toEqual([id]);
    expect(rig.fake.relayed.map(({ content }) => content['reactionMessage'])).toMatchObject([
      { text: '👀', key: { id, remoteJid: ANN } },
      { text: '✅', key: { id } },
    ]);
  });
});

describe('files', () => {
  const directory = mkdtempSync(join(tmpdir(), 'whatsapp-files-'));
  const file = (name: string, more: Partial<OutboundFile> & { sizeBytes?: number } = {}): OutboundFile => {
    const path = join(directory, name);
    const { sizeBytes = 10, ...rest } = more;
    writeFileSync(path, 'x');
    truncateSync(path, sizeBytes);
    return { type: 'file', chat, path, name, mime: 'application/pdf', kind: 'file', ...rest };
  };

  it.each([
    ['a.png', { mime: 'image/png', kind: 'image' }, { type: 'image' }],
    ['b.png', { mime: 'image/png', kind: 'image', sizeBytes: 17_000_000 }, { type: 'document' }],
    ['c.png', { mime: 'image/png', kind: 'file' }, { type: 'document', name: 'c.png' }],
    ['d.mp4', { mime: 'video/mp4', kind: 'video' }, { type: 'video' }],
    ['e.ogg', { mime: 'audio/ogg', kind: 'voice' }, { type: 'audio', voice: true, mime: 'audio/ogg; codecs=opus' }],
    ['f.mp3', { mime: 'audio/mpeg', kind: 'audio' }, { type: 'audio', voice: false }],
    ['g.svg', { mime: 'image/svg+xml', kind: 'image' }, { type: 'document' }],
  ] as const)('%s goes as what it is', async (name, facts, expected) => {
    const rig = await connected({ config: { reply_only: false } });
    await rig.adapter.send(file(name, facts), 'k', patience());
    expect(rig.fake.uploads[0]).toMatchObject(expected);
    expect(rig.fake.messages(ANN)).toHaveLength(1);
  });

  it('are uploaded once, however often they are sent', async () => {
    const rig = await connected({ config: { reply_only: false } });
    const message = file('k.pdf');
    rig.fake.fail({ refuse: 500 });
    await expect(rig.adapter.send(message, 'k', patience())).rejects.toMatchObject({ kind: 'transient' });
    await rig.adapter.send(message, 'k', patience());
    await rig.adapter.send(message, 'another', patience());
    expect([rig.fake.uploads.length, rig.fake.messages(ANN).length]).toEqual([2, 2]);
  });

  it.each([
    ['gone', () => ({ ...file('h'), path: '/nowhere/h' }), 'is gone'],
    ['empty', () => file('i', { sizeBytes: 0 }), 'is empty'],
    ['too large', () => file('j', { sizeBytes: 64_000_001 }), '64 MB'],
  ])('that are %s are refused', async (_what, make, why) => {
    const rig = await connected({ config: { reply_only: false } });
    await expect(rig.adapter.send(make(), 'k', patience())).rejects.toMatchObject({
      kind: 'rejected',
      message: expect.stringContaining(why),
    });
    expect(rig.fake.uploads).toEqual([]);
  });
});

describe('what a recipient could not decrypt', () => {
  it('is there to be sent again, text and file, also after a restart and under either address', async () => {
    const rig = await connected({ config: { reply_only: false } });
    rig.fake.say('hi', { chatAlt: '9001@lid' });
    const sent = async (message: Outbound, key: string) => {
      const ref = await rig.adapter.send(message, key, patience());
      rig.host.sentBefore.set(ref.id, message);
      return ref.id;
    };
    const directory = mkdtempSync(join(tmpdir(), 'whatsapp-files-'));
    writeFileSync(join(directory, 'x.pdf'), 'x');
    const words = await sent(text('**Seven**'), 'a');
    const file = await sent(
      { type: 'file', chat, path: join(directory, 'x.pdf'), name: 'x.pdf', mime: 'application/pdf', kind: 'file' },
      'b',
    );
    const contents = rig.fake.relayed.map(({ content }) => content);
    await rig.stop();
    const again = await connected({ kept: rig.kept, on: rig.fake });
    for (const [id, message] of rig.host.sentBefore) again.host.sentBefore.set(id, message);
    const { sent: ask } = again.fake.line?.options ?? {};
    expect(ask?.(ANN, words)).toEqual(contents[0]);
    expect(ask?.('9001@lid', words)).toEqual(contents[0]);
    expect(ask?.(ANN, file)).toEqual(contents[1]);
    expect(ask?.(ANN, 'NEVER')).toBeUndefined();
  });
});

describe('an error', () => {
  it.each([
    [
      { kind: 'refused', code: 463 },
      { kind: 'rejected', certain: true },
    ],
    [
      { kind: 'refused', code: 403 },
      { kind: 'rejected', certain: true },
    ],
    [
      { kind: 'refused', code: 413 },
      { kind: 'rejected', certain: true },
    ],
    [
      { kind: 'refused', code: 479 },
      { kind: 'transient', certain: true },
    ],
    [
      { kind: 'refused', code: 500 },
      { kind: 'transient', certain: true },
    ],
    [
      { kind: 'refused', code: 429 },
      { kind: 'rate_limited', certain: true, retryAfterMs: 60_000 },
    ],
    [
      { kind: 'refused', code: 420 },
      { kind: 'rate_limited', certain: true },
    ],
    [
      { kind: 'failed', code: 404 },
      { kind: 'rejected', certain: true },
    ],
    [
      { kind: 'failed', code: 429 },
      { kind: 'rate_limited', certain: true },
    ],
    [{ kind: 'failed' }, { kind: 'transient', certain: false }],
    [{ kind: 'closed' }, { kind: 'transient', certain: false }],
    [{ kind: 'silent' }, { kind: 'transient', certain: false }],
  ] as const)('%j is %j', (facts, expected) => {
    const error = deliveryError(new LineError('detail', facts));
    expect(error).toMatchObject({ ...expected, formatting: false });
    expect(error.message).toMatch(/^WhatsApp: .*\.$/);
  });

  it('of our own making stays what it is, and an unknown one may pass', () => {
    const own = new DeliveryError('x', { kind: 'rejected', certain: true });
    expect(deliveryError(own)).toBe(own);
    expect(deliveryError(new TypeError('bug'))).toMatchObject({ kind: 'transient', certain: false });
  });
});

describe('incoming messages', () => {
  it('that waited a while are told apart, and those that could not be stored are not lost and stay in order', async () => {
    const rig = startRig();
    rigs.push(rig);
    rig.fake.say('old', { sentAtSeconds: Math.floor(Date.now() / 1000) - 600 });
    await until(() => rig.host.received.length === 1);
    expect(rig.host.received[0]).toMatchObject({ text: 'old', late: true });
    rig.host.refusal = new Error('disk full');
    rig.fake.say('one');
    rig.fake.say('two');
    await until(() => rig.host.states.at(-1)?.detail?.includes('cannot be stored'));
    rig.host.refusal = undefined;
    await until(() => rig.host.received.length === 3);
    expect(rig.host.received.slice(1)).toMatchObject([{ text: 'one' }, { text: 'two' }]);
    expect(rig.host.received[1]).not.toHaveProperty('late');
    await until(() => rig.host.states.at(-1)?.state === 'connected');
  });

  it('are forgotten after some days, while the account runs', async () => {
    const rig = await connected();
    vi.useFakeTimers({ toFake: ['Date'] });
    for (let count = 0; count < 100; count += 1) rig.fake.say('old');
    vi.setSystemTime(Date.now() + 4 * 24 * 3_600_000);
    for (let count = 0; count < 600; count += 1) rig.fake.say('new');
    expect([...rig.kept.keys()].filter((key) => key.startsWith('heard:')).length).toBe(600);
  });

  it('that were acknowledged and not stored are asked for once after a restart, and only those', async () => {
    const rig = await connected();
    rig.fake.say('taken');
    rig.fake.arrive({ id: 'LOST1' });
    rig.fake.arrive({ id: 'OLD1', sentAtSeconds: 1000 });
    await rig.stop();
    const again = await connected({ kept: rig.kept, on: rig.fake });
    await until(() => again.host.logged.some((line) => line.includes('acknowledged')));
    expect(again.fake.resends.map(({ key }) => key.id)).toEqual(['LOST1']);
    expect(again.host.logged.find((line) => line.includes('acknowledged'))).toContain('"lost":1');
    await again.stop();
    const third = await connected({ kept: rig.kept, on: rig.fake });
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(third.fake.resends).toHaveLength(1);
  });
});
