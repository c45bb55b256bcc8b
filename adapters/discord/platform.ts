import { z } from 'zod';
import type { AccountConfig, BotRule, Pacing, Platform } from '../platform.ts';
import { accessShape, accessTemplate, accountShape, allowBots, type GateConfig, gateShape, idList } from '../shared/config.ts';
import { isPlainText } from '../shared/markdown.ts';
import { splitMarkdown } from '../shared/split.ts';
import { toDiscord } from './format.ts';

/**
 * Characters of a message's content, markup included. Discord counts code points; UTF-16 units, which are never fewer, stay below its limit
 * however it counts. https://docs.discord.com/developers/resources/message#create-message
 */
export const TEXT_LIMIT = 2000;
/** What every server takes; boosted ones take more. https://docs.discord.com/developers/reference#uploading-files */
export const UPLOAD_LIMIT_BYTES = 10 * 1024 * 1024;
/** Hermes Agent's default. Discord itself lets people send up to 500 MB. */
const DOWNLOAD_LIMIT_BYTES = 32 * 1024 * 1024;

/** Five messages in five seconds in a channel; 50 requests a second over all, of which some are not messages. https://docs.discord.com/developers/topics/rate-limits */
const PACING: Pacing = { chat_interval_ms: 1000, chat_burst: 5, group_per_minute: 0, per_second: 40 };

export interface DiscordConfig extends AccountConfig, GateConfig {
  readonly bot_token?: string | undefined;
  readonly allowed_roles: readonly string[];
  readonly allow_bots: BotRule;
  readonly base_url: string;
  readonly cdn_url: string;
  /** Not empty: the only channels in which the bot answers. */
  readonly allowed_chats: readonly string[];
  /** Each mention in a channel opens a thread, but for these channels. */
  readonly auto_thread: boolean;
  readonly no_thread_chats: readonly string[];
  readonly thread_require_mention: boolean;
  /** Where no mention is needed, what mentions others and not the bot is meant for them. */
  readonly ignore_no_mention: boolean;
  readonly slash_commands: boolean;
  readonly reactions: boolean;
  readonly suppress_embeds: boolean;
  readonly max_attachment_bytes: number;
}

const isId = (id: string): boolean => /^\d{15,21}$/.test(id);
const whereIds = 'Discord shows them under "Copy ID" after Settings > Advanced > Developer Mode is switched on';

const users = idList.refine((ids) => ids.every((id) => id === '*' || isId(id)), {
  error: `numeric user ids ("123456789012345678") or "*"; a name can change hands, so it never lets anybody in. ${whereIds}`,
});
const roles = idList.refine((ids) => ids.every(isId), {
  error: `numeric role ids ("123456789012345678"), because the name of a role can be given to another. ${whereIds}`,
});
const groups = idList.refine((ids) => ids.every(isId), { error: `numeric channel ids ("123456789012345678"). ${whereIds}` });
/** A name would silently match nothing: the bot would hear nothing, or not stay out of where it must. */
const channels = idList.refine((ids) => ids.every((id) => id === '*' || isId(id)), {
  error: `numeric ids of channels or threads ("123456789012345678") or "*" for all; names change. ${whereIds}`,
});

const address = (usual: string) =>
  z
    .url({ protocol: /^https?$/ })
    .default(usual)
    .transform((url) => url.replace(/\/+$/, ''));

/** Hermes Agent's names of some keys mean the same. */
const hermesNames = {
  free_response_channels: channels.default([]),
  ignored_channels: channels.default([]),
  allowed_channels: channels.default([]),
  no_thread_channels: channels.default([]),
};

const schema: z.ZodType<DiscordConfig> = z
  .object({
    ...accountShape(PACING, users),
    ...accessShape(users),
    ...gateShape,
    ...hermesNames,
    group_allowed_chats: groups.default([]),
    free_response_chats: channels.default([]),
    mention_required_chats: channels.default([]),
    ignored_chats: channels.default([]),
    bot_token: z.string().trim().optional(),
    allowed_roles: roles.default([]),
    allow_bots: allowBots,
    base_url: address('https://discord.com'),
    cdn_url: address('https://cdn.discordapp.com'),
    allowed_chats: channels.default([]),
    auto_thread: z.boolean().default(true),
    no_thread_chats: channels.default([]),
    thread_require_mention: z.boolean().default(false),
    ignore_no_mention: z.boolean().default(true),
    slash_commands: z.boolean().default(true),
    reactions: z.boolean().default(true),
    suppress_embeds: z.boolean().default(false),
    max_attachment_bytes: z.coerce.number().int().min(0).max(DOWNLOAD_LIMIT_BYTES).default(DOWNLOAD_LIMIT_BYTES),
  })
  .transform(
    ({ free_response_channels: free, ignored_channels: ignored, allowed_channels: only, no_thread_channels: flat, ...config }) => ({
      ...config,
      free_response_chats: [...config.free_response_chats, ...free],
      ignored_chats: [...config.ignored_chats, ...ignored],
      allowed_chats: [...config.allowed_chats, ...only],
      no_thread_chats: [...config.no_thread_chats, ...flat],
    }),
  );

const template = `# A bot token from https://discord.com/developers/applications switches Discord on. It belongs in .env: DISCORD_BOT_TOKEN=...
# bot_token: \${DISCORD_BOT_TOKEN}
# Who may talk to the bot: numeric user ids (or "*" for everybody, who may then run commands on this machine), and bearers of roles, in
# the server of the role: in a direct chat Discord tells of no roles.
# allowed_users: []
# allowed_roles: []
# Channels in which everybody may talk to it: numeric channel ids.
# group_allowed_chats: []
${accessTemplate}
# In channels it answers only when it is mentioned or replied to.
# require_mention: true
# Channels where it reads everything, channels where it must be mentioned all the same, channels that it stays out of; and, where any
# are named, the only channels that it is in. All by numeric id, of a channel (with its threads) or of one thread; "*" is all.
# free_response_chats: []
# mention_required_chats: []
# ignored_chats: []
# allowed_chats: []
# Further names it answers to (regular expressions).
# mention_patterns: []
# Messages of other bots: none, those that mention it (mentions), all. They must be allowed like a person, too.
# allow_bots: none
# A mention in a channel opens a thread, but for these channels; in a thread that it takes part in it needs no mention.
# auto_thread: true
# no_thread_chats: []
# thread_require_mention: false
# Where it needs no mention, it leaves alone what mentions others and not it.
# ignore_no_mention: true
# Hermes Agent's names of those lists of channels are taken as well.
# free_response_channels: []
# ignored_channels: []
# allowed_channels: []
# no_thread_channels: []
# slash_commands: true
# Marks messages: seen, done, failed.
# reactions: true
# No previews of linked pages below its messages.
# suppress_embeds: false
# Larger files of people are not fetched.
# max_attachment_bytes: 33554432
# A proxy in front of Discord's API and of its files.
# base_url: https://discord.com
# cdn_url: https://cdn.discordapp.com
# Discord's own limits: https://docs.discord.com/developers/topics/rate-limits. 0 = no limit.
# pacing:
#   chat_interval_ms: 1000
#   chat_burst: 5
#   group_per_minute: 0
#   per_second: 40`;

export const discordPlatform: Platform<DiscordConfig> = {
  name: 'discord',
  label: 'Discord',
  schema,
  env: {
    DISCORD_BOT_TOKEN: 'bot_token',
    DISCORD_BASE_URL: 'base_url',
    DISCORD_CDN_URL: 'cdn_url',
    DISCORD_ALLOWED_USERS: 'allowed_users',
    DISCORD_ALLOW_ALL_USERS: 'allow_all_users',
    DISCORD_ALLOWED_ROLES: 'allowed_roles',
    DISCORD_GROUP_ALLOWED_CHATS: 'group_allowed_chats',
    DISCORD_ALLOW_BOTS: 'allow_bots',
    DISCORD_REQUIRE_MENTION: 'require_mention',
    DISCORD_THREAD_REQUIRE_MENTION: 'thread_require_mention',
    DISCORD_IGNORE_NO_MENTION: 'ignore_no_mention',
    DISCORD_FREE_RESPONSE_CHANNELS: 'free_response_channels',
    DISCORD_IGNORED_CHANNELS: 'ignored_channels',
    DISCORD_ALLOWED_CHANNELS: 'allowed_channels',
    DISCORD_NO_THREAD_CHANNELS: 'no_thread_channels',
    DISCORD_AUTO_THREAD: 'auto_thread',
    DISCORD_REACTIONS: 'reactions',
    DISCORD_MAX_ATTACHMENT_BYTES: 'max_attachment_bytes',
  },
  secrets: ['bot_token'],
  template,
  enabled: (config) => config.enabled !== false && config.bot_token !== undefined && config.bot_token !== '',
  limits: { uploadBytes: UPLOAD_LIMIT_BYTES, downloadBytes: DOWNLOAD_LIMIT_BYTES },
  progress: { quietMs: 3000, editIntervalMs: 1500, previewIntervalMs: 1500 },
  split: splitForDiscord,
  load: async () => {
    const { createDiscordAdapter } = await import('./index.ts');
    return { create: createDiscordAdapter };
  },
};

export function splitForDiscord(markdown: string): readonly string[] {
  return splitMarkdown(markdown, { limit: TEXT_LIMIT, measure: (part) => (isPlainText(part) ? part.length : toDiscord(part).length) });
}
