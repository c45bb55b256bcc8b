import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CodecContext, decodeUpdate } from '../../../adapters/telegram/codec.ts';

const context: CodecContext = {
  account: 'main',
  me: { id: 7_000_000_001, username: 'hermes_fake_bot' },
  rules: { requireMention: true, freeResponseChats: [], mentionRequiredChats: [], ignoredChats: [], patterns: [/^hermes,/iu] },
  ignoredThreads: [],
  commands: ['status', 'stop'],
};

// biome-ignore lint/suspicious/noExplicitAny: a captured payload is bent in tests
const sample = (name: string): any => JSON.parse(readFileSync(new URL(`./samples/${name}.json`, import.meta.url), 'utf8'));

function message(update: unknown, given: Partial<CodecContext> = {}) {
  const decoded = decodeUpdate(update, { ...context, ...given });
  if (decoded.type !== 'message') throw new Error(`expected a message, but it is ${JSON.stringify(decoded)}`);
  return decoded.message;
}

const ignoredBecause = (update: unknown, given: Partial<CodecContext> = {}): string => {
  const decoded = decodeUpdate(update, { ...context, ...given });
  return decoded.type === 'ignored' ? decoded.why : decoded.type;
};

describe('decoding Telegram updates', () => {
  it('reads a text in a private chat', () => {
    expect(message(sample('dm-text'))).toEqual({
      type: 'message',
      event: '501:1001:11',
      chat: { platform: 'telegram', account: 'main', chat: '1001' },
      chatType: 'dm',
      sender: { id: '1001', aliases: [], name: 'Ann Lee', isBot: false, roles: [] },
      sentAtMs: 1_795_300_000_000,
      message: '11',
      text: 'Hello 👋 there',
      mentioned: true,
      attachments: [],
    });
  });

  it('keeps events apart when the numbering of updates starts again', () => {
    const first = sample('dm-text');
    const later = { ...first, message: { ...first.message, message_id: 900, text: 'a week later' } };
    expect(message(later).event).not.toBe(message(first).event);
    expect(message(sample('dm-text')).event).toBe(message(first).event);
  });

  it('finds a mention by its UTF-16 offset, whatever its case', () => {
    const found = message(sample('group-mention'));
    expect(found).toMatchObject({ chatType: 'group', mentioned: true, text: '👍 hey @Hermes_Fake_Bot what is up?' });
  });

  it('finds a mention of a bot by its id', () => {
    expect(message(sample('text-mention')).mentioned).toBe(true);
  });

  it('takes the mention away where it only addresses the bot', () => {
    expect(message(sample('forum-general')).text).toBe('general');
    expect(message(sample('group-command-ours')).text).toBe('/status now');
  });

  it('leaves group chatter alone, unless the chat is free, mentions are not required or a pattern matches', () => {
    const chatter = sample('group-chatter');
    expect(ignoredBecause(chatter)).toBe('not addressed to the bot');
    const free = { ...context.rules, freeResponseChats: ['-1001234567890'] };
    expect(message(chatter, { rules: free })).toMatchObject({ mentioned: false, text: 'lunch, anybody?' });
    expect(message(chatter, { rules: { ...context.rules, requireMention: false } }).mentioned).toBe(false);
    const named = { ...chatter, message: { ...chatter.message, text: 'Hermes, lunch?' } };
    expect(message(named).mentioned).toBe(true);
  });

  it('leaves commands for other bots alone even where it hears everything', () => {
    const rules = { ...context.rules, requireMention: false };
    expect(ignoredBecause(sample('group-command-other'), { rules })).toBe('not addressed to the bot');
  });

  it('takes a bare command in a group as its own only when it is in its menu', () => {
    const bare = (text: string) => {
      const update = sample('group-chatter');
      return { ...update, message: { ...update.message, text, entities: [{ type: 'bot_command', offset: 0, length: text.length }] } };
    };
    expect(message(bare('/stop')).mentioned).toBe(true);
    expect(ignoredBecause(bare('/weather'))).toBe('not addressed to the bot');
  });

  it('counts a reply to the bot as addressing it', () => {
    expect(message(sample('group-reply-to-bot'))).toMatchObject({
      mentioned: true,
      replyTo: { message: '10', author: 'Hermes', fromBot: true, text: 'It rains today.' },
    });
  });

  it('takes the largest size of a photo and keeps its album together', () => {
    expect(message(sample('album-photo'))).toMatchObject({
      text: 'our cat',
      album: '13579',
      attachments: [{ kind: 'image', handle: { file_id: 'large' }, mime: 'image/jpeg', sizeBytes: 98_000 }],
    });
  });

  it('takes an image that was sent as a file as an image', () => {
    const update = sample('document');
    const document = { ...update.message.document, file_name: 'scan.png', mime_type: 'image/png' };
    const [found] = message({ ...update, message: { ...update.message, document } }).attachments;
    expect(found).toMatchObject({ kind: 'image', name: 'scan.png', mime: 'image/png' });
  });

  it.each([
    ['document', { kind: 'file', name: 'report.pdf', mime: 'application/pdf', sizeBytes: 424_242, handle: { file_id: 'doc1' } }],
    ['voice', { kind: 'voice', name: 'voice.ogg', mime: 'audio/ogg', sizeBytes: 9000, handle: { file_id: 'v1' } }],
    ['animation', { kind: 'video', name: 'cat.mp4', mime: 'video/mp4', sizeBytes: 77_000, handle: { file_id: 'an1' } }],
    ['sticker', { kind: 'sticker', name: 'sticker.webp', mime: 'image/webp', sizeBytes: 30_000, handle: { file_id: 'st1' } }],
  ])('takes a %s as one attachment', (name, attachment) => {
    expect(message(sample(name)).attachments).toEqual([attachment]);
  });

  it.each([
    ['location', 'Location: 52.52, 13.405'],
    ['venue', 'Place: Café, Main St 1 (52.5, 13.4)'],
    ['contact', 'Contact: Max M, +4930123'],
    ['poll', 'Poll: Lunch? Options: Pizza; Soup'],
    ['sticker', 'Sticker: 😀'],
  ])('tells a %s in one line', (name, text) => {
    expect(message(sample(name)).text).toBe(text);
  });

  it('takes a forum topic as a thread, but neither the General topic nor a thread of replies', () => {
    expect(message(sample('forum-topic')).chat).toMatchObject({ chat: '-1009876543210', thread: '77' });
    expect(message(sample('forum-general')).chat).not.toHaveProperty('thread');
    expect(message(sample('group-thread-of-replies')).chat).not.toHaveProperty('thread');
  });

  it('does not take the message that opened a topic as what is replied to', () => {
    expect(message(sample('forum-topic'))).not.toHaveProperty('replyTo');
  });

  it('brings the picture of the message that is replied to', () => {
    const found = message(sample('group-thread-of-replies'));
    expect(found.replyTo).toEqual({ message: '9', author: 'Bob', fromBot: false, text: '[image]' });
    expect(found.attachments).toMatchObject([{ kind: 'image', handle: { file_id: 'quoted' } }]);
  });

  it('quotes the passage that was chosen', () => {
    expect(message(sample('quote')).replyTo).toMatchObject({ text: 'the second sentence', fromBot: true });
  });

  it('marks forwarded words, so that they are no command of the sender', () => {
    expect(message(sample('forwarded-command')).text).toBe('[Forwarded from Bob]\n/stop');
  });

  it('stays out of ignored topics, by number or by chat and number', () => {
    expect(ignoredBecause(sample('forum-topic'), { ignoredThreads: ['77'] })).toBe('an ignored topic');
    expect(ignoredBecause(sample('forum-topic'), { ignoredThreads: ['-1009876543210:77'] })).toBe('an ignored topic');
    expect(ignoredBecause(sample('forum-general'), { ignoredThreads: ['-1009876543210:1'] })).toBe('an ignored topic');
    expect(message(sample('forum-topic'), { ignoredThreads: ['-5:77', '1'] }).chat.thread).toBe('77');
  });

  it.each([
    ['edited', 'not a message'],
    ['channel-post', 'not a message'],
    ['from-bot', 'a bot'],
    ['anonymous-admin', 'nobody to answer to'],
    ['linked-channel', 'a channel post'],
    ['members-joined', 'a service message'],
  ])('ignores: %s', (name, why) => {
    expect(ignoredBecause(sample(name))).toBe(why);
  });

  it('notes where a group went', () => {
    expect(decodeUpdate(sample('migrated'), context)).toEqual({ type: 'migrated', from: '-4242', to: '-1004242' });
  });

  it('authorises by the immutable id only: a name that changed hands changes nothing', () => {
    const update = sample('dm-text');
    const impostor = { ...update, message: { ...update.message, from: { ...update.message.from, id: 666 } } };
    expect(message(impostor).sender).toMatchObject({ id: '666', aliases: [], name: 'Ann Lee' });
  });

  it('never throws, whatever arrives', () => {
    fc.assert(
      fc.property(fc.anything(), fc.anything(), (whole, inner) => {
        expect(decodeUpdate(whole, context).type).toBe('ignored');
        expect(decodeUpdate({ update_id: 1, message: inner }, context).type).toBe('ignored');
        expect(decodeUpdate({ update_id: 1, callback_query: inner }, context).type).toBe('ignored');
      }),
      { numRuns: 200 },
    );
  });

  it('says which field was not as documented', () => {
    const update = sample('dm-text');
    expect(ignoredBecause({ ...update, message: { ...update.message, date: 'today' } })).toBe('not as documented: message.date');
  });

  it('reads a click on a card in a topic as an answer, although nobody mentions the bot', () => {
    const decoded = decodeUpdate(sample('callback'), { ...context, ignoredThreads: ['-1009876543210:1'] });
    expect(decoded).toEqual({
      type: 'answer',
      answer: {
        type: 'answer',
        event: 'cb:4299467196000000001',
        chat: { platform: 'telegram', account: 'main', chat: '-1009876543210', thread: '77' },
        chatType: 'group',
        sender: { id: '1001', aliases: [], name: 'Ann Lee', isBot: false, roles: [] },
        sentAtMs: 1_795_300_000_000,
        token: 'abcdefgh12345678',
        choice: 'once',
        message: '40',
        interaction: { callback: '4299467196000000001' },
      },
    });
  });

  it('reads a click on a card that Telegram cannot show any more', () => {
    const answer = { chat: { chat: '1001' }, chatType: 'dm', message: '12', choice: 'deny', sentAtMs: 0 };
    expect(decodeUpdate(sample('callback-inaccessible'), context)).toMatchObject({ type: 'answer', answer });
  });

  it('names the click that nobody will answer: of a bot, on an inline message, on a button that is none of a card', () => {
    const { callback_query: callback } = sample('callback');
    const ignored = (query: object) => decodeUpdate({ update_id: 1, callback_query: query }, context);
    const id = '4299467196000000001';
    const foreign = { type: 'ignored', why: 'a click on no button of a card', callback: id };
    expect(ignored({ ...callback, from: { ...callback.from, is_bot: true } })).toEqual({ type: 'ignored', why: 'a bot', callback: id });
    expect(decodeUpdate(sample('callback-inline'), context)).toMatchObject({ why: 'a click on no message of a chat' });
    expect(ignored({ ...callback, data: undefined })).toEqual(foreign);
    for (const data of [
      '',
      'once',
      'abcdefgh1234567:once',
      'abcdefgh123456789:once',
      'ABCDEFGH12345678:once',
      'abcdefgh12345678:',
      'abcdefgh12345678:thirteenchars',
      'abcdefgh12345678:on ce',
      'abcdefgh12345678:once\n',
      'x abcdefgh12345678:once',
    ])
      expect(ignored({ ...callback, data })).toEqual(foreign);
  });

  it('survives JSON with every sample', () => {
    for (const name of ['dm-text', 'group-mention', 'album-photo', 'document', 'forum-topic', 'quote', 'venue']) {
      const found = message(sample(name));
      expect(JSON.parse(JSON.stringify(found))).toEqual(found);
    }
  });
});
