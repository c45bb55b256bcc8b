/** One memory file on disk. People and other programs may edit it at any time. */
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { copyFile, mkdir, open, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { writeContained } from '../shared/contained-file.ts';
import { realPath } from '../shared/home-paths.ts';
import { type Change, isFaithful, joinEntries, parseEntries } from './entries.ts';
import { withFileLock } from './file-lock.ts';

export interface MemoryFile {
  readonly limit: number;
  entries(): Promise<readonly string[]>;
  /** Under the file's lock, on what the file holds then. */
  change(apply: (entries: readonly string[]) => Change, signal: AbortSignal): Promise<Changed>;
}

export interface Changed {
  readonly change: Change;
  /** As they are afterwards. */
  readonly entries: readonly string[];
}

/** No memory is that long: it is something else, and not read into memory as a whole. */
const mostBytes = 1_000_000;

interface Content {
  readonly text: string;
  /** Of the bytes; empty where there is no file. */
  readonly hash: string;
  /** They are UTF-8: writing the text back would lose nothing. */
  readonly exact: boolean;
}

/** `known`: hashes of contents that were backed up, and shown, before. Kept by the caller for as long as it lives. */
export function createMemoryFile(file: string, limit: number, known: Set<string>): MemoryFile {
  return {
    limit,
    entries: async () => parseEntries((await read(file)).text),
    change: async (apply, signal) => {
      await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
      return withFileLock(
        path.join(path.dirname(file), `.${path.basename(file)}.lock`),
        () => changed({ file, limit, known }, apply),
        signal,
      );
    },
  };
}

interface Place {
  readonly file: string;
  readonly limit: number;
  readonly known: Set<string>;
}

async function changed({ file, limit, known }: Place, apply: (entries: readonly string[]) => Change): Promise<Changed> {
  const before = await read(file);
  const entries = parseEntries(before.text);
  if (!(before.exact && isFaithful(before.text, limit)) && !known.has(before.hash)) {
    const copy = await backUp(file);
    known.add(before.hash);
    return { change: { type: 'refused', why: editedOutside(copy) }, entries };
  }
  const change = apply(entries);
  if (change.type !== 'changed') return { change, entries };
  const text = joinEntries(change.entries);
  await write(file, text);
  if (!isFaithful(text, limit)) known.add(hashOf(Buffer.from(text))); // an overlong entry that was left alone
  return { change, entries: change.entries };
}

function editedOutside(copy: string): string {
  return `Not stored yet: somebody has edited this file in a form that would not survive a rewrite (an overlong entry, or spaces around "§"). It was left as it is, and a copy is kept as ${path.basename(copy)}. The entries that it holds are listed below: check that nothing is lost, then make the same call again.`;
}

async function read(file: string): Promise<Content> {
  try {
    const { size } = await stat(file);
    if (size > mostBytes)
      throw new Error(
        `${path.basename(file)} is ${size.toLocaleString('en-US')} bytes long: that is no memory file. Its owner has to mend it.`,
      );
    const bytes = await readFile(file);
    const text = bytes.toString('utf8');
    return { text, hash: hashOf(bytes), exact: Buffer.from(text).equals(bytes) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { text: '', hash: '', exact: true };
    throw error;
  }
}

function hashOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Beside the file, under a name that is free. */
async function backUp(file: string): Promise<string> {
  for (let stamp = Math.floor(Date.now() / 1000); ; stamp += 1) {
    const copy = `${file}.bak.${stamp}`;
    try {
      await copyFile(file, copy, constants.COPYFILE_EXCL);
      return copy;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

/** A link that the owner made stays one. Nobody else on this machine reads it. */
async function write(file: string, text: string): Promise<void> {
  const real = realPath(file);
  const made = await open(real, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST') return undefined;
    throw error;
  });
  await made?.close();
  await writeContained(real, text);
}
