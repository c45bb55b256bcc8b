/** Once a day: forgets what is settled and old, and removes the files of old turns. Transcripts stay. */
import type { Media } from './media.ts';
import type { Store } from './store/index.ts';
import type { Clock } from './time.ts';

const dayMs = 86_400_000;
/** Events are remembered far longer than the 24 h for which platforms deliver them again. */
const keepMs = 7 * dayMs;
const firstRunMs = 60_000;

export interface Janitor {
  close(): void;
}

export function startJanitor(store: Store, media: Media, now: Clock): Janitor {
  const clean = (): void => {
    const before = now() - keepMs;
    store.inbox.prune(before);
    store.outbox.prune(before);
    for (const turn of store.turns.takeEndedBefore(before)) void media.remove(turn);
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
