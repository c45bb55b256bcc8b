/** Keeps one account within its platform's rate limits: each call reserves its slot ahead of time, in the order of asking. */
import type { Pacing } from '../adapters/adapter.ts';
import type { Clock } from './time.ts';

/** A limit of one call every `intervalMs`, of which `burst` may come at once (GCRA: generic cell rate algorithm). */
interface Rate {
  readonly intervalMs: number;
  readonly burst: number;
}

export interface Pacer {
  /** Reserves the next free slot for a call in this chat; how long to wait for it, in ms. */
  reserve(chat: string, group: boolean): number;
  /** Reserves a slot only when it is free now: for progress and previews, which never delay an answer. */
  tryReserve(chat: string, group: boolean): boolean;
}

const sweepSize = 4096;

export function createPacer(pacing: Pacing, now: Clock): Pacer {
  const chatRate = { intervalMs: pacing.chat_interval_ms, burst: pacing.chat_burst };
  const groupRate = perMinute(pacing.group_per_minute, pacing.chat_burst);
  const accountRate = { intervalMs: pacing.per_second > 0 ? 1000 / pacing.per_second : 0, burst: Math.max(1, pacing.per_second) };
  /** By limit: the time at which the next call would be exactly on schedule. */
  const schedule = new Map<string, number>();
  const limitsOf = (chat: string, group: boolean): [string, Rate][] => {
    const limits: [string, Rate][] = [
      ['account', accountRate],
      [`chat ${chat}`, chatRate],
    ];
    if (group) limits.push([`group ${chat}`, groupRate]);
    return limits.filter(([, rate]) => rate.intervalMs > 0);
  };
  const waitFor = (limits: readonly [string, Rate][], at: number): number =>
    Math.max(0, ...limits.map(([key, { intervalMs, burst }]) => (schedule.get(key) ?? 0) - (burst - 1) * intervalMs - at));
  const book = (limits: readonly [string, Rate][], at: number): void => {
    for (const [key, { intervalMs }] of limits) schedule.set(key, Math.max(schedule.get(key) ?? 0, at) + intervalMs);
    if (schedule.size > sweepSize) sweep(schedule, now());
  };
  return {
    reserve: (chat, group) => {
      const limits = limitsOf(chat, group);
      const wait = waitFor(limits, now());
      book(limits, now() + wait);
      return wait;
    },
    tryReserve: (chat, group) => {
      const limits = limitsOf(chat, group);
      if (waitFor(limits, now()) > 0) return false;
      book(limits, now());
      return true;
    },
  };
}

/** Spaced so that a burst and the calls after it stay within the minute's number. */
function perMinute(calls: number, burst: number): Rate {
  if (calls <= 0) return { intervalMs: 0, burst };
  const most = Math.min(burst, calls);
  return { intervalMs: 60_000 / (calls - most + 1), burst: most };
}

function sweep(schedule: Map<string, number>, now: number): void {
  for (const [key, at] of schedule) if (at <= now) schedule.delete(key);
}
