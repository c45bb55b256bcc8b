/** The clocks of a turn: how long it may take in all, and how long nothing may happen. While a person is being asked they stand still. */
import type { AgentEvent } from '../agent/events.ts';
import type { TurnLimits } from './settings.ts';
import type { Clock } from './time.ts';

export type Overdue = 'deadline' | 'inactive';

export interface Watchdog {
  /** Fires with an `Overdue` as its reason. */
  readonly signal: AbortSignal;
  handle(event: AgentEvent): void;
  close(): void;
}

export interface WatchdogOptions {
  readonly limits: TurnLimits;
  /** Nothing has happened for so long; once in each silence. */
  readonly warn: (silentMs: number) => void;
  readonly now: Clock;
}

interface Alarm {
  /** From now on. */
  start(): void;
  pause(): void;
  reset(): void;
}

export function createWatchdog({ limits, warn, now }: WatchdogOptions): Watchdog {
  const overdue = new AbortController();
  const total = createAlarm(limits.deadlineMs, now, () => overdue.abort('deadline' satisfies Overdue));
  const silence = createAlarm(limits.inactivityMs, now, () => overdue.abort('inactive' satisfies Overdue));
  const warning = createAlarm(limits.warningMs, now, () => warn(limits.warningMs));
  const alarms = [total, silence, warning];
  let asking = 0;
  for (const alarm of alarms) alarm.start();
  return {
    signal: overdue.signal,
    handle: (event) => {
      if (event.type === 'ask.opened') asking += 1;
      if (event.type === 'ask.closed') asking -= 1;
      silence.reset();
      warning.reset();
      for (const alarm of alarms) asking > 0 ? alarm.pause() : alarm.start();
    },
    close: () => {
      for (const alarm of alarms) alarm.pause();
    },
  };
}

/** `ms` of 0: never. */
function createAlarm(ms: number, now: Clock, ring: () => void): Alarm {
  let left = ms;
  let startedAt: number | undefined;
  let timer: NodeJS.Timeout | undefined;
  const pause = (): void => {
    if (startedAt === undefined) return;
    clearTimeout(timer);
    left -= now() - startedAt;
    startedAt = undefined;
  };
  const start = (): void => {
    if (ms === 0 || startedAt !== undefined) return;
    startedAt = now();
    timer = setTimeout(ring, Math.max(0, left));
    timer.unref();
  };
  return {
    start,
    pause,
    reset: () => {
      const runs = startedAt !== undefined;
      pause();
      left = ms;
      if (runs) start();
    },
  };
}
