/** Whose call it is: a turn's, by whoever began it. */
import type { Sender } from '../../adapters/adapter.ts';
import { type RoleFacts, roleOf, type Visitor } from '../roles.ts';
import type { TurnRow } from '../store/turns.ts';
import type { Place } from './rule.ts';

/** Looked up anew each time: somebody may become an administrator, or none any more, while a turn runs. */
export function placeOf({ target, requester }: Pick<TurnRow, 'target' | 'requester'>, facts: RoleFacts): Place {
  const { id, name, aliases = [] } = requester;
  const sender: Sender = { id, name, aliases, isBot: false, roles: [] };
  return placeOfVisitor({ chat: target.chat, chatType: target.chatType, sender }, facts);
}

export function placeOfVisitor(visitor: Visitor, facts: RoleFacts): Place {
  const { platform, account, chat } = visitor.chat;
  return { platform, account, chat, chatType: visitor.chatType, role: roleOf(visitor, facts) };
}
