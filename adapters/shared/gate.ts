/** Whether a group message is meant for the bot. Pure; the codec of each platform says what it found in the payload. */

import type { GateConfig } from './config.ts';

export interface GateRules {
  readonly requireMention: boolean;
  /** Chats in which everything is meant for the bot. */
  readonly freeResponseChats: readonly string[];
  /** Chats in which the bot must be addressed although `requireMention` is off. */
  readonly mentionRequiredChats: readonly string[];
  /** Chats in which nothing is. */
  readonly ignoredChats: readonly string[];
  /** Further ways to address it ("^hermes\b"). */
  readonly patterns: readonly RegExp[];
}

export interface GroupMessage {
  readonly chat: string;
  readonly text: string;
  /** The platform says that the bot was mentioned by name. */
  readonly mentioned: boolean;
  readonly repliesToBot: boolean;
  /** A command names whom it is for, or nobody. */
  readonly command: 'none' | 'ours' | 'anyone' | 'other';
}

/**
 * - `addressed`: somebody speaks to the bot.
 * - `overheard`: nobody does, but it listens here anyway.
 * - `ignored`: not for the bot; it must leave no trace.
 */
export type GateVerdict = 'addressed' | 'overheard' | 'ignored';

export function judge(message: GroupMessage, rules: GateRules): GateVerdict {
  if (rules.ignoredChats.includes(message.chat)) return 'ignored';
  if (message.mentioned || message.command === 'ours') return 'addressed';
  // "/stop@another_bot" is never ours, not even where we listen to everything.
  if (message.command === 'other') return 'ignored';
  if (message.command === 'anyone' || message.repliesToBot) return 'addressed';
  if (rules.patterns.some((pattern) => pattern.test(message.text))) return 'addressed';
  return mustMention(message.chat, rules) ? 'ignored' : 'overheard';
}

/** What is said of one chat beats what is said of all. */
function mustMention(chat: string, rules: GateRules): boolean {
  if (rules.mentionRequiredChats.includes(chat)) return true;
  return rules.requireMention && !rules.freeResponseChats.includes(chat);
}

/** The configuration's part of it, with its expressions compiled. */
export function gateRules(config: GateConfig): GateRules {
  return {
    requireMention: config.require_mention,
    freeResponseChats: config.free_response_chats,
    mentionRequiredChats: config.mention_required_chats,
    ignoredChats: config.ignored_chats,
    patterns: config.mention_patterns.map((pattern) => new RegExp(pattern, 'iu')),
  };
}
