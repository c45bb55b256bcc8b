/** The part of a platform's configuration schema that all platforms have. */
import { z } from 'zod';
import type { Pacing } from '../platform.ts';

/** Ids as people write them: numbers, texts, a list of both, or one text with commas. */
export const idList = z
  .union([z.array(z.union([z.string(), z.number()])), z.string(), z.number()])
  .transform((value): readonly string[] => [value].flat().flatMap(idsOf));

function idsOf(value: string | number): string[] {
  return String(value)
    .split(',')
    .map((id) => id.trim())
    .filter((id) => id !== '');
}

const amount = z.coerce.number().min(0);

function pacingSchema(defaults: Pacing) {
  return z
    .object({
      chat_interval_ms: amount.default(defaults.chat_interval_ms),
      chat_burst: z.coerce.number().int().min(1).default(defaults.chat_burst),
      group_per_minute: amount.default(defaults.group_per_minute),
      per_second: amount.default(defaults.per_second),
    })
    .prefault({});
}

/** In groups: what is meant for the bot. */
export interface GateConfig {
  readonly require_mention: boolean;
  readonly free_response_chats: readonly string[];
  readonly mention_required_chats: readonly string[];
  readonly ignored_chats: readonly string[];
  readonly mention_patterns: readonly string[];
}

function isPattern(source: string): boolean {
  try {
    return new RegExp(source, 'iu').test('') !== undefined;
  } catch {
    return false;
  }
}

/** A key for platforms on which bots see each other. */
export const allowBots = z.enum(['none', 'mentions', 'all']).default('none');

/** Keys to spread into `z.object`, for platforms with groups. */
export const gateShape = {
  require_mention: z.boolean().default(true),
  free_response_chats: idList.default([]),
  mention_required_chats: idList.default([]),
  ignored_chats: idList.default([]),
  mention_patterns: z.array(z.string().refine(isPattern, 'a regular expression')).default([]),
};

/** Keys to spread into `z.object`. `users` is for platforms that can tell an id from a name. */
export function accountShape(pacing: Pacing, users: z.ZodType<readonly string[]> = idList) {
  return {
    enabled: z.boolean().optional(),
    allowed_users: users.default([]),
    group_allowed_chats: idList.default([]),
    pacing: pacingSchema(pacing),
  };
}

/** Keys to spread into `z.object`, for platforms on which strangers can write. */
export function accessShape(users: z.ZodType<readonly string[]> = idList) {
  return {
    allow_all_users: z.boolean().optional(),
    unauthorized_dm_behavior: z.enum(['pair', 'ignore']).optional(),
    allow_admin_from: users.optional(),
    group_allow_admin_from: users.optional(),
    user_allowed_commands: idList.optional(),
    group_user_allowed_commands: idList.optional(),
  };
}

/** The same as lines of the commented config.yaml. */
export const accessTemplate = `# Everybody may talk to it, and may so run commands on this machine.
# allow_all_users: false
# What a stranger in a direct chat gets: a code with which you let them in (pair), or nothing (ignore).
# unauthorized_dm_behavior: pair
# Who administers the gateway from here, in direct chats and in groups, beside its owner. With such a list everybody else may use only
# /help, /commands, /whoami and /stop, and the commands that are named here.
# allow_admin_from: []
# group_allow_admin_from: []
# user_allowed_commands: []
# group_user_allowed_commands: []`;
