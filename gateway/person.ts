/** For whom a turn works, as tools may know it. */
import { createHash } from 'node:crypto';
import type { PersonRef } from '../agent/tool.ts';
import { type RoleFacts, roleOf, visitorOf } from './roles.ts';
import { isShared, type KeyRules } from './sessions.ts';
import type { TurnRow } from './store/turns.ts';
import { accountKey } from './target.ts';

type Begun = Pick<TurnRow, 'target' | 'requester'>;

export interface PersonFacts extends RoleFacts {
  readonly keys: KeyRules;
}

/** Undefined where several people share the session: what is one person's must not be told to, or by, another. */
export function personOf(turn: Begun, facts: PersonFacts): PersonRef | undefined {
  const visitor = visitorOf(turn);
  if (isShared(visitor, facts.keys)) return undefined;
  return { key: keyOf(turn, facts), trusted: roleOf(visitor, facts) !== 'user', alone: visitor.chatType === 'dm' };
}

/** Who was let in by pairing keeps the id of then, whichever of theirs a message comes with. */
function keyOf({ target: { chat }, requester }: Begun, { store }: RoleFacts): string {
  const { id, aliases = [] } = requester;
  const known = store.people.find(accountKey(chat), { id, aliases });
  return personKey(chat, known?.person ?? id);
}

/**
 * "telegram-123", "slack@work-..." for a further account, whose ids may mean others. Fit for a file name everywhere: what is no plain small id is
 * shortened and gets a piece of its hash behind a "+", which no plain id contains, so that two people never share a key, also where case does not count.
 */
export function personKey({ platform, account }: { readonly platform: string; readonly account: string }, id: string): string {
  const place = account === 'main' ? platform : `${platform}@${plain(account)}`;
  return `${place}-${plain(id)}`;
}

function plain(text: string): string {
  if (/^[a-z0-9][a-z0-9_]{0,63}$/.test(text)) return text;
  const shown = text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .slice(0, 40);
  return `${shown}+${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
}
