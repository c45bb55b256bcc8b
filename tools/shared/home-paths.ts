import { type Dirent, readdirSync, readlinkSync, realpathSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** `~`, `~/x` and relative paths as a person means them: relative to the session's workspace. Purely textual: no link is followed. */
export function absolutePath(given: string, base: string, home: string = os.homedir()): string {
  if (given === '~') return home;
  if (given.startsWith('~/')) return path.join(home, given.slice(2));
  return path.resolve(base, given);
}

/** Whether `file` is `folder` or lies below it. Both absolute. */
export function isWithin(file: string, folder: string): boolean {
  const relative = path.relative(folder, file);
  return relative === '' || (relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative));
}

const MAX_LINKS = 40;

/** Follows every link, also one that leads to something that does not exist yet. A loop of links keeps its name: opening it fails later. */
export function realPath(file: string, linksLeft = MAX_LINKS): string {
  try {
    return realpathSync.native(file);
  } catch {
    // Missing, a loop or not ours to see: then the directory above it is resolved, and the root always is.
    const folder = path.dirname(file);
    if (folder === file || linksLeft === 0) return file;
    const above = realPath(folder, linksLeft);
    const link = linkTarget(path.join(above, path.basename(file)));
    return link === undefined ? path.join(above, path.basename(file)) : realPath(path.resolve(above, link), linksLeft - 1);
  }
}

function linkTarget(file: string): string | undefined {
  try {
    return readlinkSync(file);
  } catch {
    return undefined; // not a link
  }
}

const MOST_ENTRIES = 5_000;

/** Links in a directory, or (`deep`) among some thousands of entries at and below it, nearest first. */
export function linksBelow(directory: string, deep: boolean): string[] {
  const found: string[] = [];
  const open = [directory];
  let left = MOST_ENTRIES;
  for (let next = open.shift(); next !== undefined && left > 0; next = open.shift()) {
    const entries = entriesOf(next);
    left -= entries.length;
    for (const entry of entries) {
      const file = path.join(next, entry.name);
      if (entry.isSymbolicLink()) found.push(file);
      else if (deep && entry.isDirectory()) open.push(file);
    }
  }
  return found;
}

function entriesOf(directory: string): Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    return []; // missing, no directory, or not ours to see: then nothing in it is meant either
  }
}
