export interface ImageFacts {
  readonly mime: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';
  /** 0 where the header does not say. */
  readonly width: number;
  readonly height: number;
}

/** What a file's first bytes say that it is, whatever its name says. Only the four kinds that every seeing model takes. Pure. */
export function imageFacts(bytes: Buffer): ImageFacts | undefined {
  if (bytes.length < 16) return undefined;
  if (bytes.readUInt32BE(0) === 0x89504e47) return { mime: 'image/png', ...sizeAt(bytes, 16, 'png') };
  if (bytes.readUInt16BE(0) === 0xffd8 && bytes[2] === 0xff) return { mime: 'image/jpeg', ...jpegSize(bytes) };
  const name = bytes.toString('latin1', 0, 12);
  if (name.startsWith('GIF87a') || name.startsWith('GIF89a')) return { mime: 'image/gif', ...sizeAt(bytes, 6, 'gif') };
  if (name.startsWith('RIFF') && name.endsWith('WEBP')) return { mime: 'image/webp', ...webpSize(bytes) };
  return undefined;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

const unknownSize: Size = { width: 0, height: 0 };

function sizeAt(bytes: Buffer, offset: number, kind: 'png' | 'gif'): Size {
  if (kind === 'gif') return { width: bytes.readUInt16LE(offset), height: bytes.readUInt16LE(offset + 2) };
  if (bytes.length < offset + 8) return unknownSize;
  return { width: bytes.readUInt32BE(offset), height: bytes.readUInt32BE(offset + 4) };
}

/** Walks the segments to the frame header (SOF0 to SOF15 without DHT, JPG and DAC). */
function jpegSize(bytes: Buffer): Size {
  let offset = 2;
  while (offset + 9 < bytes.length) {
    if (bytes[offset] !== 0xff) return unknownSize;
    const marker = bytes[offset + 1] ?? 0;
    if (marker === 0xff) {
      offset += 1;
      continue;
    }
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { height: bytes.readUInt16BE(offset + 5), width: bytes.readUInt16BE(offset + 7) };
    offset += 2 + bytes.readUInt16BE(offset + 2);
  }
  return unknownSize;
}

function webpSize(bytes: Buffer): Size {
  if (bytes.length < 30) return unknownSize;
  const kind = bytes.toString('latin1', 12, 16);
  if (kind === 'VP8X') return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
  if (kind === 'VP8 ') return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
  if (kind !== 'VP8L') return unknownSize;
  const bits = bytes.readUInt32LE(21);
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
}
