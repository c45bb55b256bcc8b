import { constants, type Stats } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, realpath, rename, rm } from 'node:fs/promises';
import path from 'node:path';

/**
 * Opens files so that nobody who swaps a directory for a link between looking and opening can lead us elsewhere. On Linux every component is opened
 * without following links, each beneath the descriptor of the one before (/proc/self/fd/N/name); node has no openat. Elsewhere the path is resolved first and
 * compared again after opening: a race of a few microseconds remains there.
 */

const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY, O_NONBLOCK, O_CREAT, O_EXCL, O_WRONLY } = constants;
const HAS_DESCRIPTORS = process.platform === 'linux';

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
  let handle = await open('/', O_RDONLY | O_DIRECTORY);
  for (const name of folder.split('/').filter((component) => component !== '')) {
    const next = await openBeneath(handle, name, create).catch(async (error: NodeJS.ErrnoException) => {
      await handle.close();
      throw error.code === 'ELOOP' || error.code === 'ENOTDIR' ? new PathChangedError(folder, { cause: error }) : error;
    });
    await handle.close();
    handle = next;
  }
  const opened = handle;
  return { child: (name) => `/proc/self/fd/${opened.fd}/${name}`, close: () => opened.close() };
}

async function openBeneath(parent: FileHandle, name: string, create: boolean): Promise<FileHandle> {
  const file = `/proc/self/fd/${parent.fd}/${name}`;
  const flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW;
  try {
    return await open(file, flags);
  } catch (error) {
    if (!create || (error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    await mkdir(file).catch(ignoreExisting);
    return open(file, flags);
  }
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error;
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

/**
 * Replaces a resolved file as a whole: a reader sees the old text or the new one, and a crash leaves one of them. The mode of an existing file is kept;
 * owner and extended attributes are not.
 */
export async function writeContained(file: string, content: string | Buffer): Promise<void> {
  const folder = await openFolder(path.dirname(file), true);
  const target = folder.child(path.basename(file));
  const temporary = folder.child(`.${path.basename(file).slice(0, 100)}.${process.pid}.${Math.random().toString(36).slice(2)}.tmp`);
  try {
    const existing = await lstat(target).catch(() => undefined);
    if (existing?.isSymbolicLink() === true) throw new PathChangedError(file);
    await fill(temporary, content, existing);
    await rename(temporary, target);
  } finally {
    await rm(temporary, { force: true });
    await folder.close();
  }
}

async function fill(temporary: string, content: string | Buffer, existing: Stats | undefined): Promise<void> {
  const handle = await open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o666);
  try {
    await handle.writeFile(content);
    if (existing !== undefined) await handle.chmod(existing.mode & 0o7777);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
