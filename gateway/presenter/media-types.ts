import path from 'node:path';
import type { AttachmentKind } from '../../adapters/adapter.ts';

export interface MediaType {
  readonly mime: string;
  /** How a chat shows it. */
  readonly kind: AttachmentKind;
}

/** By kind: media type and its extensions. What platforms cannot show inline is a file. */
const table: readonly (readonly [AttachmentKind, Readonly<Record<string, string>>])[] = [
  ['image', { 'image/png': 'png', 'image/jpeg': 'jpg jpeg', 'image/webp': 'webp', 'image/gif': 'gif' }],
  ['voice', { 'audio/ogg': 'ogg oga opus' }],
  ['audio', { 'audio/mpeg': 'mp3', 'audio/mp4': 'm4a', 'audio/wav': 'wav', 'audio/flac': 'flac', 'audio/aac': 'aac' }],
  [
    'video',
    { 'video/mp4': 'mp4 m4v', 'video/quicktime': 'mov', 'video/webm': 'webm', 'video/x-matroska': 'mkv', 'video/x-msvideo': 'avi' },
  ],
  [
    'file',
    {
      'application/pdf': 'pdf',
      'text/plain': 'txt log',
      'text/markdown': 'md',
      'text/csv': 'csv',
      'text/html': 'html htm',
      'text/calendar': 'ics',
      'application/json': 'json',
      'application/xml': 'xml',
      'application/yaml': 'yaml yml',
      'application/rtf': 'rtf',
      'application/epub+zip': 'epub',
      'image/svg+xml': 'svg',
      'image/bmp': 'bmp',
      'image/tiff': 'tif tiff',
      'image/heic': 'heic',
      'application/msword': 'doc',
      'application/vnd.ms-excel': 'xls',
      'application/vnd.ms-powerpoint': 'ppt',
      'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
      'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
      'application/vnd.openxmlformats-officedocument.presentationml.presentation': 'pptx',
      'application/vnd.oasis.opendocument.text': 'odt',
      'application/vnd.oasis.opendocument.spreadsheet': 'ods',
      'application/vnd.oasis.opendocument.presentation': 'odp',
      'application/zip': 'zip',
      'application/x-tar': 'tar',
      'application/gzip': 'gz tgz',
      'application/x-bzip2': 'bz2',
      'application/x-xz': 'xz',
      'application/x-7z-compressed': '7z',
      'application/vnd.rar': 'rar',
    },
  ],
];

const byExtension: ReadonlyMap<string, MediaType> = new Map(
  table.flatMap(([kind, types]) =>
    Object.entries(types).flatMap(([mime, extensions]) =>
      extensions.split(' ').map((extension) => [`.${extension}`, { mime, kind }] as const),
    ),
  ),
);

const unknown: MediaType = { mime: 'application/octet-stream', kind: 'file' };

export function mediaTypeOf(name: string): MediaType {
  return byExtension.get(path.extname(name).toLowerCase()) ?? unknown;
}
