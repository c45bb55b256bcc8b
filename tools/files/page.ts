import type { FileHandle } from 'node:fs/promises';

/** Reads some lines of a file that may be larger than memory. */

export const MAX_LINE_CHARACTERS = 2_000;
/** What a model gets to see of one page. */
const MAX_SHOWN_CHARACTERS = 100_000;
/** What a script receives of one page; also what is kept in memory. */
const MAX_RAW_BYTES = 10_000_000;
/** How far behind the page is read on to learn how many lines there are. */
const MAX_COUNTED_BYTES = 64_000_000;
const MOST_BYTES_OF_A_CHARACTER = 4;

export interface PageRange {
  /** Counted from 1. */
  readonly offset: number;
  readonly limit: number;
}

export interface Page {
  /** As they are shown: without line ends, long ones cut. Fewer than asked for where the page would be too long. */
  readonly shown: readonly string[];
  /** The whole lines asked for, byte for byte; absent where they are too many bytes. */
  readonly raw: Buffer | undefined;
  /** The last line of the file was reached, and this is its number; absent in a huge file. */
  readonly total: number | undefined;
}

/** `whole`: the content, where it has been read already. */
export async function readPage(source: FileHandle | Buffer, range: PageRange, signal: AbortSignal): Promise<Page> {
  const collector = createCollector(range);
  for await (const chunk of Buffer.isBuffer(source) ? [source] : chunksOf(source)) {
    signal.throwIfAborted();
    if (!collector.add(chunk)) break;
  }
  return collector.page();
}

async function* chunksOf(handle: FileHandle): AsyncGenerator<Buffer> {
  const buffer = Buffer.alloc(262_144); // one for all: what is wanted of it is copied
  for (let position = 0; ; ) {
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

interface Collector {
  /** `false`: it has seen enough. */
  add(chunk: Buffer): boolean;
  page(): Page;
}

function createCollector({ offset, limit }: PageRange): Collector {
  const raw: Buffer[] = [];
  const shown = createShown();
  let rawBytes = 0;
  let beyond = 0;
  let line = 1;
  let isOpen = false;
  let isEnded = false;
  const isInPage = (): boolean => line >= offset && line < offset + limit;
  const take = (piece: Buffer): void => {
    rawBytes += piece.length;
    if (rawBytes <= MAX_RAW_BYTES) raw.push(Buffer.from(piece));
    shown.add(piece);
  };
  const add = (chunk: Buffer): boolean => {
    for (let from = 0; from < chunk.length; ) {
      const end = chunk.indexOf(10, from);
      const to = end < 0 ? chunk.length : end + 1;
      if (isInPage()) take(chunk.subarray(from, to));
      isOpen = end < 0;
      if (!isOpen) line += 1;
      from = to;
    }
    if (line >= offset + limit || rawBytes > MAX_RAW_BYTES) beyond += chunk.length;
    isEnded = beyond > MAX_COUNTED_BYTES;
    return !isEnded;
  };
  return {
    add,
    page: () => ({
      shown: shown.lines(isEnded),
      raw: rawBytes <= MAX_RAW_BYTES ? Buffer.concat(raw) : undefined,
      total: isEnded ? undefined : line - (isOpen ? 0 : 1),
    }),
  };
}

/** A line may be the whole file: only its beginning is kept. */
function createShown() {
  const lines: string[] = [];
  let parts: Buffer[] = [];
  let kept = 0;
  let dropped = 0;
  let characters = 0;
  const end = (isUnread = false): void => {
    const text = finished(Buffer.concat(parts).toString('utf8'), dropped, isUnread);
    parts = [];
    kept = 0;
    dropped = 0;
    characters += text.length + 1;
    lines.push(text);
  };
  return {
    add: (piece: Buffer): void => {
      if (characters > MAX_SHOWN_CHARACTERS) return;
      const room = (MAX_LINE_CHARACTERS + 2) * MOST_BYTES_OF_A_CHARACTER - kept;
      const endsLine = piece.at(-1) === 10;
      const part = Buffer.from(piece.subarray(0, Math.max(0, room)));
      parts.push(part);
      kept += part.length;
      dropped += Math.max(0, piece.length - part.length - (endsLine ? 1 : 0));
      if (endsLine) end();
    },
    /** `isUnread`: the file goes on behind what was added. */
    lines: (isUnread: boolean): string[] => {
      if (kept > 0) end(isUnread);
      return characters > MAX_SHOWN_CHARACTERS && lines.length > 1 ? lines.slice(0, -1) : lines;
    },
  };
}

function finished(kept: string, dropped: number, isUnread: boolean): string {
  const line = dropped > 0 ? kept : kept.replace(/\r?\n$/u, '');
  const shown = line.slice(0, MAX_LINE_CHARACTERS);
  if (dropped === 0 && shown.length === line.length) return line;
  const over = Buffer.byteLength(line.slice(MAX_LINE_CHARACTERS)) + dropped;
  return `${shown.toWellFormed()} [... ${isUnread ? 'at least ' : ''}${over.toLocaleString('en-US')} more bytes in this line]`;
}
