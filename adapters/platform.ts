/** What a platform is before it is switched on: configuration, limits, how it cuts text. Imports no client library. */
import type { z } from 'zod';
import type { Adapter, Host } from './adapter.ts';

/** One entry of the platform's command menu. */
export interface MenuCommand {
  readonly name: string;
  readonly description: string;
  /** Typed, these mean the same. No menu shows them. */
  readonly aliases?: readonly string[];
}

/** How often we may call a platform. Documented values are the defaults; see each platform's schema for the source. */
export interface Pacing {
  /** Least time between two calls that send or edit in one chat, after a short burst. 0 = no limit. */
  readonly chat_interval_ms: number;
  /** How many calls in one chat may come at once before `chat_interval_ms` counts. */
  readonly chat_burst: number;
  /** Calls a minute in one group or channel. 0 = no limit. */
  readonly group_per_minute: number;
  /** Calls a second over all chats of the account. 0 = no limit. */
  readonly per_second: number;
}

export type BotRule = 'none' | 'mentions' | 'all';

/** What every platform's configuration has. */
export interface AccountConfig {
  readonly enabled?: boolean | undefined;
  /** Immutable ids; `*` lets everybody in. */
  readonly allowed_users: readonly string[];
  /** Groups in which everybody may talk to the bot. */
  readonly group_allowed_chats: readonly string[];
  /** Everybody may talk to the bot. */
  readonly allow_all_users?: boolean | undefined;
  /** What a stranger in a direct chat gets: a code to be let in with, or nothing. Not set: what the gateway as a whole says. */
  readonly unauthorized_dm_behavior?: 'pair' | 'ignore' | undefined;
  /** Who administers the gateway from here, in direct chats and in groups. Where such a list is set, others may use few commands. */
  readonly allow_admin_from?: readonly string[] | undefined;
  readonly group_allow_admin_from?: readonly string[] | undefined;
  /** Which commands those others may use; the first also in groups where the second is not set. */
  readonly user_allowed_commands?: readonly string[] | undefined;
  readonly group_user_allowed_commands?: readonly string[] | undefined;
  /** Immutable ids of roles whose bearers may talk to the bot, where the platform has such. */
  readonly allowed_roles?: readonly string[] | undefined;
  /** Which messages of other bots count: none (the default), those that mention us, or all. They must be allowed like a person, too. */
  readonly allow_bots?: BotRule | undefined;
  readonly pacing: Pacing;
}

/** Progress bubbles: nothing in the first `quietMs`, then at most one edit every `editIntervalMs`. */
export interface ProgressRules {
  readonly quietMs: number;
  readonly editIntervalMs: number;
  /** Least time between two previews of the streamed answer. */
  readonly previewIntervalMs: number;
}

export interface Limits {
  /** Largest file that can be sent, bytes. */
  readonly uploadBytes: number;
  /** Largest file that can be fetched, bytes. */
  readonly downloadBytes: number;
}

/**
 * A platform as data: imports no client library, so that a platform that is switched off costs nothing.
 * `load` imports the connection.
 */
export interface Platform<C extends AccountConfig = AccountConfig> {
  readonly name: string;
  /** What people call it ("Telegram"). */
  readonly label: string;
  readonly schema: z.ZodType<C>;
  /** A person's id as adapters tell it, from how people or Hermes Agent write it; undefined: that is none. Left out: it is written as it is. */
  readonly personId?: (written: string) => string | undefined;
  /** Environment variable to configuration key below this platform's section. Lists are split at commas. */
  readonly env: Readonly<Record<string, string>>;
  /** Configuration keys that hold secrets. */
  readonly secrets: readonly string[];
  /** Lines for the commented `config.yaml` of a fresh home, without the section's own key and indentation. */
  readonly template: string;
  /** Switched on: configured well enough to connect. */
  enabled(config: C): boolean;
  readonly limits: Limits;
  readonly progress: ProgressRules;
  /** Pure and deterministic, counts as the platform counts. The presenter calls it once; the parts that are stored are the parts that are sent. */
  split(markdown: string): readonly string[];
  /** The app to be created on the platform's own setup page, as text for it. `options` as the command line gives them; throws with a sentence. */
  manifest?(options: Readonly<Record<string, unknown>>): string;
  load(): Promise<{ create(config: C, host: Host, menu: readonly MenuCommand[]): Adapter }>;
}
