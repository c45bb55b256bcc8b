/** Who somebody is to this gateway. Until roles are configured the owner is whoever signed in on the browser page. */
import type { Inbound } from '../adapters/adapter.ts';

export function isOwner({ chat }: Pick<Inbound, 'chat'>): boolean {
  return chat.platform === 'web';
}

/** May use commands that concern more than this conversation, or take its protection away. In a shared place that is nobody yet. */
export function isAdmin(event: Pick<Inbound, 'chat' | 'chatType'>): boolean {
  return isOwner(event) || event.chatType === 'dm';
}
