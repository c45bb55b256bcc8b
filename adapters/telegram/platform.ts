import { z } from 'zod';
import type { AccountConfig, Pacing, Platform } from '../platform.ts';
import { accessShape, accessTemplate, accountShape, type GateConfig, gateShape, idList } from '../shared/config.ts';
import { isPlainText } from '../shared/markdown.ts';
import { splitMarkdown } from '../shared/split.ts';
import { toTelegramHtml, visibleText } from './html.ts';

/** UTF-16 units of a message, counted after entity parsing. */
export const TEXT_LIMIT = 4096;
/** Larger pictures are sent as documents. */
export const PHOTO_LIMIT_BYTES = 10_000_000;
export const UPLOAD_LIMIT_BYTES = 50_000_000;
export const DOWNLOAD_LIMIT_BYTES = 20_000_000;

/**
 * At most one message a second in a chat after a short burst, 20 a minute in a group, about 30 a second over all chats.
 * https://core.telegram.org/bots/faq#my-bot-is-hitting-limits-how-do-i-avoid-this
 */
const PACING: Pacing = { chat_interval_ms: 1000, chat_burst: 3, group_per_minute: 20, per_second: 30 };

export interface WebhookConfig {
  /** Public https address without the path. Not set: long polling. */
  readonly url?: string | undefined;
  /** Not set: one is made at the first start and kept. */
  readonly secret?: string | undefined;
  readonly path: string;
}

export interface TelegramConfig extends AccountConfig, GateConfig {
  readonly bot_token?: string | undefined;
  readonly base_url: string;
  /** `<thread>` or `<chat>:<thread>`. */
  readonly ignored_threads: readonly string[];
  readonly disable_link_previews: boolean;
  readonly poll_timeout_seconds: number;
  readonly webhook: WebhookConfig;
}

const users = idList.refine((ids) => ids.every((id) => id === '*' || /^-?\d+$/.test(id)), {
  error:
    'numeric user ids ("123456789") or "*"; an @name can change hands, so it never lets anybody in. @userinfobot tells a person their id',
});

const webhook = z
  .object({
    url: z.url({ protocol: /^https?$/, error: 'an https address, as "https://bot.example.org"' }).optional(),
    secret: z
      .string()
      .regex(/^[\w-]{1,256}$/, '1 to 256 letters, digits, "_" or "-"')
      .optional(),
    path: z.string().startsWith('/').default('/telegram/webhook'),
  })
  .prefault({});

const schema: z.ZodType<TelegramConfig> = z.object({
  ...accountShape(PACING, users),
  ...accessShape(users),
  bot_token: z.string().trim().optional(),
  base_url: z
    .url({ protocol: /^https?$/ })
    .default('https://api.telegram.org')
    .transform((url) => url.replace(/\/+$/, '')),
  ...gateShape,
  ignored_threads: idList.default([]),
  disable_link_previews: z.boolean().default(false),
  poll_timeout_seconds: z.coerce.number().min(1).max(50).default(30),
  webhook,
});

const template = `# A token from @BotFather switches Telegram on. It belongs in .env: TELEGRAM_BOT_TOKEN=123:ABC
# bot_token: \${TELEGRAM_BOT_TOKEN}
# Who may talk to the bot: numeric user ids (or "*" for everybody, who may then run commands on this machine).
# allowed_users: []
# Groups in which everybody may talk to it: numeric chat ids, with their minus.
# group_allowed_chats: []
${accessTemplate}
# In groups it answers only when it is mentioned, replied to or given a command.
# require_mention: true
# Groups where it reads everything, groups where it must be mentioned all the same, and groups that it stays out of.
# free_response_chats: []
# mention_required_chats: []
# ignored_chats: []
# Further names it answers to (regular expressions), forum topics it stays out of.
# mention_patterns: []
# ignored_threads: []
# disable_link_previews: false
# A self-hosted Bot API server.
# base_url: https://api.telegram.org
# How long one poll waits for messages.
# poll_timeout_seconds: 30
# Instead of polling, Telegram can call us: needs a public https address that leads to this gateway's port.
# webhook:
#   url: https://bot.example.org
#   secret: \${TELEGRAM_WEBHOOK_SECRET}
#   path: /telegram/webhook
# Telegram's own limits: https://core.telegram.org/bots/faq#my-bot-is-hitting-limits-how-do-i-avoid-this. 0 = no limit.
# pacing:
#   chat_interval_ms: 1000
#   chat_burst: 3
#   group_per_minute: 20
#   per_second: 30`;

export const telegramPlatform: Platform<TelegramConfig> = {
  name: 'telegram',
  label: 'Telegram',
  schema,
  env: {
    TELEGRAM_BOT_TOKEN: 'bot_token',
    TELEGRAM_BASE_URL: 'base_url',
    TELEGRAM_ALLOWED_USERS: 'allowed_users',
    TELEGRAM_GROUP_ALLOWED_CHATS: 'group_allowed_chats',
    TELEGRAM_ALLOW_ALL_USERS: 'allow_all_users',
    TELEGRAM_WEBHOOK_URL: 'webhook.url',
    TELEGRAM_WEBHOOK_SECRET: 'webhook.secret',
  },
  secrets: ['bot_token', 'webhook.secret'],
  template,
  enabled: (config) => config.enabled !== false && config.bot_token !== undefined && config.bot_token !== '',
  limits: { uploadBytes: UPLOAD_LIMIT_BYTES, downloadBytes: DOWNLOAD_LIMIT_BYTES },
  progress: { quietMs: 3000, editIntervalMs: 1500, previewIntervalMs: 1000 },
  split: splitForTelegram,
  load: async () => {
    const { createTelegramAdapter } = await import('./index.ts');
    return { create: createTelegramAdapter };
  },
};

export function splitForTelegram(markdown: string): readonly string[] {
  return splitMarkdown(markdown, { limit: TEXT_LIMIT, measure: visibleLength });
}

/** Length as Telegram counts it. */
function visibleLength(markdown: string): number {
  return isPlainText(markdown) ? markdown.length : visibleText(toTelegramHtml(markdown)).length;
}
