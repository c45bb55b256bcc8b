/** One turn at a time in a session; sessions run side by side. What waits is in the store: a lane is only who works on it. */
import type { Log } from './log.ts';
import { pause, within } from './time.ts';

export type Work =
  | { readonly type: 'run'; run(signal: AbortSignal): Promise<void> }
  /** Look again in `ms`: a burst may not be complete yet. */
  | { readonly type: 'wait'; readonly ms: number };

/**
 * Why a turn's signal fired: a person stopped it, another message came first, or the process ends, after which it goes on at the next
 * start.
 */
export type AbortReason = 'stop' | 'interrupt' | 'shutdown';

export interface Lanes {
  /** There may be something to do in this lane. */
  kick(lane: string): void;
  /** Ends the lane's turn, if one runs. */
  cut(lane: string, reason: Exclude<AbortReason, 'shutdown'>): void;
  /** A turn is running, so that what comes now waits for its end. */
  isBusy(lane: string): boolean;
  running(): readonly string[];
  /** No turn starts any more: what comes now is read by the next process. */
  isClosing(): boolean;
  /** Starts no more turns, waits `ms` for those that run, then cuts them. Not waited for: turns that wait for a person. */
  close(ms: number, waitsForPerson?: (lane: string) => boolean): Promise<void>;
}

/** How often a turn that is waited for is looked at: it may have begun to wait for a person. */
const lookMs = 100;
const firstRetryMs = 2000;
const longestRetryMs = 60_000;

interface Worker {
  readonly done: Promise<void>;
  /** Of the present turn, or of the wait before the next try. */
  turn: AbortController;
  working: boolean;
  /** Somebody kicked while the lane was at work: look once more before leaving. */
  again: boolean;
}

interface LanesOptions {
  readonly next: (lane: string) => Work | undefined;
  readonly log: Log;
}

export function createLanes(next: LanesOptions['next'], log: Log): Lanes {
  const workers = new Map<string, Worker>();
  const closing = new AbortController();
  const kick = (lane: string): void => {
    if (closing.signal.aborted) return;
    const busy = workers.get(lane);
    if (busy !== undefined) {
      busy.again = true;
      return;
    }
    const done = Promise.resolve()
      .then(() => workOff({ next, log }, { lane, worker }, closing.signal))
      .finally(() => {
        workers.delete(lane);
        if (worker.again) kick(lane);
      });
    const worker: Worker = { done, turn: new AbortController(), working: false, again: false };
    workers.set(lane, worker);
  };
  return {
    kick,
    cut: (lane, reason) => workers.get(lane)?.turn.abort(reason),
    isBusy: (lane) => workers.get(lane)?.working === true,
    isClosing: () => closing.signal.aborted,
    running: () => [...workers].filter(([, { working }]) => working).map(([lane]) => lane),
    close: async (ms, waitsForPerson = () => false) => {
      closing.abort();
      const all = () => Promise.all([...workers.values()].map((worker) => worker.done));
      const needsTime = () => [...workers].some(([lane, { working }]) => !working || !waitsForPerson(lane));
      for (let waited = 0; waited < ms && needsTime(); waited += lookMs) await within(Math.min(lookMs, ms - waited), all());
      for (const worker of workers.values()) worker.turn.abort('shutdown' satisfies AbortReason);
      await within(8000, all());
    },
  };
}

/** Works until the lane has nothing to do. Never rejects. */
async function workOff(
  options: LanesOptions,
  { lane, worker }: { readonly lane: string; readonly worker: Worker },
  closing: AbortSignal,
): Promise<void> {
  let failures = 0;
  while (!closing.aborted) {
    try {
      const found = options.next(lane);
      if (found === undefined) return;
      worker.turn = new AbortController();
      if (found.type === 'wait') await pause(found.ms, closing);
      else await work(found, worker);
      failures = 0;
    } catch (error) {
      const wasCut = worker.turn.signal.aborted;
      worker.turn = new AbortController();
      if (wasCut) continue; // no failure: look again at once
      failures += 1;
      options.log.error({ lane, err: error }, 'a turn failed in the gateway itself (is the disk full?); it is taken up again');
      await pause(waitAfter(failures), AbortSignal.any([closing, worker.turn.signal]));
    }
  }
}

async function work(found: Extract<Work, { readonly type: 'run' }>, worker: Worker): Promise<void> {
  worker.working = true;
  try {
    await found.run(worker.turn.signal);
  } finally {
    worker.working = false;
  }
}

function waitAfter(failures: number): number {
  return Math.min(longestRetryMs, firstRetryMs * 2 ** Math.min(failures - 1, 8));
}
