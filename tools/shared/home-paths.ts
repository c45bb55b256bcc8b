import { readlinkSync, realpathSync } from 'node:fs';
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
