import { beforeEach, describe, expect, it, vi } from 'vitest';
import { DeliveryError, type OutboundProgress } from '../../../adapters/adapter.ts';
import type { AgentEvent } from '../../../agent/events.ts';
import type { FakePlatform } from '../../fakes/platform.ts';
import { begun, end, liveOn, over } from './support.ts';

beforeEach(() => {
  vi.useFakeTimers();
  return () => vi.useRealTimers();
});

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
const retrying: AgentEvent = { type: 'notice', code: 'retrying', text: 'It is busy. Trying again in 60 s.' };
const delta = (text: string): AgentEvent => ({ type: 'text.delta', text });
const bubbleOnly = ['edit', 'delete'] as const;
const foldable = ['edit'] as const;

function bubble(platform: FakePlatform): OutboundProgress {
  const [shown] = platform.calls.filter(({ message }) => message?.type === 'progress').slice(-1);
  if (shown?.message?.type !== 'progress') throw new Error('there is no bubble');
  return shown.message;
}

const edits = (platform: FakePlatform): readonly number[] => platform.calls.filter(({ kind }) => kind !== 'typing').map(({ at }) => at);

describe('a bubble', () => {
  it('does not exist in mode off, whatever happens', async () => {
    const { platform, open } = await liveOn({ capabilities: ['edit', 'typing'], display: { progress: 'off' } });
    const live = open();
    live.handle(begun('1'));
    live.handle(retrying);
    await pass(20_000);
    live.handle(over('1'));
    await pass(5000);
    expect(new Set(platform.calls.map(({ kind }) => kind))).toEqual(new Set(['typing']));
  });

  it('ticks during one long tool: every 10 s, in a group every 30 s', async () => {
    for (const [group, every] of [
      [false, 10_000],
      [true, 30_000],
    ] as const) {
      const { platform, open } = await liveOn({ capabilities: bubbleOnly, group });
      const startedAt = Date.now();
      const live = open();
      live.handle(begun('1'));
      await pass(95_000);
      const at = edits(platform).map((time) => Math.round((time - startedAt) / 100) * 100);
      expect(at).toEqual([3000, ...Array.from({ length: Math.floor(95_000 / every) }, (_unused, tick) => (tick + 1) * every)]);
      expect(bubble(platform).elapsedMs).toBeGreaterThanOrEqual(90_000);
      await end(live);
    }
  });

  it('is edited every 4 s at most in a group', async () => {
    const { platform, open } = await liveOn({ capabilities: bubbleOnly, group: true });
    const live = open();
    for (let call = 0; call < 400; call += 1) {
      live.handle(begun(`${call}`));
      await pass(100);
    }
    const at = edits(platform);
    for (const [index, time] of at.entries()) if (index > 0) expect(time - (at[index - 1] ?? 0)).toBeGreaterThanOrEqual(4000);
    expect(at.length).toBeGreaterThan(7);
  });

  it('says that it waits for a person, and neither types nor ticks until they have answered', async () => {
    const { platform, open } = await liveOn({ capabilities: ['edit', 'typing'] });
    const live = open();
    live.handle(begun('1'));
    await pass(4000);
    expect(bubble(platform)).not.toHaveProperty('waiting');
    live.handle({ type: 'ask.opened', callId: '2' });
    await pass(2000);
    expect(bubble(platform).waiting).toBe(true);
    const before = platform.calls.length;
    await pass(60_000);
    expect(platform.calls).toHaveLength(before);
    live.handle({ type: 'ask.closed', callId: '2' });
    await pass(10);
    expect(platform.calls.slice(before).map(({ kind }) => kind)).toEqual(['typing', 'edit']);
    expect(bubble(platform)).not.toHaveProperty('waiting');
  });

  it('is not shown only to say that a person is asked: the card says so', async () => {
    const { platform, open } = await liveOn({ capabilities: foldable });
    open().handle({ type: 'ask.opened', callId: '1' });
    await pass(20_000);
    expect(platform.calls).toEqual([]);
  });

  it('says that the model is asked again, also without steps, until something comes of it', async () => {
    const { platform, open } = await liveOn({ capabilities: foldable, display: { streaming: false } });
    const live = open();
    live.handle(retrying);
    await pass(4000);
    expect(bubble(platform)).toMatchObject({ notice: 'It is busy. Trying again in 60 s.', steps: [] });
    live.handle(delta('word'));
    await pass(2000);
    expect(bubble(platform)).not.toHaveProperty('notice');
  });

  it('leaves the chat to the answer that is streamed as a message', async () => {
    const { platform, open } = await liveOn({ capabilities: ['edit', 'delete', 'private-previews'], group: true });
    const live = open();
    live.handle(begun('1'));
    await pass(3500);
    live.handle(over('1'));
    for (let word = 0; word < 30; word += 1) {
      live.handle(delta(`${word} `));
      await pass(1000);
    }
    expect(platform.calls.map(({ message }) => message?.type).slice(0, 5)).toEqual(['progress', 'text', 'text', 'text', 'text']);
    live.handle({ type: 'message', message: { role: 'assistant', text: '', calls: [], finish: 'calls' } });
    live.handle(begun('2'));
    await pass(5000);
    expect(platform.calls.at(-1)?.message?.type).toBe('progress');
  });

  it('that somebody deleted does not come again', async () => {
    const { platform, open } = await liveOn({ capabilities: foldable });
    const live = open();
    live.handle(begun('1'));
    await pass(4000);
    platform.fail({ on: 'edit', throws: new DeliveryError('gone', { kind: 'rejected', certain: true }) });
    for (let call = 2; call < 20; call += 1) {
      live.handle(begun(`${call}`));
      await pass(1000);
    }
    expect(platform.calls.map(({ kind }) => kind)).toEqual(['send', 'edit']);
  });

  it('of which nobody can tell whether it is there is not sent twice', async () => {
    const { platform, open } = await liveOn({ capabilities: foldable });
    platform.fail({ throws: new DeliveryError('lost', { kind: 'transient', certain: false }), arrived: true });
    const live = open();
    for (let call = 0; call < 20; call += 1) {
      live.handle(begun(`${call}`));
      await pass(1000);
    }
    expect(platform.bubbles('ann')).toHaveLength(1);
  });

  it('keeps its distance to the bubble of another turn in the same chat', async () => {
    const { platform, open } = await liveOn({ capabilities: bubbleOnly });
    const lives = [open(), open(), open()];
    for (let call = 0; call < 100; call += 1) {
      for (const [index, live] of lives.entries()) live.handle(begun(`${index}-${call}`));
      await pass(100);
    }
    const at = edits(platform);
    for (const [index, time] of at.entries()) if (index > 0) expect(time - (at[index - 1] ?? 0)).toBeGreaterThanOrEqual(1000);
  });
});

describe('the end of a bubble', () => {
  async function shownOn(capabilities: readonly ('edit' | 'delete')[]) {
    const given = await liveOn({ capabilities });
    const live = given.open();
    live.handle(begun('1', 'look'));
    await pass(4000);
    const [ref] = given.bubbles;
    given.store.turns.setBubble(given.turn.id, ref ?? null);
    given.store.turns.end(given.turn.id, { outcome: 'answered' });
    return { ...given, live };
  }

  it('is written down, so that nobody looks for it again', async () => {
    const { store, live } = await shownOn(['edit', 'delete']);
    expect(store.turns.leftBubbles(0)).toHaveLength(1);
    await end(live);
    await pass(10);
    expect(store.turns.leftBubbles(0)).toEqual([]);
  });

  it('waits for what is to be delivered in the chat', async () => {
    const { platform, outbox, store, target, live } = await shownOn(['edit', 'delete']);
    const payload = { type: 'text', chat: target.chat, markdown: 'the answer' } as const;
    store.outbox.add({ lane: 'fake/main/ann', group: false, purpose: 'answer', payload });
    await end(live);
    await pass(2000);
    expect(platform.calls.map(({ kind }) => kind)).not.toContain('delete');
    outbox.kick('fake/main/ann');
    await pass(500);
    expect(platform.calls.map(({ kind }) => kind).slice(-2)).toEqual(['send', 'delete']);
  });

  it('comes after a penalty, and not a call before', async () => {
    const { platform, account, store, live } = await shownOn(['edit']);
    account.penalise('fake/main/ann', 30_000);
    const before = platform.calls.length;
    await end(live);
    await pass(29_900);
    expect(platform.calls).toHaveLength(before);
    await pass(1000);
    expect(bubble(platform)).toMatchObject({ done: true, steps: [{ tool: 'look' }] });
    expect(store.turns.leftBubbles(0)).toEqual([]);
  });

  it('is tried again when it failed, and respects the penalty that it brings on', async () => {
    const { platform, live, store } = await shownOn(['edit', 'delete']);
    platform.fail({ on: 'delete', throws: new DeliveryError('x', { kind: 'transient', certain: false }) });
    platform.fail({ on: 'delete', throws: new DeliveryError('x', { kind: 'rate_limited', certain: true, retryAfterMs: 20_000 }) });
    const endedAt = Date.now();
    await end(live);
    await pass(60_000);
    const at = platform.calls.filter(({ kind }) => kind === 'delete').map((call) => call.at - endedAt);
    expect(at).toHaveLength(3);
    expect((at[2] ?? 0) - (at[1] ?? 0)).toBeGreaterThanOrEqual(20_000);
    expect([platform.bubbles('ann')[0]?.deleted, store.turns.leftBubbles(0)]).toEqual([true, []]);
  });

  it('is made up for at the next start', async () => {
    const { platform, endings, store } = await shownOn(['edit', 'delete']);
    endings.recover();
    await pass(100);
    expect([platform.bubbles('ann')[0]?.deleted, store.turns.leftBubbles(0)]).toEqual([true, []]);
  });

  it('is not looked for on a platform that is off, nor for a turn that goes on', async () => {
    const { platform, endings, store, turn, bubbles, target, live } = await shownOn(['edit', 'delete']);
    live.stop();
    const running = store.turns.create({ sessionId: 's', lane: 'other', target, requester: turn.requester });
    store.turns.setBubble(running.id, bubbles[0] ?? null);
    store.turns.setBubble(turn.id, { chat: { ...target.chat, platform: 'off' }, id: '1' });
    endings.recover();
    await pass(10_000);
    expect(platform.calls.map(({ kind }) => kind)).toEqual(['send']);
    expect(store.turns.leftBubbles(0)).toHaveLength(1);
  });
});
