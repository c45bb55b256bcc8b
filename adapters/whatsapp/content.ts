/** What a message says and carries. Pure. */
import type { Attachment, AttachmentKind, Json } from '../adapter.ts';
import { contentSchema, type WireContent, type WireContext, type WireMedia } from './wire.ts';

/** A message wrapped in what it is besides: vanishing, to be seen once, with a caption, a part of an album. */
const WRAPPERS = [
  'ephemeralMessage',
  'viewOnceMessage',
  'viewOnceMessageV2',
  'viewOnceMessageV2Extension',
  'documentWithCaptionMessage',
  'associatedChildMessage',
  'deviceSentMessage',
] as const;

const DEEPEST = 8;

/** Undefined for what is no conversation: edits, deletions, reactions, keys, receipts of all kinds. */
export function contentOf(message: unknown): WireContent | undefined {
  let inner = message;
  for (let depth = 0; depth < DEEPEST; depth += 1) {
    const wrapper = WRAPPERS.map((name) => property(inner, name)).find((found) => found !== undefined);
    if (wrapper === undefined) break;
    // The association with an album stands outside of the wrapper.
    const outside = property(inner, 'messageContextInfo');
    const unwrapped = property(wrapper, 'message');
    inner = outside === undefined ? unwrapped : { ...(unwrapped as object), messageContextInfo: outside };
  }
  return contentSchema.safeParse(inner).data;
}

function property(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return (value as Readonly<Record<string, unknown>>)[name] ?? undefined;
}

/** The words, or one line for what has none. Undefined: it says nothing. */
export function textOf(content: WireContent): string | undefined {
  const { extendedTextMessage, imageMessage, videoMessage, documentMessage } = content;
  const words = [content.conversation, extendedTextMessage?.text, imageMessage?.caption, videoMessage?.caption, documentMessage?.caption];
  const chosen = [
    content.buttonsResponseMessage?.selectedDisplayText,
    content.templateButtonReplyMessage?.selectedDisplayText,
    content.listResponseMessage?.title,
  ];
  return [...words, ...chosen].find((text) => text !== null && text !== undefined && text !== '') ?? describe(content);
}

function describe(content: WireContent): string | undefined {
  const place = content.locationMessage ?? content.liveLocationMessage;
  if (place)
    return `${place.name ? `Place: ${[place.name, place.address].filter(Boolean).join(', ')} (${point(place)})` : `Location: ${point(place)}`}`;
  const contacts = content.contactMessage ? [content.contactMessage] : (content.contactsArrayMessage?.contacts ?? []);
  if (contacts.length > 0) return `Contact: ${contacts.map(contactLine).join('; ')}`;
  const poll = content.pollCreationMessage ?? content.pollCreationMessageV2 ?? content.pollCreationMessageV3;
  if (poll) return `Poll: ${poll.name ?? ''} Options: ${(poll.options ?? []).map(({ optionName }) => optionName ?? '').join('; ')}`;
  return undefined;
}

function point({
  degreesLatitude,
  degreesLongitude,
}: {
  degreesLatitude?: number | null | undefined;
  degreesLongitude?: number | null | undefined;
}): string {
  return `${degreesLatitude ?? 0}, ${degreesLongitude ?? 0}`;
}

function contactLine({ displayName, vcard }: { displayName?: string | null | undefined; vcard?: string | null | undefined }): string {
  const phones = [...(vcard ?? '').matchAll(/^TEL[^:\n]*:([+\d\s()-]+)/gim)].map(([, phone = '']) => phone.trim());
  return [displayName ?? '', ...phones].filter((part) => part !== '').join(', ');
}

/** Where the message says what it answers, whom it mentions and whether it is forwarded: inside of whatever it is. */
export function contextOf(content: WireContent): WireContext | undefined {
  for (const part of Object.values(content)) {
    const context = property(part, 'contextInfo');
    // Parsed with the content that it is a part of.
    if (context !== undefined) return context as WireContext;
  }
  return undefined;
}

export function albumOf(content: WireContent): string | undefined {
  return content.messageContextInfo?.messageAssociation?.parentMessageKey?.id ?? undefined;
}

/** What a client library needs to decrypt it, and how WhatsApp names that kind. */
export type MediaType = 'image' | 'video' | 'audio' | 'document' | 'sticker';

interface Shape {
  readonly type: MediaType;
  readonly kind: AttachmentKind;
  readonly mime: string;
  readonly name: string;
}

const SHAPES: readonly (readonly [keyof WireContent, Shape])[] = [
  ['imageMessage', { type: 'image', kind: 'image', mime: 'image/jpeg', name: 'photo.jpg' }],
  ['videoMessage', { type: 'video', kind: 'video', mime: 'video/mp4', name: 'video.mp4' }],
  ['ptvMessage', { type: 'video', kind: 'video', mime: 'video/mp4', name: 'video-message.mp4' }],
  ['audioMessage', { type: 'audio', kind: 'audio', mime: 'audio/mpeg', name: 'audio.mp3' }],
  ['documentMessage', { type: 'document', kind: 'file', mime: 'application/octet-stream', name: 'document' }],
  ['stickerMessage', { type: 'sticker', kind: 'sticker', mime: 'image/webp', name: 'sticker.webp' }],
];

const VOICE: Shape = { type: 'audio', kind: 'voice', mime: 'audio/ogg', name: 'voice.ogg' };
const IMAGES = /^image\/(?:png|jpe?g|webp|gif|heic|heif|bmp|tiff)$/;

/** `key` goes with it: WhatsApp forgets files, and the phone is asked for them by the message's key. */
export function attachmentsOf(content: WireContent, key: Json): Attachment[] {
  return SHAPES.flatMap(([name, shape]) => {
    const media = content[name] as WireMedia | null | undefined;
    const attachment = media ? attachmentOf(media, media.ptt === true ? VOICE : shape, key) : undefined;
    return attachment === undefined ? [] : [attachment];
  });
}

function attachmentOf(media: WireMedia, shape: Shape, key: Json): Attachment | undefined {
  const path = pathOf(media);
  if (path === undefined || !media.mediaKey) return undefined;
  const mime = (media.mimetype ?? shape.mime).split(';')[0]?.trim() || shape.mime;
  const name = media.fileName || media.title || shape.name;
  return {
    kind: shape.type === 'document' && IMAGES.test(mime) ? 'image' : shape.kind,
    handle: { type: shape.type, path, mediaKey: Buffer.from(media.mediaKey).toString('base64'), key },
    name,
    mime,
    ...(media.fileLength ? { sizeBytes: media.fileLength } : {}),
  };
}

/** The path alone: whoever wrote the message also wrote the host into it, and we ask WhatsApp's only. */
function pathOf({ directPath, url }: WireMedia): string | undefined {
  if (directPath) return /^\/(?!\/)/.test(directPath) ? directPath : undefined;
  const parsed = url ? URL.parse(url) : null;
  return parsed === null ? undefined : parsed.pathname + parsed.search;
}
