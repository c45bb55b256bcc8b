/** Copies a file that an answer delivers into the gateway's own store, so that what is sent is what was there when the answer was given. */
import type { Stats } from 'node:fs';
import { mkdir, open, rm } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { AttachmentKind } from '../../adapters/adapter.ts';
import { type OpenFile, openInside, UnfitFileError } from './inside.ts';
import { mediaTypeOf } from './media-types.ts';

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

/** Rejects with one sentence that a person may read. Only regular files of the workspace (or `alsoFrom`), by opened descriptor: no links, devices or pipes. */
export async function takeFile(request: FileRequest, signal: AbortSignal): Promise<OutgoingFile> {
  const name = shownName(path.basename(request.wanted));
  const source = await openSource(request, name);
  try {
    refuseUnfit(source.facts, name, request.limitBytes);
    const to = path.join(request.into, name);
    await copy(source, to, signal);
    return { path: to, name, ...mediaTypeOf(name) };
  } finally {
    await source.handle.close();
  }
}

/** What turns the reading direction or cannot be seen could make a program look like a picture. */
function shownName(name: string): string {
  return name.toWellFormed().replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '_');
}

/** No more than was looked at, however it grows meanwhile; and never through what somebody has put in the copy's place. */
async function copy({ handle, facts }: OpenFile, to: string, signal: AbortSignal): Promise<void> {
  try {
    await mkdir(path.dirname(to), { recursive: true, mode: 0o700 });
    await rm(to, { force: true });
    const source = handle.createReadStream({ autoClose: false, start: 0, end: facts.size - 1 });
    await pipeline(source, (await open(to, 'wx', 0o600)).createWriteStream(), { signal });
  } catch (error) {
    signal.throwIfAborted();
    throw new Error(`${path.basename(to)} could not be copied`, { cause: error });
  }
}

function refuseUnfit(facts: Stats, name: string, limitBytes: number): void {
  if (facts.size === 0) throw new Error(`${name} is empty`);
  if (facts.size > limitBytes)
    throw new Error(`${name} is larger than the ${Math.floor(limitBytes / 1024 / 1024)} MB that can be sent here`);
}

/** A relative path is one of the workspace. */
async function openSource({ wanted, workspace, alsoFrom }: FileRequest, name: string): Promise<OpenFile> {
  const file = path.resolve(workspace, wanted);
  const root = alsoFrom.find((other) => file.startsWith(`${path.resolve(other)}${path.sep}`)) ?? workspace;
  try {
    return await openInside(root, file);
  } catch (error) {
    const why = error instanceof UnfitFileError ? error.message : 'could not be opened';
    throw new Error(`${name} ${why}`, { cause: error });
  }
}
