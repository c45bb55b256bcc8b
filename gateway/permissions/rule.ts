/** A permission rule: what somebody may have a tool do, and where that holds. */
import type { ChatType } from '../../adapters/adapter.ts';
import type { Role } from '../store/people-schema.ts';

export type RuleDecision = 'allow' | 'ask' | 'deny';

/** A condition that is absent holds everywhere; of one that is there, one value is enough. */
export interface RuleScope {
  /** "telegram", or one of its accounts: "telegram:work". */
  readonly platforms?: readonly string[];
  readonly chatTypes?: readonly ChatType[];
  readonly chats?: readonly string[];
  readonly roles?: readonly Role[];
}

/** Plain data: two that say the same are equal. */
export interface Rule {
  /** A tool's name, "<toolset>.<tool>" or "file.read|write|search"; `*` stands for any part of it. */
  readonly tool: string;
  /** What the argument must look like; absent: whatever it is. */
  readonly pattern?: string;
  readonly decision: RuleDecision;
  readonly scope: RuleScope;
  /** The file, or "shipped with the gateway". */
  readonly origin: string;
  readonly line?: number;
  /** Only makes stricter what the rules before it say. */
  readonly floor?: true;
}

/** Whose call it is, and where. */
export interface Place {
  readonly platform: string;
  readonly account: string;
  readonly chatType: ChatType;
  readonly chat: string;
  readonly role: Role;
}

export function holdsIn({ platforms, chatTypes, chats, roles }: RuleScope, place: Place): boolean {
  const { platform, account } = place;
  return (
    includes(platforms, platform, `${platform}:${account}`) &&
    includes(chatTypes, place.chatType) &&
    includes(chats, place.chat) &&
    includes(roles, place.role)
  );
}

function includes<T>(list: readonly T[] | undefined, ...values: readonly T[]): boolean {
  return list === undefined || values.some((value) => list.includes(value));
}

/** As it is written: "terminal(git push *): ask". */
export function ruleText({ tool, pattern, decision }: Rule): string {
  return `${tool}${pattern === undefined ? '' : `(${pattern})`}: ${decision}`;
}

/** Where it stands: "permissions.yaml line 3". */
export function ruleOrigin({ origin, line }: Rule): string {
  return line === undefined ? origin : `${origin} line ${line}`;
}
