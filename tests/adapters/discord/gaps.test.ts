import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type CodecContext, decodeMessage, type Found } from '../../../adapters/discord/codec.ts';
import { createGaps } from '../../../adapters/discord/gaps.ts';
import { createHomes } from '../../../adapters/discord/homes.ts';
import { createPlaces } from '../../../adapters/discord/places.ts';
import { messageSchema, snowflakeAt } from '../../../adapters/discord/wire.ts';
import { createTestHost } from '../host.ts';

const CHANNEL = '300000000000000003';
const context: CodecContext = {
  account: 'main',
  me: { id: '1', roles: new Set() },
  rules: { requireMention: true, freeResponseChats: [], mentionRequiredChats: [], ignoredChats: [], patterns: [] },
  bots: 'none',
  onlyChats: [],
  autoThread: true,
  noThreadChats: [],
  threadRequireMention: false,
  ignoreNoMention: true,
  nameOf: () => undefined,
};

function rig() {
  const host = createTestHost();
  const written: Found[] = [];
  const fault = { history: false };
  const places = createPlaces();
  const gaps = createGaps({
    host,
    places,
    homes: createHomes(host),
    history: {
      place: async () => undefined,
      page: async (channel, after) => {
        if (fault.history) throw new Error('no history');
        return written.filter(({ message }) => message.channel_id === channel && BigInt(message.id) > BigInt(after));
      },
    },
    now: Date.now,
    decode: (found) => decodeMessage(found, context),
  });
  const write = (content: string, channel = CHANNEL): Found => {
    const message = messageSchema.parse({ id: snowflakeAt(Date.now()), channel_id: channel, author: { id: '2' }, type: 0, content });
    const found: Found = { message, place: { chat: channel, joined: true, threads: false } };
    written.push(found);
    return found;
  };
  const texts = (): string[] => host.received.map((event) => (event.type === 'message' ? event.text : ''));
  return { host, gaps, places, fault, write, texts };
}

describe('a message that Discord sent once and nobody could keep', () => {
  const end = new AbortController();
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('is fetched again for as long as the disk is full and the history cannot be read', async () => {
    const { host, gaps, fault, write, texts } = rig();
    gaps.sessionBegins([], end.signal);
    host.refusal = new Error('disk full');
    gaps.live(CHANNEL, write('keep me'), end.signal);
    await vi.advanceTimersByTimeAsync(120_000);
    host.refusal = undefined;
    fault.history = true;
    await vi.advanceTimersByTimeAsync(300_000);
    expect(texts()).toEqual([]);
    fault.history = false;
    await vi.advanceTimersByTimeAsync(300_000);
    expect(texts()).toEqual(['keep me']);
  });

  it('is looked for as long as the history cannot be read, also when nothing else is said', async () => {
    const { gaps, fault, write, texts } = rig();
    gaps.sessionBegins([], end.signal);
    gaps.live(CHANNEL, write('seen'), end.signal);
    await vi.advanceTimersByTimeAsync(1000);
    write('missed');
    fault.history = true;
    gaps.sessionBegins([], end.signal);
    await vi.advanceTimersByTimeAsync(300_000);
    expect(texts()).toEqual(['seen']);
    fault.history = false;
    await vi.advanceTimersByTimeAsync(300_000);
    expect(texts()).toEqual(['seen', 'missed']);
  });

  it('is not looked for any more when the connection is over', async () => {
    const { host, gaps, write, texts } = rig();
    const over = new AbortController();
    gaps.sessionBegins([], over.signal);
    host.refusal = new Error('disk full');
    gaps.live(CHANNEL, write('keep me'), over.signal);
    await vi.advanceTimersByTimeAsync(10);
    over.abort(new Error('stopped'));
    host.refusal = undefined;
    await vi.advanceTimersByTimeAsync(600_000);
    expect(texts()).toEqual([]);
  });
});

describe('a server that Discord tells of late', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('has missed what came since the session began, whatever was said elsewhere meanwhile', async () => {
    const { host, gaps, places, write, texts } = rig();
    const { signal } = new AbortController();
    gaps.sessionBegins([], signal);
    await vi.advanceTimersByTimeAsync(60_000);
    // The connection was lost, and these were written.
    const missed = write('missed');
    await vi.advanceTimersByTimeAsync(60_000);
    gaps.sessionBegins(['900', '901'], signal);
    gaps.guildAppears({ id: '901', joinedAtMs: 0 }, signal);
    await vi.advanceTimersByTimeAsync(60_000);
    gaps.passed('77', write('not for us', '77').message.id);
    expect(Number(host.store.get('heard'))).toBeLessThan(Number(missed.message.id));
    places.event('GUILD_CREATE', { id: '900', channels: [{ id: CHANNEL, type: 0, last_message_id: missed.message.id }] }, '1');
    gaps.guildAppears({ id: '900', joinedAtMs: 0 }, signal);
    await vi.advanceTimersByTimeAsync(1000);
    expect(texts()).toEqual(['missed']);
    // All have appeared: what is heard now is heard.
    await vi.advanceTimersByTimeAsync(60_000);
    const { id } = write('again', '77').message;
    gaps.passed('77', id);
    expect(host.store.get('heard')).toBe(id);
  });

  it('keeps what it missed, and lets the others count as heard, when it is out of order for long', async () => {
    const { host, gaps, places, write, texts } = rig();
    const { signal } = new AbortController();
    gaps.sessionBegins([], signal);
    await vi.advanceTimersByTimeAsync(60_000);
    const missed = write('missed');
    gaps.sessionBegins(['900'], signal);
    await vi.advanceTimersByTimeAsync(3_600_000);
    const { id } = write('not for us', '77').message;
    gaps.passed('77', id);
    expect(host.store.get('heard')).toBe(id);
    places.event('GUILD_CREATE', { id: '900', channels: [{ id: CHANNEL, type: 0, last_message_id: missed.message.id }] }, '1');
    gaps.guildAppears({ id: '900', joinedAtMs: 0 }, signal);
    await vi.advanceTimersByTimeAsync(1000);
    expect(texts()).toEqual(['missed']);
  });
});
