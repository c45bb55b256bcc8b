import { beforeEach, describe, expect, it, vi } from 'vitest';
import { DeliveryError } from '../../../adapters/adapter.ts';
import type { AgentEvent } from '../../../agent/events.ts';
import type { Capability, FakePlatform, FakePlatformOptions } from '../../fakes/platform.ts';
import { end, liveOn } from './support.ts';

beforeEach(() => {
  vi.useFakeTimers();
  return () => vi.useRealTimers();
});

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
const delta = (text: string): AgentEvent => ({ type: 'text.delta', text });
const said = (text: string, call?: string): AgentEvent => ({
  type: 'message',
  message: {
    role: 'assistant',
    text,
    calls: call === undefined ? [] : [{ id: call, name: 'look', arguments: '{}' }],
    finish: call === undefined ? 'stop' : 'calls',
  },
});
const editable: readonly Capability[] = ['edit', 'delete', 'private-previews'];

/** A live turn in a group, where this platform shows no previews. */
async function streaming(options: FakePlatformOptions = {}) {
  const given = await liveOn({ capabilities: editable, ...options, group: true });
  return { ...given, live: given.open(), startedAt: Date.now() };
}

const shown = (platform: FakePlatform): readonly unknown[] =>
  platform.calls.map(({ kind, message }) => [kind, message?.type === 'text' ? message.markdown : '']);

describe('an answer in a chat without previews', () => {
  it('is shown by a message of its own after 2 s, edited every 4 s at most, whatever its platform allows in private', async () => {
    const { platform, live, startedAt } = await streaming({ capabilities: ['edit', 'private-previews'] });
    for (let word = 0; word < 200; word += 1) {
      live.handle(delta(`${word} `));
      await pass(100);
    }
    const at = platform.calls.map((call) => call.at - startedAt);
    expect(at.slice(0, 2).map((time) => Math.floor(time / 100) * 100)).toEqual([2000, 6000]);
    for (const [index, time] of at.entries()) if (index > 0) expect(time - (at[index - 1] ?? 0)).toBeGreaterThanOrEqual(4000);
    expect(platform.calls.map(({ kind }) => kind)).toEqual(['send', 'edit', 'edit', 'edit', 'edit']);
  });

  it('is not shown before there is something to read, nor without its media lines', async () => {
    const { platform, live } = await streaming();
    live.handle(delta('abc'));
    await pass(10_000);
    expect(shown(platform)).toEqual([]);
    live.handle(delta('d\nMEDIA:/secret/path'));
    await pass(5000);
    expect(shown(platform)).toEqual([['send', 'abcd']]);
  });

  it('is not shown while it is silence, or may become that', async () => {
    const { platform, live } = await streaming();
    for (const piece of ['NO', '_REP', 'LY']) {
      live.handle(delta(piece));
      await pass(10_000);
    }
    expect(shown(platform)).toEqual([]);
    live.handle(delta(' is what I say'));
    await pass(10_000);
    expect(shown(platform)).toEqual([['send', 'NO_REPLY is what I say']]);
  });

  it('quotes what it answers, and shows what fits one message', async () => {
    const { platform, live } = await streaming({ partUnits: 10 });
    live.handle(delta('0123456789ab'));
    await pass(3000);
    expect(platform.calls).toMatchObject([{ message: { markdown: '0123456789', replyTo: '7' } }]);
  });

  it('is neither sent nor edited during a penalty', async () => {
    const { platform, account, live } = await streaming();
    account.penalise('fake/main/group', 20_000);
    live.handle(delta('The answer'));
    await pass(19_900);
    expect(platform.calls).toEqual([]);
    await pass(5000);
    account.penalise('fake/main/group', 20_000);
    live.handle(delta(' grows'));
    await pass(19_900);
    expect(shown(platform)).toEqual([['send', 'The answer']]);
    await pass(5000);
    expect(shown(platform)).toEqual([
      ['send', 'The answer'],
      ['edit', 'The answer grows'],
    ]);
  });

  it('leaves the slots that the platform allows to what people wait for', async () => {
    const pacing = { chat_interval_ms: 1000, chat_burst: 3, group_per_minute: 4 };
    const { platform, account, live } = await streaming({ pacing });
    for (let word = 0; word < 600; word += 1) {
      live.handle(delta(`${word} `));
      await pass(100);
    }
    expect(platform.calls.length).toBeLessThanOrEqual(4);
    expect(account.pacer.reserve('fake/main/group', true)).toBe(0);
  });

  it('takes one slot for its first message, and not a second one at its delivery', async () => {
    const { platform, live, startedAt } = await streaming({ pacing: { chat_interval_ms: 5000 } });
    live.handle(delta('The answer'));
    await pass(12_000);
    expect(platform.calls.map((call) => Math.floor((call.at - startedAt) / 100))).toEqual([20]);
  });

  it('waits while something else is to be sent to the chat', async () => {
    const { platform, store, target, live } = await streaming();
    const payload = { type: 'text', chat: target.chat, markdown: 'a notice' } as const;
    const id = store.outbox.add({ lane: 'fake/main/group', group: true, purpose: 'notice', payload });
    live.handle(delta('The answer'));
    await pass(10_000);
    expect(platform.calls).toEqual([]);
    store.outbox.sent(id, '1');
    await pass(5000);
    expect(shown(platform)).toEqual([['send', 'The answer']]);
  });

  it('is given up as a stream when its message was lost, and not begun again', async () => {
    const { platform, store, turn, live } = await streaming();
    platform.fail({ throws: new DeliveryError('lost', { kind: 'transient', certain: false }), arrived: true });
    for (let word = 0; word < 200; word += 1) {
      live.handle(delta(`${word} `));
      await pass(100);
    }
    expect(platform.calls.map(({ kind }) => kind)).toEqual(['send']);
    expect(store.outbox.draftOf(turn.id)).toMatchObject({ state: 'unknown' });
    expect(store.outbox.hasNotice(turn.id)).toBe(false);
  });

  it('shows what is said after a new start of the request, and not an empty message', async () => {
    const { platform, live } = await streaming();
    live.handle(delta('half an answer'));
    await pass(3000);
    live.handle({ type: 'text.reset' });
    await pass(10_000);
    live.handle(delta('another answer'));
    await pass(10_000);
    expect(shown(platform)).toEqual([
      ['send', 'half an answer'],
      ['edit', 'another answer'],
    ]);
  });

  it('is not shown where the platform cannot edit', async () => {
    const { platform, live } = await streaming({ capabilities: ['delete', 'private-previews'] });
    live.handle(delta('The answer'));
    await pass(10_000);
    expect(platform.calls).toEqual([]);
  });
});

describe('a chat with previews', () => {
  it('has them, and no message beside', async () => {
    const { platform, open } = await liveOn({ capabilities: editable });
    open().handle(delta('The answer'));
    await pass(10_000);
    expect(platform.calls.map(({ kind }) => kind)).toEqual(['preview']);
  });

  it('has none where streaming is switched off', async () => {
    const { platform, open } = await liveOn({ capabilities: editable, display: { streaming: false } });
    open().handle(delta('The answer'));
    await pass(10_000);
    expect(platform.calls).toEqual([]);
  });

  it('has none of what may become silence', async () => {
    const { platform, open } = await liveOn({ capabilities: editable });
    const live = open();
    for (const piece of ['[', 'sil', 'ent', ']']) {
      live.handle(delta(piece));
      await pass(5000);
    }
    live.handle(said('[silent]'));
    await end(live);
    expect(platform.calls).toEqual([]);
  });

  it.each(['in the same message', 'in the next message'])(
    'has them taken back when the answer is silence in the end, %s',
    async (where) => {
      const { platform, open } = await liveOn({ capabilities: editable, pacing: { chat_interval_ms: 2000 } });
      const live = open();
      live.handle(delta('I look'));
      await pass(1000);
      live.handle(where === 'in the same message' ? { type: 'text.reset' } : said('I look', 'call-1'));
      live.handle(delta('[SILENT]'));
      live.handle(said('[SILENT]'));
      await end(live);
      expect(platform.calls.map(({ kind, text }) => [kind, text])).toEqual([
        ['preview', 'I look'],
        ['preview', ''],
      ]);
    },
  );

  it('has the last one left alone when there is an answer, so that it gives way to the answer', async () => {
    const { platform, open } = await liveOn({ capabilities: editable });
    const live = open();
    live.handle(delta('The answer'));
    await pass(1000);
    live.handle(said('The answer'));
    await end(live);
    expect(platform.calls).toHaveLength(1);
  });

  it('takes no slot for a preview that would show nothing', async () => {
    const { account, open } = await liveOn({ capabilities: ['private-previews'], group: true, pacing: { chat_interval_ms: 60_000 } });
    open().handle(delta('The answer'));
    await pass(10_000);
    expect(account.pacer.tryReserve('fake/main/group', true)).toBe(true);
  });
});
