import { expect, it } from 'vitest';
import { mediaTypeOf } from '../../../gateway/presenter/media-types.ts';

it.each([
  ['photo.JPG', 'image/jpeg', 'image'],
  ['dance.gif', 'image/gif', 'image'],
  ['note.ogg', 'audio/ogg', 'voice'],
  ['song.flac', 'audio/flac', 'audio'],
  ['clip.mov', 'video/quicktime', 'video'],
  ['report.v2.docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'file'],
  ['drawing.svg', 'image/svg+xml', 'file'],
  ['backup.tar.gz', 'application/gzip', 'file'],
  ['paper.pdf', 'application/pdf', 'file'],
  ['Makefile', 'application/octet-stream', 'file'],
  ['x.constructor', 'application/octet-stream', 'file'],
])('%s is sent as %s, %s', (name, mime, kind) => {
  expect(mediaTypeOf(name)).toEqual({ mime, kind });
});
