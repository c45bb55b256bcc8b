/** Files that came with a message, as references. */
import type { Attachment, AttachmentKind } from '../adapter.ts';
import type { WireFile } from './wire.ts';

const IMAGES = /^image\/(?:png|jpe?g|webp|gif|heic|heif|bmp|tiff)$/;

export function attachmentsOf(files: readonly WireFile[] | null | undefined): Attachment[] {
  // What was deleted, or is hidden by the plan's limits, has no content any more.
  return (files ?? []).filter(({ mode }) => mode !== 'tombstone' && mode !== 'hidden_by_limit').map(attachmentOf);
}

/** Slack Connect leaves the addresses out: then they are asked for by the id, after authorisation. */
function attachmentOf(file: WireFile): Attachment {
  const mime = file.mimetype ?? '';
  const url = file.url_private_download ?? file.url_private;
  return {
    kind: kindOf(file, mime),
    handle: { file: file.id, ...(url ? { url } : {}) },
    name: file.name || file.title || file.id,
    ...(mime === '' ? {} : { mime }),
    ...(file.size ? { sizeBytes: file.size } : {}),
  };
}

function kindOf({ subtype }: WireFile, mime: string): AttachmentKind {
  if (subtype === 'slack_audio') return 'voice';
  if (IMAGES.test(mime)) return 'image';
  if (mime.startsWith('audio/')) return 'audio';
  return mime.startsWith('video/') ? 'video' : 'file';
}
