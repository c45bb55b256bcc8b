/** Who somebody is to this gateway. Until roles are configured the owner is whoever signed in on the browser page. */
import type { Inbound } from '../adapters/adapter.ts';
import type { Settings } from './settings.ts';
import { accountKey } from './target.ts';

export function isOwner({ chat }: Pick<Inbound, 'chat'>): boolean {
  return chat.platform === 'web';
}

/**
 * Why somebody may not use commands that concern more than this conversation, or take its protection away; undefined: they may. Beside the
 * owner that is who alone is let in to the platform, in a direct chat: nobody else can be meant.
 */
export function adminProblem(event: Pick<Inbound, 'chat' | 'chatType' | 'sender'>, settings: Settings): string | undefined {
  if (isOwner(event)) return undefined;
  if (event.chatType !== 'dm') return 'is not for groups. Write it to me in a direct chat.';
  if (isOnlyPerson(event, settings)) return undefined;
  return 'is for my owner alone: on the browser page, or in a direct chat as the only person on the allowlist (allowed_users).';
}

/** `admin`: may what `adminProblem` is about, in this place. */
export function roleOf(event: Pick<Inbound, 'chat' | 'chatType' | 'sender'>, settings: Settings): 'owner' | 'admin' | 'user' {
  if (isOwner(event)) return 'owner';
  return adminProblem(event, settings) === undefined ? 'admin' : 'user';
}

function isOnlyPerson({ chat, sender }: Pick<Inbound, 'chat' | 'sender'>, { account, access }: Settings): boolean {
  const [only, ...others] = account(accountKey(chat))?.allowed_users ?? [];
  if (only === undefined || only === '*' || others.length > 0 || access.allowed_users.length > 0) return false;
  return only === sender.id || sender.aliases.includes(only);
}
