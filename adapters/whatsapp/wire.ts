/**
 * What we read of WhatsApp's messages, as the client library decodes them. The rest is ignored, so that a new field never costs a message.
 * The library's messages have a prototype full of nulls: absent, null and undefined are the same.
 * https://github.com/WhiskeySockets/Baileys/blob/master/WAProto/WAProto.proto
 */
import { z } from 'zod';

const bytes = z.custom<Uint8Array>((value) => value instanceof Uint8Array);

/** Numbers of 64 bits come as numbers, as objects of the `long` package or as text. */
const long = z.union([
  z.number(),
  z.string().regex(/^\d+$/).transform(Number),
  z.custom<{ toNumber(): number }>(hasToNumber).transform((value) => value.toNumber()),
]);

function hasToNumber(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'toNumber' in value && typeof value.toNumber === 'function';
}

const contextInfo = z.object({
  stanzaId: z.string().nullish(),
  participant: z.string().nullish(),
  quotedMessage: z.unknown().optional(),
  mentionedJid: z.array(z.string()).nullish(),
  isForwarded: z.boolean().nullish(),
  /** Seconds after which the chat's messages disappear. */
  expiration: z.number().nullish(),
});

export type WireContext = z.infer<typeof contextInfo>;

const media = z.object({
  mimetype: z.string().nullish(),
  caption: z.string().nullish(),
  fileLength: long.nullish(),
  mediaKey: bytes.nullish(),
  directPath: z.string().nullish(),
  url: z.string().nullish(),
  fileName: z.string().nullish(),
  title: z.string().nullish(),
  ptt: z.boolean().nullish(),
  contextInfo: contextInfo.nullish(),
});

export type WireMedia = z.infer<typeof media>;

const location = z.object({
  degreesLatitude: z.number().nullish(),
  degreesLongitude: z.number().nullish(),
  name: z.string().nullish(),
  address: z.string().nullish(),
  caption: z.string().nullish(),
  contextInfo: contextInfo.nullish(),
});

const contact = z.object({ displayName: z.string().nullish(), vcard: z.string().nullish(), contextInfo: contextInfo.nullish() });
const poll = z.object({
  name: z.string().nullish(),
  options: z.array(z.object({ optionName: z.string().nullish() })).nullish(),
  contextInfo: contextInfo.nullish(),
});
const chosen = z.object({
  selectedDisplayText: z.string().nullish(),
  title: z.string().nullish(),
  contextInfo: contextInfo.nullish(),
});

export const contentSchema = z.object({
  conversation: z.string().nullish(),
  extendedTextMessage: z.object({ text: z.string().nullish(), contextInfo: contextInfo.nullish() }).nullish(),
  imageMessage: media.nullish(),
  videoMessage: media.nullish(),
  ptvMessage: media.nullish(),
  audioMessage: media.nullish(),
  documentMessage: media.nullish(),
  stickerMessage: media.nullish(),
  locationMessage: location.nullish(),
  liveLocationMessage: location.nullish(),
  contactMessage: contact.nullish(),
  contactsArrayMessage: z.object({ contacts: z.array(contact).nullish(), contextInfo: contextInfo.nullish() }).nullish(),
  pollCreationMessage: poll.nullish(),
  pollCreationMessageV2: poll.nullish(),
  pollCreationMessageV3: poll.nullish(),
  buttonsResponseMessage: chosen.nullish(),
  templateButtonReplyMessage: chosen.nullish(),
  listResponseMessage: chosen.nullish(),
  messageContextInfo: z
    .object({
      messageAssociation: z.object({ parentMessageKey: z.object({ id: z.string().nullish() }).nullish() }).nullish(),
    })
    .nullish(),
});

export type WireContent = z.infer<typeof contentSchema>;

export const messageKeySchema = z.object({
  remoteJid: z.string(),
  /** The same chat under its other address; of a direct chat only. */
  remoteJidAlt: z.string().nullish(),
  fromMe: z.boolean().nullish(),
  id: z.string().min(1).max(128),
  participant: z.string().nullish(),
  participantAlt: z.string().nullish(),
});

export type WireKey = z.infer<typeof messageKeySchema>;

export const messageSchema = z.object({
  key: messageKeySchema,
  message: z.unknown().optional(),
  messageTimestamp: long.nullish(),
  pushName: z.string().nullish(),
  messageStubType: z.number().nullish(),
});

export type WireMessage = z.infer<typeof messageSchema>;
