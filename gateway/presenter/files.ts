/** Copies a file that an answer delivers into the gateway's own store, so that what is sent is what was there when the answer was given. */
import { constants, type Stats } from 'node:fs';
import { type FileHandle, mkdir, open, realpath } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { AttachmentKind } from '../../adapters/adapter.ts';

export interface OutgoingFile {
  readonly path: string;
  readonly name: string;
  readonly mime: string;
  readonly kind: AttachmentKind;
}

export interface FileRequest {
  /** As the model wrote it: relative to the workspace, or absolute. */
  readonly wanted: string;
  readonly workspace: string;
  /** Directories beside the workspace from which files may be sent. */
  readonly alsoFrom: readonly string[];
  readonly into: string;
  readonly limitBytes: number;
}

const types: Readonly<Record<string, readonly [string, AttachmentKind]>> = {
  '.png': ['image/png', 'image'],
  '.jpg': ['image/jpeg', 'image'],
  '.jpeg': ['image/jpeg', 'image'],
  '.webp': ['image/webp', 'image'],
  '.gif': ['image/gif', 'image'],
  '.ogg': ['audio/ogg', 'voice'],
  '.opus': ['audio/ogg', 'voice'],
  '.mp3': ['audio/mpeg', 'audio'],
  '.m4a': ['audio/mp4', 'audio'],
  '.wav': ['audio/wav', 'audio'],
  '.mp4': ['video/mp4', 'video'],
  '.pdf': ['application/pdf', 'file'],
  '.txt': ['text/plain', 'file'],
  '.md': ['text/markdown', 'file'],
  '.csv': ['text/csv', 'file'],
  '.json': ['application/json', 'file'],
  '.zip': ['application/zip', 'file'],
};

/** Rejects with one sentence that a person may read. Only regular files of the workspace (or `alsoFrom`), by opened descriptor: no links, devices or pipes. */
export async function takeFile(request: FileRequest, signal: AbortSignal): Promise<OutgoingFile> {
  const name = path.basename(request.wanted);
  const source = await openInside(request, name);
  try {
    refuseUnfit(await source.stat(), name, request.limitBytes);
    const to = path.join(request.into, name);
    await copy(source, to, signal);
    const [mime, kind] = types[path.extname(name).toLowerCase()] ?? ['application/octet-stream', 'file'];
    return { path: to, name, mime, kind };
  } finally {
    await source.close();
  }
}

async function copy(source: FileHandle, to: string, signal: AbortSignal): Promise<void> {
  try {
    await mkdir(path.dirname(to), { recursive: true, mode: 0o700 });
    await pipeline(source.createReadStream({ autoClose: false }), (await open(to, 'w', 0o600)).createWriteStream(), { signal });
  } catch (error) {
    signal.throwIfAborted();
    throw new Error(`${path.basename(to)} could not be copied`, { cause: error });
  }
}

function refuseUnfit(facts: Stats, name: string, limitBytes: number): void {
  if (!facts.isFile()) throw new Error(`${name} is not a regular file`);
  if (facts.nlink > 1) throw new Error(`${name} has more than one name on disk (a hard link)`);
  if (facts.size === 0) throw new Error(`${name} is empty`);
  if (facts.size > limitBytes)
    throw new Error(`${name} is larger than the ${Math.floor(limitBytes / 1024 / 1024)} MB that can be sent here`);
}

/** Opens first and asks afterwards where the opened file really lies, so that nothing can be swapped in between. */
async function openInside({ wanted, workspace, alsoFrom }: FileRequest, name: string): Promise<FileHandle> {
  const handle = await openPlain(path.resolve(workspace, wanted), name);
  try {
    const real = await realpath(process.platform === 'linux' ? `/proc/self/fd/${handle.fd}` : path.resolve(workspace, wanted));
    for (const root of [workspace, ...alsoFrom]) if (real.startsWith(`${await realRoot(root)}${path.sep}`)) return handle;
    throw new Error(`${name} is outside the workspace`);
  } catch (error) {
    await handle.close();
    throw error;
  }
}

async function realRoot(root: string): Promise<string> {
  try {
    return await realpath(root);
  } catch {
    return root; // a root that does not exist contains nothing
  }
}

/** O_NONBLOCK: opening a pipe must not wait for its other end. */
async function openPlain(file: string, name: string): Promise<FileHandle> {
  try {
    return await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    throw new Error(`${name} could not be opened`, { cause: error });
  }
}
