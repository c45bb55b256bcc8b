import { z } from 'zod';
import { defineTool, type Tool, type ToolContext, type ToolOutput } from '../../agent/tool.ts';
import type { FileStates, Staleness } from '../shared/file-states.ts';
import { type FilePlaces, locate, type Target, writeRefusal, writeRisk } from './place.ts';
import { noteWritten, snapshotOf, staleSentence } from './snapshot.ts';
import { decode, type Found, fileProblem, readTextFile, whyNoFile, whyProtected } from './text-file.ts';

const args = z.object({
  path: z
    .string()
    .min(1)
    .describe('File to write: relative to the workspace, absolute, or beginning with ~/. Missing directories are made.'),
  content: z.string().describe('The whole new content.'),
});

type Args = z.output<typeof args>;

export interface WriteParts extends FilePlaces {
  readonly states: FileStates;
}

export function createWriteFile(parts: WriteParts): Tool {
  return defineTool({
    name: 'write_file',
    toolset: 'file',
    description: 'Write a whole text file, replacing what was there. To change part of a file use patch.',
    args,
    effect: 'write',
    preview: (given) => given.path,
    risk: async (given, session) => writeRisk(given.path, session, parts),
    run: (given, ctx) => run(given, parts, ctx),
  });
}

async function run(given: Args, parts: WriteParts, ctx: ToolContext): Promise<ToolOutput> {
  const target = await locate(given.path, ctx.session, parts);
  const refusal = writeRefusal(target, ctx.session, parts) ?? whyNotContent(given);
  if (refusal !== undefined) return { content: refusal, failed: true };
  const found = await readTextFile(parts.files, target.real, target.named);
  const why = whyNotReplace(found, target.named) ?? whyLossy(found, target.named, given.content);
  if (why !== undefined) return { content: why, failed: true };
  ctx.signal.throwIfAborted();
  const overwritten = overwrittenBy(found, target, { states: parts.states, session: ctx.session.id });
  const seen = found.kind === 'missing' ? undefined : found.facts;
  try {
    await parts.files.apply([{ kind: 'write', file: target.real, content: given.content, ...(seen === undefined ? {} : { seen }) }]);
  } catch (error) {
    return { content: `${target.named} was not written. ${fileProblem(error, target.named)}`, failed: true };
  }
  await noteWritten(parts, ctx.session.id, { file: target.real, content: given.content });
  return report(given, { name: target.named, existed: seen !== undefined, overwritten });
}

function whyNotContent({ path, content }: Args): string | undefined {
  if (/[/\\]$/u.test(path)) return `${path} names a directory. Give the name of a file.`;
  return content.isWellFormed() ? undefined : 'The content has half characters that no file can hold. Write it anew without them.';
}

/** A directory, pipe or device is never replaced by a file. Binary files may be: the model may have made them. */
function whyNotReplace(found: Found, name: string): string | undefined {
  if (found.kind === 'missing') return undefined;
  if (found.facts === undefined) return found.kind === 'refused' ? found.why : undefined;
  return whyNoFile(found.facts, name) ?? whyProtected(found.facts, name);
}

/** Stands in what a model is shown for secrets that it is not. */
const WITHHELD = '[redacted]';

function whyLossy(found: Found, name: string, content: string): string | undefined {
  if (found.kind !== 'text' || !content.includes(WITHHELD) || found.bytes.includes(WITHHELD)) return undefined;
  return `${name} was not written: the content holds ${WITHHELD}, which stands for a secret that you were not shown and that would be lost. Change the other lines with patch.`;
}

/** What was lost because the file was not as the session knew it, so that it can be put back. */
function overwrittenBy(
  found: Found,
  { real, named }: Target,
  { states, session }: { states: FileStates; session: string },
): string | undefined {
  const isThere = found.kind !== 'missing' && found.facts !== undefined;
  const now = isThere ? snapshotOf(found.facts, found.kind === 'text' ? found.bytes : undefined) : undefined;
  const stale = states.staleness(session, real, now);
  if (stale === undefined) return undefined;
  const lost = found.kind === 'text' ? linesOf(found.bytes, stale) : '';
  return `${staleSentence(named, stale)}${lost === '' ? '' : ` These lines were overwritten:\n${lost}`}`;
}

const SHOWN_LINES = 40;
const SHOWN_CHARACTERS = 4_000;

function linesOf(bytes: Buffer, { lines }: Staleness): string {
  if (lines === undefined || lines.count === 0) return '';
  const all = (decode(bytes) ?? bytes.toString('latin1')).split('\n').slice(lines.first - 1, lines.first - 1 + lines.count);
  const shown = all.slice(0, SHOWN_LINES).map((line, index) => `${lines.first + index}|${line.replace(/\r$/u, '')}`);
  const text = shown.join('\n');
  const isCut = all.length > shown.length || text.length > SHOWN_CHARACTERS;
  return `${text.slice(0, SHOWN_CHARACTERS).toWellFormed()}${isCut ? '\n[... more ...]' : ''}`;
}

function report(
  { content }: Args,
  { name, existed, overwritten }: { name: string; existed: boolean; overwritten: string | undefined },
): ToolOutput {
  const lines = content === '' ? 0 : content.split('\n').length - (content.endsWith('\n') ? 1 : 0);
  const bytes = Buffer.byteLength(content);
  const said = `${existed ? 'Replaced' : 'Created'} ${name} (${lines} lines, ${bytes.toLocaleString('en-US')} bytes).`;
  const warning = overwritten === undefined ? {} : { warning: overwritten };
  return {
    content: overwritten === undefined ? said : `${said}\nNote: ${overwritten}`,
    data: { path: name, created: !existed, lines, bytes, ...warning },
  };
}
