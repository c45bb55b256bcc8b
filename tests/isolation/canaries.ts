/** Words that belong to one place: each says whose it is, and what it was said with. */
import { randomBytes } from 'node:crypto';

const run = randomBytes(4).toString('hex');
const pattern = new RegExp(`canary-${run}-(\\d+)-(\\w+)`, 'g');

export type Kind = 'prompt' | 'attachment' | 'file' | 'answer' | 'call' | 'before';

export function canary(place: number, kind: Kind): string {
  return `canary-${run}-${place}-${kind}`;
}

/** The places whose words are in it, each once. */
export function whose(thing: unknown): readonly number[] {
  const text = typeof thing === 'string' ? thing : Buffer.isBuffer(thing) ? thing.toString('utf8') : JSON.stringify(thing);
  return [...new Set([...(text ?? '').matchAll(pattern)].map(([, place]) => Number(place)))].sort((one, other) => one - other);
}

/** Whether that kind of word is in it. */
export function says(thing: unknown, kind: Kind): boolean {
  return [...JSON.stringify(thing).matchAll(pattern)].some(([, , found]) => found === kind);
}
