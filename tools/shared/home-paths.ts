import { realpathSync } from 'node:fs';
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

/** Follows links as far as the path exists; what does not exist yet keeps its name. */
export function realPath(file: string): string {
  for (let existing = file; ; existing = path.dirname(existing)) {
    try {
      return path.join(realpathSync.native(existing), path.relative(existing, file));
    } catch {
      // A loop of links or a missing entry: the part above it is asked next, and the root always exists.
      if (existing === path.dirname(existing)) return file;
    }
  }
}
