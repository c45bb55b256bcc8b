/** Which channels are looked through after we did not listen, and since when. */
import type { AccountStore } from '../adapter.ts';
import { type CatchUp, forgetMarks } from '../shared/backfill.ts';
import { isDirect, msOf } from './codec.ts';
import type { History } from './history.ts';
import type { Threads } from './threads.ts';

const LISTENING = 'listening';
/** What came in a gap this short Slack sends again by itself, at once and after one and five minutes. Only what is lively is looked at. */
const SHORT_MS = 60_000;
const LIVELY_MS = 24 * 60 * 60_000;
const MOST_LIVELY = 30;
/** After a short gap, but in a new process. */
const MOST_AT_START = 100;
/** Threads are forgotten by people sooner than channels, and each costs a call. */
const THREAD_MS = 7 * 24 * 60 * 60_000;
const MOST_THREADS = 100;

export interface GapParts {
  readonly store: AccountStore;
  readonly catchUp: Pick<CatchUp<unknown>, 'begin' | 'channels' | 'markOf'>;
  readonly history: Pick<History, 'channels'>;
  readonly threads: Pick<Threads, 'since' | 'joined'>;
  readonly now: () => number;
}

export interface Gap {
  /** Before the connection opens: what comes live waits behind what was missed. Rejects with the signal's reason only. */
  open(signal: AbortSignal): Promise<void>;
  /** We listen, and nothing is missing. Durable. */
  listening(): void;
}

export function createGap(parts: GapParts): Gap {
  const { store, catchUp, history, now } = parts;
  let started = false;
  return {
    async open(signal) {
      const isStart = !started;
      forgetThreads(parts);
      const heardMs = store.get(LISTENING);
      const known = knownMarks(parts);
      if (typeof heardMs !== 'number') catchUp.begin(inOrder(known));
      else {
        const isShort = now() - heardMs < SHORT_MS;
        const listed = isShort && !isStart ? [] : await history.channels(signal);
        signal.throwIfAborted();
        const [threads, channels] = byKind(known, listed);
        const all = [...inOrder(channels), ...inOrder(threads).slice(0, MOST_THREADS)];
        const lively = inOrder([...threads, ...channels].filter(({ atMs }) => now() - atMs < LIVELY_MS));
        // A process that was killed may have lost what Slack believes delivered.
        const some = isStart ? [...lively, ...all] : lively;
        catchUp.begin(isShort ? [...new Set(some)].slice(0, isStart ? MOST_AT_START : MOST_LIVELY) : all, (heardMs / 1000).toFixed(6));
      }
      started = true;
    },
    listening: () => store.put({ [LISTENING]: now() }),
  };
}

interface Known {
  readonly mark: string;
  readonly atMs: number;
  /** Direct chats first, then channels and the bot's own threads; threads of others last, of which there may be very many. */
  readonly rank: number;
}

/** What was said in a thread long ago is not looked for any more, so how far it was read need not be known. */
function forgetThreads({ store, catchUp, now }: GapParts): void {
  const isOver = (mark: string): boolean => mark.includes(':') && now() - msOf(catchUp.markOf(mark) ?? '0') >= THREAD_MS;
  forgetMarks(store, catchUp.channels().filter(isOver));
}

/** What was read before, and threads that were joined and have no reply yet. */
function knownMarks({ catchUp, threads, now }: GapParts): readonly Known[] {
  const rankOf = (mark: string): number => {
    const [channel = '', thread] = mark.split(':');
    return isDirect(mark) ? 0 : thread === undefined || threads.joined(channel, thread) ? 1 : 2;
  };
  const known = catchUp.channels().map((mark) => ({ mark, atMs: msOf(catchUp.markOf(mark) ?? '0'), rank: rankOf(mark) }));
  const marks = new Set(known.map(({ mark }) => mark));
  const joined = threads.since(now() - THREAD_MS).filter((mark) => !marks.has(mark));
  return [...known, ...joined.map((mark) => ({ mark, atMs: msOf(mark.slice(mark.indexOf(':') + 1)), rank: rankOf(mark) }))];
}

/** Threads, and channels with those that were never read. */
function byKind(known: readonly Known[], listed: readonly string[]): readonly [readonly Known[], readonly Known[]] {
  const marks = new Set(known.map(({ mark }) => mark));
  const unread = listed.filter((mark) => !marks.has(mark)).map((mark) => ({ mark, atMs: 0, rank: isDirect(mark) ? 0 : 1 }));
  const isThread = ({ mark }: Known): boolean => mark.includes(':');
  return [known.filter(isThread), [...known.filter((entry) => !isThread(entry)), ...unread]];
}

/** By rank, then where something was written last. */
function inOrder(known: readonly Known[]): string[] {
  return known.toSorted((one, other) => one.rank - other.rank || other.atMs - one.atMs).map(({ mark }) => mark);
}
