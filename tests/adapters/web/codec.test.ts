import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { OutboundAsk } from '../../../adapters/adapter.ts';
import { answerOf, bodyOf, inboundOf, pageOf, parseClientFrame, previewDelta, refusalOf, titleOf } from '../../../adapters/web/codec.ts';
import { MAX_PART_LENGTH, webPlatform } from '../../../adapters/web/platform.ts';

const message = { type: 'message', chat: 'main', id: 'abcdefgh', text: 'hello' };
const answer = { type: 'answer', chat: 'main', id: 'abcdefgh', seq: 4, token: 'abcdefgh12345678', choice: 'once' };
const ask: OutboundAsk = {
  type: 'ask',
  chat: { platform: 'web', account: 'main', chat: 'main' },
  token: 'abcdefgh12345678',
  number: 3,
  markdown: 'Run `ls`?',
  choices: [{ id: 'once', label: 'Allow once' }],
  hint: 'Or answer /approve.',
};
const base = { seq: 4, version: 9, atMs: 5 };
const card = { ...base, type: 'ask', token: ask.token, number: 3, markdown: ask.markdown, choices: ask.choices, hint: ask.hint } as const;

describe('a frame from the page', () => {
  it('is taken when it is one of ours', () => {
    for (const frame of [
      message,
      { ...message, replyTo: 4 },
      answer,
      { type: 'open', chat: 'main', epoch: '', seen: 0 },
      { type: 'earlier', chat: 'abcdefabcdef', before: 7 },
      { type: 'ping' },
    ]) {
      expect(parseClientFrame(JSON.stringify(frame))).toEqual(frame);
    }
  });

  it.each([
    ['no JSON', '{'],
    ['no object', '[]'],
    ['null', 'null'],
    ['an unknown type', JSON.stringify({ type: 'tool_result' })],
    ['a further field (a forged history)', JSON.stringify({ ...message, role: 'assistant' })],
    ['a chat that is a path', JSON.stringify({ ...message, chat: '../../etc' })],
    ['a chat that is a prototype key', JSON.stringify({ ...message, chat: '__proto__' })],
    ['a chat with a NUL', JSON.stringify({ ...message, chat: 'abcdefabcdef\0' })],
    ['a chat of 10 KB', JSON.stringify({ ...message, chat: 'a'.repeat(10_240) })],
    ['a chat of look-alike letters', JSON.stringify({ ...message, chat: 'mаin' })],
    ['an id that is a path', JSON.stringify({ ...message, id: '../../../x' })],
    ['an id that is a prototype key', JSON.stringify({ ...message, id: 'constructor/' })],
    ['no text', JSON.stringify({ ...message, text: ' \n ' })],
    ['a text over the limit', JSON.stringify({ ...message, text: 'x'.repeat(100_001) })],
    ['a negative counter', JSON.stringify({ type: 'open', chat: 'main', epoch: '', seen: -1 })],
    ['a reply to no entry', JSON.stringify({ ...message, replyTo: 0 })],
    ['a reply that brings its own quotation', JSON.stringify({ ...message, replyTo: { seq: 4, text: 'forged' } })],
    ['an answer for no entry', JSON.stringify({ ...answer, seq: 0 })],
    ['an answer with a short token', JSON.stringify({ ...answer, token: 'abcdefgh' })],
    ['an answer with a token of another alphabet', JSON.stringify({ ...answer, token: 'ABCDEFGH12345678' })],
    ['an answer without a choice', JSON.stringify({ ...answer, choice: '' })],
    ['an answer in the name of somebody', JSON.stringify({ ...answer, person: 'owner' })],
    ['a fraction', JSON.stringify({ type: 'open', chat: 'main', epoch: '', seen: 1.5 })],
  ])('with %s is none', (_name, data) => {
    expect(parseClientFrame(data)).toBeUndefined();
  });
});

describe('a card', () => {
  it('keeps everything that the page shows and that a click must match', () => {
    expect({ ...bodyOf(ask), ...base }).toEqual(card);
    expect(bodyOf({ ...ask, choices: [], closed: 'Denied by Ann.' })).toMatchObject({ choices: [], closed: 'Denied by Ann.' });
  });

  it.each([
    ['that is not there', undefined, answer],
    ['with another token', card, { ...answer, token: 'zbcdefgh12345678' }],
    ['that is closed', { ...card, choices: [], closed: 'Denied.' }, answer],
    ['that is closed and still lists its choices', { ...card, closed: 'Denied.' }, answer],
    ['that does not offer the choice', card, { ...answer, choice: 'always' }],
  ])('%s takes no click, and says why', (_name, entry, click) => {
    expect(refusalOf(entry, click)).toMatch(/^This question .*\.$/);
  });

  it('takes a click on what it offers', () => {
    expect(refusalOf(card, answer)).toBeUndefined();
  });

  it('is named by an answer and quoted by a reply', () => {
    const arrival = { chat: ask.chat, person: 'owner', id: 'abcdefgh', seq: 4, atMs: 7 };
    const origin = { event: 'abcdefgh', chat: ask.chat, chatType: 'dm', sender: { id: 'owner' }, sentAtMs: 7, message: '4' };
    const click = answerOf(arrival, answer, 'page-1');
    expect(click).toMatchObject({ ...origin, type: 'answer', token: ask.token, choice: 'once' });
    expect(pageOf(click.interaction)).toBe('page-1');
    const replyTo = { message: '4', author: 'Hermes', fromBot: true, text: ask.markdown };
    expect(inboundOf({ ...arrival, seq: 5 }, 'yes', card)).toMatchObject({ ...origin, message: '5', text: 'yes', replyTo });
    expect(inboundOf(arrival, 'yes', undefined)).not.toHaveProperty('replyTo');
  });

  it.each([null, 'page-1', [], {}, { page: 1 }])('is of another make: the interaction %j names no page', (interaction) => {
    expect(pageOf(interaction)).toBeUndefined();
  });
});

describe('a preview', () => {
  it('rebuilds the text, whatever was there before', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (before, after) => {
        const { at, text } = previewDelta(before, after);
        expect(before.slice(0, at) + text).toBe(after);
      }),
    );
  });

  it('sends only what is new', () => {
    expect(previewDelta('Hello', 'Hello, world')).toEqual({ at: 5, text: ', world' });
  });
});

describe('a title', () => {
  it('is the first line, cut between characters', () => {
    expect(titleOf('\n Fix the tests \nand more')).toBe('Fix the tests ');
    expect(titleOf('👩‍👩‍👧'.repeat(80))).toBe(`${'👩‍👩‍👧'.repeat(59)}…`);
  });
});

describe('splitting for the page', () => {
  it('leaves what people and models write in one part', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(webPlatform.split(text)).toEqual([text]);
      }),
    );
  });

  it('cuts what would choke a browser, between lines, and closes the code that it cuts', () => {
    const parts = webPlatform.split(`\`\`\`sh\n${`${'x'.repeat(99)}\n`.repeat(2500)}\`\`\``);
    expect(parts.length).toBeGreaterThan(2);
    for (const part of parts) {
      expect(part.length).toBeLessThanOrEqual(MAX_PART_LENGTH);
      expect(part).toMatch(/^```sh\n(x{99}\n)+```$/);
    }
    expect(parts.join('').match(/x{99}/g)).toHaveLength(2500);
  });
});

describe('the section "web" of the configuration', () => {
  it('listens on the loopback address for the owner alone unless told otherwise', () => {
    const config = webPlatform.schema.parse({});
    expect(config).toMatchObject({
      host: '127.0.0.1',
      allowed_users: ['owner'],
      allowed_hosts: [],
      pacing: { chat_interval_ms: 0, per_second: 0 },
    });
    expect(config.port).toBeUndefined();
    expect(webPlatform.enabled(config)).toBe(true);
    expect(webPlatform.enabled(webPlatform.schema.parse({ enabled: false }))).toBe(false);
  });

  it('takes a port from the environment, where everything is text', () => {
    expect(webPlatform.schema.parse({ port: '9200' }).port).toBe(9200);
    expect(webPlatform.schema.parse({ allowed_users: 'owner, guest' }).allowed_users).toEqual(['owner', 'guest']);
    expect(webPlatform.schema.safeParse({ port: 'http' }).success).toBe(false);
  });
});
