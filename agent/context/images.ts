/** Which images of a conversation a request shows. Pure. */
import type { ImagePart, Message, Part } from '../message.ts';

/** What all providers that we know take in one request (agent/models/images.ts keeps to it whatever comes from here). */
const mostImages = 20;
const mostBytes = 20 * 1024 * 1024;
/** Of an image that was stored before its size was kept with it. */
const usualBytes = 1024 * 1024;

/**
 * How many of the first images are their notes. Replays the conversation and leaves out half of what there is only where there are too many: as long as
 * that is not needed again, the next request begins with the same images.
 */
export function earlyImages(messages: readonly Message[]): number {
  const sizes = messages.flatMap((message) => (message.role === 'user' ? message.content.filter(isImage).map(sizeOf) : []));
  let start = 0;
  let bytes = 0;
  for (const [index, size] of sizes.entries()) {
    bytes += size;
    if (index - start < mostImages && bytes <= mostBytes) continue;
    for (; start < index && (index - start >= mostImages / 2 || bytes > mostBytes / 2); start += 1) bytes -= sizes[start] ?? 0;
  }
  return start;
}

function isImage(part: Part): part is ImagePart {
  return part.type === 'image';
}

function sizeOf({ bytes = usualBytes }: ImagePart): number {
  return bytes;
}

/** The same messages with notes in place of the first images. */
export function withoutEarlyImages(messages: readonly Message[], count: number): readonly Message[] {
  let left = count;
  const noted = (part: Part): Part => {
    if (part.type !== 'image' || left === 0) return part;
    left -= 1;
    return { type: 'text', text: `${part.note} (no longer shown to you: there are newer images)` };
  };
  return messages.map((message) => (left === 0 || message.role !== 'user' ? message : { ...message, content: message.content.map(noted) }));
}
