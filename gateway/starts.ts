/** Counts failed starts in a row. A start has failed when the process ended before it was ready, however it ended. */
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import type { Redact } from './secrets.ts';

export interface Starts {
  /** Before this one. */
  readonly failed: number;
  /** Too many: this start is to be one into safe mode. Such a start is not counted. */
  readonly isSafe: boolean;
  /** Why the last of them failed, where it could say so. */
  readonly lastError: string | undefined;
  readonly file: string;
  /** This start is about to fail, and why: for the next ones to tell. */
  fails(error: unknown): void;
  /** This start is ready, or is not to be counted with the ones before: the next one begins at none. */
  reset(): void;
  /** This one is no failure, but tells nothing about the next either. */
  forgive(): void;
}

const fileSchema = z.object({ failed: z.int().min(0), lastError: z.string().optional() });
type Count = z.infer<typeof fileSchema>;

const failuresBeforeSafeMode = 5;
const longestError = 2000;

/** `redact`: of what a failure says, which is kept and told. The start counts as failed from here on until it is something else: a process that is killed can say nothing any more. */
export function beginStart(home: string, redact: Redact = (text) => text): Starts {
  const file = path.join(home, 'run', 'starts.json');
  const before = read(file);
  const isSafe = before.failed >= failuresBeforeSafeMode;
  let now: Count = isSafe ? before : { ...before, failed: before.failed + 1 };
  let settled = false;
  write(file, now);
  return {
    failed: before.failed,
    isSafe,
    lastError: before.lastError,
    file,
    fails: (error) => {
      if (settled) return;
      now = { ...now, lastError: redact(error instanceof Error ? error.message : String(error)).slice(0, longestError) };
      write(file, now);
    },
    reset: () => {
      settled = true;
      forget(file);
    },
    forgive: () => {
      if (!settled) write(file, before);
      settled = true;
    },
  };
}

/** A file that cannot be read counts nothing: it must not keep anybody from starting. */
function read(file: string): Count {
  try {
    return fileSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return { failed: 0 };
  }
}

/** Where nothing can be removed the start stays counted: it is ready all the same. */
function forget(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // as below
  }
}

/** Whole or not at all. Where nothing can be written (the disk is full) nothing is counted. */
function write(file: string, count: Count): void {
  try {
    writeFileSync(`${file}.new`, `${JSON.stringify(count)}\n`, { mode: 0o600 });
    renameSync(`${file}.new`, file);
  } catch {
    // the start itself says what is wrong with the disk
  }
}
