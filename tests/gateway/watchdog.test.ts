import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { AgentEvent } from '../../agent/events.ts';
import { createWatchdog } from '../../gateway/watchdog.ts';
import { startGateway } from './support/gateway.ts';
import { never, scriptedModel } from './support/model.ts';

const step: AgentEvent = { type: 'text.delta', text: 'x' };
const opened: AgentEvent = { type: 'ask.opened', callId: 'a' };
const closed: AgentEvent = { type: 'ask.closed', callId: 'a' };

function dog(limits: { inactivityMs?: number; warningMs?: number; deadlineMs?: number }) {
  const warnings: number[] = [];
  const watchdog = createWatchdog({
    limits: { inactivityMs: 0, warningMs: 0, deadlineMs: 0, ...limits },
    warn: (silentMs) => warnings.push(silentMs),
    now: Date.now,
  });
  return { ...watchdog, warnings };
}

describe('the clocks of a turn', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('warn once in a silence and end it later', () => {
    const { signal, warnings } = dog({ inactivityMs: 1800, warningMs: 900 });
    vi.advanceTimersByTime(1799);
    expect(warnings).toEqual([900]);
    expect(signal.aborted).toBe(false);
    vi.advanceTimersByTime(1);
    expect(signal.reason).toBe('inactive');
  });

  it('begin anew with everything that happens', () => {
    const { signal, handle, warnings } = dog({ inactivityMs: 1000, warningMs: 900 });
    for (let time = 0; time < 20; time += 1) {
      vi.advanceTimersByTime(800);
      handle(step);
    }
    expect(signal.aborted).toBe(false);
    expect(warnings).toEqual([]);
  });

  it('have one end that nothing puts off', () => {
    const { signal, handle } = dog({ deadlineMs: 5000 });
    for (let time = 0; time < 50 && !signal.aborted; time += 1) {
      vi.advanceTimersByTime(100);
      handle(step);
    }
    expect(signal.reason).toBe('deadline');
  });

  it('stand still while a person is asked, also for one of two questions', () => {
    const { signal, handle } = dog({ deadlineMs: 1000, inactivityMs: 800 });
    vi.advanceTimersByTime(500);
    handle(opened);
    handle(opened);
    vi.advanceTimersByTime(100_000);
    handle(closed);
    vi.advanceTimersByTime(100_000);
    expect(signal.aborted).toBe(false);
    handle(closed);
    vi.advanceTimersByTime(499);
    expect(signal.aborted).toBe(false);
    vi.advanceTimersByTime(1);
    expect(signal.reason).toBe('deadline');
  });

  it('ring no more once it is over', () => {
    const { signal, close } = dog({ deadlineMs: 1000 });
    close();
    vi.advanceTimersByTime(5000);
    expect(signal.aborted).toBe(false);
  });
});

describe('a turn that is overdue', () => {
  it.each([
    ['for its whole time', { deadlineMs: 40, inactivityMs: 0, warningMs: 0 }, /I ran out of time for this and stopped/],
    ['because nothing happens', { deadlineMs: 0, inactivityMs: 40, warningMs: 0 }, /Nothing happened any more, so I gave up/],
  ])('%s ends with a sentence, and the chat goes on', async (_why, limits, sentence) => {
    let asked = 0;
    const model = scriptedModel((_request, signal) => {
      asked += 1;
      return asked === 1 ? never(signal) : 'fine';
    });
    const gateway = await startGateway({ model, change: { agent: { limits } } });
    gateway.say('ann', 'hang');
    expect(await gateway.answered('ann', 1)).toEqual([expect.stringMatching(sentence)]);
    gateway.say('ann', 'again');
    expect((await gateway.answered('ann', 2))[1]).toBe('fine');
  });

  it('is announced before it is ended', async () => {
    const limits = { deadlineMs: 0, inactivityMs: 400, warningMs: 30 };
    const gateway = await startGateway({ model: scriptedModel((_request, signal) => never(signal)), change: { agent: { limits } } });
    gateway.say('ann', 'hang');
    const texts = await gateway.answered('ann', 2);
    expect(texts[0]).toMatch(/Nothing has happened for/);
    expect(texts[1]).toMatch(/gave up/);
  });
});
