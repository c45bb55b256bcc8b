import type { Stats } from 'node:fs';
import { lstat } from 'node:fs/promises';

/** What each session knows of the files that it has read or written, and who has written them since. In memory: after a restart nothing is known, and nobody is warned. */

export interface Snapshot {
  readonly facts: Pick<Stats, 'ino' | 'size' | 'mtimeMs'>;
  /** A number for each line; absent where the file is too large to look at. */
  readonly lines?: Uint32Array;
}

/** How a file differs from what a session knows. */
export interface Staleness {
  /** The session that wrote it, where that is known. */
  readonly by?: string;
  /** "lines 3 to 5 are different". */
  readonly what: string;
  /** First line that differs and how many there are of them now; absent where that is not known. */
  readonly lines?: { readonly first: number; readonly count: number };
}

export interface ChangedFile {
  readonly file: string;
  readonly by?: string;
}

/** Paths are resolved ones. */
export interface FileStates {
  read(session: string, file: string, snapshot: Snapshot): void;
  /** Without a snapshot: removed. */
  wrote(session: string, file: string, snapshot?: Snapshot): void;
  /** Nothing where the session knows what is there now, or never looked. `now`: absent where there is nothing any more. */
  staleness(session: string, file: string, now: Snapshot | undefined): Staleness | undefined;
  /** What the session has read or written and somebody else has changed, in the tools or beside them; `sinceMs`: no earlier than then. */
  changedByOthers(session: string, sinceMs?: number): Promise<ChangedFile[]>;
}

interface Known {
  readonly session: string;
  readonly file: string;
  readonly snapshot: Snapshot;
  readonly order: number;
}

interface Written {
  readonly by: string;
  readonly atMs: number;
  readonly order: number;
}

const MOST_LINES = 2_000_000;
const MOST_WRITTEN = 20_000;

export function createFileStates(now: () => number = Date.now): FileStates {
  const known = createBounded<Known>(MOST_LINES, ({ snapshot }) => 100 + (snapshot.lines?.length ?? 0));
  const written = createBounded<Written>(MOST_WRITTEN, () => 1);
  let order = 0;
  const know = (session: string, file: string, snapshot: Snapshot): void => {
    order += 1;
    known.set(keyOf(session, file), { session, file, snapshot, order });
  };
  const writer = ({ session, file, order: since }: Known): Written | undefined => {
    const last = written.get(file);
    return last !== undefined && last.by !== session && last.order > since ? last : undefined;
  };
  const changed = async (each: Known, sinceMs: number): Promise<ChangedFile[]> => {
    const last = writer(each);
    if (last !== undefined) return last.atMs >= sinceMs ? [{ file: each.file, by: last.by }] : [];
    const facts = await lstat(each.file).catch(() => undefined);
    const isSame = facts !== undefined && (hasSameFacts(facts, each.snapshot.facts) || facts.mtimeMs < sinceMs);
    return isSame ? [] : [{ file: each.file }];
  };
  return {
    read: know,
    wrote: (session, file, snapshot) => {
      if (snapshot === undefined) known.delete(keyOf(session, file));
      else know(session, file, snapshot);
      order += 1;
      written.set(file, { by: session, atMs: now(), order });
    },
    staleness: (session, file, current) => {
      const before = known.get(keyOf(session, file));
      const what = before === undefined ? undefined : difference(before.snapshot, current);
      if (before === undefined || what === undefined) return undefined;
      const last = writer(before);
      return last === undefined ? what : { ...what, by: last.by };
    },
    changedByOthers: async (session, sinceMs = 0) => {
      const own = known.values().filter((each) => each.session === session);
      return (await Promise.all(own.map((each) => changed(each, sinceMs)))).flat();
    },
  };
}

function keyOf(session: string, file: string): string {
  return `${session}\0${file}`;
}

function hasSameFacts(left: Snapshot['facts'], right: Snapshot['facts']): boolean {
  return left.ino === right.ino && left.size === right.size && left.mtimeMs === right.mtimeMs;
}

/** Content decides where both are known: who merely touches a file has changed nothing. */
function difference(before: Snapshot, now: Snapshot | undefined): Staleness | undefined {
  if (now === undefined) return { what: 'it was removed' };
  if (hasSameFacts(before.facts, now.facts)) return undefined;
  if (before.lines !== undefined && now.lines !== undefined) return lineDifference(before.lines, now.lines);
  const [from, to] = [before.facts.size, now.facts.size].map((size) => size.toLocaleString('en-US'));
  return { what: from === to ? `its ${to} bytes were written anew` : `it had ${from} bytes and has ${to}` };
}

function lineDifference(before: Uint32Array, now: Uint32Array): Staleness | undefined {
  const least = Math.min(before.length, now.length);
  let start = 0;
  while (start < least && before[start] === now[start]) start += 1;
  let end = 0;
  while (end < least - start && before[before.length - 1 - end] === now[now.length - 1 - end]) end += 1;
  const gone = before.length - start - end;
  const come = now.length - start - end;
  if (gone === 0 && come === 0) return undefined;
  const lines = { first: start + 1, count: come };
  if (come === 0) return { what: `${counted(gone)} after line ${start} ${gone === 1 ? 'is' : 'are'} gone`, lines };
  const these = come === 1 ? `line ${start + 1} is` : `lines ${start + 1} to ${start + come} are`;
  return { what: gone === 0 ? `${these} new` : `${these} different (${counted(gone)} before)`, lines };
}

function counted(lines: number): string {
  return lines === 1 ? '1 line' : `${lines} lines`;
}

/** FNV-1a over each line with its line end. */
export function lineHashes(content: Buffer): Uint32Array {
  const found: number[] = [];
  let hash = 0x811c9dc5;
  let isOpen = false;
  for (const byte of content) {
    hash = Math.imul(hash ^ byte, 0x01000193);
    isOpen = byte !== 10;
    if (isOpen) continue;
    found.push(hash >>> 0);
    hash = 0x811c9dc5;
  }
  return Uint32Array.from(isOpen ? [...found, hash >>> 0] : found);
}

interface Bounded<T> {
  get(key: string): T | undefined;
  set(key: string, value: T): void;
  delete(key: string): void;
  values(): T[];
}

/** Forgets what was set longest ago. */
function createBounded<T>(most: number, cost: (value: T) => number): Bounded<T> {
  const entries = new Map<string, T>();
  let total = 0;
  const remove = (key: string): void => {
    const value = entries.get(key);
    if (value !== undefined) total -= cost(value);
    entries.delete(key);
  };
  return {
    get: (key) => entries.get(key),
    set: (key, value) => {
      remove(key);
      entries.set(key, value);
      total += cost(value);
      for (const oldest of entries.keys()) {
        if (total <= most || oldest === key) break;
        remove(oldest);
      }
    },
    delete: remove,
    values: () => [...entries.values()],
  };
}
