/** Keeps one connection going: one step after the other, never two at once, with health told from evidence and not from hope. */
import { FatalAdapterError, type Host } from '../adapter.ts';
import { createBackoff, sleep } from '../shared/backoff.ts';
import type { Timing } from './client.ts';
import { deliveryError, errorCode, retryAfterMs } from './errors.ts';

/** So many failures in a row are no hiccup any more. */
const FAILURES_UNTIL_DOWN = 3;

export class StoreRefusedError extends Error {
  override readonly name = 'StoreRefusedError';
}

export interface Health {
  /** A clean answer came in. */
  ok(): void;
  failed(sentence: string): void;
}

export function createHealth(host: Host): Health {
  let failures = 0;
  let shown = '';
  const show = (state: Parameters<Host['state']>[0], detail?: string): void => {
    if (shown === `${state} ${detail}`) return;
    shown = `${state} ${detail}`;
    host.state(state, detail);
  };
  return {
    ok() {
      failures = 0;
      host.alive();
      show('connected');
    },
    failed(sentence) {
      failures += 1;
      show(failures < FAILURES_UNTIL_DOWN ? 'degraded' : 'down', sentence);
    },
  };
}

/** Resolves when the signal is aborted; rejects with FatalAdapterError when a person must act. */
export async function keepGoing(
  link: { readonly timing: Timing; readonly host: Host; readonly health: Health },
  step: (afterFailure: boolean) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const { timing, host, health } = link;
  const backoff = createBackoff({ firstMs: timing.backoffFirstMs, maxMs: timing.backoffMaxMs });
  while (!signal.aborted) {
    try {
      await step(backoff.failures() > 0);
      backoff.reset();
    } catch (error) {
      if (signal.aborted) return;
      throwIfFatal(error);
      const waitMs = retryAfterMs(error) ?? backoff.next();
      const sentence = sentenceOf(error);
      health.failed(sentence);
      host.log.warn({ waitMs: Math.round(waitMs), code: errorCode(error) }, sentence);
      await sleep(waitMs, signal).catch(() => undefined);
    }
  }
}

function throwIfFatal(error: unknown): void {
  const code = errorCode(error);
  if (code !== 401 && code !== 404) return;
  throw new FatalAdapterError(
    'Telegram does not know this bot token. Ask @BotFather for the current one, set TELEGRAM_BOT_TOKEN in .env and restart.',
  );
}

function sentenceOf(error: unknown): string {
  if (error instanceof StoreRefusedError) return error.message;
  if (errorCode(error) === 409)
    return 'Another program receives messages with this bot token, so Telegram cut us off. Stop it, or give each its own bot.';
  const { message } = deliveryError(error);
  return `No messages from Telegram at the moment. ${message}`;
}
