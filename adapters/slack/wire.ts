/** What of Slack's payloads is read here. Everything else in them is left alone. */
import { z } from 'zod';

const fileSchema = z.object({
  id: z.string(),
  name: z.string().nullish(),
  title: z.string().nullish(),
  mimetype: z.string().nullish(),
  size: z.number().nullish(),
  subtype: z.string().nullish(),
  mode: z.string().nullish(),
  url_private: z.string().nullish(),
  url_private_download: z.string().nullish(),
});

/** Somebody's message that was shared along with this one. Previews of links look alike, but are no message. */
const attachmentSchema = z.object({
  is_share: z.boolean().nullish(),
  is_msg_unfurl: z.boolean().nullish(),
  author_name: z.string().nullish(),
  text: z.string().nullish(),
  fallback: z.string().nullish(),
  files: z.array(fileSchema).nullish(),
});

/** https://docs.slack.dev/reference/events/message; the same from `conversations.history`, without `channel` there. */
export const messageSchema = z.object({
  type: z.enum(['message', 'app_mention']),
  subtype: z.string().nullish(),
  channel: z.string().optional(),
  user: z.string().nullish(),
  bot_id: z.string().nullish(),
  bot_profile: z.object({ name: z.string().nullish() }).nullish(),
  username: z.string().nullish(),
  team: z.string().nullish(),
  user_team: z.string().nullish(),
  text: z.string().nullish(),
  ts: z.string(),
  thread_ts: z.string().nullish(),
  parent_user_id: z.string().nullish(),
  hidden: z.boolean().nullish(),
  reply_count: z.number().nullish(),
  files: z.array(fileSchema).nullish(),
  attachments: z.array(attachmentSchema).nullish(),
});

export type WireMessage = z.infer<typeof messageSchema>;
export type WireFile = z.infer<typeof fileSchema>;

/** https://docs.slack.dev/reference/events/assistant_thread_started */
export const assistantSchema = z.object({
  type: z.enum(['assistant_thread_started', 'assistant_thread_context_changed']),
  assistant_thread: z.object({ channel_id: z.string(), thread_ts: z.string() }),
});

/** The envelope of the Events API. */
export const eventSchema = z.object({
  type: z.literal('event_callback'),
  event: z.unknown(),
  authorizations: z.array(z.object({ user_id: z.string().nullish() })).nullish(),
});

/** https://docs.slack.dev/reference/interaction-payloads/block_actions-payload */
export const actionsSchema = z.object({
  type: z.literal('block_actions'),
  user: z.object({ id: z.string(), name: z.string().nullish(), username: z.string().nullish(), team_id: z.string().nullish() }),
  channel: z.object({ id: z.string() }).nullish(),
  container: z.object({ message_ts: z.string().nullish(), channel_id: z.string().nullish(), thread_ts: z.string().nullish() }).nullish(),
  message: z
    .object({ ts: z.string(), thread_ts: z.string().nullish(), user: z.string().nullish(), bot_id: z.string().nullish() })
    .nullish(),
  actions: z.array(z.object({ type: z.string(), action_id: z.string(), value: z.string().nullish(), action_ts: z.string().nullish() })),
  response_url: z.string().nullish(),
  trigger_id: z.string().nullish(),
});

export type WireActions = z.infer<typeof actionsSchema>;

/** https://docs.slack.dev/interactivity/implementing-slash-commands#app_command_handling */
export const commandSchema = z.object({
  command: z.string().startsWith('/'),
  text: z.string().nullish(),
  team_id: z.string().nullish(),
  channel_id: z.string(),
  user_id: z.string(),
  user_name: z.string().nullish(),
  response_url: z.string(),
  trigger_id: z.string(),
});

export type WireCommand = z.infer<typeof commandSchema>;
