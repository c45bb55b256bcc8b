import { z } from 'zod';
import type { AccountConfig, Pacing, Platform } from '../platform.ts';
import { accessShape, accessTemplate, accountShape, type GateConfig, gateShape, idList } from '../shared/config.ts';
import { isPlainText } from '../shared/markdown.ts';
import { splitMarkdown } from '../shared/split.ts';
import { toWhatsApp } from './format.ts';
import { normalPersonId } from './jid.ts';

/**
 * WhatsApp takes 65,536 characters and folds long texts behind "Read more"; 4096 is what its business API takes and what its clients show
 * at once. Counted in UTF-16 units, as JavaScript and WhatsApp's own clients count.
 */
export const TEXT_LIMIT = 4096;
/** Room for `reply_prefix` in each part. */
const PREFIX_LIMIT = 96;
/** As pictures, videos and voice messages; larger ones go as documents. https://faq.whatsapp.com/453914586839706 */
export const MEDIA_LIMIT_BYTES = 16_000_000;
/** Documents may have 2 GB; what we send is read and encrypted on this machine, so that the limit is ours. */
export const UPLOAD_LIMIT_BYTES = 64_000_000;
export const DOWNLOAD_LIMIT_BYTES = 64_000_000;

/** Nothing is documented; slow is what keeps a number from being blocked. https://baileys.wiki/faq */
const PACING: Pacing = { chat_interval_ms: 2000, chat_burst: 2, group_per_minute: 12, per_second: 1 };

export interface WhatsAppConfig extends AccountConfig, GateConfig {
  readonly mode: 'bot' | 'self-chat';
  readonly reply_only: boolean;
  readonly reply_prefix?: string | undefined;
  readonly read_receipts: boolean;
  readonly reactions: boolean;
  readonly jitter_ms: readonly [number, number];
  readonly version: readonly [number, number, number];
  readonly socket_url: string;
  readonly media_url: string;
}

const users = idList.transform((ids, context): readonly string[] =>
  ids.flatMap((written) => {
    const id = normalPersonId(written);
    if (id !== undefined) return [id];
    context.addIssue({
      code: 'custom',
      message: `telephone numbers with the country code ("+49 151 23456789"), "<number>@lid" or "*"; "${written}" is neither`,
    });
    return [];
  }),
);

/** Groups may be written without their server. */
const groups = idList.transform((ids): readonly string[] => ids.map((id) => (/^[\d-]+$/.test(id) ? `${id}@g.us` : id)));

/** In .env everything is text. */
const flag = z.union([z.boolean(), z.enum(['true', 'false', 'yes', 'no', '1', '0']).transform((text) => /^(?:true|yes|1)$/.test(text))]);

const wait = z.coerce.number().min(0).max(60_000);

const schema: z.ZodType<WhatsAppConfig> = z.object({
  ...accountShape(PACING, users),
  ...accessShape(users),
  ...gateShape,
  enabled: flag.optional(),
  group_allowed_chats: groups.default([]),
  free_response_chats: groups.default([]),
  mention_required_chats: groups.default([]),
  ignored_chats: groups.default([]),
  mode: z.enum(['bot', 'self-chat']).default('bot'),
  reply_only: z.boolean().default(true),
  reply_prefix: z.string().max(PREFIX_LIMIT).optional(),
  read_receipts: z.boolean().default(false),
  reactions: z.boolean().default(false),
  jitter_ms: z
    .tuple([wait, wait])
    .refine(([least, most]) => least <= most, 'the lesser number first')
    .default([400, 1800]),
  version: z.tuple([z.number().int(), z.number().int(), z.number().int()]).default([2, 3000, 1043857760]),
  socket_url: z.url({ protocol: /^wss?$/ }).default('wss://web.whatsapp.com/ws/chat'),
  media_url: z
    .url({ protocol: /^https?$/ })
    .default('https://mmg.whatsapp.net')
    .transform((url) => url.replace(/\/+$/, '')),
});

const template = `# Talks as a linked device of a WhatsApp number, over an unofficial client library (its encryption part, libsignal, is GPL-3.0).
# WhatsApp may restrict or block a number for that: use one that you can do without. After switching it on: hermes whatsapp link
# enabled: true
# With bot the number belongs to the bot. With self-chat it is yours, and only what you write to yourself is answered.
# mode: bot
# Who may talk to the bot: telephone numbers with the country code (or "*" for everybody, who may then run commands on this machine).
# allowed_users: []
# Groups in which everybody may talk to it.
# group_allowed_chats: []
${accessTemplate}
# In groups it answers only when it is mentioned, replied to or given a command.
# require_mention: true
# Groups where it reads everything, where it must be mentioned all the same, where it stays silent, and further names it answers to
# (regular expressions).
# free_response_chats: []
# mention_required_chats: []
# ignored_chats: []
# mention_patterns: []
# Never be the first to write in a chat: that is what gets numbers blocked.
# reply_only: true
# What every answer begins with; in self-chat mode "*Hermes*" and a new line unless set.
# reply_prefix: ""
# Blue ticks for messages that are worked on, and reactions for what became of them (each is one more message).
# read_receipts: false
# reactions: false
# A random wait before each message, from and to.
# jitter_ms: [400, 1800]
# Which version of WhatsApp Web we say that we are. Raise it when WhatsApp refuses the client as outdated.
# version: [2, 3000, 1043857760]
# pacing:
#   chat_interval_ms: 2000
#   chat_burst: 2
#   group_per_minute: 12
#   per_second: 1
# Other servers, for a proxy or a test.
# socket_url: wss://web.whatsapp.com/ws/chat
# media_url: https://mmg.whatsapp.net`;

export const whatsappPlatform: Platform<WhatsAppConfig> = {
  name: 'whatsapp',
  label: 'WhatsApp',
  personId: normalPersonId,
  schema,
  env: {
    WHATSAPP_ENABLED: 'enabled',
    WHATSAPP_MODE: 'mode',
    WHATSAPP_ALLOWED_USERS: 'allowed_users',
    WHATSAPP_ALLOW_ALL_USERS: 'allow_all_users',
    WHATSAPP_GROUP_ALLOWED_CHATS: 'group_allowed_chats',
  },
  secrets: [],
  template,
  // There is no token whose presence could mean it: it is switched on by name.
  enabled: (config) => config.enabled === true,
  limits: { uploadBytes: UPLOAD_LIMIT_BYTES, downloadBytes: DOWNLOAD_LIMIT_BYTES },
  // An edit is one more encrypted message to every device of everybody in the chat.
  progress: { quietMs: 6000, editIntervalMs: 6000, previewIntervalMs: 6000 },
  split: splitForWhatsApp,
  load: async () => {
    const { createWhatsAppAdapter } = await import('./index.ts');
    return { create: createWhatsAppAdapter };
  },
};

function splitForWhatsApp(markdown: string): readonly string[] {
  return splitMarkdown(markdown, { limit: TEXT_LIMIT - PREFIX_LIMIT, measure: writtenLength });
}

/** The marks are sent as they are, so that they count. */
function writtenLength(markdown: string): number {
  return isPlainText(markdown) ? markdown.length : toWhatsApp(markdown).length;
}
