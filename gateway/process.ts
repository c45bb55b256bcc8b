/** Signals, crashes and exit: the process around a daemon. */
import type { Daemon } from './daemon.ts';
import type { Log } from './log.ts';

/** Besides the drain itself: flushing, disconnecting, closing. */
const stopMarginMs = 20_000;

export interface ProcessOptions {
  readonly drainMs: number;
  readonly log: Log;
}

/**
 * Resolves with the exit code after SIGTERM or SIGINT and a clean stop. A second signal, or a stop that takes longer than it may, ends the
 * process at once; nothing is lost by that, it only is no clean stop.
 */
export function runUntilStopped(daemon: Daemon, { drainMs, log }: ProcessOptions): Promise<number> {
  surviveConnections(daemon, log);
  return new Promise((resolve) => {
    let stopping = false;
    const onSignal = (signal: NodeJS.Signals): void => {
      if (stopping) process.exit(130);
      stopping = true;
      log.info({ signal }, 'stopping; a second signal stops at once');
      setTimeout(() => process.exit(1), drainMs + stopMarginMs).unref();
      daemon.stop().then(
        () => resolve(0),
        (error: unknown) => {
          log.error({ err: error }, 'stopping failed');
          resolve(1);
        },
      );
    };
    process.on('SIGTERM', onSignal);
    process.on('SIGINT', onSignal);
  });
}

/** What a connection throws out of a timer or an event costs that connection only. Anything else ends the process: its next start goes on from the store. */
function surviveConnections(daemon: Daemon, log: Log): void {
  process.on('uncaughtException', (error) => {
    if (daemon.crashed(error)) return;
    log.error({ err: error }, 'the gateway has a bug and ends; the next start goes on where it stopped');
    process.exit(1);
  });
}
