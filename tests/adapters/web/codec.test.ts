import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseClientFrame, previewDelta, titleOf } from '../../../adapters/web/codec.ts';
import { MAX_PART_LENGTH, webPlatform } from '../../../adapters/web/platform.ts';

const message = { type: 'message', chat: 'main', id: 'abcdefgh', text: 'hello' };

describe('a frame from the page', () => {
  it('is taken when it is one of the four', () => {
    for (const frame of [
      message,
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
    ['a fraction', JSON.stringify({ type: 'open', chat: 'main', epoch: '', seen: 1.5 })],
  ])('with %s is none', (_name, data) => {
    expect(parseClientFrame(data)).toBeUndefined();
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
