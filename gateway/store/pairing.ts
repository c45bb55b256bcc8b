import { and, asc, eq, gt, lte, or } from 'drizzle-orm';
import type { Database } from './database.ts';
import { pairingLimits, pairingRequests } from './people-schema.ts';

export type PairingRequest = typeof pairingRequests.$inferSelect;

/** What is counted against somebody (`person`), or against everybody who guesses on an account (`person` empty). */
export interface PairingLimit {
  readonly failures: number;
  /** ms since the epoch. */
  readonly until: number;
}

export interface PairingStore {
  add(request: PairingRequest): void;
  remove(id: string): void;
  /** Not expired at `now`, oldest first; of one account, or all. */
  pending(now: number, account?: string): readonly PairingRequest[];
  limit(account: string, person?: string): PairingLimit;
  setLimit(place: { readonly account: string; readonly person?: string }, limit: PairingLimit): void;
  /** Forgets what is over, and what a clock that was ahead has left. */
  prune(now: number): void;
}

/** No request and no limit lasts longer: what seems to was written under a clock that was ahead, and would hold for years. */
const longestMs = 3_600_000;

export function createPairingStore({ orm }: Database): PairingStore {
  return {
    add: (request) => {
      orm.insert(pairingRequests).values(request).run();
    },
    remove: (id) => {
      orm.delete(pairingRequests).where(eq(pairingRequests.id, id)).run();
    },
    pending: (now, account) =>
      orm
        .select()
        .from(pairingRequests)
        .where(and(gt(pairingRequests.expiresAt, now), account === undefined ? undefined : eq(pairingRequests.account, account)))
        .orderBy(asc(pairingRequests.createdAt), asc(pairingRequests.id))
        .all(),
    limit: (account, person = '') =>
      orm
        .select({ failures: pairingLimits.failures, until: pairingLimits.until })
        .from(pairingLimits)
        .where(and(eq(pairingLimits.account, account), eq(pairingLimits.person, person)))
        .get() ?? { failures: 0, until: 0 },
    setLimit: ({ account, person = '' }, limit) => {
      orm
        .insert(pairingLimits)
        .values({ account, person, ...limit })
        .onConflictDoUpdate({ target: [pairingLimits.account, pairingLimits.person], set: limit })
        .run();
    },
    prune: (now) => {
      const { expiresAt, createdAt } = pairingRequests;
      orm
        .delete(pairingRequests)
        .where(or(lte(expiresAt, now), gt(createdAt, now + longestMs)))
        .run();
      const { until } = pairingLimits;
      orm
        .delete(pairingLimits)
        .where(or(lte(until, now), gt(until, now + 2 * longestMs)))
        .run();
    },
  };
}
