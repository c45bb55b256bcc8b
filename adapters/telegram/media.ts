/** What came with a message: files as references, and everything that is not a file as one line of text. */
import type { Attachment, AttachmentKind } from '../adapter.ts';
import type { WireFile, WireQuoted } from './wire.ts';

const IMAGES = /^image\/(?:png|jpe?g|webp|gif|heic|heif|bmp|tiff)$/;

export function attachmentsOf(message: WireQuoted): Attachment[] {
  const { photo, sticker, document, animation, audio, voice, video, video_note: note } = message;
  const found: (Attachment | undefined)[] = [
    largestPhoto(photo, message.message_id),
    // An animation also comes as a document, for old clients.
    animation === undefined ? undefined : attachment('video', animation, { mime: 'video/mp4', name: 'animation.mp4' }),
    document === undefined || animation !== undefined ? undefined : attachment(documentKind(document), document, { name: 'document' }),
    audio === undefined ? undefined : attachment('audio', audio, { mime: 'audio/mpeg', name: 'audio.mp3' }),
    voice === undefined ? undefined : attachment('voice', voice, { mime: 'audio/ogg', name: 'voice.ogg' }),
    video === undefined ? undefined : attachment('video', video, { mime: 'video/mp4', name: 'video.mp4' }),
    note === undefined ? undefined : attachment('video', note, { mime: 'video/mp4', name: 'video-message.mp4' }),
    sticker === undefined ? undefined : attachment('sticker', sticker, stickerFile(sticker)),
  ];
  return found.filter((entry) => entry !== undefined);
}

function largestPhoto(sizes: WireQuoted['photo'], messageId: number): Attachment | undefined {
  const [largest] = (sizes ?? []).toSorted((one, other) => other.width * other.height - one.width * one.height);
  return largest && attachment('image', largest, { mime: 'image/jpeg', name: `photo-${messageId}.jpg` });
}

function documentKind({ mime_type: mime = '' }: WireFile): AttachmentKind {
  return IMAGES.test(mime) ? 'image' : 'file';
}

function stickerFile(sticker: NonNullable<WireQuoted['sticker']>): { mime: string; name: string } {
  if (sticker.is_animated === true) return { mime: 'application/x-tgsticker', name: 'sticker.tgs' };
  return sticker.is_video === true ? { mime: 'video/webm', name: 'sticker.webm' } : { mime: 'image/webp', name: 'sticker.webp' };
}

function attachment(kind: AttachmentKind, file: WireFile, usual: { mime?: string; name: string }): Attachment {
  const mime = file.mime_type ?? usual.mime;
  return {
    kind,
    handle: { file_id: file.file_id },
    name: file.file_name ?? usual.name,
    ...(mime === undefined ? {} : { mime }),
    ...(file.file_size === undefined ? {} : { sizeBytes: file.file_size }),
  };
}

/** Location, contact, poll and the like; undefined for a message that says nothing (a service message). */
export function describeContent(message: WireQuoted): string | undefined {
  const { venue, location, contact, poll, sticker, dice } = message;
  if (venue !== undefined) return `Place: ${venue.title}, ${venue.address} (${point(venue.location)})`;
  if (location !== undefined) return `Location: ${point(location)}`;
  if (contact !== undefined)
    return `Contact: ${[contact.first_name, contact.last_name].filter(Boolean).join(' ')}, ${contact.phone_number}`;
  if (poll !== undefined) return `Poll: ${poll.question} Options: ${poll.options.map(({ text }) => text).join('; ')}`;
  if (sticker !== undefined) return `Sticker: ${sticker.emoji ?? 'without emoji'}`;
  if (dice !== undefined) return `${dice.emoji} ${dice.value}`;
  return undefined;
}

function point({ latitude, longitude }: { latitude: number; longitude: number }): string {
  return `${latitude}, ${longitude}`;
}
