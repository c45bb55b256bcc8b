import { z } from 'zod';
import { defineTool, type Tool, type ToolContext, type ToolOutput } from '../../agent/tool.ts';
import type { FileStates } from '../shared/file-states.ts';
import { type FilePlaces, locate, writeRefusal, writeRisks } from './place.ts';
import { replaceText } from './replace.ts';
import { noteWritten, snapshotOf, staleSentence } from './snapshot.ts';
import { decode, fileProblem, missingSentence, readTextFile, whyProtected } from './text-file.ts';
import { parsePatch } from './v4a/parse.ts';
import { patchFiles } from './v4a/patch-files.ts';

const args = z.object({
  mode: z.enum(['replace', 'patch']).optional().describe('replace: one passage of one file. patch: several places and files at once.'),
  path: z.string().optional().describe('replace: file to change, relative to the workspace, absolute, or beginning with ~/.'),
  old_string: z.string().optional().describe('replace: the passage, quoted from the file, with enough around it to be found exactly once.'),
  new_string: z.string().optional().describe('replace: what stands there afterwards. May be empty.'),
  replace_all: z.boolean().default(false).describe('replace: every occurrence.'),
  patch: z.string().optional().describe('patch: the patch in V4A form, from "*** Begin Patch" to "*** End Patch".'),
});

type Args = z.output<typeof args>;

const DESCRIPTION = `Change text files. Small differences in blanks, indentation and quotes are forgiven; a passage that is found more than once is refused.
mode "replace" replaces old_string by new_string in path. mode "patch" applies a V4A patch to any number of files, all of it or nothing:
*** Begin Patch
*** Update File: src/a.py
@@ def f():
 a line that stays
-a line that goes
+a line that comes
*** Add File: b.txt
+each line of it
*** Delete File: c.txt
*** Move File: d.txt -> e.txt
*** End Patch
"@@ line" names a line above the place where that is needed to tell it from others; "*** Move to: path" below "*** Update File" changes and moves.`;

export interface PatchParts extends FilePlaces {
  readonly states: FileStates;
}

export function createPatch(parts: PatchParts): Tool {
  return defineTool({
    name: 'patch',
    toolset: 'file',
    description: DESCRIPTION,
    args,
    effect: 'write',
    preview,
    risk: async (given, session) => writeRisks(pathsOf(given), session, parts),
    run: (given, ctx) => run(given, parts, ctx),
  });
}

function preview(given: Args): string {
  const paths = pathsOf(given);
  return paths.length > 1 ? `${paths.length} files: ${paths.join(', ')}` : (paths[0] ?? '');
}

/** Whoever sends a patch means it to be one. */
function modeOf({ mode, patch, old_string }: Args): 'replace' | 'patch' {
  return mode ?? (patch !== undefined && old_string === undefined ? 'patch' : 'replace');
}

/** Of a patch that cannot be read none: it writes nothing either. */
function pathsOf(given: Args): string[] {
  const { path, patch = '' } = given;
  if (modeOf(given) === 'replace') return path === undefined ? [] : [path];
  const { operations, problems } = parsePatch(patch);
  if (problems.length > 0) return [];
  const named = operations.flatMap((each) => [each.path, ...(each.kind === 'update' && each.to !== undefined ? [each.to] : [])]);
  return [...new Set(named)];
}

async function run(given: Args, parts: PatchParts, ctx: ToolContext): Promise<ToolOutput> {
  if (modeOf(given) === 'replace') return replace(given, parts, ctx);
  if (given.patch === undefined) return refused('mode "patch" needs patch, from "*** Begin Patch" to "*** End Patch".');
  return patchFiles(given.patch, { places: parts, states: parts.states, session: ctx.session }, ctx.signal);
}

function refused(content: string): ToolOutput {
  return { content, failed: true };
}

async function replace({ path, old_string, new_string, replace_all }: Args, parts: PatchParts, ctx: ToolContext): Promise<ToolOutput> {
  if (path === undefined || old_string === undefined || new_string === undefined)
    return refused('mode "replace" needs path, old_string and new_string (an empty one to remove the passage).');
  const target = await locate(path, ctx.session, parts);
  const refusal = writeRefusal(target, ctx.session, parts);
  if (refusal !== undefined) return refused(refusal);
  const found = await readTextFile(parts.files, target.real, target.named);
  if (found.kind === 'refused') return refused(found.why);
  if (found.kind === 'missing') return refused(await missingSentence(parts.files, target, 'Create it with write_file.'));
  const text = decode(found.bytes);
  const why = whyProtected(found.facts, target.named);
  if (why !== undefined) return refused(why);
  if (text === undefined || !new_string.isWellFormed())
    return refused(`${target.named} is not UTF-8 text, so that a change would damage it. Use a script in the terminal.`);
  const replaced = replaceText(text, { old: old_string, new: new_string, all: replace_all });
  if (replaced.kind === 'refused') return refused(`${target.named} was not changed. ${replaced.why}`);
  ctx.signal.throwIfAborted();
  const stale = parts.states.staleness(ctx.session.id, target.real, snapshotOf(found.facts, found.bytes));
  try {
    await parts.files.apply([{ kind: 'write', file: target.real, content: replaced.text, seen: found.facts }]);
  } catch (error) {
    return refused(`${target.named} was not changed. ${fileProblem(error, target.named)}`);
  }
  await noteWritten(parts, ctx.session.id, { file: target.real, content: replaced.text });
  return report(target.named, replaced, stale === undefined ? undefined : staleSentence(target.named, stale));
}

function report(
  name: string,
  replaced: Extract<ReturnType<typeof replaceText>, { kind: 'replaced' }>,
  stale: string | undefined,
): ToolOutput {
  const { tolerance, count, diff } = replaced;
  const forgiven = tolerance === '' ? '' : ` It was found by ignoring differences in ${tolerance}: check the result.`;
  const note = stale === undefined ? '' : `\nNote: ${stale} The change was made to the file as it is now: check that it still fits.`;
  const places = count === 1 ? 'one place' : `${count} places`;
  const warning = stale === undefined ? {} : { warning: stale };
  return {
    content: `Changed ${name} in ${places}.${forgiven}${note}\n\n${diff}`,
    data: { path: name, replacements: count, diff, ...warning },
  };
}
