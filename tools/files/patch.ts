import { z } from 'zod';
import { defineTool, type Tool, type ToolContext, type ToolOutput } from '../../agent/tool.ts';
import { writeContained } from '../shared/contained-file.ts';
import { type FilePlaces, locate, writeRefusal, writeRisk } from './place.ts';
import { replaceText } from './replace.ts';
import { readTextFile, similarNames } from './text-file.ts';

const args = z.object({
  path: z.string().min(1).describe('File to change: relative to the workspace, absolute, or beginning with ~/.'),
  old_string: z.string().describe('The passage to replace, quoted from the file, with enough around it to be found exactly once.'),
  new_string: z.string().describe('What stands there afterwards. May be empty.'),
  replace_all: z.boolean().default(false).describe('Replace every occurrence.'),
});

type Args = z.output<typeof args>;

export function createPatch(places: FilePlaces): Tool {
  return defineTool({
    name: 'patch',
    toolset: 'file',
    description:
      'Replace a passage of a text file. Small differences in blanks, indentation and quotes are forgiven; a passage that is found more than once is refused.',
    args,
    effect: 'write',
    preview: (given) => given.path,
    risk: async (given, session) => writeRisk(given.path, session, places),
    run: (given, ctx) => run(given, places, ctx),
  });
}

async function run(given: Args, places: FilePlaces, ctx: ToolContext): Promise<ToolOutput> {
  const target = locate(given.path, ctx.session, places);
  const refusal = writeRefusal(target, ctx.session, places);
  if (refusal !== undefined) return { content: refusal, failed: true };
  const found = await readTextFile(target.real);
  if (found.kind === 'refused') return { content: found.why, failed: true };
  if (found.kind === 'missing') return { content: await missing(target.named), failed: true };
  const text = decode(found.bytes);
  if (text === undefined || !given.new_string.isWellFormed())
    return { content: `${target.named} is not UTF-8 text, so that a change would damage it. Use a script in the terminal.`, failed: true };
  const replaced = replaceText(text, { old: given.old_string, new: given.new_string, all: given.replace_all });
  if (replaced.kind === 'refused') return { content: `${target.named} was not changed. ${replaced.why}`, failed: true };
  ctx.signal.throwIfAborted();
  await writeContained(target.real, replaced.text);
  const forgiven = replaced.tolerance === '' ? '' : ` It was found by ignoring differences in ${replaced.tolerance}: check the result.`;
  const places_ = replaced.count === 1 ? 'one place' : `${replaced.count} places`;
  return { content: `Changed ${target.named} in ${places_}.${forgiven}\n\n${replaced.diff}` };
}

async function missing(file: string): Promise<string> {
  const similar = await similarNames(file);
  const hint = similar.length > 0 ? `Similar names: ${similar.join(', ')}` : 'Create it with write_file.';
  return `There is no file ${file}. ${hint}`;
}

/** With its byte order mark, so that writing gives back what was read. `undefined`: not UTF-8. */
function decode(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined; // the one thing that a fatal decoder throws: these bytes are no UTF-8
  }
}
