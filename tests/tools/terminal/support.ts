import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import type { Risk } from '../../../agent/risk.ts';
import type { SessionRef, Tool, ToolContext, ToolOutput } from '../../../agent/tool.ts';
import { createTerminalsFor, type ToolsConfig } from '../../../tools/index.ts';
import type { Wake, WakeNote } from '../../../tools/terminal/wake.ts';

/** What a session was woken with. */
export interface Woken extends WakeNote {
  readonly session: string;
  readonly key: string;
  readonly origin: string | undefined;
}

export interface RecordedWake extends Wake {
  readonly told: Woken[];
  readonly withdrawn: string[];
  /** The disk is full. */
  broken: boolean;
}

export interface TerminalBench {
  readonly home: string;
  readonly state: string;
  readonly marker: string;
  readonly wake: RecordedWake;
  session(id?: string): SessionRef;
  /** `after`: between the judgement and the run. */
  call(
    name: string,
    args: Record<string, unknown>,
    how?: { session?: SessionRef; signal?: AbortSignal; after?: () => unknown },
  ): Promise<ToolOutput>;
  risk(command: string, session?: SessionRef): Promise<Risk>;
  typing(args: Record<string, unknown>): Promise<Risk | undefined>;
  readonly terminals: ReturnType<typeof createTerminalsFor>;
  /** Another daemon over the same state. */
  next(): TerminalBench;
}

export interface BenchOptions {
  readonly terminal?: Partial<ToolsConfig['terminal']>;
  readonly environment?: Readonly<Record<string, string>>;
  readonly root?: string;
}

/** A terminal with a home of its own, whose sessions are woken into a list. It ends with the test. */
export function createTerminalBench(options: BenchOptions = {}): TerminalBench {
  const root = options.root ?? realpathSync(mkdtempSync(path.join(os.tmpdir(), 'terminal-')));
  const home = path.join(root, 'home', 'ada');
  const state = path.join(home, '.hermes');
  const marker = path.basename(root);
  mkdirSync(state, { recursive: true });
  const terminals = createTerminalsFor({
    terminal: {
      timeout: 60,
      max_timeout: 600,
      env_passthrough: [],
      process_namespace: 'auto',
      isolation: 'none',
      writable_paths: [],
      sudo_password: '',
      ...options.terminal,
    },
    environment: { PATH: process.env['PATH'], HOME: home, LANG: 'C.UTF-8', ...options.environment },
    home,
    protectedPaths: ['.env', 'terminal', 'state.db*'].map((name) => path.join(state, name)),
    state,
    marker,
  });
  const wake = recordedWake();
  terminals.processes.begin(wake);
  onTestFinished(async () => {
    await terminals.processes.close();
    rmSync(root, { recursive: true, force: true });
  });
  const session = (id = 's1'): SessionRef => {
    const workspace = path.join(state, 'workspaces', id);
    mkdirSync(workspace, { recursive: true });
    return { id, workspace };
  };
  const bench: TerminalBench = {
    home,
    state,
    marker,
    wake,
    terminals,
    session,
    call: async (name, args, how = {}) => {
      const tool = toolOf(terminals.tools, name);
      const ctx = contextOf(how.session ?? session(), how.signal ?? new AbortController().signal);
      const given = tool.args.parse(args);
      if (how.after !== undefined) await tool.risk?.(given, ctx.session, ctx.signal);
      await how.after?.();
      return tool.run(given, ctx);
    },
    risk: async (command, of = session()) => {
      const tool = toolOf(terminals.tools, 'terminal');
      const risk = await tool.risk?.(tool.args.parse({ command }), of, new AbortController().signal);
      return risk ?? { level: 'safe', why: '', subjects: [] };
    },
    typing: async (args) => {
      const tool = toolOf(terminals.tools, 'process');
      return tool.risk?.(tool.args.parse(args), session(), new AbortController().signal);
    },
    next: () => createTerminalBench({ ...options, root }),
  };
  return bench;
}

function toolOf(tools: readonly Tool[], name: string): Tool {
  const found = tools.find((tool) => tool.name === name);
  if (found === undefined) throw new Error(`no tool ${name}`);
  return found;
}

function contextOf(session: SessionRef, signal: AbortSignal): ToolContext {
  return { session, signal, progress: () => undefined, child: () => undefined, ask: async () => ({ answered: false, reason: '' }) };
}

function recordedWake(): RecordedWake {
  const wake: RecordedWake = {
    told: [],
    withdrawn: [],
    broken: false,
    origin: (session) => `turn of ${session}`,
    wake: (session, note, { key, origin }) => {
      if (wake.broken) throw new Error('the disk is full');
      wake.told.push({ session, key, origin, ...note });
    },
    withdraw: (_session, key) => void wake.withdrawn.push(key),
  };
  return wake;
}

/** The id of what was started. */
export function idOf({ data }: ToolOutput): string {
  return (data as { session_id: string }).session_id;
}

export async function until(condition: () => boolean, what: () => unknown = () => 'the state is not reached'): Promise<void> {
  const deadline = performance.now() + 10_000;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`waited in vain: ${JSON.stringify(what())}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
