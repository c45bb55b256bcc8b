import type { Log } from '../log.ts';
import { failed } from './harmless.ts';

/** Runs a piece of work at most once every `intervalMs`, never twice at a time; requests in between become one. */
export interface Throttle {
  /** Soon, but not before `delayMs`. */
  request(delayMs?: number): void;
  /** Resolves when no work is under way. */
  settled(): Promise<void>;
}

/** What was held back is tried again after this, or the interval where that is shorter. */
const heldMs = 1000;

interface Throttled {
  readonly intervalMs: number;
  /** False: it was held back and is to be tried again. A failure is logged, and the work waits for the next request. */
  work(): Promise<boolean>;
  readonly log: Log;
}

/** After the signal nothing new starts. */
export function createThrottle({ intervalMs, work, log }: Throttled, signal: AbortSignal): Throttle {
  let timer: NodeJS.Timeout | undefined;
  let running = Promise.resolve();
  let busy = false;
  let again = false;
  let lastAt = Number.NEGATIVE_INFINITY;
  const start = (): void => {
    timer = undefined;
    busy = true;
    again = false;
    lastAt = performance.now();
    running = work()
      .catch((error: unknown) => {
        failed(log, error);
        return true;
      })
      .then((done) => {
        busy = false;
        if (!done) lastAt = performance.now() - intervalMs; // nothing was called
        if (again || !done) request(done ? 0 : Math.min(heldMs, intervalMs));
      });
  };
  const request = (delayMs = 0): void => {
    if (signal.aborted || timer !== undefined) return;
    if (busy) {
      again = true;
      return;
    }
    const wait = Math.max(delayMs, lastAt + intervalMs - performance.now());
    timer = setTimeout(start, Math.max(0, wait));
  };
  signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
  return { request, settled: () => running };
}
