import { afterEach, describe, expect, it, vi } from 'vitest';
import { createBackoff, sleep } from '../../../adapters/shared/backoff.ts';

afterEach(() => {
  vi.useRealTimers();
});

describe('back-off', () => {
  it('doubles up to its cap and starts over after a success', () => {
    const backoff = createBackoff({ firstMs: 100, maxMs: 1000 }, () => 1);
    expect([1, 2, 3, 4, 5, 6].map(() => backoff.next())).toEqual([100, 200, 400, 800, 1000, 1000]);
    expect(backoff.failures()).toBe(6);
    backoff.reset();
    expect(backoff.failures()).toBe(0);
    expect(backoff.next()).toBe(100);
  });

  it('spreads waits between half and all', () => {
    const low = createBackoff({ firstMs: 100, maxMs: 1000 }, () => 0);
    expect([low.next(), low.next()]).toEqual([50, 100]);
    const any = createBackoff({ firstMs: 100, maxMs: 1000 });
    for (let round = 0; round < 100; round += 1) expect(any.next()).toBeLessThanOrEqual(1000);
  });

  it('stays at its cap for thousands of failures', () => {
    const backoff = createBackoff({ firstMs: 1, maxMs: 5000 }, () => 1);
    for (let round = 0; round < 5000; round += 1) backoff.next();
    expect(backoff.next()).toBe(5000);
  });
});

describe('an abortable sleep', () => {
  it('ends after its time', async () => {
    vi.useFakeTimers();
    let over = false;
    const asleep = sleep(1000, new AbortController().signal).then(() => {
      over = true;
    });
    await vi.advanceTimersByTimeAsync(999);
    expect(over).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await asleep;
  });

  it("rejects with the signal's reason at once, and leaves no timer behind", async () => {
    vi.useFakeTimers();
    const stop = new AbortController();
    const asleep = sleep(60_000, stop.signal);
    stop.abort(new Error('enough'));
    await expect(asleep).rejects.toThrow('enough');
    await expect(sleep(60_000, stop.signal)).rejects.toThrow('enough');
    expect(vi.getTimerCount()).toBe(0);
  });
});
