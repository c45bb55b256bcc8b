import type { Stats } from 'node:fs';
import path from 'node:path';
import { FileChangedError, HalfDoneError } from '../shared/contained-changes.ts';
import { PathChangedError } from '../shared/contained-file.ts';
import type { FileAccess } from '../shared/file-access.ts';
import type { Target } from './place.ts';
import { similarity } from './similarity.ts';

const MAX_EDIT_BYTES = 8_000_000;
const SNIFF_BYTES = 8_192;
const MAX_SUGGESTIONS = 5;

/** What is there, as far as reading text goes. */
export type Found =
  | { readonly kind: 'text'; readonly bytes: Buffer; readonly facts: Stats }
  /** `facts`: absent where it could not even be opened. */
  | { readonly kind: 'refused'; readonly why: string; readonly facts?: Stats }
  | { readonly kind: 'missing' };

/** Reads a resolved file as a whole, if it is a file of text of a sensible size. `name`: for sentences. */
export async function readTextFile(files: FileAccess, file: string, name: string): Promise<Found> {
  const opened = await files.open(file).catch((error: unknown) => failure(error, name));
  if ('kind' in opened) return opened;
  try {
    const facts = await opened.stat();
    const why = whyNoText(facts, name);
    if (why !== undefined) return { kind: 'refused', why, facts };
    const bytes = await opened.readFile();
    return isBinary(bytes.subarray(0, SNIFF_BYTES))
      ? { kind: 'refused', why: `${name} is a binary file, which cannot be shown or edited as text.`, facts }
      : { kind: 'text', bytes, facts };
  } finally {
    await opened.close();
  }
}

function failure(error: unknown, name: string): Found {
  return isMissing(error) ? { kind: 'missing' } : { kind: 'refused', why: fileProblem(error, name) };
}

export function isMissing(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOENT';
}

const PROBLEMS: Readonly<Record<string, string>> = {
  EACCES: 'may not be read or written by the user that runs this gateway.',
  EPERM: 'may not be read or written by the user that runs this gateway.',
  ENOENT: 'or its directory was removed or renamed by somebody else at this very moment. Look again.',
  EEXIST: 'was made by somebody else at this very moment. Look again.',
  ENXIO: 'is a socket or device, not a file of text.',
  ENOTDIR: 'cannot be: a part of its path is a file, not a directory.',
  EISDIR: 'is a directory.',
  ENAMETOOLONG: 'has too long a name.',
  ENOSPC: 'cannot be written: the disk is full.',
  EDQUOT: 'cannot be written: the disk quota is used up.',
  EROFS: 'cannot be written: the disk is read-only.',
  EXDEV: 'cannot be moved to another disk. Add it there and delete it here.',
  EMFILE: 'cannot be opened: too many files are open. Try again.',
  ERR_INVALID_ARG_VALUE: 'holds a character that no path can hold.',
  EIO: 'cannot be read or written: the disk reports an error.',
};

/** One sentence for the model, without the names by which descriptors are opened. Throws what is no trouble with a file. */
export function fileProblem(error: unknown, name: string): string {
  if (error instanceof PathChangedError || error instanceof FileChangedError || error instanceof HalfDoneError) return error.message;
  const problem = PROBLEMS[(error as NodeJS.ErrnoException).code ?? ''];
  if (problem === undefined) throw error;
  return `${name} ${problem}`;
}

export function whyNoText(facts: Stats, name: string): string | undefined {
  const other = whyNoFile(facts, name);
  if (other !== undefined) return other;
  return facts.size > MAX_EDIT_BYTES
    ? `${name} has ${facts.size.toLocaleString('en-US')} bytes, too many to edit as a whole. Use sed or a script in the terminal.`
    : undefined;
}

export function whyNoFile(facts: Stats, name: string): string | undefined {
  if (facts.isDirectory()) return `${name} is a directory. List it with search_files (target "files") or with ls in the terminal.`;
  if (facts.isFIFO()) return `${name} is a pipe between programs, not a file of text.`;
  if (facts.isCharacterDevice() || facts.isBlockDevice()) return `${name} is a device, not a file of text.`;
  return facts.isFile() ? undefined : `${name} is not a file of text.`;
}

/** Nobody takes all rights to write away by accident. */
export function whyProtected(facts: Stats, name: string): string | undefined {
  return (facts.mode & 0o222) === 0
    ? `${name} is write-protected. If it is meant to be changed, chmod u+w it in the terminal first.`
    : undefined;
}

/** With its byte order mark, so that writing gives back what was read. `undefined`: not UTF-8. */
export function decode(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined; // the one thing that a fatal decoder throws: these bytes are no UTF-8
  }
}

/** A NUL, or a good part of bytes that no text has. UTF-16 counts as binary: it would come out as garbage. */
export function isBinary(start: Buffer): boolean {
  if (start.includes(0)) return true;
  const odd = start.filter((byte) => byte < 9 || (byte > 13 && byte < 27) || (byte > 27 && byte < 32)).length;
  return start.length > 0 && odd / start.length > 0.1;
}

/** There is none, and what could be meant. */
export async function missingSentence(files: FileAccess, { named, real }: Target, otherwise: string): Promise<string> {
  const similar = await similarNames(files, real);
  const shown = similar.map((name) => path.join(path.dirname(named), name));
  return `There is no file ${named}. ${shown.length > 0 ? `Similar names: ${shown.join(', ')}` : otherwise}`;
}

/** Names beside a missing file that look like it, nearest first. */
async function similarNames(files: FileAccess, file: string): Promise<string[]> {
  const wanted = path.basename(file).toLowerCase();
  const names = await files.names(path.dirname(file)).catch(() => []); // there is no such directory either, or it is not ours to see
  const scored = names.slice(0, 5_000).map((name) => ({ name, score: similarity(wanted, name.toLowerCase()) }));
  const near = scored.filter(({ score }) => score >= 0.4).toSorted((left, right) => right.score - left.score);
  return near.slice(0, MAX_SUGGESTIONS).map(({ name }) => name);
}
