/** Whom the gateway serves. Pure; decides from immutable ids only, never from names. */
import type { Inbound } from '../adapters/adapter.ts';
import type { AccountConfig } from '../adapters/platform.ts';

export type Decision =
  | { readonly decision: 'allow' }
  /** `tell`: a stranger in a direct chat is told so, politely and seldom; groups are met with silence. */
  | { readonly decision: 'refuse'; readonly reason: string; readonly tell: boolean };

export interface GlobalAccess {
  readonly allowed_users: readonly string[];
  /** Counts only when nothing else is configured for the platform or globally. */
  readonly allow_all_users: boolean;
}

export function decide(event: Inbound, account: AccountConfig, everywhere: GlobalAccess): Decision {
  if (event.sender.isBot && !isWanted(event, account)) return { decision: 'refuse', reason: 'a bot', tell: false };
  if (isListed(event, account.allowed_users) || isListed(event, everywhere.allowed_users)) return { decision: 'allow' };
  if (event.sender.roles.some((role) => account.allowed_roles?.includes(role))) return { decision: 'allow' };
  const { chat } = event.chat;
  if (event.chatType !== 'dm' && account.group_allowed_chats.includes(chat)) return { decision: 'allow' };
  const configured = lists(account, everywhere).some((list) => list.length > 0);
  if (!configured && everywhere.allow_all_users) return { decision: 'allow' };
  return { decision: 'refuse', reason: configured ? 'not on an allowlist' : 'no allowlist is configured', tell: event.chatType === 'dm' };
}

function lists(account: AccountConfig, everywhere: GlobalAccess): readonly (readonly string[])[] {
  return [account.allowed_users, account.group_allowed_chats, account.allowed_roles ?? [], everywhere.allowed_users];
}

/** Another bot's click or command is never wanted. */
function isWanted(event: Inbound, { allow_bots: rule = 'none' }: AccountConfig): boolean {
  return event.type === 'message' && (rule === 'all' || (rule === 'mentions' && event.mentioned));
}

function isListed({ sender }: Inbound, list: readonly string[]): boolean {
  return list.some((id) => id === '*' || id === sender.id || sender.aliases.includes(id));
}
