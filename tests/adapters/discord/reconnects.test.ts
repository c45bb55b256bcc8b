import { describe, expect, it } from 'vitest';
import { createReconnects } from '../../../adapters/discord/reconnects.ts';
import { TIMING } from '../../../adapters/discord/rest.ts';

const DAY_MS = 24 * 60 * 60_000;

/** A day against a server that ends every connection, at its real times. */
function day(
  identifies: boolean,
  random: () => number,
): { readonly attempts: number; readonly longestMs: number; readonly waits: readonly number[] } {
  let now = 0;
  const reconnects = createReconnects(TIMING, () => now, random);
  const waits: number[] = [];
  while (now < DAY_MS) {
    if (identifies) reconnects.identified();
    reconnects.failed();
    waits.push(reconnects.pauseMs());
    now += reconnects.pauseMs();
  }
  return { attempts: waits.length, longestMs: Math.max(...waits), waits };
}

describe('connecting again and again', () => {
  it('spends at most two thirds of the sessions of a day on a server that ends each of them', () => {
    expect(day(true, () => 0).attempts).toBeLessThan(600);
    expect(day(true, Math.random).longestMs).toBeLessThanOrEqual(TIMING.identifyMaxMs);
  });

  it('tries a server that does not even greet often enough to be back within half a minute of its return', () => {
    const { attempts, longestMs } = day(false, Math.random);
    expect(longestMs + TIMING.readyMs).toBeLessThanOrEqual(30_000);
    expect(attempts).toBeLessThan(DAY_MS / (TIMING.backoffMaxMs / 2));
  });

  it('waits ever longer, and not as long as others do', () => {
    const { waits } = day(false, () => 1);
    expect(waits.slice(0, 7)).toEqual([500, 1000, 2000, 4000, 8000, 12_000, 12_000]);
    expect(new Set(day(false, Math.random).waits.slice(10, 20)).size).toBeGreaterThan(5);
  });

  it('leaves five seconds between two introductions', () => {
    const reconnects = createReconnects(
      TIMING,
      () => 0,
      () => 0,
    );
    reconnects.identified();
    expect(reconnects.identifyPauseMs()).toBeGreaterThanOrEqual(5000);
  });

  it('forgets its failures only after a useful connection, and not because one opened', () => {
    let now = 0;
    const reconnects = createReconnects(
      TIMING,
      () => now,
      () => 1,
    );
    for (let attempt = 0; attempt < 6; attempt += 1) reconnects.failed();
    expect(reconnects.failures()).toBe(6);
    expect(reconnects.pauseMs()).toBe(12_000);
    reconnects.useful();
    now += 60_000;
    reconnects.failed();
    expect(reconnects.pauseMs()).toBe(500);
  });
});
