/** Which chats there are, and what was sent to them from elsewhere. Times are ms since the epoch. */
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { ChatRef, ChatType } from '../../adapters/adapter.ts';

/** One row for each person that has talked to us there. */
export const knownChats = sqliteTable(
  'known_chats',
  {
    /** Platform, account, chat and thread. */
    place: text().notNull(),
    person: text().notNull(),
    chat: text({ mode: 'json' }).$type<ChatRef>().notNull(),
    chatType: text('chat_type').$type<ChatType>().notNull(),
    /** As people know it: of a direct chat, the person's. */
    name: text().notNull(),
    seenAt: integer('seen_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.place, table.person] })],
);

/** What a session sent into a chat that is not its own, for the sessions of that chat to know. */
export const mirrors = sqliteTable(
  'mirrors',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    place: text().notNull(),
    text: text().notNull(),
    at: integer().notNull(),
  },
  (table) => [index('mirrors_place').on(table.place, table.id)],
);

/** By session key: what of its chat's mirrors its sessions were told. */
export const mirrorsSeen = sqliteTable('mirrors_seen', {
  lane: text().primaryKey(),
  id: integer().notNull(),
});
