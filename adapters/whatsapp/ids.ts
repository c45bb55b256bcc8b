/**
 * Message ids of our own choice. The same key gives the same id, so that a repeated send is the same message; and an id tells whether it
 * is ours, also after a restart: in a chat with oneself that is what tells our words from the person's.
 */
import { createHmac, randomBytes } from 'node:crypto';
import type { AccountStore, ChatRef } from '../adapter.ts';

const SECRET = 'id-secret';
/** What ids of WhatsApp Web begin with. */
const PREFIX = '3EB0';
const BODY = 12;
const CHECK = 6;

export interface MessageIds {
  of(chat: ChatRef, key: string): string;
  isOurs(id: string): boolean;
}

export function createMessageIds(store: AccountStore): MessageIds {
  const secret = secretOf(store);
  const digits = (text: string, length: number): string =>
    createHmac('sha256', secret).update(text).digest('hex').slice(0, length).toUpperCase();
  return {
    of(chat, key) {
      const body = digits(`message ${chat.chat} ${key}`, BODY);
      return PREFIX + body + digits(`check ${body}`, CHECK);
    },
    isOurs(id) {
      if (!id.startsWith(PREFIX) || id.length !== PREFIX.length + BODY + CHECK) return false;
      const body = id.slice(PREFIX.length, PREFIX.length + BODY);
      return id.slice(PREFIX.length + BODY) === digits(`check ${body}`, CHECK);
    },
  };
}

function secretOf(store: AccountStore): string {
  const kept = store.get(SECRET);
  if (typeof kept === 'string') return kept;
  const fresh = randomBytes(16).toString('hex');
  store.put({ [SECRET]: fresh });
  return fresh;
}
