/**
 * A connection can look alive and bring nothing (https://github.com/slackapi/bolt-js/issues/1061). While no event comes, the newest message of
 * one channel after the other is looked at: one that we were not told of proves it.
 */
import { sleep } from '../shared/backoff.ts';
import { isDirect, msOf } from './codec.ts';
import type { History } from './history.ts';
import { DeafError } from './loop.ts';

/** An event may be on its way for so long. */
const GRACE_MS = 20_000;
/** The channels in which something was written last. */
const MOST_CHANNELS = 6;
/** Of these so many at each look, so that silence is noticed within two of them. */
const AT_ONCE = 3;

export interface AuditLink {
  readonly history: History;
  readonly heard: ReadonlyMap<string, string>;
  readonly intervalMs: number;
  readonly graceMs?: number;
  readonly now: () => number;
  /** Events that came so far. */
  events(): number;
  /** What it means that one was not told of. */
  readonly sentence: string;
}

/** Rejects with DeafError, or with the signal's reason. */
export async function audit(
  { history, heard, intervalMs, graceMs = GRACE_MS, now, events, sentence }: AuditLink,
  signal: AbortSignal,
): Promise<never> {
  let seen = events();
  for (let turn = 0; ; turn += 1) {
    await sleep(intervalMs, signal);
    if (events() !== seen) {
      seen = events();
      continue;
    }
    const channels = [...heard].toSorted(byRecency).slice(0, MOST_CHANNELS);
    const half = channels.length > AT_ONCE ? (turn % 2) * AT_ONCE : 0;
    const untold = await Promise.all(
      channels.slice(half, half + AT_ONCE).map(async ([channel, ts]) => {
        const newest = await history.newest(channel, ts, signal).catch(() => undefined);
        return newest !== undefined && newest.ts > ts && now() - msOf(newest.ts) > graceMs;
      }),
    );
    signal.throwIfAborted();
    if (untold.includes(true) && events() === seen) throw new DeafError(sentence);
  }
}

/** People wait for an answer in direct chats first of all. */
function byRecency([one, oneTs]: readonly [string, string], [other, otherTs]: readonly [string, string]): number {
  if (isDirect(one) !== isDirect(other)) return isDirect(one) ? -1 : 1;
  return oneTs < otherTs ? 1 : -1;
}
