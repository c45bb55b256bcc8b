/** Wrong codes are counted by account and outlast the process: five lock its pairing for an hour, for right codes too. */
import type { Store } from '../store/index.ts';

const mostFailures = 5;
const lockMs = 3_600_000;

/** Until when no code is looked at, ms since the epoch; undefined: now is as good as any time. */
export function lockedUntil({ pairing }: Pick<Store, 'pairing'>, account: string, now: number): number | undefined {
  const { failures, until } = pairing.limit(account);
  return failures >= mostFailures && until > now ? until : undefined;
}

/** Part of the caller's transaction. */
export function countFailure({ pairing }: Pick<Store, 'pairing'>, account: string, now: number): void {
  const { failures, until } = pairing.limit(account);
  pairing.setLimit({ account }, { failures: until > now ? failures + 1 : 1, until: now + lockMs });
}

/** Part of the caller's transaction. */
export function forgive({ pairing }: Pick<Store, 'pairing'>, account: string): void {
  pairing.setLimit({ account }, { failures: 0, until: 0 });
}
