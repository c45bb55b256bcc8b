/** Once a day: forgets what is settled and old, and removes the files of old turns. Transcripts stay. */
import type { Log } from './log.ts';
import type { Media } from './media.ts';
import type { Settings } from './settings.ts';
import type { Store } from './store/index.ts';
import type { Clock } from './time.ts';

const dayMs = 86_400_000;
/** Events are remembered far longer than the 24 h for which platforms deliver them again. */
const keepMs = 7 * dayMs;
/** Longer: somebody may still point at a card by its number. */
const keepAsksMs = 30 * dayMs;
const firstRunMs = 60_000;

export interface Janitor {
  close(): void;
}

export interface JanitorOptions {
  readonly store: Store;
  readonly media: Media;
  readonly settings: () => Settings;
  readonly log: Log;
  readonly now: Clock;
}

export function startJanitor(options: JanitorOptions): Janitor {
  const clean = (): void => {
    try {
      cleanUp(options);
    } catch (error) {
      options.log.error({ err: error }, 'what is old could not be removed; the next day tries again');
    }
  };
  const first = setTimeout(clean, firstRunMs);
  const daily = setInterval(clean, dayMs);
  for (const timer of [first, daily]) timer.unref();
  return {
    close: () => {
      clearTimeout(first);
      clearInterval(daily);
    },
  };
}

function cleanUp({ store, media, settings, log, now }: JanitorOptions): void {
  const before = now() - keepMs;
  store.inbox.prune(before);
  store.outbox.prune(before);
  store.asks.prune(now() - keepAsksMs);
  store.accounts.pruneRefusals(before);
  const { retentionMs } = settings().audit;
  if (retentionMs > 0) store.audit.prune(now() - retentionMs);
  const old = store.turns.takeEndedBefore(before);
  store.prompts.forgetFilesOf(old);
  for (const turn of old) {
    media.remove(turn).catch((error: unknown) => log.warn({ turn, err: error }, "an old turn's files could not be removed"));
  }
}
