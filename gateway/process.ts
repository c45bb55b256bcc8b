/** Signals, crashes, exit and starting again: the process around a daemon. */
import { spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import type { Daemon } from './daemon.ts';
import type { Log } from './log.ts';
import type { Redact } from './secrets.ts';
import type { Starts } from './starts.ts';
import { pause, within } from './time.ts';

/** Besides the drain itself: flushing, disconnecting, closing. */
const stopMarginMs = 20_000;
/** A start is ready when every account has connected, and at the latest now: a platform that is down is no fault of ours. */
const readyMs = 30_000;
/** Short: what is killed before the look counts as a failed start. */
const lookMs = 25;
/** "Start me again", to service managers (EX_TEMPFAIL). */
const restartCode = 75;

export interface ProcessOptions {
  readonly drainMs: number;
  readonly restartDrainMs: () => number;
  /** Fires when somebody wants a restart. */
  readonly restart: AbortSignal;
  readonly starts: Pick<Starts, 'fails' | 'reset' | 'forgive'>;
  readonly log: Log;
}

export type Ending = 'stopped' | 'failed' | 'restart';

/**
 * Resolves after SIGTERM or SIGINT, or a restart that was asked for, and a clean stop. A second signal ends the process at once, and a stop
 * that takes longer than it may is a failed one; nothing is lost by either. A signal during a restart makes it a stop.
 */
export async function runUntilStopped(daemon: Daemon, options: ProcessOptions): Promise<Ending> {
  const { starts, log, restart } = options;
  surviveConnections(daemon, options);
  const stop = onStop(log);
  const ready = new AbortController();
  void whenReady(daemon, ready.signal).then((is) => is && starts.reset());
  await eitherOf(stop, restart);
  ready.abort();
  starts.forgive();
  const drainMs = stop.aborted ? options.drainMs : options.restartDrainMs();
  if (!stop.aborted) log.info({ drainMs }, 'restarting; a signal makes it a stop');
  const closed = stop.aborted ? daemon.stop() : daemon.restart(drainMs);
  const failed = await within(
    drainMs + stopMarginMs,
    closed.catch((error: unknown) => {
      log.error({ err: error }, 'stopping failed');
      throw error;
    }),
  ).then(
    (inTime) => !inTime,
    () => true,
  );
  if (!stop.aborted) return 'restart';
  return failed ? 'failed' : 'stopped';
}

/**
 * Until `runUntilStopped` does it: whoever stops a process that is still starting has not seen a start fail. Nothing has begun that an end
 * at once would harm. What is thrown where nobody catches it ends the start, and Node itself would print it with whatever is in it. Returns
 * what ends this.
 */
export function endEarly(starts: () => Pick<Starts, 'fails' | 'forgive'>, redact: Redact): () => void {
  const end = (): never => {
    starts().forgive();
    process.exit(0);
  };
  const crash = (error: unknown): never => {
    process.stderr.write(`hermes: the start failed: ${redact(error instanceof Error ? String(error.stack) : String(error))}\n`);
    starts().fails(error);
    process.exit(1);
  };
  process.on('SIGTERM', end);
  process.on('SIGINT', end);
  process.on('uncaughtException', crash);
  return () => {
    process.off('SIGTERM', end);
    process.off('SIGINT', end);
    process.off('uncaughtException', crash);
  };
}

/** Fires at the first signal; the second one ends the process. */
function onStop(log: Log): AbortSignal {
  const stop = new AbortController();
  const onSignal = (signal: NodeJS.Signals): void => {
    if (stop.signal.aborted) process.exit(130);
    log.info({ signal }, 'stopping; a second signal stops at once');
    stop.abort(signal);
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  return stop.signal;
}

function eitherOf(...signals: readonly AbortSignal[]): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of signals) {
      if (signal.aborted) resolve();
      signal.addEventListener('abort', () => resolve(), { once: true });
    }
  });
}

/** False when the signal was first. */
async function whenReady(daemon: Daemon, signal: AbortSignal): Promise<boolean> {
  for (let waited = 0; waited < readyMs && !daemon.ready() && !signal.aborted; waited += lookMs) await pause(lookMs, signal);
  return !signal.aborted;
}

/** What a connection throws out of a timer or an event costs that connection only. Anything else ends the process: its next start goes on from the store. */
function surviveConnections(daemon: Daemon, { starts, log }: ProcessOptions): void {
  process.on('uncaughtException', (error) => {
    if (daemon.crashed(error)) return;
    log.error({ err: error }, 'the gateway has a bug and ends; the next start goes on where it stopped');
    starts.fails(error);
    process.exit(1);
  });
}

/**
 * Starts this process again, or returns the code that asks a service manager to. Without one the process replaces itself: its id, its
 * terminal and Ctrl-C stay what they are. Open files and sockets do not outlive that.
 */
export function startAgain(log: Log): number {
  if (isSupervised(process)) return restartCode;
  try {
    accessSync(process.execPath, constants.X_OK); // execve of a file that is not there would abort the process
  } catch (error) {
    log.error({ err: error }, 'the gateway cannot start itself again: Node is no longer where it was. Start it by hand.');
    return restartCode;
  }
  const args = [...process.execArgv, ...process.argv.slice(1)];
  if (process.execve !== undefined) process.execve(process.execPath, [process.execPath, ...args], process.env);
  spawn(process.execPath, args, { detached: true, stdio: 'inherit' }).unref();
  return 0;
}

/**
 * Whether somebody starts us again when we exit with 75. systemd's variables reach the shells of a desktop session too, so they count only
 * where they are about this very process; in doubt we start ourselves, which is right under a service manager as well.
 */
export function isSupervised({ env, pid, channel }: Pick<NodeJS.Process, 'env' | 'pid' | 'channel'>): boolean {
  if (env['HERMES_SUPERVISED'] !== undefined) return env['HERMES_SUPERVISED'] === '1';
  if (channel !== undefined) return true; // our own launcher, or a process manager that forks
  const isService = env['INVOCATION_ID'] !== undefined || env['NOTIFY_SOCKET'] !== undefined;
  return isService && (env['SYSTEMD_EXEC_PID'] ?? String(pid)) === String(pid);
}
