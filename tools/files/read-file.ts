import type { FileHandle } from 'node:fs/promises';
import { StringDecoder } from 'node:string_decoder';
import { z } from 'zod';
import { defineTool, type Tool, type ToolContext, type ToolOutput } from '../../agent/tool.ts';
import { openContained } from '../shared/contained-file.ts';
import { type FilePlaces, locate, readRefusal, readRisk } from './place.ts';
import { isBinary, similarNames, whyNoText } from './text-file.ts';

const MAX_CHARACTERS = 100_000;
const MAX_LINE_CHARACTERS = 2_000;

const args = z.object({
  path: z.string().min(1).describe('File to read: relative to the workspace, absolute, or beginning with ~/.'),
  offset: z.number().int().min(1).default(1).describe('First line, counted from 1.'),
  limit: z.number().int().min(1).max(5_000).default(500).describe('How many lines at most.'),
});

type Args = z.output<typeof args>;

export function createReadFile(places: FilePlaces): Tool {
  return defineTool({
    name: 'read_file',
    toolset: 'file',
    description:
      'Read a text file. Lines come numbered as "12|text". Long files come in pages: go on with offset. Cannot read binaries or directories.',
    args,
    effect: 'read',
    preview: (given) => given.path,
    risk: async (given, session) => readRisk(given.path, session, places),
    run: (given, ctx) => run(given, places, ctx),
  });
}

async function run(given: Args, places: FilePlaces, ctx: ToolContext): Promise<ToolOutput> {
  const target = locate(given.path, ctx.session, places);
  const refusal = readRefusal(target, ctx.session, places);
  if (refusal !== undefined) return { content: refusal, failed: true };
  const handle = await openContained(target.real).catch((error: NodeJS.ErrnoException) => error);
  if (handle instanceof Error) return { content: await whyNotOpen(handle, target.named), failed: true };
  try {
    return await readPage(handle, { ...given, path: target.named }, ctx.signal);
  } finally {
    await handle.close();
  }
}

async function whyNotOpen(error: NodeJS.ErrnoException, file: string): Promise<string> {
  if (error.code === 'EACCES' || error.code === 'EPERM') return `${file} may not be read by the user that runs this gateway.`;
  if (error.code === 'ENXIO') return `${file} is a socket or device, not a file of text.`;
  if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') return `${file} could not be read: ${error.message}`;
  const similar = await similarNames(file);
  const hint = similar.length > 0 ? ` Similar names: ${similar.join(', ')}` : ' Look for it with search_files (target "files").';
  return `There is no file ${file}.${hint}`;
}

async function readPage(handle: FileHandle, given: Args, signal: AbortSignal): Promise<ToolOutput> {
  const stats = await handle.stat();
  const why = stats.isFile() ? undefined : whyNoText(stats, given.path);
  if (why !== undefined) return { content: why, failed: true };
  const start = Buffer.alloc(8_192);
  const { bytesRead } = await handle.read(start, 0, start.length, 0);
  if (isBinary(start.subarray(0, bytesRead)))
    return {
      content: `${given.path} is a binary file (${stats.size.toLocaleString('en-US')} bytes), which cannot be shown as text.`,
      failed: true,
    };
  const page = await collect(handle, given, signal);
  return { content: present(page, given) };
}

interface Page {
  readonly lines: string[];
  /** Lines of the file; `undefined` when the end was not reached. */
  total: number | undefined;
  /** The page is shorter than asked because it would be too long. */
  cut: boolean;
}

/** Reads as far as the page and no further than needed to say whether there is more: a file may be larger than memory. */
async function collect(handle: FileHandle, given: Args, signal: AbortSignal): Promise<Page> {
  const page: Page = { lines: [], total: undefined, cut: false };
  let number = 0;
  let characters = 0;
  for await (const line of linesOf(handle)) {
    signal.throwIfAborted();
    number += 1;
    if (number < given.offset) continue;
    const shown = `${number}|${line}`;
    const isPast = page.lines.length === given.limit;
    page.cut = !isPast && characters + shown.length > MAX_CHARACTERS;
    if (isPast || page.cut) return page;
    page.lines.push(shown);
    characters += shown.length + 1;
  }
  page.total = number;
  return page;
}

/** Lines without their ends. What exceeds the longest line that is shown is dropped while reading: a line may be the whole file. */
async function* linesOf(handle: FileHandle): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8');
  const buffer = Buffer.alloc(65_536);
  let rest = '';
  let dropped = 0;
  for (let position = 0, read = -1; read !== 0; position += read) {
    read = (await handle.read(buffer, 0, buffer.length, position)).bytesRead;
    const pieces = (read === 0 ? decoder.end() : decoder.write(buffer.subarray(0, read))).split('\n');
    for (const [index, piece] of pieces.entries()) {
      if (index > 0) {
        yield finished(rest, dropped);
        rest = '';
        dropped = 0;
      }
      const room = Math.max(0, MAX_LINE_CHARACTERS + 1 - rest.length);
      dropped += Math.max(0, piece.length - room);
      rest += piece.slice(0, room);
    }
  }
  if (rest !== '') yield finished(rest, dropped);
}

function finished(text: string, dropped: number): string {
  const line = text.endsWith('\r') && dropped === 0 ? text.slice(0, -1) : text;
  const over = Math.max(0, line.length - MAX_LINE_CHARACTERS) + dropped;
  return over > 0
    ? `${line.slice(0, MAX_LINE_CHARACTERS).toWellFormed()} [... ${over.toLocaleString('en-US')} more characters in this line]`
    : line;
}

function present(page: Page, given: Args): string {
  const last = given.offset + page.lines.length - 1;
  if (page.total === 0) return `${given.path} is empty.`;
  if (page.lines.length === 0) return `${given.path} has ${page.total ?? 0} lines; there is no line ${given.offset}.`;
  const of = page.total === undefined ? '' : ` of ${page.total}`;
  const more = page.total === undefined ? ` There is more: go on with offset ${last + 1}.` : '';
  const why = page.cut ? ' The page ended early because it would be too long.' : '';
  return `${page.lines.join('\n')}\n\n[lines ${given.offset} to ${last}${of}.${why}${more}]`;
}
