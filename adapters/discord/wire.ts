/** What we read of Discord's payloads; everything else is let through unseen. https://docs.discord.com/developers/resources/message */
import { z } from 'zod';

const id = z.string().regex(/^\d+$/);

const user = z.object({
  id,
  username: z.string().default(''),
  global_name: z.string().nullish(),
  bot: z.boolean().optional(),
});

const member = z.object({ nick: z.string().nullish(), roles: z.array(id).default([]) });

const attachment = z.object({
  id,
  filename: z.string().default('file'),
  content_type: z.string().nullish(),
  size: z.number().optional(),
  url: z.string(),
});

const sticker = z.object({ id, name: z.string(), format_type: z.number() });

const poll = z.object({
  question: z.object({ text: z.string().nullish() }),
  answers: z.array(z.object({ poll_media: z.object({ text: z.string().nullish() }) })).default([]),
});

const content = z.object({
  content: z.string().default(''),
  attachments: z.array(attachment).default([]),
  sticker_items: z.array(sticker).default([]),
});

const quoted = content.extend({ id, channel_id: id, author: user, poll: poll.nullish() });

export const messageSchema = quoted.extend({
  guild_id: id.nullish(),
  member: member.nullish(),
  type: z.number(),
  flags: z.number().default(0),
  webhook_id: id.nullish(),
  mentions: z.array(user.extend({ member: member.nullish() })).default([]),
  mention_roles: z.array(id).default([]),
  message_reference: z.object({ type: z.number().default(0), message_id: id.nullish(), channel_id: id.nullish() }).nullish(),
  referenced_message: quoted.nullish(),
  message_snapshots: z.array(z.object({ message: content })).nullish(),
});

export const channelSchema = z.object({
  id,
  type: z.number(),
  guild_id: id.nullish(),
  name: z.string().nullish(),
  parent_id: id.nullish(),
  owner_id: id.nullish(),
  last_message_id: id.nullish(),
  /** Of a thread: that we are in it. */
  member: z.object({}).nullish(),
});

export const guildSchema = z.object({
  id,
  unavailable: z.boolean().optional(),
  /** When we came to it. */
  joined_at: z.iso.datetime({ offset: true }).catch(new Date(0).toISOString()),
  channels: z.array(channelSchema).default([]),
  threads: z.array(channelSchema).default([]),
  roles: z.array(z.object({ id, tags: z.object({ bot_id: id.nullish() }).nullish() })).default([]),
});

export const readySchema = z.object({
  user,
  application: z.object({ id }),
  guilds: z.array(z.object({ id })).default([]),
});

export const interactionSchema = z.object({
  id,
  application_id: id,
  type: z.number(),
  token: z.string(),
  channel_id: id.nullish(),
  channel: channelSchema.nullish(),
  guild_id: id.nullish(),
  member: member.extend({ user }).nullish(),
  user: user.nullish(),
  message: z.object({ id }).nullish(),
  data: z
    .object({
      name: z.string().optional(),
      custom_id: z.string().optional(),
      options: z.array(z.object({ name: z.string(), value: z.union([z.string(), z.number(), z.boolean()]).optional() })).nullish(),
    })
    .nullish(),
});

export type WireUser = z.infer<typeof user>;
export type WireMember = z.infer<typeof member>;
export type WireAttachment = z.infer<typeof attachment>;
export type WireSticker = z.infer<typeof sticker>;
export type WireContent = z.infer<typeof content>;
export type WireQuoted = z.infer<typeof quoted>;
export type WireMessage = z.infer<typeof messageSchema>;
export type WireChannel = z.infer<typeof channelSchema>;
export type WireGuild = z.infer<typeof guildSchema>;
export type WireInteraction = z.infer<typeof interactionSchema>;

/** Ids carry their time. https://docs.discord.com/developers/reference#snowflakes */
const EPOCH_MS = 1_420_070_400_000;

export function timeOf(snowflake: string): number {
  return Number(BigInt(snowflake) >> 22n) + EPOCH_MS;
}

export function snowflakeAt(timeMs: number): string {
  return String(BigInt(Math.max(0, Math.floor(timeMs) - EPOCH_MS)) << 22n);
}

export function compareSnowflakes(one: string, other: string): number {
  return one.length - other.length || (one < other ? -1 : one > other ? 1 : 0);
}
