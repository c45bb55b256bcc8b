import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Pacing } from '../../adapters/platform.ts';
import { createPacer } from '../../gateway/pacer.ts';

const unlimited: Pacing = { chat_interval_ms: 0, chat_burst: 1, group_per_minute: 0, per_second: 0 };

interface Call {
  readonly chat: string;
  readonly group: boolean;
  readonly number: number;
  readonly at: number;
}

/** One chat's outbox lane: it asks for its next call when the one before was made, `gaps` later. */
interface Lane {
  readonly chat: string;
  readonly group: boolean;
  readonly gaps: readonly number[];
}

/** Runs lanes side by side on a clock of its own, as the outbox does; the calls in the order in which they were made. */
function simulate(pacing: Pacing, lanes: readonly Lane[]): Call[] {
  let now = 1_000_000;
  const pacer = createPacer(pacing, () => now);
  const calls: Call[] = [];
  const queue: { readonly at: number; readonly run: () => void }[] = [];
  const later = (ms: number, run: () => void): void => void queue.push({ at: now + ms, run });
  const step = ({ chat, group, gaps }: Lane, number: number): void => {
    const gap = gaps[number];
    if (gap === undefined) return;
    later(gap, () =>
      later(pacer.reserve(chat, group), () =>
        later(pacer.reserveCall(chat, group), () => {
          calls.push({ chat, group, number, at: now });
          step({ chat, group, gaps }, number + 1);
        }),
      ),
    );
  };
  for (const lane of lanes) step(lane, 0);
  while (queue.length > 0) {
    const next = queue.reduce((best, entry) => (entry.at < best.at ? entry : best));
    queue.splice(queue.indexOf(next), 1);
    now = next.at;
    next.run();
  }
  return calls;
}

/** Most calls in any half-open window. */
function most(times: readonly number[], windowMs: number): number {
  return Math.max(0, ...times.map((from) => times.filter((at) => at >= from && at < from + windowMs - 1e-6).length));
}

const lanesArbitrary = fc
  .array(fc.tuple(fc.boolean(), fc.array(fc.integer({ min: 0, max: 1500 }), { maxLength: 30 })), { minLength: 1, maxLength: 8 })
  .map((lanes) => lanes.map(([group, gaps], index): Lane => ({ chat: `chat-${index}`, group, gaps })));

const pacingArbitrary = fc.record({
  chat_interval_ms: fc.constantFrom(0, 300, 1000),
  chat_burst: fc.integer({ min: 1, max: 5 }),
  group_per_minute: fc.constantFrom(0, 1, 5, 20),
  per_second: fc.constantFrom(0, 0.5, 1, 3, 30),
});

describe('the pacer', () => {
  it('never lets more calls through than the platform allows, and keeps each chat’s order', () => {
    fc.assert(
      fc.property(pacingArbitrary, lanesArbitrary, (pacing, lanes) => {
        const calls = simulate(pacing, lanes);
        expect(calls).toHaveLength(lanes.flatMap((lane) => lane.gaps).length);
        const perSecond = Math.max(1, pacing.per_second);
        if (pacing.per_second > 0) {
          const windowMs = pacing.per_second < 1 ? 1000 / pacing.per_second : 1000;
          expect(most(times(calls), windowMs)).toBeLessThanOrEqual(perSecond);
        }
        for (const { chat, group } of lanes) {
          const own = calls.filter((call) => call.chat === chat);
          expect(own.map((call) => call.number)).toEqual(own.map((_, index) => index));
          if (group && pacing.group_per_minute > 0) expect(most(times(own), 60_000)).toBeLessThanOrEqual(pacing.group_per_minute);
          if (pacing.chat_interval_ms > 0) expect(spaced(times(own), pacing)).toBe(true);
        }
      }),
      { numRuns: 150 },
    );
  });

  it('lets a burst through at once and spaces what follows', () => {
    const calls = simulate({ ...unlimited, chat_interval_ms: 1000, chat_burst: 3 }, [{ chat: 'a', group: false, gaps: [0, 0, 0, 0, 0] }]);
    expect(times(calls).map((at) => at - 1_000_000)).toEqual([0, 0, 0, 1000, 2000]);
  });

  it('does not let a group that waits for its own limit hold back other chats', () => {
    const lanes = [
      { chat: 'group', group: true, gaps: Array.from({ length: 10 }, () => 0) },
      { chat: 'ann', group: false, gaps: [100] },
    ];
    const calls = simulate({ ...unlimited, group_per_minute: 5, per_second: 2 }, lanes);
    expect((calls.find((call) => call.chat === 'ann')?.at ?? 0) - 1_000_000).toBeLessThanOrEqual(1000);
  });

  it('makes nobody wait where nothing is limited', () => {
    const pacer = createPacer(unlimited, () => 0);
    for (let call = 0; call < 1000; call += 1) expect(pacer.reserve('a', true) + pacer.reserveCall('a', true)).toBe(0);
  });

  it('grants progress only a slot that is free now, and an answer waits no longer than one slot for it', () => {
    let now = 0;
    const pacer = createPacer({ ...unlimited, chat_interval_ms: 1000 }, () => now);
    expect(pacer.tryReserve('a', false)).toBe(true);
    expect(pacer.tryReserve('a', false)).toBe(false);
    expect(pacer.reserve('a', false)).toBe(1000);
    expect(pacer.tryReserve('b', false)).toBe(true);
    now = 1500;
    expect(pacer.tryReserve('a', false)).toBe(false); // the answer's slot is at 1000, the next at 2000
    now = 2000;
    expect(pacer.tryReserve('a', false)).toBe(true);
  });

  it('grants progress nothing while the account as a whole is at its limit', () => {
    const pacer = createPacer({ ...unlimited, per_second: 2 }, () => 0);
    pacer.reserveCall('a', false);
    pacer.reserveCall('b', false);
    expect(pacer.tryReserve('c', false)).toBe(false);
  });

  it('leave the answer a slot of its own where bursts are allowed', () => {
    const pacer = createPacer({ chat_interval_ms: 1000, chat_burst: 3, group_per_minute: 0, per_second: 0 }, () => 0);
    const shown = [1, 2, 3].map(() => pacer.tryReserve('a', false));
    expect(shown).toEqual([true, true, false]);
    expect(pacer.reserve('a', false)).toBe(0);
  });

  it('forgets chats that are long past', () => {
    let now = 0;
    const pacer = createPacer({ ...unlimited, chat_interval_ms: 10 }, () => now);
    for (let chat = 0; chat < 10_000; chat += 1) {
      now += 100;
      expect(pacer.reserve(`chat-${chat}`, false)).toBe(0);
    }
  });
});

function times(calls: readonly Call[]): number[] {
  return calls.map((call) => call.at);
}

/** Over any stretch: no more than the burst and one call for each interval that has passed. */
function spaced(at: readonly number[], { chat_interval_ms, chat_burst }: Pacing): boolean {
  return at.every((from, first) =>
    at.slice(first).every((to, more) => more + 1 <= chat_burst + Math.floor((to - from) / chat_interval_ms + 1e-6)),
  );
}
