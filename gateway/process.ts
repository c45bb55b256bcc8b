/** Signals and exit: the process around a daemon. */
import type { Log } from './log.ts';

/** Besides the drain itself: flushing, disconnecting, closing. */
const stopMarginMs = 20_000;

/**
 * Resolves with the exit code after SIGTERM or SIGINT and a clean stop. A second signal, or a stop that takes longer than it may, ends the
 * process at once; nothing is lost by that, it only is no clean stop.
 */
export function runUntilStopped(stop: () => Promise<void>, options: { readonly drainMs: number; readonly log: Log }): Promise<number> {
  const { log, drainMs } = options;
  return new Promise((resolve) => {
    let stopping = false;
    const onSignal = (signal: NodeJS.Signals): void => {
      if (stopping) process.exit(130);
      stopping = true;
      log.info({ signal }, 'stopping; a second signal stops at once');
      setTimeout(() => process.exit(1), drainMs + stopMarginMs).unref();
      stop().then(
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
