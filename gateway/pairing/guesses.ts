/** Wrong codes are counted and outlast the process: five lock whoever they are counted against for an hour, for right codes too. */
import type { Store } from '../store/index.ts';

const mostFailures = 5;
const lockMs = 3_600_000;

/** Against whom: everybody who approves on the account, or one who writes codes there. */
export interface Guesser {
  readonly account: string;
  /** A key beside the ids of people, which have limits of their own. */
  readonly person?: string;
}

/** Until when no code is looked at, ms since the epoch; undefined: now is as good as any time. */
export function lockedUntil({ pairing }: Pick<Store, 'pairing'>, { account, person }: Guesser, now: number): number | undefined {
  const { failures, until } = pairing.limit(account, person);
  return failures >= mostFailures && until > now ? until : undefined;
}

/** Part of the caller's transaction. */
export function countFailure({ pairing }: Pick<Store, 'pairing'>, guesser: Guesser, now: number): void {
  const { failures, until } = pairing.limit(guesser.account, guesser.person);
  pairing.setLimit(guesser, { failures: until > now ? failures + 1 : 1, until: now + lockMs });
}

/** Part of the caller's transaction. */
export function forgive({ pairing }: Pick<Store, 'pairing'>, guesser: Guesser): void {
  pairing.setLimit(guesser, { failures: 0, until: 0 });
}
