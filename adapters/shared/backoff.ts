export interface BackoffRules {
  readonly firstMs: number;
  readonly maxMs: number;
}

/** Waits that double up to a cap. Jitter keeps many clients from coming back at the same instant. */
export interface Backoff {
  /** The next wait: between half and all of `firstMs * 2 ** failures`, capped. */
  next(): number;
  /** Calls of `next` since the last success. */
  failures(): number;
  reset(): void;
}

const LONGEST_TIMER_MS = 2 ** 31 - 1;

export function createBackoff(rules: BackoffRules, random: () => number = Math.random): Backoff {
  let failures = 0;
  return {
    next() {
      const full = Math.min(rules.maxMs, rules.firstMs * 2 ** Math.min(failures, 30));
      failures += 1;
      return full / 2 + (random() * full) / 2;
    },
    failures: () => failures,
    reset() {
      failures = 0;
    },
  };
}

/** Rejects with the signal's reason as soon as it is aborted. */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason);
      return;
    }
    const abort = (): void => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const done = (): void => {
      signal.removeEventListener('abort', abort);
      resolve();
    };
    const timer = setTimeout(done, Math.min(ms, LONGEST_TIMER_MS));
    signal.addEventListener('abort', abort, { once: true });
  });
}
