/** The tables of platform accounts; the others are in schema.ts. */
import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { Json } from '../../adapters/adapter.ts';

/** Key-value data of one account (adapters' watermarks, logs, auth state). `account` is "<platform>/<account>". */
export const accountData = sqliteTable(
  'account_data',
  {
    account: text().notNull(),
    key: text().notNull(),
    value: text({ mode: 'json' }).$type<Json>().notNull(),
  },
  (table) => [primaryKey({ columns: [table.account, table.key] })],
);

/** People who were turned away: counted, and told so at most once an hour. */
export const refusals = sqliteTable(
  'refusals',
  {
    account: text().notNull(),
    sender: text().notNull(),
    count: integer().notNull(),
    lastAt: integer('last_at').notNull(),
    noticedAt: integer('noticed_at'),
  },
  (table) => [primaryKey({ columns: [table.account, table.sender] })],
);

/** Until when a platform asked us not to call. `scope` is an outbox lane. */
export const penalties = sqliteTable('penalties', {
  scope: text().primaryKey(),
  until: integer().notNull(),
});
