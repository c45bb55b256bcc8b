import { z } from 'zod';
import type { AccountConfig, BotRule, Pacing, Platform } from '../platform.ts';
import { accessShape, accessTemplate, accountShape, allowBots, type GateConfig, gateShape, idList } from '../shared/config.ts';
import { isPlainText } from '../shared/markdown.ts';
import { splitMarkdown } from '../shared/split.ts';
import { escapeMrkdwn, toMrkdwn } from './format.ts';
import { manifestText } from './manifest.ts';

/**
 * UTF-8 bytes of a message as it is written to Slack, escapes included. 40,000 characters may be posted, but `chat.update` refuses more than
 * 4,000 bytes with `msg_too_long` (measured: https://github.com/openclaw/openclaw/pull/115027), and whatever is sent may be edited.
 */
export const TEXT_LIMIT_BYTES = 4000;
/** https://docs.slack.dev/reference/methods/files.completeUploadExternal */
export const UPLOAD_LIMIT_BYTES = 1_000_000_000;
/** Ours: Slack names no limit for what a bot may fetch. */
export const DOWNLOAD_LIMIT_BYTES = 100_000_000;

/** "Generally one message a second per channel, short bursts above it", and several hundred a minute in a workspace. https://docs.slack.dev/apis/web-api/rate-limits */
const PACING: Pacing = { chat_interval_ms: 1000, chat_burst: 3, group_per_minute: 0, per_second: 5 };

export interface HttpEventsConfig {
  readonly path: string;
}

export interface SlackConfig extends AccountConfig, GateConfig {
  readonly bot_token?: string | undefined;
  readonly app_token?: string | undefined;
  readonly signing_secret?: string | undefined;
  readonly mode: 'socket' | 'http';
  readonly http: HttpEventsConfig;
  readonly base_url: string;
  /** Not empty: the only channels in which the bot answers. */
  readonly allowed_chats: readonly string[];
  readonly allow_bots: BotRule;
  readonly reply_in_thread: boolean;
  readonly strict_mention: boolean;
  readonly reactions: boolean;
  readonly unfurl_links: boolean;
  readonly streaming: boolean;
}

const USER = /^(?:[TE][A-Z0-9]+:)?[UWB][A-Z0-9]+$/;

const users = idList.refine((ids) => ids.every((id) => id === '*' || USER.test(id)), {
  error:
    'member ids ("U012ABCDEF", of people of another workspace "T0TEAM:U012ABCDEF") or "*"; names can change hands, so they never let anybody in. In Slack: profile, "...", Copy member ID',
});

/** Hermes Agent's names of some keys mean the same. */
const hermesNames = { free_response_channels: idList.default([]), allowed_channels: idList.default([]) };

const schema: z.ZodType<SlackConfig> = z
  .object({
    ...accountShape(PACING, users),
    ...accessShape(users),
    ...gateShape,
    ...hermesNames,
    bot_token: z.string().trim().optional(),
    app_token: z.string().trim().optional(),
    signing_secret: z.string().trim().optional(),
    mode: z.enum(['socket', 'http']).default('socket'),
    http: z.object({ path: z.string().startsWith('/').default('/slack/events') }).prefault({}),
    base_url: z
      .url({ protocol: /^https?$/ })
      .default('https://slack.com/api')
      .transform((url) => url.replace(/\/+$/, '')),
    allowed_chats: idList.default([]),
    allow_bots: allowBots,
    reply_in_thread: z.boolean().default(true),
    strict_mention: z.boolean().default(false),
    reactions: z.boolean().default(true),
    unfurl_links: z.boolean().default(false),
    streaming: z.boolean().default(true),
  })
  .transform(({ free_response_channels: free, allowed_channels: only, ...config }) => ({
    ...config,
    free_response_chats: [...config.free_response_chats, ...free],
    allowed_chats: [...config.allowed_chats, ...only],
  }));

const template = `# Two tokens switch Slack on; "hermes slack manifest" prints the app that they come from. They belong in .env:
# SLACK_BOT_TOKEN=xoxb-... (OAuth & Permissions) and SLACK_APP_TOKEN=xapp-... (Basic Information, scope connections:write)
# bot_token: \${SLACK_BOT_TOKEN}
# app_token: \${SLACK_APP_TOKEN}
# Who may talk to the bot: member ids (or "*" for everybody, who may then run commands on this machine).
# allowed_users: []
# Channels in which everybody may talk to it: channel ids.
# group_allowed_chats: []
${accessTemplate}
# In channels it answers only when it is mentioned, and in threads that it takes part in.
# require_mention: true
# Also in those threads only when it is mentioned.
# strict_mention: false
# A mention in a channel is answered in a thread, which is a conversation of its own.
# reply_in_thread: true
# Channels where it reads everything, channels where it must be mentioned all the same, channels that it stays out of; and, where any
# are named, the only channels that it is in.
# free_response_chats: []
# mention_required_chats: []
# ignored_chats: []
# allowed_chats: []
# Hermes Agent's names of two of those lists are taken as well.
# free_response_channels: []
# allowed_channels: []
# Further names it answers to (regular expressions).
# mention_patterns: []
# Messages of other bots: none, mentions (those that mention us) or all.
# allow_bots: none
# Show with a reaction that a message was seen, is done or failed.
# reactions: true
# Previews of links in our messages.
# unfurl_links: false
# Show answers while they are written, in the threads of Slack's assistant.
# streaming: true
# Instead of Socket Mode, Slack can call us: needs a public https address that leads to this gateway's port, and the signing secret.
# mode: socket
# signing_secret: \${SLACK_SIGNING_SECRET}
# http:
#   path: /slack/events
# A proxy of Slack's Web API.
# base_url: https://slack.com/api
# Slack's own limits: https://docs.slack.dev/apis/web-api/rate-limits. 0 = no limit.
# pacing:
#   chat_interval_ms: 1000
#   chat_burst: 3
#   group_per_minute: 0
#   per_second: 5`;

const isSet = (text: string | undefined): boolean => text !== undefined && text !== '';

export const slackPlatform: Platform<SlackConfig> = {
  name: 'slack',
  label: 'Slack',
  schema,
  env: {
    SLACK_BOT_TOKEN: 'bot_token',
    SLACK_APP_TOKEN: 'app_token',
    SLACK_SIGNING_SECRET: 'signing_secret',
    SLACK_BASE_URL: 'base_url',
    SLACK_ALLOWED_USERS: 'allowed_users',
    SLACK_ALLOW_ALL_USERS: 'allow_all_users',
    SLACK_GROUP_ALLOWED_CHATS: 'group_allowed_chats',
    SLACK_ALLOW_BOTS: 'allow_bots',
    SLACK_REQUIRE_MENTION: 'require_mention',
    SLACK_STRICT_MENTION: 'strict_mention',
    SLACK_FREE_RESPONSE_CHANNELS: 'free_response_channels',
    SLACK_ALLOWED_CHANNELS: 'allowed_channels',
    SLACK_REACTIONS: 'reactions',
  },
  secrets: ['bot_token', 'app_token', 'signing_secret'],
  template,
  enabled: ({ enabled, bot_token, app_token, signing_secret, mode }) =>
    enabled !== false && isSet(bot_token) && isSet(mode === 'socket' ? app_token : signing_secret),
  limits: { uploadBytes: UPLOAD_LIMIT_BYTES, downloadBytes: DOWNLOAD_LIMIT_BYTES },
  progress: { quietMs: 3000, editIntervalMs: 1500, previewIntervalMs: 1000 },
  split: splitForSlack,
  manifest: manifestText,
  load: async () => {
    const { createSlackAdapter } = await import('./index.ts');
    return { create: createSlackAdapter };
  },
};

export function splitForSlack(markdown: string): readonly string[] {
  return splitMarkdown(markdown, { limit: TEXT_LIMIT_BYTES, measure: sizeAsWritten });
}

/** Length as Slack counts it at its strictest. */
export function sizeAsWritten(markdown: string): number {
  return Buffer.byteLength(isPlainText(markdown) ? escapeMrkdwn(markdown) : toMrkdwn(markdown));
}
