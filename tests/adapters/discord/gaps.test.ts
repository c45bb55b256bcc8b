import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type CodecContext, decodeMessage, type Found } from '../../../adapters/discord/codec.ts';
import { createGaps } from '../../../adapters/discord/gaps.ts';
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
  const gaps = createGaps({
    host,
    places: createPlaces(),
    history: {
      place: async () => undefined,
      page: async (_channel, after) => {
        if (fault.history) throw new Error('no history');
        return written.filter(({ message }) => BigInt(message.id) > BigInt(after));
      },
    },
    now: Date.now,
    decode: (found) => decodeMessage(found, context),
  });
  const write = (content: string): Found => {
    const message = messageSchema.parse({ id: snowflakeAt(Date.now()), channel_id: CHANNEL, author: { id: '2' }, type: 0, content });
    const found: Found = { message, place: { chat: CHANNEL, joined: true, threads: false } };
    written.push(found);
    return found;
  };
  const texts = (): string[] => host.received.map((event) => (event.type === 'message' ? event.text : ''));
  return { host, gaps, fault, write, texts };
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
    gaps.sessionBegins(end.signal);
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
    gaps.sessionBegins(end.signal);
    gaps.live(CHANNEL, write('seen'), end.signal);
    await vi.advanceTimersByTimeAsync(1000);
    write('missed');
    fault.history = true;
    gaps.sessionBegins(end.signal);
    await vi.advanceTimersByTimeAsync(300_000);
    expect(texts()).toEqual(['seen']);
    fault.history = false;
    await vi.advanceTimersByTimeAsync(300_000);
    expect(texts()).toEqual(['seen', 'missed']);
  });

  it('is not looked for any more when the connection is over', async () => {
    const { host, gaps, write, texts } = rig();
    const over = new AbortController();
    gaps.sessionBegins(over.signal);
    host.refusal = new Error('disk full');
    gaps.live(CHANNEL, write('keep me'), over.signal);
    await vi.advanceTimersByTimeAsync(10);
    over.abort(new Error('stopped'));
    host.refusal = undefined;
    await vi.advanceTimersByTimeAsync(600_000);
    expect(texts()).toEqual([]);
  });
});
