import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { RequestCut } from '../../agent/context/cut.ts';

/** The system prompt that a session's requests begin with. It stays as it is until a declared break builds it anew. */
export const sessionPrompt = sqliteTable('session_prompt', {
  sessionId: text('session_id').primaryKey(),
  text: text().notNull(),
  /** For what it was built: the model, the personality, the person and where the conversation begins. Other ones are a declared break. */
  basis: text().notNull(),
  /** What the requests leave out that begin with it; null: nothing, as far as is known. */
  cut: text({ mode: 'json' }).$type<RequestCut>(),
  /** How often it was built: each time after the first is a declared break. */
  builds: integer().notNull(),
  builtAt: integer('built_at').notNull(),
});
