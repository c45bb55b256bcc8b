/** Keeps one connection going: one after the other, never two at once, with health told from evidence and not from hope. */
import type { ConnectionReport } from '../adapter.ts';
import { createBackoff, sleep } from '../shared/backoff.ts';
import type { Timing } from './client.ts';
import { deliveryError, fatalError, pauseMs } from './errors.ts';
import { StoreRefusedError } from './intake.ts';
import type { Ending } from './socket.ts';

/** So many failures in a row are no hiccup any more. */
const FAILURES_UNTIL_DOWN = 3;

export interface Health {
  /** Evidence came in. */
  ok(): void;
  /** The connection stands. Whether it brings anything is not proven: one that is closed at once was never good. */
  opened(): void;
  failed(sentence: string): void;
}

export function createHealth(report: ConnectionReport): Health {
  let failures = 0;
  let shown = '';
  const show = (state: Parameters<ConnectionReport['state']>[0], detail?: string): void => {
    if (shown === `${state} ${detail}`) return;
    shown = `${state} ${detail}`;
    report.state(state, detail);
  };
  return {
    ok() {
      report.alive();
      failures = 0;
      show('connected');
    },
    opened() {
      report.alive();
      if (failures === 0) show('connected');
    },
    failed(sentence) {
      failures += 1;
      show(failures < FAILURES_UNTIL_DOWN ? 'degraded' : 'down', sentence);
    },
  };
}

export interface LoopLink {
  readonly timing: Timing;
  readonly report: ConnectionReport;
  readonly health: Health;
}

/**
 * Resolves when the signal is aborted; rejects with FatalAdapterError when a person must act. `connect` resolves when a connection has ended.
 * Only a connection that lived for a useful time resets the pauses: Slack may accept and close at once for hours.
 */
export async function keepConnected(link: LoopLink, connect: (signal: AbortSignal) => Promise<Ending>, signal: AbortSignal): Promise<void> {
  const { timing, health, report } = link;
  const firstMs = timing.backoffFirstMs;
  const refused = createBackoff({ firstMs, maxMs: timing.backoffMaxMs });
  const flapping = createBackoff({ firstMs, maxMs: timing.flappingMaxMs });
  while (!signal.aborted) {
    const sinceMs = performance.now();
    const failure = await connect(signal).catch((error: unknown) => ({ error }));
    if (signal.aborted) return;
    const useful = performance.now() - sinceMs >= timing.usefulMs;
    if (useful) for (const backoff of [refused, flapping]) backoff.reset();
    if (failure === 'refresh' && useful) continue;
    const error = typeof failure === 'string' ? undefined : failure.error;
    const fatal = error === undefined ? undefined : fatalError(error, 'SLACK_BOT_TOKEN');
    if (fatal !== undefined) throw fatal;
    const waitMs = Math.max(pauseOf(error), error === undefined ? flapping.next() : refused.next());
    const sentence = sentenceOf(error);
    health.failed(sentence);
    report.log.warn({ waitMs: Math.round(waitMs) }, sentence);
    await sleep(waitMs, signal).catch(() => undefined);
  }
}

function pauseOf(error: unknown): number {
  return (error === undefined ? undefined : pauseMs(error)) ?? 0;
}

function sentenceOf(error: unknown): string {
  if (error instanceof StoreRefusedError || error instanceof DeafError) return error.message;
  if (error === undefined) return 'No messages from Slack at the moment. The connection was closed.';
  return `No messages from Slack at the moment. ${deliveryError(error).message}`;
}

/** Slack holds the connection and does not send what is written. */
export class DeafError extends Error {
  override readonly name = 'DeafError';
}
