/** What came with a message: files as references, and everything that is no text as a line of text. Pure. */
import type { Attachment, AttachmentKind } from '../adapter.ts';
import type { WireAttachment, WireContent, WireQuoted, WireSticker } from './wire.ts';

const IMAGES = /^image\/(?:png|jpe?g|webp|gif|heic|heif|bmp|tiff)/;
/** https://docs.discord.com/developers/resources/message#message-object-message-flags */
const VOICE_MESSAGE = 1 << 13;

/** Where a file hangs: its address expires after a day and is asked for anew there. */
export interface Holder {
  readonly channel: string;
  readonly message: string;
}

export function attachmentsOf({ attachments, sticker_items: stickers }: WireContent, holder: Holder, flags = 0): Attachment[] {
  const voice = (flags & VOICE_MESSAGE) !== 0;
  const found = attachments.map((one) => attachment(one, holder, voice));
  return [...found, ...stickers.flatMap((sticker) => stickerFile(sticker))];
}

function attachment({ id, filename, content_type: type, size, url }: WireAttachment, holder: Holder, voice: boolean): Attachment {
  const mime = type?.split(';')[0]?.trim();
  return {
    kind: kindOf(mime ?? '', voice),
    handle: { url, id, ...holder },
    name: filename,
    ...(mime === undefined ? {} : { mime }),
    ...(size === undefined ? {} : { sizeBytes: size }),
  };
}

function kindOf(mime: string, voice: boolean): AttachmentKind {
  if (IMAGES.test(mime)) return 'image';
  if (mime.startsWith('audio/')) return voice ? 'voice' : 'audio';
  return mime.startsWith('video/') ? 'video' : 'file';
}

/** By `format_type`: PNG, APNG, (Lottie: a drawing in JSON that nothing here shows), GIF. */
const STICKERS: Readonly<Record<number, { extension: string; mime: string }>> = {
  1: { extension: 'png', mime: 'image/png' },
  2: { extension: 'png', mime: 'image/apng' },
  4: { extension: 'gif', mime: 'image/gif' },
};

function stickerFile({ id, format_type: format }: WireSticker): Attachment[] {
  const file = STICKERS[format];
  if (file === undefined) return [];
  return [{ kind: 'sticker', handle: { sticker: `${id}.${file.extension}` }, name: `sticker.${file.extension}`, mime: file.mime }];
}

/** Poll and stickers; undefined for a message that says nothing in this way. */
export function describeContent({ poll, sticker_items: stickers }: Pick<WireQuoted, 'poll' | 'sticker_items'>): string | undefined {
  const lines = stickers.map(({ name }) => `Sticker: ${name}`);
  if (poll !== undefined && poll !== null) {
    const options = poll.answers.map(({ poll_media: { text } }) => text ?? '').filter((text) => text !== '');
    lines.unshift(`Poll: ${poll.question.text ?? ''} Options: ${options.join('; ')}`);
  }
  return lines.length === 0 ? undefined : lines.join('\n');
}
