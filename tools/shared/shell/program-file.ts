import { createHash } from 'node:crypto';
import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import path from 'node:path';

/** A program as it lies on the disk now. */
export interface ProgramFile {
  /** Links followed. */
  readonly file: string;
  /** SHA-256 of what is in it. */
  readonly digest: string;
}

const MAX_BYTES = 64 * 1024 * 1024;
// The first bytes of programs for Linux and of those for macOS, thin and fat.
const MAGIC = /^(?:7f454c46|feedfac[ef]|c[ef]faedfe|cafebabe)$/u;

/** Where bash would find the program. `candidates`: what the word may mean when it names a path; else the search path decides. */
export function findProgramFile(candidates: readonly string[], searchPath: string): string | undefined {
  const [only = '', ...more] = candidates;
  if (more.length > 0) return undefined;
  if (path.isAbsolute(only)) return runnable(only);
  for (const directory of searchPath.split(path.delimiter)) {
    const found = path.isAbsolute(directory) ? runnable(path.join(directory, only)) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

function runnable(file: string): string | undefined {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile() ? realpathSync.native(file) : undefined;
  } catch {
    return undefined; // missing, or not ours to run: bash goes on looking, too
  }
}

/** `undefined`: no machine code (a script is run by an interpreter), too large to be worth it, or gone. */
export async function readProgramFile(file: string): Promise<ProgramFile | undefined> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(file, constants.O_RDONLY);
    const digest = await digestOf(handle);
    return digest === undefined ? undefined : { file, digest };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return undefined; // not ours to read, or replaced meanwhile: then nothing can be said about it
  } finally {
    await handle?.close();
  }
}

async function digestOf(handle: FileHandle): Promise<string | undefined> {
  const { size } = await handle.stat();
  const start = Buffer.alloc(4);
  await handle.read(start, 0, 4, 0);
  if (size > MAX_BYTES || !MAGIC.test(start.toString('hex'))) return undefined;
  const hash = createHash('sha256');
  const buffer = Buffer.alloc(1 << 20);
  for (let position = 0, read = -1; read !== 0; position += read) {
    read = (await handle.read(buffer, 0, buffer.length, position)).bytesRead;
    hash.update(buffer.subarray(0, read));
  }
  return hash.digest('hex');
}
