import { z } from 'zod';
import { defineTool, type Tool, type ToolContext, type ToolOutput } from '../../agent/tool.ts';
import { writeContained } from '../shared/contained-file.ts';
import { type FilePlaces, locate, writeRefusal, writeRisk } from './place.ts';
import { exists, readTextFile } from './text-file.ts';

const args = z.object({
  path: z
    .string()
    .min(1)
    .describe('File to write: relative to the workspace, absolute, or beginning with ~/. Missing directories are made.'),
  content: z.string().describe('The whole new content.'),
});

export function createWriteFile(places: FilePlaces): Tool {
  return defineTool({
    name: 'write_file',
    toolset: 'file',
    description: 'Write a whole text file, replacing what was there. To change part of a file use patch.',
    args,
    effect: 'write',
    preview: (given) => given.path,
    risk: async (given, session) => writeRisk(given.path, session, places),
    run: (given, ctx) => run(given, places, ctx),
  });
}

async function run(given: z.output<typeof args>, places: FilePlaces, ctx: ToolContext): Promise<ToolOutput> {
  const target = locate(given.path, ctx.session, places);
  const refusal = writeRefusal(target, ctx.session, places) ?? (await whyNotReplace(target.real, given));
  if (refusal !== undefined) return { content: refusal, failed: true };
  ctx.signal.throwIfAborted();
  const existed = await exists(target.real);
  await writeContained(target.real, given.content);
  const lines = given.content === '' ? 0 : given.content.split('\n').length - (given.content.endsWith('\n') ? 1 : 0);
  return {
    content: `${existed ? 'Replaced' : 'Created'} ${target.named} (${lines} lines, ${Buffer.byteLength(given.content).toLocaleString('en-US')} bytes).`,
  };
}

/** A directory, pipe or device is never replaced by a file. Binary files may be: the model may have made them. */
async function whyNotReplace(file: string, given: { readonly path: string; readonly content: string }): Promise<string | undefined> {
  if (/[/\\]$/u.test(given.path)) return `${given.path} names a directory. Give the name of a file.`;
  if (!given.content.isWellFormed()) return 'The content has half characters that no file can hold. Write it anew without them.';
  const found = await readTextFile(file);
  return found.kind === 'refused' && / is a (?:directory|pipe|device|socket)| may not be read/u.test(found.why) ? found.why : undefined;
}
