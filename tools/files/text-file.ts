import type { Stats } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import path from 'node:path';
import { openContained } from '../shared/contained-file.ts';

const MAX_EDIT_BYTES = 20_000_000;
const SNIFF_BYTES = 8_192;
const MAX_SUGGESTIONS = 5;

/** What is there, as far as reading text goes. */
export type Found =
  | { readonly kind: 'text'; readonly bytes: Buffer }
  | { readonly kind: 'refused'; readonly why: string }
  | { readonly kind: 'missing' };

/** Reads a resolved file as a whole, if it is a file of text of a sensible size. */
export async function readTextFile(file: string): Promise<Found> {
  const opened = await openContained(file).catch((error: NodeJS.ErrnoException) => explain(error, file));
  if ('kind' in opened) return opened;
  try {
    const stats = await opened.stat();
    const why = whyNoText(stats, file);
    if (why !== undefined) return { kind: 'refused', why };
    const bytes = await opened.readFile();
    return isBinary(bytes.subarray(0, SNIFF_BYTES))
      ? { kind: 'refused', why: `${file} is a binary file, which cannot be shown as text.` }
      : { kind: 'text', bytes };
  } finally {
    await opened.close();
  }
}

function explain(error: NodeJS.ErrnoException, file: string): Found {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return { kind: 'missing' };
  if (error.code === 'EACCES' || error.code === 'EPERM')
    return { kind: 'refused', why: `${file} may not be read by the user that runs this gateway.` };
  if (error.code === 'ENXIO') return { kind: 'refused', why: `${file} is a socket or device, not a file of text.` };
  throw error;
}

export function whyNoText(stats: Stats, file: string): string | undefined {
  if (stats.isDirectory()) return `${file} is a directory. List it with search_files (target "files") or with ls in the terminal.`;
  if (stats.isFIFO()) return `${file} is a pipe between programs, not a file of text.`;
  if (stats.isCharacterDevice() || stats.isBlockDevice()) return `${file} is a device, not a file of text.`;
  if (!stats.isFile()) return `${file} is not a file of text.`;
  return stats.size > MAX_EDIT_BYTES
    ? `${file} has ${stats.size.toLocaleString('en-US')} bytes, too many to edit as a whole. Use sed or a script in the terminal.`
    : undefined;
}

/** A NUL, or a good part of bytes that no text has. UTF-16 counts as binary: it would come out as garbage. */
export function isBinary(start: Buffer): boolean {
  if (start.includes(0)) return true;
  const odd = start.filter((byte) => byte < 9 || (byte > 13 && byte < 27) || (byte > 27 && byte < 32)).length;
  return start.length > 0 && odd / start.length > 0.1;
}

/** Names beside a missing file that look like it, nearest first. */
export async function similarNames(file: string): Promise<string[]> {
  const wanted = path.basename(file).toLowerCase();
  const names = await readdir(path.dirname(file)).catch(() => []);
  const scored = names.slice(0, 5_000).map((name) => ({ name, score: similarity(wanted, name.toLowerCase()) }));
  const near = scored.filter(({ score }) => score >= 0.4).toSorted((left, right) => right.score - left.score);
  return near.slice(0, MAX_SUGGESTIONS).map(({ name }) => path.join(path.dirname(file), name));
}

/** Share of common letter pairs (Dice), with a bonus where one name holds the other. */
export function similarity(left: string, right: string): number {
  if (left === right) return 1;
  if (left === '' || right === '') return 0;
  const pairs = (text: string): string[] =>
    Array.from({ length: Math.max(0, text.length - 1) }, (_, index) => text.slice(index, index + 2));
  const available = pairs(right);
  const common = pairs(left).filter((pair) => {
    const index = available.indexOf(pair);
    if (index >= 0) available.splice(index, 1);
    return index >= 0;
  }).length;
  const dice = (2 * common) / Math.max(1, left.length + right.length - 2);
  return left.includes(right) || right.includes(left) ? Math.max(dice, 0.6) : dice;
}

export async function exists(file: string): Promise<boolean> {
  return (await lstat(file).catch(() => undefined)) !== undefined;
}
