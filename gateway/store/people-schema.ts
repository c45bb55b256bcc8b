/** The tables of people: who was let in, who asked to be, and what holds back those who guess. */
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { ChatRef } from '../../adapters/adapter.ts';

export type Role = 'owner' | 'admin' | 'user';

/** Let in by pairing. `account` is "<platform>/<account>". */
export const people = sqliteTable(
  'people',
  {
    account: text().notNull(),
    person: text().notNull(),
    /** Other immutable ids of the same person. */
    aliases: text({ mode: 'json' }).$type<readonly string[]>().notNull(),
    /** For showing only. */
    name: text().notNull(),
    /** In direct chats, and in groups. */
    role: text().$type<Role>().notNull(),
    groupRole: text('group_role').$type<Role>().notNull(),
    /** The direct chat with them. */
    chat: text({ mode: 'json' }).$type<ChatRef>().notNull(),
    approvedBy: text('approved_by').notNull(),
    approvedAt: integer('approved_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.account, table.person] })],
);

/** Strangers who were given a code. The code itself is nowhere: only what proves that somebody knows it. */
export const pairingRequests = sqliteTable(
  'pairing_requests',
  {
    /** 16 hex digits that tell nothing. */
    id: text().primaryKey(),
    account: text().notNull(),
    person: text().notNull(),
    aliases: text({ mode: 'json' }).$type<readonly string[]>().notNull(),
    name: text().notNull(),
    chat: text({ mode: 'json' }).$type<ChatRef>().notNull(),
    salt: text().notNull(),
    /** SHA-256 of salt and code, hex. */
    hash: text().notNull(),
    createdAt: integer('created_at').notNull(),
    expiresAt: integer('expires_at').notNull(),
  },
  (table) => [index('pairing_requests_account').on(table.account)],
);

/** `person` is empty for what holds for the whole account. Survives restarts, so that nobody guesses faster by ending the process. */
export const pairingLimits = sqliteTable(
  'pairing_limits',
  {
    account: text().notNull(),
    person: text().notNull(),
    failures: integer().notNull(),
    until: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.account, table.person] })],
);
