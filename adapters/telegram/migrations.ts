/** Groups that became supergroups have a new id; answers to what was asked in the old one still have to arrive. */
import type { AccountStore } from '../adapter.ts';

export interface Migrations {
  /** The id under which the chat is reached now. */
  current(chat: number): number;
  moved(from: number, to: number): void;
}

export function createMigrations(store: AccountStore): Migrations {
  return {
    current(chat) {
      const to = store.get(`migrated:${chat}`);
      return typeof to === 'number' ? to : chat;
    },
    moved: (from, to) => store.put({ [`migrated:${from}`]: to }),
  };
}
