import type { ToolContext, ToolOutput } from '../../../agent/tool.ts';
import type { Change } from '../../shared/contained-changes.ts';
import { noteWritten } from '../snapshot.ts';
import { fileProblem } from '../text-file.ts';
import { parsePatch } from './parse.ts';
import { type PatchedFile, type PlannedFile, type PlanParts, planPatch } from './plan.ts';

const MAX_OPERATIONS = 200;
const DIFF_LINES = 200;

/** Everything is judged before anything is written, and what fails then is taken back. */
export async function patchFiles(patch: string, parts: PlanParts, signal: ToolContext['signal']): Promise<ToolOutput> {
  const { operations, problems } = parsePatch(patch);
  if (problems.length > 0) return refused(problems);
  if (operations.length > MAX_OPERATIONS)
    return refused([`It changes ${operations.length} files; ${MAX_OPERATIONS} at once are the most.`]);
  const judged = await planPatch(operations, parts);
  const wrong = judged.filter((each) => typeof each === 'string');
  if (wrong.length > 0) return refused(wrong);
  const planned = judged.filter((each) => typeof each !== 'string');
  const changes = planned.flatMap((each) => each.changes);
  signal.throwIfAborted();
  try {
    await parts.places.files.apply(changes);
  } catch (error) {
    return refused([fileProblem(error, 'One of the files')]);
  }
  for (const change of changes) await note(change, parts);
  return report(planned);
}

function refused(problems: readonly string[]): ToolOutput {
  const heading =
    problems.length === 1 ? 'The patch was not applied.' : `The patch was not applied; there are ${problems.length} problems.`;
  return { content: `${heading} No file was changed.\n${problems.map((problem) => `- ${problem}`).join('\n')}`, failed: true };
}

async function note(change: Change, { states, session, places: { files } }: PlanParts): Promise<void> {
  const content = change.kind === 'write' ? change.content : undefined;
  await noteWritten({ states, files }, session.id, { file: change.file, content });
  if (change.kind === 'move') await noteWritten({ states, files }, session.id, { file: change.to, content });
}

function report(planned: readonly PlannedFile[]): ToolOutput {
  const files = planned.map((each) => each.report);
  const notes = files.flatMap((file) => [
    ...(file.stale === undefined ? [] : [`Note: ${file.stale} The patch was made to the file as it is now: check that it still fits.`]),
    ...(file.tolerances.length === 0
      ? []
      : [`${file.path} was matched by ignoring differences in ${file.tolerances.join(', ')}: check the result.`]),
  ]);
  const heading = files.length === 1 ? 'Patched one file:' : `Patched ${files.length} files:`;
  const diff = files
    .filter((file) => file.diff.length > 0 && file.action !== 'added')
    .flatMap((file) => [`--- ${file.to ?? file.path}`, ...file.diff]);
  const shown =
    diff.length > DIFF_LINES ? [...diff.slice(0, DIFF_LINES), `[... ${diff.length - DIFF_LINES} more lines of changes ...]`] : diff;
  const parts = [[heading, ...files.map(summary), ...notes].join('\n'), shown.join('\n')];
  return { content: parts.filter((part) => part !== '').join('\n\n'), data: { files: files.map(dataOf) } };
}

function summary({ action, path, to, added, removed }: PatchedFile): string {
  const lines = added + removed === 0 ? '' : ` (+${added} -${removed})`;
  return `${action} ${path}${to === undefined ? '' : ` to ${to}`}${lines}`;
}

function dataOf({ action, path, to, added, removed, diff, stale }: PatchedFile) {
  const more = { ...(to === undefined ? {} : { to }), ...(stale === undefined ? {} : { warning: stale }) };
  return { path, action, lines_added: added, lines_removed: removed, diff: diff.join('\n'), ...more };
}
