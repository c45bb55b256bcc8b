/** Pages and PDFs as markdown, made in threads that end with the work: their libraries cost nothing while nobody reads. */
import { Worker } from 'node:worker_threads';
import { createGate } from './gate.ts';
import type { Page } from './page.ts';

export interface Reading {
  readonly kind: 'html' | 'pdf';
  /** Of a PDF; else empty. */
  readonly bytes: Uint8Array;
  /** Of a page; else empty. */
  readonly text: string;
  /** Where it came from. */
  readonly address: string;
}

export type ReadResult = { readonly ok: true; readonly page: Page } | { readonly ok: false; readonly problem: string };

/** Rejects with the signal's reason only. */
export type ReadPage = (reading: Reading, signal: AbortSignal) => Promise<ReadResult>;

export interface ReadLimits {
  /** For one page. */
  readonly deadlineMs: number;
  readonly memoryMegabytes: number;
  readonly atOnce: number;
}

const usual: ReadLimits = { deadlineMs: 60_000, memoryMegabytes: 768, atOnce: 2 };

export function createReadPage(limits: ReadLimits = usual): ReadPage {
  const enter = createGate(limits.atOnce);
  return async (reading, signal) => {
    const leave = await enter(signal);
    try {
      return await readInThread(reading, limits, signal);
    } catch (error) {
      signal.throwIfAborted();
      return { ok: false, problem: reasonOf(error, limits) };
    } finally {
      leave();
    }
  };
}

function reasonOf(error: unknown, { deadlineMs }: ReadLimits): string {
  if (error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY') return 'it takes too much memory to read';
  if (error instanceof Error && error.name === 'TimeoutError') return `it takes more than ${deadlineMs / 1_000} s to read`;
  return `it could not be read (${error instanceof Error ? error.message : String(error)})`;
}

/** Beside this file, in the sources and in a build. No environment: nothing in there is for a page. */
async function readInThread(workerData: Reading, { deadlineMs, memoryMegabytes }: ReadLimits, caller: AbortSignal): Promise<ReadResult> {
  caller.throwIfAborted();
  const signal = AbortSignal.any([caller, AbortSignal.timeout(deadlineMs)]);
  const file = new URL(import.meta.url.endsWith('.ts') ? './page-worker.ts' : './page-worker.js', import.meta.url);
  const resourceLimits = { maxOldGenerationSizeMb: memoryMegabytes };
  const worker = new Worker(file, { workerData, env: {}, execArgv: [], stdout: true, stderr: true, resourceLimits });
  const { promise, resolve, reject } = Promise.withResolvers<ReadResult>();
  const stop = (): void => reject(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  worker.stdout.resume(); // what libraries complain about is for nobody
  worker.stderr.resume();
  worker.once('message', resolve).once('error', reject);
  worker.once('exit', () => reject(new Error('the reader ended')));
  try {
    return await promise;
  } finally {
    signal.removeEventListener('abort', stop);
    await worker.terminate();
  }
}
