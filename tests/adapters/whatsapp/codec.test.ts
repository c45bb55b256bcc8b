import { readdirSync, readFileSync } from 'node:fs';
import { proto } from '@whiskeysockets/baileys';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { InboundMessage, Json } from '../../../adapters/adapter.ts';
import { type CodecContext, decodeMessage } from '../../../adapters/whatsapp/codec.ts';
import { createPeople } from '../../../adapters/whatsapp/people.ts';
import { createTestHost } from '../host.ts';

const samples = new URL('./samples/', import.meta.url);
const names = readdirSync(samples).map((name) => name.replace('.json', ''));

/** As the client library hands it over: through the protocol, with the other addresses that it adds to the key. */
function sample(name: string): unknown {
  const json = JSON.parse(readFileSync(new URL(`${name}.json`, samples), 'utf8'));
  const decoded = proto.WebMessageInfo.decode(proto.WebMessageInfo.encode(proto.WebMessageInfo.fromObject(json)).finish());
  return Object.assign(decoded, { key: Object.assign(decoded.key ?? {}, json.key) });
}

function context(changes: Partial<CodecContext> = {}): CodecContext {
  const { store } = createTestHost(new Map<string, Json>());
  return {
    account: 'main',
    mode: 'bot',
    me: { phone: '4930111@s.whatsapp.net', lid: '7001@lid' },
    rules: { requireMention: true, freeResponseChats: [], mentionRequiredChats: [], ignoredChats: [], patterns: [] },
    commands: ['stop', 'new'],
    prefixes: ['*Hermes*\n'],
    isOurs: (id) => id.startsWith('3EB0'),
    join: createPeople(store).join,
    ...changes,
  };
}

function message(name: string, changes: Partial<CodecContext> = {}): InboundMessage {
  const decoded = decodeMessage(sample(name), context(changes));
  if (decoded.type !== 'message') throw new Error(`${name} is ${JSON.stringify(decoded)}`);
  expect(JSON.parse(JSON.stringify(decoded.message))).toEqual(decoded.message);
  return decoded.message;
}

const why = (name: string, changes: Partial<CodecContext> = {}) => decodeMessage(sample(name), context(changes));

describe('a WhatsApp message', () => {
  it('is text from a person with both addresses', () => {
    expect(message('dm-text')).toEqual({
      type: 'message',
      event: '49151222@s.whatsapp.net:3A1F00AA',
      chat: { platform: 'whatsapp', account: 'main', chat: '49151222@s.whatsapp.net' },
      chatType: 'dm',
      sender: { id: '49151222', aliases: ['9001@lid'], name: 'Ann', isBot: false, roles: [] },
      sentAtMs: 1_790_000_000_000,
      message: '3A1F00AA',
      text: 'hello',
      mentioned: true,
      attachments: [],
    });
  });

  it('comes from the same chat and the same person whichever address WhatsApp uses', () => {
    const one = context();
    const both = ['dm-text', 'dm-lid'].map((name) => decodeMessage(sample(name), one));
    const chats = both.map((decoded) => (decoded.type === 'message' ? [decoded.message.chat.chat, decoded.message.sender.id] : []));
    expect(chats).toEqual([
      ['49151222@s.whatsapp.net', '49151222'],
      ['49151222@s.whatsapp.net', '49151222'],
    ]);
  });

  it.each([
    ['extended-text', 'see https://example.org'],
    ['disappearing', 'soon gone'],
    ['location', 'Place: Cafe, Street 1 (52.5, 13.4)'],
    ['contact', 'Contact: Ben, +49 30 1'],
    ['poll', 'Poll: Lunch? Options: Pizza; Soup'],
    ['document-with-caption', 'the plan'],
    ['forwarded-command', '[Forwarded]\n/stop'],
  ])('%s reads as %j', (name, text) => {
    expect(message(name).text).toBe(text);
  });

  it.each([
    ['image', { kind: 'image', mime: 'image/jpeg', name: 'photo.jpg', sizeBytes: 1234 }],
    ['view-once', { kind: 'image', mime: 'image/jpeg' }],
    ['video', { kind: 'video', mime: 'video/mp4', name: 'video.mp4' }],
    ['voice', { kind: 'voice', mime: 'audio/ogg', name: 'voice.ogg' }],
    ['audio', { kind: 'audio', mime: 'audio/mpeg' }],
    ['document-with-caption', { kind: 'file', mime: 'application/pdf', name: 'plan.pdf' }],
    ['sticker', { kind: 'sticker', mime: 'image/webp' }],
  ])('%s carries a file as a reference, without the host that its sender wrote', (name, expected) => {
    const [attachment, ...more] = message(name).attachments;
    expect(attachment).toMatchObject(expected);
    expect(more).toEqual([]);
    expect(attachment?.handle).toMatchObject({ path: '/v/t62/file.enc?ccb=1', mediaKey: expect.stringMatching(/^AQID/) });
    expect(JSON.stringify(attachment)).not.toContain('evil.example');
  });

  it('belongs to its album', () => {
    expect(message('album-item')).toMatchObject({ album: 'ALBUM1', attachments: [{ kind: 'image' }] });
  });

  it('names what it answers, and brings along the file of it', () => {
    expect(message('quote-of-bot').replyTo).toEqual({ message: '3EB0AAAA', author: 'the bot', fromBot: true, text: 'No.' });
    expect(message('quote-of-photo')).toMatchObject({
      replyTo: { author: '+49151222', fromBot: false, text: 'a bird' },
      attachments: [{ kind: 'image' }],
    });
  });

  it('keeps after how long its chat forgets', () => {
    expect(decodeMessage(sample('disappearing'), context())).toMatchObject({ expiration: 86_400 });
  });
});

describe('a group', () => {
  it.each([
    ['group-mention', 'what now?'],
    ['group-mention-lid', 'ask @7001 please'],
    ['group-reply-to-bot', 'and then?'],
    ['group-command', '/stop'],
  ])('speaks to the bot: %s', (name, text) => {
    expect(message(name)).toMatchObject({
      text,
      mentioned: true,
      chatType: 'group',
      chat: { chat: '120363001@g.us' },
      sender: { id: '49151222' },
    });
  });

  it.each(['group-chatter', 'group-other-command'])('does not: %s', (name) => {
    expect(why(name)).toMatchObject({ type: 'ignored', why: 'not addressed to the bot' });
  });

  it('is listened to where nothing has to be addressed', () => {
    expect(message('group-chatter', { rules: { ...context().rules, freeResponseChats: ['120363001@g.us'] } })).toMatchObject({
      mentioned: false,
    });
  });

  it('tells two people apart who chose the same id', () => {
    const other = sample('group-mention') as { key: { participant: string; participantAlt: string } };
    Object.assign(other.key, { participant: '9002@lid', participantAlt: '49151333@s.whatsapp.net' });
    const decoded = decodeMessage(other, context());
    expect(decoded.type === 'message' && decoded.message.event).not.toBe(message('group-mention').event);
  });
});

describe('what is not for the bot', () => {
  it.each([
    'status',
    'newsletter',
    'broadcast-list',
    'edited',
    'revoked',
    'reaction',
    'key-exchange',
    'pin',
    'from-phone-to-ann',
    'to-myself',
  ])('%s', (name) => {
    expect(why(name).type).toBe('ignored');
  });

  it('is in self-chat mode everything but what the owner writes to himself', () => {
    const self = { mode: 'self-chat' } as const;
    expect(message('to-myself', self)).toMatchObject({
      text: 'remind me',
      sender: { id: '4930111', aliases: ['7001@lid'] },
      chatType: 'dm',
    });
    for (const name of names.filter((other) => other !== 'to-myself')) expect([name, why(name, self).type]).toEqual([name, 'ignored']);
    expect(why('to-myself', { ...self, isOurs: () => true })).toMatchObject({ why: 'our own message' });
  });

  it('is told apart when it could not be decrypted', () => {
    const garbled = Object.assign(sample('dm-text') as object, { message: null, messageStubType: 2 });
    expect(decodeMessage(garbled, context())).toEqual({ type: 'undecryptable', id: '3A1F00AA' });
  });

  it('never throws, whatever comes', () => {
    const key = fc.record({
      remoteJid: fc.constantFrom('1@lid', '2@g.us', '3@s.whatsapp.net', 'x'),
      id: fc.string({ minLength: 1 }),
      participant: fc.anything(),
    });
    fc.assert(
      fc.property(fc.oneof(fc.anything(), fc.record({ key, message: fc.anything(), messageTimestamp: fc.anything() })), (raw) => {
        expect(['message', 'ignored', 'undecryptable']).toContain(decodeMessage(raw, context()).type);
      }),
      { numRuns: 300 },
    );
  });
});
