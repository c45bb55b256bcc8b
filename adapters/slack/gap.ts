/** Which channels are looked through after we did not listen, and since when. */
import type { AccountStore } from '../adapter.ts';
import type { CatchUp } from '../shared/backfill.ts';
import { isDirect, msOf } from './codec.ts';
import type { History } from './history.ts';

const LISTENING = 'listening';
const MARK = 'mark:';
/** What came in a gap this short Slack sends again by itself, at once and after one and five minutes. Only what is lively is looked at. */
const SHORT_MS = 60_000;
const LIVELY_MS = 24 * 60 * 60_000;
const MOST_LIVELY = 30;
/** Threads are forgotten by people sooner than channels, and each costs a call. */
const THREAD_MS = 7 * 24 * 60 * 60_000;
const MOST_THREADS = 100;

export interface GapParts {
  readonly store: AccountStore;
  readonly catchUp: Pick<CatchUp<unknown>, 'begin' | 'channels'>;
  readonly history: Pick<History, 'channels'>;
  readonly now: () => number;
}

export interface Gap {
  /** Before the connection opens: what comes live waits behind what was missed. Rejects with the signal's reason only. */
  open(signal: AbortSignal): Promise<void>;
  /** We listen, and nothing is missing. Durable. */
  listening(): void;
}

export function createGap({ store, catchUp, history, now }: GapParts): Gap {
  return {
    async open(signal) {
      const heardMs = store.get(LISTENING);
      const known = catchUp.channels().map((mark) => ({ mark, atMs: msOf(String(store.get(MARK + mark))) }));
      if (typeof heardMs !== 'number') {
        catchUp.begin(inOrder(known));
        return;
      }
      const ageOf = ({ atMs }: Known): number => now() - atMs;
      const since = (heardMs / 1000).toFixed(6);
      if (now() - heardMs < SHORT_MS) {
        catchUp.begin(inOrder(known.filter((entry) => ageOf(entry) < LIVELY_MS)).slice(0, MOST_LIVELY), since);
        return;
      }
      const listed = await history.channels(signal);
      signal.throwIfAborted();
      const threads = known.filter((entry) => entry.mark.includes(':') && ageOf(entry) < THREAD_MS);
      const channels = known.filter(({ mark }) => !mark.includes(':'));
      const unread = listed.filter((id) => !channels.some(({ mark }) => mark === id)).map((mark) => ({ mark, atMs: 0 }));
      catchUp.begin([...inOrder([...channels, ...unread]), ...inOrder(threads).slice(0, MOST_THREADS)], since);
    },
    listening: () => store.put({ [LISTENING]: now() }),
  };
}

interface Known {
  readonly mark: string;
  readonly atMs: number;
}

/** Direct chats first, then where something was written last. */
function inOrder(known: readonly Known[]): string[] {
  const rank = ({ mark }: Known): number => (isDirect(mark) ? 0 : 1);
  return known.toSorted((one, other) => rank(one) - rank(other) || other.atMs - one.atMs).map(({ mark }) => mark);
}
