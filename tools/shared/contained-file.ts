import { randomBytes } from 'node:crypto';
import { closeSync, constants, lstatSync, mkdirSync, openSync, type Stats } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, realpath, rename, rm } from 'node:fs/promises';
import path from 'node:path';

/**
 * Opens files so that nobody who swaps a directory for a link between looking and opening can lead us elsewhere. On Linux every component is opened
 * without following links, each beneath the descriptor of the one before (/proc/self/fd/N/name); node has no openat. Elsewhere the path is resolved first and
 * compared again after opening: a race of a few microseconds remains there, and `containmentNotes` says so.
 */

const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY, O_NONBLOCK, O_CREAT, O_EXCL, O_WRONLY } = constants;
const HAS_DESCRIPTORS = process.platform === 'linux';

/** For whoever runs the gateway, where paths do not hold whatever happens beside us. */
export function containmentNotes(platform: string = process.platform): string[] {
  return platform === 'linux'
    ? []
    : [
        'File tools: on this system a program that swaps a directory for a link at the right microsecond can lead them elsewhere; on Linux it cannot.',
      ];
}

/** The open directory of a file; `child` names the file beneath it. */
export interface OpenFolder {
  child(name: string): string;
  close(): Promise<void>;
}

export class PathChangedError extends Error {
  constructor(file: string, options?: ErrorOptions) {
    super(`${file} changed into a link while it was being opened. Try again.`, options);
    this.name = 'PathChangedError';
  }
}

/** `folder` is a resolved path: absolute and, when it was judged, without links. Missing directories are made if `create` says so. */
export async function openFolder(folder: string, create = false): Promise<OpenFolder> {
  if (!HAS_DESCRIPTORS) return resolvedFolder(folder, create);
  const opened = descend(folder, create);
  return { child: (name) => `/proc/self/fd/${opened}/${name}`, close: async () => closeSync(opened) };
}

/** Synchronous: a search opens thousands of files, and each way down is some microseconds. */
function descend(folder: string, create: boolean): number {
  let opened = openSync('/', O_RDONLY | O_DIRECTORY);
  for (const name of folder.split('/').filter((component) => component !== '')) {
    const parent = opened;
    try {
      opened = openBeneath(parent, name, create);
    } catch (error) {
      throw isLink(parent, name, error as NodeJS.ErrnoException) ? new PathChangedError(folder, { cause: error }) : error;
    } finally {
      closeSync(parent);
    }
  }
  return opened;
}

function openBeneath(parent: number, name: string, create: boolean): number {
  const file = `/proc/self/fd/${parent}/${name}`;
  const flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW;
  try {
    return openSync(file, flags);
  } catch (error) {
    if (!create || (error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    makeDirectory(file);
    return openSync(file, flags);
  }
}

function makeDirectory(file: string): void {
  try {
    mkdirSync(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** Linux refuses a link and a file with the same code where a directory was wanted. */
function isLink(parent: number, name: string, { code }: NodeJS.ErrnoException): boolean {
  if (code === 'ELOOP') return true;
  if (code !== 'ENOTDIR') return false;
  try {
    return !lstatSync(`/proc/self/fd/${parent}/${name}`).isFile();
  } catch {
    return true; // it has just gone: it is being swapped
  }
}

async function resolvedFolder(folder: string, create: boolean): Promise<OpenFolder> {
  if (create) await mkdir(folder, { recursive: true });
  if ((await realpath(folder)) !== folder) throw new PathChangedError(folder);
  return { child: (name) => path.join(folder, name), close: async () => undefined };
}

/** Opens a resolved file for reading. A FIFO or device is opened without waiting for its other end, so that the caller can look and refuse. */
export async function openContained(file: string): Promise<FileHandle> {
  const folder = await openFolder(path.dirname(file));
  try {
    return await open(folder.child(path.basename(file)), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'ELOOP' ? new PathChangedError(file, { cause: error }) : error;
  } finally {
    await folder.close();
  }
}

/** What lies there now, the link itself if it is one; nothing where there is nothing. */
export async function lookContained(file: string): Promise<Stats | undefined> {
  const folder = await openFolder(path.dirname(file)).catch(ignoreMissing);
  try {
    return await (folder === undefined ? undefined : lstat(folder.child(path.basename(file))).catch(ignoreMissing));
  } finally {
    await folder?.close();
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error;
}

/**
 * Replaces a resolved file as a whole: a reader sees the old text or the new one, and a crash leaves one of them. The mode of an existing file is kept;
 * owner and extended attributes are not.
 */
export async function writeContained(file: string, content: string | Buffer): Promise<void> {
  const folder = await openFolder(path.dirname(file), true);
  const target = folder.child(path.basename(file));
  const temporary = folder.child(besideName(file));
  try {
    const existing = await lstat(target).catch(() => undefined);
    if (existing?.isSymbolicLink() === true) throw new PathChangedError(file);
    await fill(temporary, content, existing?.mode);
    await rename(temporary, target);
  } finally {
    await rm(temporary, { force: true });
    await folder.close();
  }
}

/** A name that nobody else uses, hidden, in the same directory. */
export function besideName(file: string): string {
  return `.${path.basename(file).slice(0, 60)}.${randomBytes(9).toString('hex')}.tmp`;
}

/** Makes a new file with everything in it, on the disk. */
export async function fill(temporary: string, content: string | Buffer, mode: number | undefined): Promise<void> {
  const handle = await open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o666);
  try {
    await handle.writeFile(content);
    if (mode !== undefined) await handle.chmod(mode & 0o7777);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
