import { z } from 'zod';
import { defineTool, type SessionRef, type Tool, type ToolContext, type ToolOutput } from '../../agent/tool.ts';
import type { TerminalConfig } from './config.ts';
import { runForeground } from './foreground.ts';
import { usesSudo } from './hints.ts';
import type { Runnable, TerminalParts } from './parts.ts';
import { named } from './processes/background.ts';
import { scriptOf } from './script.ts';
import { environmentOf } from './shell-state.ts';
import { inSituation, type Situation, situate } from './situation.ts';

function argsSchema(config: TerminalConfig) {
  return z.object({
    command: z.string().min(1).describe('The bash command to run.'),
    timeout: z
      .number()
      .positive()
      .max(config.max_timeout)
      .optional()
      .describe(`Seconds until it is ended; ${config.timeout} by default, at most ${config.max_timeout}. Not for background processes.`),
    workdir: z
      .string()
      .optional()
      .describe(
        'Directory to run in, for this call alone: relative to the workspace, or absolute. Must exist. Default: where the shell is.',
      ),
    background: z
      .boolean()
      .optional()
      .describe('Start it and return at once with a session_id for the process tool. For servers, watchers and what takes long.'),
    pty: z.boolean().optional().describe('Give it a terminal of 120x40, for programs that want one (REPLs, installers that ask).'),
    notify_on_complete: z.boolean().optional().describe('With background: you are woken once when it ends, and need not poll.'),
    watch_patterns: z
      .array(z.string().min(1).max(200))
      .max(20)
      .optional()
      .describe(
        'With background: you are woken when a line contains one of these texts (at most every 15 s). Not together with notify_on_complete.',
      ),
  });
}

type Args = z.output<ReturnType<typeof argsSchema>>;

const DESCRIPTION = `Run a shell command and return what it printed (stdout and stderr together) and its exit code. The shell begins in the session's workspace.
Working directory and exported variables last from call to call; functions, aliases and options do not. Exporting PATH or another variable that decides which programs run asks the person; for one command write NAME=value before it.
A foreground command has no input, and nothing that it starts outlives the call; use background: true for what should run on (not &, nohup or setsid). Output is cut to 50,000 bytes, head and tail kept.
Prefer read_file, write_file, patch and search_files for files. Commands may see only their own processes in ps.`;

export function createTerminal(parts: TerminalParts): Tool {
  const judged = new WeakMap<Args, Situation>(); // what was judged is what runs
  return defineTool({
    name: 'terminal',
    toolset: 'terminal',
    description: DESCRIPTION,
    args: argsSchema(parts.config),
    effect: 'external',
    preview: (given) => firstLine(given.command),
    risk: async (given, session) => {
      const situation = await situate(parts, given, session);
      judged.set(given, situation);
      return inSituation(await parts.shell.judge(given.command, situation), situation);
    },
    run: async (given, ctx) => {
      const situation = judged.get(given) ?? (await situate(parts, given, ctx.session));
      return run(parts, { given, situation }, ctx);
    },
  });
}

async function run(parts: TerminalParts, call: { given: Args; situation: Situation }, ctx: ToolContext): Promise<ToolOutput> {
  const { given, situation } = call;
  const refusal = await whyNot(parts, call, ctx.session);
  if (refusal !== undefined) return { content: refusal, failed: true };
  if (ctx.signal.aborted) return { content: 'Interrupted before the command began.', failed: true };
  const command = await prepare(parts, call, ctx.session);
  if (given.background !== true) return runForeground(parts, command, ctx);
  return runBackground(parts, { given, situation, command }, ctx.session);
}

async function prepare(
  parts: TerminalParts,
  { given, situation }: { given: Args; situation: Situation },
  session: SessionRef,
): Promise<Runnable> {
  const { config, backend, shell } = parts;
  const outline = await shell.outline(given.command);
  const environment = environmentOf(situation.state, await backend.environment(parts.environment));
  const reports = given.background !== true && given.pty !== true;
  const script = scriptOf({ command: given.command, reports, sudoPassword: usesSudo(outline) ? config.sudo_password : '' });
  const input = given.pty === true ? 'terminal' : given.background === true ? 'open' : undefined;
  return {
    situation,
    outline,
    environment,
    timeout: given.timeout ?? config.timeout,
    start: () =>
      backend.start({
        session,
        argv: script.argv,
        cwd: situation.directory,
        environment: { ...environment, ...script.secrets },
        ...(reports ? { reports } : {}),
        ...(input === undefined ? {} : { input }),
      }),
  };
}

interface BackgroundCall {
  readonly given: Args;
  readonly situation: Situation;
  readonly command: Runnable;
}

async function runBackground({ registry }: TerminalParts, { given, command }: BackgroundCall, session: SessionRef): Promise<ToolOutput> {
  const notify = given.notify_on_complete === true;
  const patterns = notify ? [] : (given.watch_patterns ?? []);
  const process = await registry.start({
    session: session.id,
    command: given.command,
    onTerminal: given.pty === true,
    notify,
    patterns,
    start: command.start,
  });
  const { record, tree } = process;
  const dropped = notify && given.watch_patterns !== undefined ? ' watch_patterns are left out beside notify_on_complete.' : '';
  const heard = notify
    ? 'You are woken when it ends.'
    : patterns.length > 0
      ? 'You are woken when it prints what you watch for.'
      : 'Use the process tool to see what it does.';
  const ends = 'It ends with the gateway.';
  const content = `Started ${named(record)}, pid ${tree?.pid ?? 0}. ${heard}${dropped} ${ends}`;
  return { content, data: { session_id: record.id, pid: tree?.pid ?? 0 } };
}

async function whyNot(
  { backend }: TerminalParts,
  { given, situation }: { given: Args; situation: Situation },
  session: SessionRef,
): Promise<string | undefined> {
  if (given.command.includes('\0') || !given.command.isWellFormed())
    return 'The command contains characters that no shell can receive unchanged. Write it anew without them.';
  if (!(await backend.files.isDirectory(situation.directory, session)))
    return `There is no directory ${situation.directory}. Create it first, or leave workdir out.`;
  return undefined;
}

function firstLine(command: string): string {
  const [line = '', ...more] = command.trim().split('\n');
  return more.length > 0 ? `${line} …` : line;
}
