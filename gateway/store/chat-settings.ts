import { eq } from 'drizzle-orm';
import type { Database } from './database.ts';
import { type ChatSettings, chatSettings } from './schema.ts';

/** What people chose for a chat, by session key. */
export interface ChatSettingsStore {
  get(lane: string): ChatSettings;
  set(lane: string, settings: ChatSettings): void;
}

export function createChatSettings({ orm }: Database): ChatSettingsStore {
  return {
    get: (lane) =>
      orm.select({ settings: chatSettings.settings }).from(chatSettings).where(eq(chatSettings.lane, lane)).get()?.settings ?? {},
    set: (lane, settings) => {
      orm.insert(chatSettings).values({ lane, settings }).onConflictDoUpdate({ target: chatSettings.lane, set: { settings } }).run();
    },
  };
}
