/** What somebody is to this gateway, here: the owner, who administers it, or who uses it. Never decided by a name. */
import type { Inbound } from '../adapters/adapter.ts';
import type { AccountConfig } from '../adapters/platform.ts';
import { isListed } from './access.ts';
import type { Settings } from './settings.ts';
import type { Store } from './store/index.ts';
import { higher } from './store/people.ts';
import type { Role } from './store/people-schema.ts';
import type { TurnRow } from './store/turns.ts';
import { accountKey } from './target.ts';

export type Visitor = Pick<Inbound, 'chat' | 'chatType' | 'sender'>;

export interface RoleFacts {
  readonly store: { readonly people: Pick<Store['people'], 'find'> };
  readonly settings: () => Settings;
}

/** Always free: who cannot even ask what there is, or stop what runs, is lost. */
const floor: readonly string[] = ['help', 'commands', 'whoami', 'stop'];

/** Whoever began a turn, as they would come now. */
export function visitorOf({ target, requester }: Pick<TurnRow, 'target' | 'requester'>): Visitor {
  const { id, name, aliases = [] } = requester;
  return { chat: target.chat, chatType: target.chatType, sender: { id, name, aliases, isBot: false, roles: [] } };
}

/** Whether their words may become part of this turn, which acts with the rights of whoever began it: nobody lends themselves more than their own. */
export function maySteer(event: Visitor, turn: Pick<TurnRow, 'target' | 'requester'>, facts: RoleFacts): boolean {
  const own = roleOf(event, facts);
  return higher(own, roleOf(visitorOf(turn), facts)) === own;
}

export function isOwner(event: Visitor, facts: RoleFacts): boolean {
  return roleOf(event, facts) === 'owner';
}

/** Whoever has signed in on the page has the machine in hand. Elsewhere the highest of what pairing and the configuration say counts. */
export function roleOf(event: Visitor, { store, settings }: RoleFacts): Role {
  if (event.chat.platform === 'web') return 'owner';
  const known = store.people.find(accountKey(event.chat), event.sender);
  const role = event.chatType === 'dm' ? known?.role : known?.groupRole;
  if (role === 'owner' || role === 'admin') return role;
  return isListed(event.sender, adminsOf(event, settings()) ?? []) || isOnlyPerson(event, settings()) ? 'admin' : 'user';
}

/**
 * Whether their yes lets something run that has to be asked about. In a group, where whoever is there may be heard, the owner's and the
 * administrators', or that of the one person beside whom the configuration lets in nobody.
 */
export function mayApprove(event: Visitor, facts: RoleFacts): boolean {
  if (!isGroup(event) || roleOf(event, facts) !== 'user') return true;
  const account = accountOf(event, facts.settings());
  const isForOthers = account?.group_allowed_chats.length !== 0 || (account.allowed_roles ?? []).length > 0;
  return !isForOthers && isAlone(event, facts.settings());
}

/** Why somebody may not use a command here; undefined: they may. `who`: what the command asks for. */
export function commandProblem(
  event: Visitor,
  { name, who }: { readonly name: string; readonly who: 'anyone' | 'admin' },
  facts: RoleFacts,
): string | undefined {
  if (roleOf(event, facts) !== 'user') return undefined;
  if (who === 'admin') return event.chatType === 'dm' ? forAdmins : `${forAdmins} Write it to me in a direct chat if you are one of them.`;
  const allowed = allowedCommands(event, facts.settings());
  if (allowed === undefined || floor.includes(name) || allowed.includes(name)) return undefined;
  return 'is not for you here. /whoami tells what you are to me.';
}

const forAdmins = 'is for my owner and administrators.';

function isGroup({ chatType }: Visitor): boolean {
  return chatType !== 'dm';
}

function accountOf({ chat }: Visitor, settings: Settings): AccountConfig | undefined {
  return settings.account(accountKey(chat));
}

function adminsOf(event: Visitor, settings: Settings): readonly string[] | undefined {
  const account = accountOf(event, settings);
  return isGroup(event) ? account?.group_allow_admin_from : account?.allow_admin_from;
}

/** Undefined: all that are for anyone. */
function allowedCommands(event: Visitor, settings: Settings): readonly string[] | undefined {
  if (adminsOf(event, settings) === undefined) return undefined;
  const account = accountOf(event, settings);
  const own = isGroup(event) ? account?.group_user_allowed_commands : account?.user_allowed_commands;
  return own ?? account?.group_user_allowed_commands ?? account?.user_allowed_commands ?? [];
}

/** Who alone is let in to a platform, in a direct chat: nobody else can be meant. */
function isOnlyPerson(event: Visitor, settings: Settings): boolean {
  return !isGroup(event) && isAlone(event, settings);
}

function isAlone(event: Visitor, settings: Settings): boolean {
  const account = accountOf(event, settings);
  const [only, ...others] = account?.allowed_users ?? [];
  if (only === undefined || only === '*' || others.length > 0 || settings.access.allowed_users.length > 0) return false;
  return account?.allow_all_users !== true && isListed(event.sender, [only]);
}
