import { and, asc, eq, inArray } from 'drizzle-orm';
import type { Database } from './database.ts';
import { approvals, type Requester } from './schema.ts';

export interface Remembered {
  /** A session's id, or `always`. */
  readonly scope: string;
  readonly key: string;
  readonly label: string;
  readonly by: Requester;
  readonly at: number;
}

export interface ApprovalStore {
  remember(approval: Omit<Remembered, 'at'>): void;
  /** One of these is remembered. */
  has(wanted: readonly { readonly scope: string; readonly key: string }[]): boolean;
  list(scope: string): readonly Remembered[];
  /** Without a key: all of the scope. */
  forget(scope: string, key?: string): void;
}

export function createApprovalStore({ orm }: Database, now: () => number): ApprovalStore {
  return {
    remember: (approval) => {
      orm
        .insert(approvals)
        .values({ ...approval, at: now() })
        .onConflictDoNothing()
        .run();
    },
    has: (wanted) => {
      if (wanted.length === 0) return false;
      const keys = wanted.map(({ key }) => key);
      const found = orm.select({ scope: approvals.scope, key: approvals.key }).from(approvals).where(inArray(approvals.key, keys)).all();
      return found.some((row) => wanted.some(({ scope, key }) => row.scope === scope && row.key === key));
    },
    list: (scope) => orm.select().from(approvals).where(eq(approvals.scope, scope)).orderBy(asc(approvals.at), asc(approvals.key)).all(),
    forget: (scope, key) => {
      orm
        .delete(approvals)
        .where(and(eq(approvals.scope, scope), key === undefined ? undefined : eq(approvals.key, key)))
        .run();
    },
  };
}
