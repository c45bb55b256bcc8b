import { and, asc, desc, eq, gt, gte, lt, sql } from 'drizzle-orm';
import type { AccountStore } from '../../adapters/adapter.ts';
import { accountData, penalties, refusals } from './account-schema.ts';
import type { Database } from './database.ts';

export interface Refusal {
  readonly account: string;
  readonly sender: string;
  readonly now: number;
}

/** What is kept for a platform account. */
export interface AccountData {
  /** The store that an adapter is given. */
  open(account: string): AccountStore;
  /** As `AccountStore.put`, as a part of the caller's transaction. */
  keep(account: string, entries: Parameters<AccountStore['put']>[0]): void;
  /** Counts a refused message. */
  refused(refusal: Refusal): void;
  /** Forgets strangers who have not written since. */
  pruneRefusals(beforeMs: number): void;
  /** Until when the platform asked for silence, by scope; past ones are forgotten. */
  penalties(now: number): ReadonlyMap<string, number>;
  penalise(scope: string, until: number): void;
}

export function createAccountData(database: Database): AccountData {
  const { orm } = database;
  const keep = accountWriter(database);
  return {
    open: (account) => openAccount(database, account, keep),
    keep,
    refused: (refusal) => countRefusal(database, refusal),
    pruneRefusals: (beforeMs) => {
      orm.delete(refusals).where(lt(refusals.lastAt, beforeMs)).run();
    },
    penalties: (now) => {
      orm.delete(penalties).where(sql`${penalties.until} <= ${now}`).run();
      return new Map(
        orm
          .select()
          .from(penalties)
          .all()
          .map((row) => [row.scope, row.until]),
      );
    },
    penalise: (scope, until) => {
      orm.insert(penalties).values({ scope, until }).onConflictDoUpdate({ target: penalties.scope, set: { until } }).run();
    },
  };
}

function accountWriter({ orm }: Database): AccountData['keep'] {
  const place = sql.placeholder;
  const remove = orm
    .delete(accountData)
    .where(and(eq(accountData.account, place('account')), eq(accountData.key, place('key'))))
    .prepare();
  const json = sql`${place('json')}`; // drizzle itself makes NULL, and no JSON, of null
  const write = orm
    .insert(accountData)
    .values({ account: place('account'), key: place('key'), value: json })
    .onConflictDoUpdate({ target: [accountData.account, accountData.key], set: { value: sql`excluded.value` } })
    .prepare();
  return (account, entries) => {
    for (const [key, value] of Object.entries(entries)) {
      if (value === undefined) remove.run({ account, key });
      else write.run({ account, key, json: JSON.stringify(value) });
    }
  };
}

function openAccount({ orm, durable }: Database, account: string, keep: AccountData['keep']): AccountStore {
  const get = orm
    .select({ value: accountData.value })
    .from(accountData)
    .where(and(eq(accountData.account, account), eq(accountData.key, sql.placeholder('key'))))
    .prepare();
  return {
    get: (key) => get.get({ key })?.value,
    put: (entries) => durable(() => keep(account, entries)),
    list: (prefix, { after, limit, newest }) => {
      const inRange = and(
        eq(accountData.account, account),
        gte(accountData.key, prefix),
        after === undefined ? undefined : gt(accountData.key, after),
        sql`${accountData.key} < ${prefix} || cast(x'ff' as text)`, // a byte that no character has: behind all that begins so
      );
      const rows = orm
        .select()
        .from(accountData)
        .where(inRange)
        .orderBy(newest === true ? desc(accountData.key) : asc(accountData.key))
        .limit(limit)
        .all();
      return (newest === true ? rows.reverse() : rows).map((row) => [row.key, row.value] as const);
    },
  };
}

function countRefusal({ orm }: Database, { account, sender, now }: Refusal): void {
  orm
    .insert(refusals)
    .values({ account, sender, count: 1, lastAt: now, noticedAt: null })
    .onConflictDoUpdate({ target: [refusals.account, refusals.sender], set: { count: sql`count + 1`, lastAt: now } })
    .run();
}
