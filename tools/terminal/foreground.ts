import type { ToolContext, ToolOutput } from '../../agent/tool.ts';
import { createHeadTail, type HeadTail, plainText } from '../shared/output.ts';
import type { ProcessTree } from '../shared/process-tree.ts';
import type { Outline } from '../shared/shell/outline.ts';
import { exitHint, looksEndless } from './hints.ts';
import type { Runnable, TerminalParts } from './parts.ts';
import { keep, parseSnapshot } from './shell-state.ts';
import type { Situation } from './situation.ts';

const SHOWN_BYTES = 50_000;
/** What a script receives is not cut; but memory has an end. */
const SCRIPT_BYTES = 8_000_000;
const TIMEOUT_GRACE_MS = 5_000;
const INTERRUPT_GRACE_MS = 2_000;

export async function runForeground(parts: TerminalParts, command: Runnable, ctx: ToolContext): Promise<ToolOutput> {
  const { outline } = command;
  if (outline.detaches !== undefined) return { content: whyNotDetached(outline.detaches), failed: true };
  const begun = performance.now();
  const tree = await command.start();
  const shown = createHeadTail(SHOWN_BYTES);
  const whole = createHeadTail(SCRIPT_BYTES);
  tree.output.on('data', (chunk: Buffer) => {
    shown.push(chunk);
    whole.push(chunk);
  });
  const cause = await supervise(tree, command.timeout * 1_000, ctx.signal);
  const code = cause === 'ended' ? (await tree.exit).code : 0;
  const notes = cause === 'ended' ? keepState(parts, { command, tree }, ctx) : [];
  const told = report({ cause, code, shown, command, elapsedMs: performance.now() - begun, notes });
  return cause === 'ended' ? { ...told, exitCode: code, data: { stdout: plainText(whole.text()), exit_code: code } } : told;
}

function whyNotDetached(how: string): string {
  const what = how === '&' ? 'A command that ends in &' : `${how}`;
  return `${what} would not outlive this call: everything that a foreground command starts ends with it. Run the command itself with background: true (and notify_on_complete or watch_patterns to hear of it), without ${how}.`;
}

type Cause = 'ended' | 'timeout' | 'interrupted';

/** Resolves when nothing of the command is alive. The first reason to end it wins. */
async function supervise(tree: ProcessTree, timeoutMs: number, signal: AbortSignal): Promise<Cause> {
  const { promise, resolve } = Promise.withResolvers<Cause>();
  const onAbort = (): void => resolve('interrupted');
  const timer = setTimeout(resolve, timeoutMs, 'timeout');
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  void tree.exit.then(() => resolve('ended'));
  const cause = await promise;
  clearTimeout(timer);
  signal.removeEventListener('abort', onAbort);
  if (cause === 'timeout') await tree.end(TIMEOUT_GRACE_MS);
  if (cause === 'interrupted') await tree.end(INTERRUPT_GRACE_MS);
  return cause;
}

/** Returns what the model should know of it. What was interrupted leaves the shell as it was. */
function keepState({ states }: TerminalParts, ran: { command: Runnable; tree: ProcessTree }, { session }: ToolContext): string[] {
  const { situation, environment } = ran.command;
  const snapshot = parseSnapshot(ran.tree.reported());
  if (snapshot === undefined) return lostNote(situation);
  const change = { before: situation.state, given: environment, startedIn: situation.directory, announced: situation.announced };
  const { state, dropped } = keep(snapshot, change);
  states.write(session, situation.isLost && state.directory === situation.state.directory ? { ...state, directory: undefined } : state);
  const moved = state.directory !== undefined && state.directory !== situation.state.directory;
  return [
    ...lostNote(situation),
    ...(moved ? [`The shell is now in ${state.directory}.`] : []),
    ...(dropped.length > 0 ? [droppedNote(dropped)] : []),
  ];
}

function lostNote({ isLost, state }: Situation): string[] {
  return isLost ? [`The directory ${state.directory} is gone; this ran in the workspace.`] : [];
}

function droppedNote(names: readonly string[]): string {
  const [first = ''] = names;
  return `Not kept for later commands: ${names.join(', ')}. To keep such a variable, set it by name in a command (export ${first}=...).`;
}

interface Finished {
  readonly cause: Cause;
  readonly code: number;
  readonly shown: HeadTail;
  readonly command: Runnable;
  readonly elapsedMs: number;
  readonly notes: readonly string[];
}

function report({ cause, code, shown, command, elapsedMs, notes }: Finished): ToolOutput {
  const printed = plainText(shown.text()).trimEnd();
  const body = printed === '' ? '(no output)' : printed;
  const seconds = `${(elapsedMs / 1_000).toFixed(1)} s`;
  if (cause === 'interrupted')
    return { content: `${body}\n\n[interrupted after ${seconds}; everything it started was ended]`, failed: true };
  if (cause === 'timeout') return { content: `${body}\n\n${timeoutNote(command.timeout, command.outline)}`, failed: true };
  const hint = exitHint(code, command.outline, printed);
  const end = `[exit code ${code}, ${seconds}${hint === '' ? '' : `: ${hint}`}]`;
  return { content: [`${body}\n\n${end}`, ...notes.map((note) => `[${note}]`)].join('\n') }; // a non-zero code is the command's answer, not a failure of this tool
}

function timeoutNote(timeout: number, outline: Outline): string {
  const advice = looksEndless(outline)
    ? 'It looks like something that runs until it is ended: start it with background: true.'
    : 'Give a longer timeout, do less in one command, or run it with background: true.';
  return `[ended after its timeout of ${timeout} s with everything it started. ${advice}]`;
}
