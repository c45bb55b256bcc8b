import type { Stats } from 'node:fs';
import type { FileAccess } from '../shared/file-access.ts';
import { type FileStates, lineHashes, type Snapshot, type Staleness } from '../shared/file-states.ts';

/** Larger files are told apart by size and time only. */
export const MAX_SNAPSHOT_BYTES = 4_000_000;

export function snapshotOf(facts: Stats, bytes: Buffer | undefined): Snapshot {
  const { ino, size, mtimeMs } = facts;
  const isKnown = bytes !== undefined && bytes.length <= MAX_SNAPSHOT_BYTES;
  return { facts: { ino, size, mtimeMs }, ...(isKnown ? { lines: lineHashes(bytes) } : {}) };
}

interface NoteParts {
  readonly states: FileStates;
  readonly files: FileAccess;
}

interface Written {
  readonly file: string;
  readonly content: string | Buffer | undefined;
}

/** What this session has just written is what it knows. */
export async function noteWritten(parts: NoteParts, session: string, written: Written): Promise<void> {
  const facts = await parts.files.look(written.file).catch(() => undefined); // written it is; somebody may have taken it away at once
  const { content } = written;
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  parts.states.wrote(session, written.file, facts === undefined ? undefined : snapshotOf(facts, bytes));
}

/** "config.ts was changed by another agent of this gateway since you read it: lines 3 to 5 are different." */
export function staleSentence(name: string, { by, what }: Staleness): string {
  const who = by === undefined ? '' : ' by another agent of this gateway';
  return `${name} was changed${who} since you last saw it: ${what}.`;
}
