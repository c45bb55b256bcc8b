/** The table of the audit: appended to, never changed. */
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { Json } from '../../adapters/adapter.ts';

export const audit = sqliteTable(
  'audit',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    at: integer().notNull(),
    /** What happened: "call.started", "pairing.approved". */
    event: text().notNull(),
    /** "<platform>/<account>"; empty for what came from no platform. */
    account: text().notNull(),
    person: text().notNull(),
    tool: text().notNull(),
    /** Everything else, without secrets. */
    facts: text({ mode: 'json' }).$type<{ readonly [key: string]: Json }>().notNull(),
    /** SHA-256 over the row before this one's hash and this row, hex. */
    hash: text().notNull(),
  },
  (table) => [index('audit_at').on(table.at)],
);
