import type { FileHandle } from 'node:fs/promises';
import { z } from 'zod';
import { defineTool, type Tool, type ToolContext, type ToolOutput } from '../../agent/tool.ts';
import type { FileStates, Snapshot } from '../shared/file-states.ts';
import { type Page, readPage } from './page.ts';
import { type FilePlaces, locate, outsideOf, readRefusal, readRisk, type Target } from './place.ts';
import { MAX_SNAPSHOT_BYTES, snapshotOf } from './snapshot.ts';
import { fileProblem, isBinary, isMissing, missingSentence, whyNoFile } from './text-file.ts';

const args = z.object({
  path: z.string().min(1).describe('File to read: relative to the workspace, absolute, or beginning with ~/.'),
  offset: z.number().int().min(1).default(1).describe('First line, counted from 1.'),
  limit: z.number().int().min(1).max(5_000).default(500).describe('How many lines at most.'),
});

type Args = z.output<typeof args>;

export interface ReadParts extends FilePlaces {
  readonly states: FileStates;
}

export function createReadFile(parts: ReadParts): Tool {
  return defineTool({
    name: 'read_file',
    toolset: 'file',
    description:
      'Read a text file. Lines come numbered as "12|text". Long files come in pages: go on with offset. Cannot read binaries or directories.',
    args,
    effect: 'read',
    preview: (given) => given.path,
    risk: async (given, session) => readRisk(given.path, session, parts),
    run: (given, ctx) => run(given, parts, ctx),
  });
}

async function run(given: Args, parts: ReadParts, ctx: ToolContext): Promise<ToolOutput> {
  const target = await locate(given.path, ctx.session, parts);
  const refusal = readRefusal(target, ctx.session, parts);
  if (refusal !== undefined) return { content: refusal, failed: true };
  const handle = await parts.files.open(target.real).catch((error: unknown) => whyNotOpen(error, target, parts));
  if (typeof handle === 'string') return { content: handle, failed: true };
  try {
    const opened = await look(handle, target.named);
    if (typeof opened === 'string') return { content: opened, failed: true };
    const page = await readPage(opened.source, given, ctx.signal);
    parts.states.read(ctx.session.id, target.real, opened.snapshot);
    return { content: present(page, { ...given, path: target.named }), data: dataOf(page, given), ...outsideOf(target, ctx.session) };
  } finally {
    await handle.close();
  }
}

interface Opened {
  readonly source: FileHandle | Buffer;
  readonly snapshot: Snapshot;
}

const SNIFF_BYTES = 8_192;

/** A sentence where this is no text. A file of ordinary size is read as a whole, so that a later change of it can be told. */
async function look(handle: FileHandle, name: string): Promise<Opened | string> {
  const facts = await handle.stat();
  const why = whyNoFile(facts, name);
  if (why !== undefined) return why;
  const start = Buffer.alloc(SNIFF_BYTES);
  const { bytesRead } = await handle.read(start, 0, start.length, 0);
  if (isBinary(start.subarray(0, bytesRead)))
    return `${name} is a binary file (${facts.size.toLocaleString('en-US')} bytes), which cannot be shown as text.`;
  const isSmall = facts.size > 0 && facts.size <= MAX_SNAPSHOT_BYTES; // what has no size (/proc) may have no end
  const whole = isSmall ? await contentOf(handle, facts.size) : undefined;
  return { source: whole ?? handle, snapshot: snapshotOf(facts, whole) };
}

/** No more than it had when it was looked at. */
async function contentOf(handle: FileHandle, size: number): Promise<Buffer> {
  const content = Buffer.alloc(size);
  let filled = 0;
  for (let read = -1; read !== 0 && filled < size; filled += read)
    read = (await handle.read(content, filled, size - filled, filled)).bytesRead;
  return content.subarray(0, filled);
}

async function whyNotOpen(error: unknown, target: Target, { files }: ReadParts): Promise<string> {
  return isMissing(error)
    ? missingSentence(files, target, 'Look for it with search_files (target "files").')
    : fileProblem(error, target.named);
}

/** What a script receives: nothing in it is cut. */
function dataOf(page: Page, { limit }: Args): unknown {
  return page.raw === undefined
    ? { error: `These ${limit} lines are too many bytes to hand over at once. Ask for fewer lines.` }
    : { content: page.raw.toString('utf8'), total_lines: page.total ?? null };
}

function present(page: Page, given: Args): string {
  const last = given.offset + page.shown.length - 1;
  if (page.total === 0) return `${given.path} is empty.`;
  if (page.shown.length === 0) return `${given.path} has ${page.total ?? 'fewer'} lines; there is no line ${given.offset}.`;
  const numbered = page.shown.map(
    (line, index) => `${given.offset + index}|${index === 0 && given.offset === 1 ? line.replace(/^\ufeff/u, '') : line}`,
  );
  const isLast = page.total !== undefined && last >= page.total;
  const of = page.total === undefined ? '' : ` of ${page.total}`;
  const more = isLast ? '' : ` There is more: go on with offset ${last + 1}.`;
  const why = !isLast && page.shown.length < given.limit ? ' The page ended early because it would be too long.' : '';
  return `${numbered.join('\n')}\n\n[lines ${given.offset} to ${last}${of}.${why}${more}]`;
}
