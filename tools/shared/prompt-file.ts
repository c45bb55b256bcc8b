import type { FileHandle } from 'node:fs/promises';
import { openContained } from './contained-file.ts';
import { isWithin, realPath } from './home-paths.ts';

/** Longer files are read as far as this. */
const mostBytes = 1_000_000;

/**
 * The text of a file that is to become part of a prompt; undefined where there is none, or no text. Links are followed only as far as they stay within
 * `root`: whoever can write there must not choose another file of this machine.
 */
export async function readPromptFile(file: string, root: string): Promise<string | undefined> {
  const real = realPath(file);
  if (!isWithin(real, realPath(root))) return undefined;
  const handle = await openContained(real).catch(() => undefined);
  if (handle === undefined) return undefined;
  try {
    return await readText(handle);
  } catch {
    return undefined; // a disk that fails must not keep a person from an answer
  } finally {
    await handle.close();
  }
}

async function readText(handle: FileHandle): Promise<string | undefined> {
  const stats = await handle.stat();
  if (!stats.isFile()) return undefined;
  const buffer = Buffer.alloc(Math.min(stats.size, mostBytes));
  let length = 0;
  for (let read = -1; read !== 0 && length < buffer.length; length += read) {
    read = (await handle.read(buffer, length, buffer.length - length, length)).bytesRead;
  }
  const text = buffer.subarray(0, length).toString('utf8');
  return text.includes('\0') || text.trim() === '' ? undefined : text;
}
