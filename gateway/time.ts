export type Clock = () => number;

/** A longer timer fires at once. */
const longestTimerMs = 2 ** 31 - 1;

/** Resolves after `ms` (at most 24 days), or at once when the signal fires; never rejects. The caller looks at the signal. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (ms <= 0 || signal.aborted) {
      resolve();
      return;
    }
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, Math.min(ms, longestTimerMs));
    signal.addEventListener('abort', end, { once: true });
  });
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
