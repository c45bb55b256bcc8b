import { existsSync, statSync } from 'node:fs';
import { z } from 'zod';
import type { Risk } from '../../agent/risk.ts';
import { defineTool, type SessionRef, type Tool, type ToolContext, type ToolOutput } from '../../agent/tool.ts';
import { absolutePath } from '../shared/home-paths.ts';
import { createHeadTail, type HeadTail, plainText } from '../shared/output.ts';
import type { ProcessTree, ProcessTrees } from '../shared/process-tree.ts';
import type { TerminalConfig } from './config.ts';

const OUTPUT_LIMIT_BYTES = 50_000;
const TIMEOUT_GRACE_MS = 5_000;
const INTERRUPT_GRACE_MS = 2_000;
const BASH = ['/bin/bash', '/usr/bin/bash', '/usr/local/bin/bash', '/run/current-system/sw/bin/bash'];

export interface TerminalParts {
  readonly config: TerminalConfig;
  readonly processes: ProcessTrees;
  /** What commands receive as their environment. */
  readonly environment: Readonly<Record<string, string>>;
  /** Port: what could this command do, run in this directory of this session? */
  readonly judge: (command: string, directory: string, workspace: string) => Promise<Risk>;
}

function argsSchema(config: TerminalConfig) {
  return z.object({
    command: z.string().min(1).describe('The bash command to run.'),
    timeout: z
      .number()
      .positive()
      .max(config.max_timeout)
      .optional()
      .describe(`Seconds until it is ended; ${config.timeout} by default, at most ${config.max_timeout}.`),
    workdir: z
      .string()
      .optional()
      .describe('Directory to run in: relative to the workspace, or absolute. Must exist. Default: the workspace.'),
  });
}

const DESCRIPTION = `Run a shell command in the session's workspace and return what it printed (stdout and stderr together) and its exit code.
Each call is a new bash without a terminal and without input; nothing it starts outlives the call. Output is cut to 50,000 bytes, head and tail kept.
Prefer read_file, write_file, patch and search_files for files. Commands may see only their own processes in ps.`;

export function createTerminal(parts: TerminalParts): Tool {
  const args = argsSchema(parts.config);
  return defineTool({
    name: 'terminal',
    toolset: 'terminal',
    description: DESCRIPTION,
    args,
    effect: 'external',
    preview: (given) => firstLine(given.command),
    risk: async (given, session) => parts.judge(given.command, directoryFor(given.workdir, session), session.workspace),
    run: (given, ctx) => run(parts, { ...given, timeout: given.timeout ?? parts.config.timeout }, ctx),
  });
}

async function run(parts: TerminalParts, args: { command: string; timeout: number; workdir?: string | undefined }, ctx: ToolContext) {
  const directory = directoryFor(args.workdir, ctx.session);
  const refusal = whyNot(args.command, directory);
  if (refusal !== undefined) return { content: refusal, failed: true };
  if (ctx.signal.aborted) return { content: 'Interrupted before the command began.', failed: true };
  const started = performance.now();
  const tree = await parts.processes.start({ argv: shellArgv(args.command), cwd: directory, environment: parts.environment });
  const output = createHeadTail(OUTPUT_LIMIT_BYTES);
  tree.output.on('data', (chunk: Buffer) => output.push(chunk));
  const cause = await supervise(tree, args.timeout * 1_000, ctx.signal);
  const code = cause === 'ended' ? (await tree.exit).code : 0;
  return report({ cause, code, output, timeout: args.timeout, elapsedMs: performance.now() - started });
}

/** The command goes to bash as one argument, byte for byte what was judged; no profile or start-up file is read. */
function shellArgv(command: string): string[] {
  const bash = BASH.find((file) => existsSync(file));
  return bash === undefined ? ['/bin/sh', '-c', command] : [bash, '--noprofile', '--norc', '-c', command];
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

interface Finished {
  readonly cause: Cause;
  readonly code: number;
  readonly output: HeadTail;
  readonly timeout: number;
  readonly elapsedMs: number;
}

function report(finished: Finished): ToolOutput {
  const printed = plainText(finished.output.text()).trimEnd();
  const seconds = (finished.elapsedMs / 1_000).toFixed(1);
  const body = printed === '' ? '(no output)' : printed;
  if (finished.cause === 'interrupted')
    return { content: `${body}\n\n[interrupted after ${seconds} s; everything it started was ended]`, failed: true };
  if (finished.cause === 'timeout') {
    const advice = 'Give a longer timeout, or do less in one command.';
    return { content: `${body}\n\n[ended after its timeout of ${finished.timeout} s with everything it started. ${advice}]`, failed: true };
  }
  return { content: `${body}\n\n[exit code ${finished.code}, ${seconds} s]`, exitCode: finished.code }; // a non-zero code is the command's answer, not a failure of this tool
}

function directoryFor(workdir: string | undefined, session: SessionRef): string {
  return workdir === undefined ? session.workspace : absolutePath(workdir, session.workspace);
}

function whyNot(command: string, directory: string): string | undefined {
  if (command.includes('\0') || !command.isWellFormed())
    return 'The command contains characters that no shell can receive unchanged. Write it anew without them.';
  if (!statSync(directory, { throwIfNoEntry: false })?.isDirectory())
    return `There is no directory ${directory}. Create it first, or leave workdir out.`;
  return undefined;
}

function firstLine(command: string): string {
  const [line = '', ...more] = command.trim().split('\n');
  return more.length > 0 ? `${line} …` : line;
}
