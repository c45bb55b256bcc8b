import type { Stats } from 'node:fs';
import { constants, copyFile, link, lstat, rename, rm, rmdir } from 'node:fs/promises';
import path from 'node:path';
import { besideName, fill, type OpenFolder, openFolder, PathChangedError } from './contained-file.ts';

/** One file of a set of changes that happen all together or not at all. Paths are resolved ones. */
export type Change =
  /** `seen`: what was judged; absent where there was nothing. `mode`: of a new file. */
  | { readonly kind: 'write'; readonly file: string; readonly content: string | Buffer; readonly seen?: Stats; readonly mode?: number }
  | { readonly kind: 'remove'; readonly file: string; readonly seen: Stats }
  /** Keeps whatever is in it, also what is no text. */
  | { readonly kind: 'move'; readonly file: string; readonly to: string; readonly seen: Stats };

/** Somebody changed a file between looking at it and writing: nothing was written. */
export class FileChangedError extends Error {
  readonly file: string;

  constructor(file: string) {
    super(`${file} was changed by somebody else at this very moment. Read it again.`);
    this.name = 'FileChangedError';
    this.file = file;
  }
}

/** A change failed and taking back those before it failed, too. */
export class HalfDoneError extends Error {
  constructor(stuck: readonly Staged[], options: ErrorOptions) {
    const files = stuck.map(({ file, kept }) => (kept === undefined ? file : `${file} (as it was: ${kept})`));
    super(`It failed halfway, and what was done already could not be taken back for ${files.join(', ')}.`, options);
    this.name = 'HalfDoneError';
  }
}

/**
 * Everything new is written beside its place first and every file is looked at again; only then names are changed, and a name that cannot be changed takes back
 * those before it. Rejects with nothing changed, but for a HalfDoneError. Not over a crash: that leaves the files whose names were changed already.
 */
export async function applyContained(changes: readonly Change[]): Promise<void> {
  const folders = createFolders();
  const staged: Staged[] = [];
  const stuck: Staged[] = [];
  let isDone = false;
  try {
    for (const change of changes) staged.push(await stage(change, folders));
    for (const each of staged) await each.check();
    await commit(staged, stuck);
    isDone = true;
  } catch (error) {
    throw stuck.length > 0 ? new HalfDoneError(stuck, { cause: error }) : error;
  } finally {
    for (const each of staged) if (!stuck.includes(each)) await each.sweep(); // what is stuck is all that is left of it
    if (!isDone) await folders.takeBack();
    await folders.close();
  }
}

interface Staged {
  readonly file: string;
  /** Where the file lies as it was, once it has been changed. */
  readonly kept?: string;
  check(): Promise<void>;
  commit(): Promise<void>;
  undo(): Promise<void>;
  /** Removes what was written beside it. */
  sweep(): Promise<void>;
}

/** `stuck` receives what could not be taken back after a failure. */
async function commit(staged: readonly Staged[], stuck: Staged[]): Promise<void> {
  const done: Staged[] = [];
  try {
    for (const each of staged) {
      await each.commit();
      done.unshift(each);
    }
  } catch (error) {
    for (const each of done) await each.undo().catch(() => stuck.push(each));
    throw error;
  }
}

async function stage(change: Change, folders: Folders): Promise<Staged> {
  if (change.kind === 'move') return stageMove(change, folders);
  const { file, seen } = change;
  const folder = await folders.open(path.dirname(file), change.kind === 'write');
  const target = folder.child(path.basename(file));
  const keptName = besideName(file);
  const kept = folder.child(keptName);
  const shared = {
    file,
    check: () => verify(target, change),
    undo: () => (seen === undefined ? rm(target) : rename(kept, target)),
    ...(seen === undefined ? {} : { kept: path.join(path.dirname(file), keptName) }),
  };
  if (change.kind === 'remove') return { ...shared, commit: () => rename(target, kept), sweep: () => rm(kept, { force: true }) };
  const next = folder.child(besideName(file));
  await fill(next, change.content, seen?.mode ?? change.mode).catch(async (error: unknown) => {
    await rm(next, { force: true });
    throw error;
  });
  return {
    ...shared,
    commit: async () => {
      if (seen !== undefined) await keep(target, kept);
      await rename(next, target);
    },
    sweep: async () => {
      await rm(next, { force: true });
      await rm(kept, { force: true });
    },
  };
}

async function stageMove(change: Extract<Change, { kind: 'move' }>, folders: Folders): Promise<Staged> {
  const from = (await folders.open(path.dirname(change.file), false)).child(path.basename(change.file));
  const to = (await folders.open(path.dirname(change.to), true)).child(path.basename(change.to));
  return {
    file: change.file,
    check: async () => {
      await verify(from, change);
      await verify(to, { file: change.to });
    },
    commit: () => rename(from, to),
    undo: () => rename(to, from),
    sweep: async () => undefined,
  };
}

/** The place is never empty in between. */
async function keep(target: string, kept: string): Promise<void> {
  await link(target, kept).catch(() => copyFile(target, kept, constants.COPYFILE_EXCL)); // not every file system has hard links
}

async function verify(target: string, { file, seen }: { readonly file: string; readonly seen?: Stats }): Promise<void> {
  const now = await lstat(target).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  if (now?.isSymbolicLink() === true) throw new PathChangedError(file);
  if (now === undefined && seen === undefined) return;
  const isSame = now !== undefined && seen !== undefined && now.ino === seen.ino && now.size === seen.size && now.mtimeMs === seen.mtimeMs;
  if (!isSame) throw new FileChangedError(file);
}

interface Folders {
  /** Each is opened once, and stays the one that was opened. */
  open(folder: string, create: boolean): Promise<OpenFolder>;
  /** Removes the directories that were made, as far as they are empty. */
  takeBack(): Promise<void>;
  close(): Promise<void>;
}

function createFolders(): Folders {
  const opened = new Map<string, OpenFolder>();
  const made: string[] = [];
  const open = async (folder: string, create: boolean): Promise<OpenFolder> => {
    const known = opened.get(folder);
    if (known !== undefined) return known;
    if (create) made.push(...(await missingFolders(folder)));
    const fresh = await openFolder(folder, create);
    opened.set(folder, fresh);
    return fresh;
  };
  return {
    open,
    takeBack: async () => {
      for (const folder of made.toSorted((left, right) => right.length - left.length)) await removeFolder(folder).catch(() => undefined); // somebody uses it already
    },
    close: async () => {
      for (const folder of opened.values()) await folder.close();
    },
  };
}

async function missingFolders(folder: string): Promise<string[]> {
  const isThere = (await lstat(folder).catch(() => undefined)) !== undefined;
  return isThere || folder === path.dirname(folder) ? [] : [...(await missingFolders(path.dirname(folder))), folder];
}

async function removeFolder(folder: string): Promise<void> {
  const parent = await openFolder(path.dirname(folder));
  await rmdir(parent.child(path.basename(folder))).finally(() => parent.close());
}
