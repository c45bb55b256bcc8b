/** Whom the gateway serves. Pure; decides from immutable ids only, never from names. */
import type { Inbound } from '../adapters/adapter.ts';
import type { AccountConfig } from '../adapters/platform.ts';

export type Decision =
  | { readonly decision: 'allow' }
  /** A stranger in a direct chat, who may ask to be let in. */
  | { readonly decision: 'pair' }
  | { readonly decision: 'refuse'; readonly reason: string };

export interface GlobalAccess {
  readonly allowed_users: readonly string[];
  /** Counts only when nothing else is configured for the platform or globally. */
  readonly allow_all_users: boolean;
  /** Where an account's own configuration says nothing. */
  readonly unauthorized_dm_behavior: 'pair' | 'ignore';
}

export interface AccessRules {
  readonly account: AccountConfig;
  readonly everywhere: GlobalAccess;
  /** Let in by pairing. */
  readonly paired: boolean;
}

export function decide(event: Inbound, { account, everywhere, paired }: AccessRules): Decision {
  if (event.sender.isBot && !isWanted(event, account)) return { decision: 'refuse', reason: 'a bot' };
  if (account.allow_all_users === true || paired || isOnList(event, account, everywhere)) return { decision: 'allow' };
  const configured = lists(account, everywhere).some((list) => list.length > 0);
  if (!configured && everywhere.allow_all_users) return { decision: 'allow' };
  const reason = configured ? 'not on an allowlist' : 'no allowlist is configured';
  const behaviour = account.unauthorized_dm_behavior ?? everywhere.unauthorized_dm_behavior;
  if (event.chatType === 'dm' && !event.sender.isBot && behaviour === 'pair') return { decision: 'pair' };
  return { decision: 'refuse', reason };
}

function isOnList(event: Inbound, account: AccountConfig, everywhere: GlobalAccess): boolean {
  const { sender, chat, chatType } = event;
  if (isListed(sender, account.allowed_users) || isListed(sender, everywhere.allowed_users)) return true;
  if (sender.roles.some((role) => account.allowed_roles?.includes(role))) return true;
  return chatType !== 'dm' && account.group_allowed_chats.includes(chat.chat);
}

function lists(account: AccountConfig, everywhere: GlobalAccess): readonly (readonly string[])[] {
  return [account.allowed_users, account.group_allowed_chats, account.allowed_roles ?? [], everywhere.allowed_users];
}

/** Another bot's click or command is never wanted. */
function isWanted(event: Inbound, { allow_bots: rule = 'none' }: AccountConfig): boolean {
  return event.type === 'message' && (rule === 'all' || (rule === 'mentions' && event.mentioned));
}

/** One of a person's immutable ids is enough; `*` is everybody. */
export function isListed({ id, aliases }: Pick<Inbound['sender'], 'id' | 'aliases'>, list: readonly string[]): boolean {
  return list.some((listed) => listed === '*' || listed === id || aliases.includes(listed));
}
