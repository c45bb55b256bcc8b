/**
 * When the next connection may be opened. Two budgets: sockets cost little and are tried again soon; an IDENTIFY is one of a thousand a day,
 * after which Discord ends all sessions and resets the token. Both pauses grow until a connection was useful for a while, and not
 * when one merely opened. https://docs.discord.com/developers/events/gateway#session-start-limit
 */
import { createBackoff } from '../shared/backoff.ts';
import type { Timing } from './rest.ts';

export interface Reconnects {
  /** How long to wait before a connection that has to identify itself. */
  pauseMs(): number;
  /** How long to wait before an IDENTIFY on a connection that is open. */
  identifyPauseMs(): number;
  /** An IDENTIFY is sent now. */
  identified(): void;
  /** A connection ended that was not useful. */
  failed(): void;
  /** A connection has been useful for a while. */
  useful(): void;
  /** Failures since the last useful connection. */
  failures(): number;
}

export function createReconnects(timing: Timing, now: () => number, random?: () => number): Reconnects {
  const sockets = createBackoff({ firstMs: timing.backoffFirstMs, maxMs: timing.backoffMaxMs }, random);
  // A back-off's wait is at least half of what it says.
  const identifies = createBackoff({ firstMs: timing.identifyGapMs * 2, maxMs: timing.identifyMaxMs }, random);
  let socketAt = 0;
  let identifyAt = 0;
  const left = (at: number): number => Math.max(0, at - now());
  return {
    pauseMs: () => left(Math.max(socketAt, identifyAt)),
    identifyPauseMs: () => left(identifyAt),
    identified() {
      identifyAt = now() + identifies.next();
    },
    failed() {
      socketAt = now() + sockets.next();
    },
    useful() {
      sockets.reset();
      identifies.reset();
    },
    failures: sockets.failures,
  };
}
