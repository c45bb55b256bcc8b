import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Tool, ToolContext, ToolOutput } from '../../agent/tool.ts';
import { createTools, type ToolsConfig } from '../../tools/index.ts';

/** A machine in a temporary directory: a home with a workspace in it, and the real tools over them. */
export interface Bench {
  readonly root: string;
  readonly home: string;
  readonly workspace: string;
  readonly marker: string;
  tool(name: string): Tool;
  run(name: string, args: Record<string, unknown>, signal?: AbortSignal): Promise<ToolOutput>;
  risk(name: string, args: Record<string, unknown>): Promise<string>;
  close(): void;
}

export function createBench(changes: { terminal?: Partial<ToolsConfig['terminal']>; environment?: Record<string, string> } = {}): Bench {
  const root = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'tools-')));
  const home = path.join(root, 'home', 'ada');
  const workspace = path.join(home, '.hermes', 'workspaces', 's1');
  mkdirSync(workspace, { recursive: true });
  const marker = path.basename(root);
  const tools = createTools({
    terminal: {
      timeout: 60,
      max_timeout: 600,
      env_passthrough: [],
      process_namespace: 'auto',
      isolation: 'none',
      writable_paths: [],
      sudo_password: '',
      ...changes.terminal,
    },
    environment: { PATH: process.env['PATH'], HOME: home, LANG: 'C.UTF-8', ...changes.environment },
    home,
    protectedPaths: [path.join(home, '.hermes')],
    state: path.join(home, '.hermes'),
    marker,
  });
  const session = { id: 's1', workspace };
  const tool = (name: string): Tool => {
    const found = tools.find((candidate) => candidate.name === name);
    if (found === undefined) throw new Error(`no tool ${name}`);
    return found;
  };
  return {
    root,
    home,
    workspace,
    marker,
    tool,
    run: (name, args, signal = new AbortController().signal) => {
      const ctx: ToolContext = {
        signal,
        session,
        progress: () => undefined,
        child: () => undefined,
        ask: async () => ({ answered: false, reason: '' }),
      };
      return tool(name).run(tool(name).args.parse(args), ctx);
    },
    risk: async (name, args) => {
      const risk = await tool(name).risk?.(tool(name).args.parse(args), session, new AbortController().signal);
      return risk?.level ?? 'safe';
    },
    close: () => rmSync(root, { recursive: true, force: true }),
  };
}
