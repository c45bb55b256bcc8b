/** Notices a connection that is open and useless: one that never greets, one that falls silent, and one that acknowledges but sends nothing. */
import type { Timing } from './rest.ts';

export interface Watch {
  /** A socket is opened; the greeting must come soon. */
  connecting(): void;
  /** READY or RESUMED came. */
  ready(): void;
  /** Any sign of life. */
  alive(): void;
  /** An event came: the strongest sign. */
  event(): void;
  stop(): void;
}

export interface WatchPorts {
  readonly timing: Timing;
  /** The connection is to be given up. */
  fail(sentence: string): void;
  /** It has lasted long enough to count. */
  useful(): void;
  /** Asks for an event; false where there is none to ask for. */
  probe(): boolean;
}

type Name = 'ready' | 'silence' | 'useful' | 'probe' | 'deaf';

export function createWatch({ timing, fail, useful, probe }: WatchPorts): Watch {
  const timers = new Map<Name, NodeJS.Timeout>();
  const clear = (...names: readonly Name[]): void => {
    for (const name of names) {
      clearTimeout(timers.get(name));
      timers.delete(name);
    }
  };
  const set = (name: Name, ms: number, then: () => void): void => {
    clear(name);
    timers.set(name, setTimeout(then, ms).unref());
  };
  const stop = (): void => clear('ready', 'silence', 'useful', 'probe', 'deaf');
  const alive = (): void => set('silence', timing.silenceMs, () => fail('Discord has fallen silent on an open connection.'));
  const ask = (): void => {
    if (probe()) set('deaf', timing.probeMs, () => fail('Discord acknowledges that we are there, but sends no events.'));
    else set('probe', timing.probeAfterMs, ask);
  };
  const event = (): void => {
    alive();
    clear('deaf');
    set('probe', timing.probeAfterMs, ask);
  };
  return {
    connecting() {
      stop();
      set('ready', timing.readyMs, () => fail('Discord took the connection, but did not greet in time.'));
    },
    ready() {
      stop();
      event();
      set('useful', timing.usefulMs, useful);
    },
    alive,
    event,
    stop,
  };
}
