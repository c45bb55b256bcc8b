import { eq, inArray, sql } from 'drizzle-orm';
import type { Database } from './database.ts';
import { sessionPrompt } from './prompt-schema.ts';
import { messages } from './schema.ts';

type PromptRow = typeof sessionPrompt.$inferSelect;

/** The system prompts of sessions. */
export interface PromptStore {
  get(sessionId: string): PromptRow | undefined;
  /** In place of the session's earlier one. */
  put(prompt: Pick<PromptRow, 'sessionId' | 'text' | 'basis' | 'cut'>): void;
  /** The files of these turns are gone: where they had images, requests begin otherwise now. Looks at every message: not for each turn by itself. */
  forgetFilesOf(turnIds: readonly number[]): void;
}

export function createPromptStore({ orm }: Database, now: () => number): PromptStore {
  const ofSession = orm
    .select()
    .from(sessionPrompt)
    .where(eq(sessionPrompt.sessionId, sql.placeholder('sessionId')))
    .prepare();
  return {
    get: (sessionId) => ofSession.get({ sessionId }),
    put: ({ sessionId, ...prompt }) => {
      const built = { ...prompt, builtAt: now() };
      orm
        .insert(sessionPrompt)
        .values({ ...built, sessionId, builds: 1 })
        .onConflictDoUpdate({ target: sessionPrompt.sessionId, set: { ...built, builds: sql`${sessionPrompt.builds} + 1` } })
        .run();
    },
    forgetFilesOf: (turnIds) => {
      if (turnIds.length === 0) return;
      const withImages = orm
        .selectDistinct({ id: messages.sessionId })
        .from(messages)
        .where(
          sql`${messages.turnId} in (select value from json_each(${JSON.stringify(turnIds)})) and ${messages.body} like '%"type":"image"%'`,
        );
      orm.update(sessionPrompt).set({ basis: '' }).where(inArray(sessionPrompt.sessionId, withImages)).run();
    },
  };
}
