/** The parts of a Telegram update that we read. Parsed once, at the edge; what is not listed here is not seen. */
import { z } from 'zod';

const user = z.object({
  id: z.number(),
  is_bot: z.boolean(),
  first_name: z.string().default(''),
  last_name: z.string().optional(),
  username: z.string().optional(),
});

const chat = z.object({
  id: z.number(),
  type: z.enum(['private', 'group', 'supergroup', 'channel']),
  title: z.string().optional(),
});

const entity = z.object({ type: z.string(), offset: z.number(), length: z.number(), user: user.optional() });

const file = z.object({
  file_id: z.string(),
  file_size: z.number().optional(),
  mime_type: z.string().optional(),
  file_name: z.string().optional(),
});

const origin = z.object({
  sender_user: user.optional(),
  sender_user_name: z.string().optional(),
  sender_chat: chat.optional(),
  chat: chat.optional(),
});

const location = z.object({ latitude: z.number(), longitude: z.number() });

const message = z.object({
  message_id: z.number(),
  date: z.number(),
  chat,
  from: user.optional(),
  /** Set when a chat speaks instead of a person: channels, anonymous administrators. */
  sender_chat: chat.optional(),
  message_thread_id: z.number().optional(),
  is_topic_message: z.boolean().optional(),
  is_automatic_forward: z.boolean().optional(),
  forward_origin: origin.optional(),
  quote: z.object({ text: z.string() }).optional(),
  media_group_id: z.string().optional(),
  text: z.string().optional(),
  entities: z.array(entity).optional(),
  caption: z.string().optional(),
  caption_entities: z.array(entity).optional(),
  photo: z.array(z.object({ ...file.shape, width: z.number(), height: z.number() })).optional(),
  document: file.optional(),
  animation: file.optional(),
  audio: file.optional(),
  voice: file.optional(),
  video: file.optional(),
  video_note: file.optional(),
  sticker: z
    .object({ ...file.shape, emoji: z.string().optional(), is_animated: z.boolean().optional(), is_video: z.boolean().optional() })
    .optional(),
  location: location.optional(),
  venue: z.object({ location, title: z.string(), address: z.string() }).optional(),
  contact: z.object({ phone_number: z.string(), first_name: z.string(), last_name: z.string().optional() }).optional(),
  poll: z.object({ question: z.string(), options: z.array(z.object({ text: z.string() })) }).optional(),
  dice: z.object({ emoji: z.string(), value: z.number() }).optional(),
  forum_topic_created: z.object({}).optional(),
  migrate_to_chat_id: z.number().optional(),
});

/** The message that a button is on. Of one that is gone or too old there is only the chat, the id and the date 0. */
const clicked = z.object({
  message_id: z.number(),
  date: z.number(),
  chat,
  message_thread_id: z.number().optional(),
  is_topic_message: z.boolean().optional(),
});

const callback = z.object({
  id: z.string(),
  from: user,
  /** Missing where the button is on a message that was sent in inline mode. */
  message: clicked.optional(),
  data: z.string().optional(),
});

export const updateSchema = z.object({
  update_id: z.number(),
  message: z.object({ ...message.shape, reply_to_message: message.optional() }).optional(),
  callback_query: callback.optional(),
});

/** The kinds of updates that we ask Telegram for. */
export const WANTED_UPDATES = ['message', 'callback_query'] as const;

export type WireUser = z.infer<typeof user>;
export type WireEntity = z.infer<typeof entity>;
export type WireFile = z.infer<typeof file>;
export type WireQuoted = z.infer<typeof message>;
export type WireCallback = z.infer<typeof callback>;
export type WireMessage = NonNullable<z.infer<typeof updateSchema>['message']>;
