import { readFile, stat } from 'node:fs/promises';
import type { ImagePart, Message } from '../message.ts';
import { imageFacts } from './image-facts.ts';

/** What stands for an image in a request: a data URL, or a line that says what it is and why it is not shown. */
export type Shown = { readonly url: string; readonly bytes: number } | { readonly note: string };

export interface ImageReader {
  /** For every image of the messages; the newest win where a limit is reached. Never throws. */
  read(messages: readonly Message[]): Promise<ReadonlyMap<ImagePart, Shown>>;
}

/** Limits below those of all providers that we know: 5 MB and 8,000 pixels an image (Anthropic), 20 to 30 MB a request. */
const maxBytes = 4 * 1024 * 1024;
const maxTotalBytes = 20 * 1024 * 1024;
const maxSide = 8_000;
const maxImages = 20;

/** Remembers what it has read for as long as the messages live, that is for a run: each step sends the same images again. */
export function createImageReader(): ImageReader {
  const known = new WeakMap<ImagePart, Promise<Shown>>();
  const load = (part: ImagePart): Promise<Shown> => {
    const loading = known.get(part) ?? readImage(part);
    known.set(part, loading);
    return loading;
  };
  return { read: (messages) => choose(imagesNewestFirst(messages), load) };
}

function imagesNewestFirst(messages: readonly Message[]): ImagePart[] {
  const parts = messages.flatMap((message) => (message.role === 'user' ? message.content : []));
  return parts.filter((part) => part.type === 'image').reverse();
}

async function choose(images: readonly ImagePart[], load: (part: ImagePart) => Promise<Shown>): Promise<Map<ImagePart, Shown>> {
  const chosen = new Map<ImagePart, Shown>();
  let total = 0;
  let count = 0;
  for (const part of images) {
    const room = count < maxImages && total < maxTotalBytes;
    const shown: Shown = room ? await load(part) : hidden(part, 'there are too many newer ones');
    const fits = 'note' in shown || total + shown.bytes <= maxTotalBytes;
    chosen.set(part, fits ? shown : hidden(part, 'the images together are too large'));
    if ('note' in shown || !fits) continue;
    total += shown.bytes;
    count += 1;
  }
  return chosen;
}

function hidden(part: ImagePart, why: string): Shown {
  return { note: `${part.note} (not shown to you: ${why})` };
}

async function readImage(part: ImagePart): Promise<Shown> {
  try {
    const { size } = await stat(part.path);
    if (size > maxBytes) return hidden(part, `larger than ${maxBytes / 1024 / 1024} MB`);
    const bytes = await readFile(part.path);
    const facts = imageFacts(bytes);
    if (facts === undefined) return hidden(part, 'not a PNG, JPEG, GIF or WebP image');
    if (Math.max(facts.width, facts.height) > maxSide) return hidden(part, `more than ${maxSide} pixels on a side`);
    return { url: `data:${facts.mime};base64,${bytes.toString('base64')}`, bytes: bytes.length };
  } catch {
    return hidden(part, 'the file is gone');
  }
}
