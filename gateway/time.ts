import { setTimeout as delay } from 'node:timers/promises';

export type Clock = () => number;

/** A longer timer fires at once. */
const longestTimerMs = 2 ** 31 - 1;

/** Resolves after `ms` (at most 24 days), or at once when the signal fires; never rejects. The caller looks at the signal. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (ms <= 0 || signal.aborted) return;
  try {
    await delay(Math.min(ms, longestTimerMs), undefined, { signal });
  } catch {
    // the signal fired: the wait is over, which is all that was asked for
  }
}

/** Resolves true when the work ended within `ms`. */
export async function within(ms: number, work: Promise<unknown>): Promise<boolean> {
  const timer = new AbortController();
  try {
    return await Promise.race([work.then(() => true), pause(ms, timer.signal).then(() => false)]);
  } finally {
    timer.abort('in time');
  }
}
