/**
 * Opens files that lie in a directory, and nothing else, whatever is done to the names meanwhile by programs of the same user. On Linux each
 * step is taken from the opened directory before it and follows no link (node has no openat; /proc/self/fd/N/name does the same).
 */
import { constants, type Stats } from 'node:fs';
import { type FileHandle, lstat, open, readlink, realpath } from 'node:fs/promises';
import path from 'node:path';

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = constants;
const hasDescriptors = process.platform === 'linux';

export interface OpenFile {
  readonly handle: FileHandle;
  readonly facts: Stats;
  /** Whoever opens this opens the very file, as long as the handle is open. */
  readonly path: string;
}

/** Not what was asked for: the message is one word group for a person, without a path. */
export class UnfitFileError extends Error {
  override readonly name = 'UnfitFileError';
}

/** Only a regular file whose one and only name is below `root`. Rejects with UnfitFileError, or with the file system's error. */
export async function openInside(root: string, file: string): Promise<OpenFile> {
  const steps = await stepsBelow(root, file);
  const name = steps.pop() ?? '';
  const folder = await openFolder(await realParent(root), [path.basename(root), ...steps]);
  try {
    const place = path.join(folder.path, name);
    refuseUnfit(await lstat(place)); // before it is opened: that alone sets some devices going
    const handle = await open(place, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    return await checked(handle, place).catch(async (error: unknown) => {
      await handle.close();
      throw error;
    });
  } finally {
    await folder.close();
  }
}

/** The names on the way from the root to the file; at least one. */
async function stepsBelow(root: string, file: string): Promise<string[]> {
  const wanted = path.resolve(root, file);
  for (const base of [path.resolve(root), path.join(await realParent(root), path.basename(root))]) {
    const below = path.relative(base, wanted);
    if (below !== '' && !path.isAbsolute(below) && below.split(path.sep)[0] !== '..') return below.split(path.sep);
  }
  throw new UnfitFileError(wanted === path.resolve(root) ? 'is not a regular file' : 'is outside the workspace');
}

/** Only what is above the root may be reached through links: whoever puts a link in the place of the root itself leads nowhere. */
function realParent(root: string): Promise<string> {
  return realpath(path.dirname(path.resolve(root)));
}

interface Folder {
  readonly path: string;
  close(): Promise<void>;
}

async function openFolder(start: string, steps: readonly string[]): Promise<Folder> {
  if (!hasDescriptors) return resolvedFolder(path.join(start, ...steps));
  let handle = await open(start, O_RDONLY | O_DIRECTORY);
  for (const step of steps) {
    const next = open(path.join(pathOf(handle), step), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    await next.catch(() => undefined);
    await handle.close();
    handle = await next.catch((error: NodeJS.ErrnoException) => {
      throw error.code === 'ELOOP' || error.code === 'ENOTDIR' ? new UnfitFileError('is outside the workspace', { cause: error }) : error;
    });
  }
  const opened = handle;
  return { path: pathOf(opened), close: () => opened.close() };
}

async function resolvedFolder(folder: string): Promise<Folder> {
  if ((await realpath(folder)) !== folder) throw new UnfitFileError('is outside the workspace');
  return { path: folder, close: async () => undefined };
}

function pathOf({ fd }: FileHandle): string {
  return `/proc/self/fd/${fd}`;
}

/**
 * What is counted must be counted while the name is there: a second name of somebody else's file may be taken away again in between. A name that
 * was taken away never comes back to an opened file, even where a new one is made at the same place: it reads "(deleted)" from then on. So a name
 * that is there behind the count was there before it.
 */
async function checked(handle: FileHandle, place: string): Promise<OpenFile> {
  const opened = await handle.stat();
  refuseUnfit(opened);
  if (!hasDescriptors) await refuseExchanged(opened, place);
  else if (path.basename(await readlink(pathOf(handle))) !== path.basename(place))
    throw new UnfitFileError('was exchanged while it was opened');
  return { handle, facts: opened, path: hasDescriptors ? pathOf(handle) : place };
}

async function refuseExchanged(opened: Stats, place: string): Promise<void> {
  const named = await lstat(place);
  if (named.ino !== opened.ino || named.dev !== opened.dev) throw new UnfitFileError('was exchanged while it was opened');
  refuseUnfit(named);
}

function refuseUnfit(facts: Stats): void {
  if (facts.isSymbolicLink()) throw new UnfitFileError('is a symbolic link, not a regular file');
  if (!facts.isFile()) throw new UnfitFileError('is not a regular file');
  if (facts.nlink > 1) throw new UnfitFileError('has more than one name on disk (a hard link)');
}
