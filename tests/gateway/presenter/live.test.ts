import { beforeEach, describe, expect, it, vi } from 'vitest';
import { DeliveryError } from '../../../adapters/adapter.ts';
import type { AgentEvent } from '../../../agent/events.ts';
import type { Live } from '../../../gateway/presenter/live.ts';
import type { CallKind, FakePlatform } from '../../fakes/platform.ts';
import { end, liveOn } from './support.ts';

const lane = 'fake/main/ann';

beforeEach(() => {
  vi.useFakeTimers();
  return () => vi.useRealTimers();
});

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

const startedTool = (callId: string, name = 'terminal'): AgentEvent => ({
  type: 'tool.started',
  callId,
  name,
  preview: `run ${callId}`,
  arguments: '{}',
});
const finishedTool = (callId: string): AgentEvent => ({ type: 'tool.finished', callId, name: 'terminal', status: 'ok', elapsedMs: 1 });
const delta = (text: string): AgentEvent => ({ type: 'text.delta', text });

function kinds(platform: FakePlatform): readonly CallKind[] {
  return platform.calls.map(({ kind }) => kind);
}

function times(platform: FakePlatform, ...of: readonly CallKind[]): readonly number[] {
  return platform.calls.filter(({ kind }) => of.includes(kind)).map(({ at }) => at);
}

async function work(live: Live, ms: number, everyMs: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += everyMs) {
    live.handle(startedTool(`call-${passed}`));
    await pass(everyMs);
    live.handle(finishedTool(`call-${passed}`));
  }
}

describe('typing', () => {
  it('is shown almost at once and again every four seconds, until the end', async () => {
    const { platform, open } = await liveOn();
    const startedAt = Date.now();
    const live = open();
    await pass(9000);
    await end(live);
    await pass(20_000);
    expect(times(platform, 'typing').map((at) => at - startedAt)).toEqual([50, 4000, 8000]);
  });

  it('is not shown for an answer that is there in a moment', async () => {
    const { platform, open } = await liveOn();
    const live = open();
    await pass(40);
    await end(live);
    await pass(20_000);
    expect(kinds(platform)).toEqual([]);
  });

  it('is missing where the platform has none', async () => {
    const { platform, open } = await liveOn({ capabilities: ['edit'] });
    open();
    await pass(10_000);
    expect(kinds(platform)).toEqual([]);
  });
});

describe('the progress bubble', () => {
  it('is not shown for a turn that is over within the quiet time', async () => {
    const { platform, open } = await liveOn({ capabilities: ['edit', 'delete'] });
    const live = open();
    await work(live, 2900, 100);
    await end(live);
    await pass(10_000);
    expect(platform.calls).toEqual([]);
  });

  it('is not shown for an answer without tools, however long it takes', async () => {
    const { platform, open } = await liveOn({ capabilities: ['edit', 'delete'], display: { streaming: false } });
    const live = open();
    for (let second = 0; second < 10; second += 1) {
      live.handle(delta('word '));
      await pass(1000);
    }
    await end(live);
    expect(platform.calls).toEqual([]);
  });

  it('is one message, edited at most once an interval, and removed at the end', async () => {
    const { platform, bubbles, open } = await liveOn({ capabilities: ['edit', 'delete'] });
    const startedAt = Date.now();
    const live = open();
    await work(live, 20_000, 50);
    await end(live);
    const shown = times(platform, 'send', 'edit').map((at) => at - startedAt);
    expect(shown[0]).toBe(3000);
    for (const [index, at] of shown.entries()) if (index > 0) expect(at - (shown[index - 1] ?? 0)).toBeGreaterThanOrEqual(1000);
    expect(shown.length).toBeGreaterThan(10);
    expect([platform.bubbles('ann').length, platform.bubbles('ann')[0]?.deleted, bubbles.length]).toEqual([1, true, 1]);
    expect(kinds(platform).at(-1)).toBe('delete');
  });

  it('shows the newest steps only, with what became of them', async () => {
    const { platform, open } = await liveOn({ capabilities: ['edit'] });
    const live = open();
    await work(live, 4000, 100);
    live.handle(startedTool('last'));
    await pass(2000);
    const message = platform.bubbles('ann')[0]?.message;
    const steps = message?.type === 'progress' ? message.steps : [];
    expect(steps).toHaveLength(12);
    expect(steps.at(-1)).toEqual({ tool: 'terminal', preview: 'run last', state: 'running' });
    expect(steps.at(-2)?.state).toBe('ok');
  });

  it('is folded where the platform cannot delete', async () => {
    const { platform, open } = await liveOn({ capabilities: ['edit'] });
    const live = open();
    await work(live, 4000, 500);
    await end(live);
    const [bubble] = platform.bubbles('ann');
    expect([bubble?.deleted, bubble?.message.type === 'progress' && bubble.message.done]).toEqual([false, true]);
  });

  it('does not exist where the platform cannot edit', async () => {
    const { platform, open } = await liveOn({ capabilities: ['typing', 'delete'] });
    const live = open();
    await work(live, 8000, 500);
    await end(live);
    expect(new Set(kinds(platform))).toEqual(new Set(['typing']));
  });

  it('of a turn that goes on later stays, and the turn goes on with it', async () => {
    const first = await liveOn({ capabilities: ['edit', 'delete'] });
    const live = first.open();
    await work(live, 4000, 500);
    live.stop();
    await pass(5000);
    expect(first.platform.bubbles('ann')[0]?.deleted).toBe(false);
    const [ref] = first.bubbles;
    const second = await liveOn({ capabilities: ['edit', 'delete'], bubble: ref ?? null });
    const again = second.open();
    await work(again, 4000, 500);
    expect(kinds(second.platform)).not.toContain('send');
    expect(second.platform.calls[0]).toMatchObject({ kind: 'edit', ref: ref?.id });
  });

  it('appears later where the chat had no slot free at first', async () => {
    const { platform, account, open } = await liveOn({ capabilities: ['edit', 'delete'], pacing: { chat_interval_ms: 10_000 } });
    expect(account.pacer.tryReserve(lane, false)).toBe(true);
    const live = open();
    live.handle(startedTool('long'));
    await pass(9000);
    expect(platform.calls).toEqual([]);
    await pass(2000);
    expect(kinds(platform)).toEqual(['send']);
  });
});

describe('the preview of the answer', () => {
  it('grows, at most once an interval, and is never the empty text', async () => {
    const { platform, open } = await liveOn({ capabilities: ['preview'] });
    const live = open();
    for (let word = 0; word < 40; word += 1) {
      live.handle(delta(`${word} `));
      await pass(50);
    }
    const message = { role: 'assistant', text: 'x', calls: [], finish: 'calls' } as const;
    live.handle(delta('end'));
    live.handle({ type: 'message', message });
    await pass(5000);
    await end(live);
    const previews = platform.calls.map(({ text }) => text ?? '');
    const at = times(platform, 'preview');
    for (const [index, time] of at.entries()) if (index > 0) expect(time - (at[index - 1] ?? 0)).toBeGreaterThanOrEqual(500);
    for (const [index, text] of previews.entries()) expect(text.startsWith(previews[index - 1] ?? '0 ')).toBe(true);
    expect(previews).not.toContain('');
    expect(previews.length).toBeGreaterThan(3);
  });

  it('is taken back when the request is made again', async () => {
    const { platform, open } = await liveOn({ capabilities: ['preview'] });
    const live = open();
    live.handle(delta('half an ans'));
    await pass(1000);
    live.handle({ type: 'text.reset' });
    await pass(1000);
    expect(platform.calls.map(({ text }) => text)).toEqual(['half an ans', '']);
  });

  it('ends with the turn', async () => {
    const { platform, open } = await liveOn({ capabilities: ['preview'] });
    const live = open();
    live.handle(delta('one'));
    await pass(10);
    live.handle(delta(' two'));
    await end(live);
    await pass(5000);
    expect(platform.calls).toHaveLength(1);
  });
});

describe('during a penalty', () => {
  it('nothing is called for that chat, and progress goes on after it', async () => {
    const { platform, account, open } = await liveOn();
    account.penalise(lane, 30_000);
    const live = open();
    live.handle(delta('text'));
    await work(live, 29_900, 100);
    expect(platform.calls).toEqual([]);
    await work(live, 5000, 100);
    expect(new Set(kinds(platform))).toEqual(new Set(['typing', 'preview', 'send', 'edit']));
  });

  it('the bubble is not even removed at the end', async () => {
    const { platform, account, open } = await liveOn({ capabilities: ['edit', 'delete'] });
    const live = open();
    await work(live, 4000, 500);
    account.penalise(lane, 30_000);
    const before = platform.calls.length;
    await end(live);
    await pass(10_000);
    expect(platform.calls).toHaveLength(before);
  });

  it.each<CallKind>(['typing', 'preview', 'send', 'edit'])('that a %s brings on, everything is silent', async (on) => {
    const { platform, account, open } = await liveOn();
    platform.fail({ on, throws: new DeliveryError('slower', { kind: 'rate_limited', certain: true, retryAfterMs: 20_000 }) });
    const live = open();
    live.handle(delta('text'));
    await work(live, 10_000, 100);
    expect(account.penaltyMs(lane)).toBeGreaterThan(5000);
    const before = platform.calls.length;
    await work(live, 5000, 100);
    expect(platform.calls).toHaveLength(before);
    expect(platform.calls.at(-1)?.kind).toBeDefined();
  });
});

describe('a failure while showing progress', () => {
  it.each<[string, Error]>([
    ['a refusal', new DeliveryError('no', { kind: 'rejected', certain: true })],
    ['a bug', new TypeError('x is undefined')],
  ])('%s reaches nobody, and is logged below what people read', async (_title, throws) => {
    const { platform, log, open } = await liveOn();
    for (const on of ['typing', 'preview', 'send', 'edit', 'delete'] as const) platform.fail({ on, throws, times: 99 });
    const live = open();
    live.handle(delta('text'));
    await work(live, 8000, 200);
    await end(live);
    expect(log.lines.filter(({ level }) => level !== 'debug')).toEqual([]);
    expect(log.lines.length).toBeGreaterThan(3);
  });

  it('a call that hangs holds up neither the turn nor its end', async () => {
    const { platform, open } = await liveOn({ capabilities: ['typing', 'preview', 'edit'] });
    for (const on of ['typing', 'preview', 'send'] as const) platform.fail({ on, hang: true, times: 99 });
    const live = open();
    live.handle(delta('text'));
    await work(live, 8000, 200);
    expect(times(platform, 'send')).toHaveLength(1);
    expect(times(platform, 'preview')).toHaveLength(1);
    void end(live);
  });
});
