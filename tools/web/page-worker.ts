/** Runs in a thread of its own: a page that takes for ever, or all memory, is ended with it and nothing else. */
import { parentPort, workerData } from 'node:worker_threads';
import type { Reading, ReadResult } from './page-reader.ts';

async function read({ kind, bytes, text, address }: Reading): Promise<ReadResult> {
  try {
    if (kind === 'pdf') return { ok: true, page: await (await import('./pdf.ts')).readPdf(bytes) };
    return { ok: true, page: (await import('./html.ts')).readHtml(text, address) };
  } catch (error) {
    return { ok: false, problem: error instanceof Error ? error.message : String(error) };
  }
}

// What it was started with is what page-reader.ts has put there.
parentPort?.postMessage(await read(workerData as Reading));
