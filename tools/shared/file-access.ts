import type { Stats } from 'node:fs';
import { type FileHandle, readdir } from 'node:fs/promises';
import path from 'node:path';
import type { SessionRef } from '../../agent/tool.ts';
import { applyContained, type Change } from './contained-changes.ts';
import { lookContained, openContained, openFolder } from './contained-file.ts';
import { isWithin, realPath } from './home-paths.ts';

/**
 * Files as a session's commands find them: on this machine, or wherever its commands run. All but `locate` take resolved paths and follow no link, so that
 * nobody who swaps a directory for one leads them elsewhere.
 */
export interface FileAccess {
  /** Where a path that a command could use leads. */
  locate(file: string, session: SessionRef): Promise<Located>;
  /** For reading. */
  open(file: string): Promise<FileHandle>;
  /** What lies there; nothing where there is nothing. */
  look(file: string): Promise<Stats | undefined>;
  names(directory: string): Promise<string[]>;
  /** All of them or none. */
  apply(changes: readonly Change[]): Promise<void>;
}

export interface Located {
  /** Where it lies by that name. */
  readonly placed: string;
  /** After following links. */
  readonly real: string;
  /** A directory that this session alone has, beside its workspace, in which it lies. */
  readonly own?: string;
}

export interface LocalFilesOptions {
  /** The user's home directory: the machine's, even where it lies in /tmp. */
  readonly home: string;
  /** Port: the directory that a session's commands find as /tmp; undefined where it is the machine's. */
  readonly temporaryOf?: (session: SessionRef) => Promise<string | undefined>;
}

const TEMPORARY = '/tmp';

export function createLocalFiles({ home, temporaryOf = async () => undefined }: LocalFilesOptions): FileAccess {
  return {
    locate: async (file, session) => {
      const isTemporary = isWithin(file, TEMPORARY) && ![home, session.workspace].some((place) => isWithin(file, place));
      const temporary = isTemporary ? await temporaryOf(session) : undefined;
      const placed = temporary === undefined ? file : path.join(temporary, path.relative(TEMPORARY, file));
      return { placed, real: realPath(placed), ...(temporary === undefined ? {} : { own: temporary }) };
    },
    open: openContained,
    look: lookContained,
    names: async (directory) => {
      const folder = await openFolder(directory);
      return readdir(folder.child('.')).finally(() => folder.close());
    },
    apply: applyContained,
  };
}
