import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';

/** What is known on disk of a background process: enough to say after a crash what is lost. */

const endSchema = z.object({
  atMs: z.number(),
  /** `lost`: it ended with the daemon. */
  reason: z.enum(['exited', 'killed', 'lost']),
  code: z.number().optional(),
  /** Who killed it. */
  by: z.enum(['you', 'a person']).optional(),
});

const recordSchema = z.object({
  id: z.string().regex(/^proc_[0-9a-f]+$/u),
  session: z.string(),
  command: z.string(),
  startedAtMs: z.number(),
  origin: z.string().optional(),
  /** Its end wakes the session. */
  notify: z.boolean(),
  /** The last of its output. */
  output: z.string(),
  end: endSchema.optional(),
  /** The session knows of its end, or need not. */
  told: z.boolean(),
});

export type ProcessRecord = z.output<typeof recordSchema>;
export type ProcessEnd = z.output<typeof endSchema>;

export interface ProcessRecords {
  all(): readonly ProcessRecord[];
  /** Neither throws: a full disk must not end what runs. */
  write(record: ProcessRecord): void;
  remove(id: string): void;
}

/** `directory`: nobody else writes there. Undefined: nothing outlasts this process. */
export function createProcessRecords(directory: string | undefined): ProcessRecords {
  if (directory === undefined) return { all: () => [], write: () => undefined, remove: () => undefined };
  const fileOf = (id: string): string => path.join(directory, `${id}.json`);
  return {
    all: () => namesIn(directory).flatMap((name) => read(path.join(directory, name))),
    write: (record) =>
      attempt(() => {
        mkdirSync(directory, { recursive: true, mode: 0o700 });
        writeFileSync(`${fileOf(record.id)}.new`, JSON.stringify(record), { mode: 0o600 });
        renameSync(`${fileOf(record.id)}.new`, fileOf(record.id));
      }),
    remove: (id) => attempt(() => rmSync(fileOf(id), { force: true })),
  };
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory).filter((name) => name.endsWith('.json'));
  } catch {
    return []; // there has never been one
  }
}

function read(file: string): ProcessRecord[] {
  try {
    return [recordSchema.parse(JSON.parse(readFileSync(file, 'utf8')))];
  } catch {
    return [];
  }
}

function attempt(action: () => void): void {
  try {
    action();
  } catch {
    // the next start knows less
  }
}
