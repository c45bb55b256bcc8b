import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Risk } from '../../../agent/risk.ts';
import type { SessionRef, ToolContext, ToolOutput } from '../../../agent/tool.ts';
import { createTools, toolSections } from '../../../tools/index.ts';

/** A state directory with several sessions, and the real file tools over it. */
export interface Several {
  readonly root: string;
  /** The user's home. */
  readonly home: string;
  readonly state: string;
  session(id: string, media?: readonly string[]): Worker;
  close(): void;
}

/** What one session can do. */
export interface Worker {
  readonly workspace: string;
  put(name: string, content: string | Buffer): string;
  get(name: string): string;
  run(tool: string, args: Record<string, unknown>): Promise<ToolOutput>;
  risk(tool: string, args: Record<string, unknown>): Promise<Risk | undefined>;
}

export function createSeveral(): Several {
  const root = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'files-')));
  const home = path.join(root, 'home', 'ada');
  const state = path.join(home, '.hermes');
  const tools = createTools({
    terminal: toolSections.terminal.schema.parse({}),
    environment: { PATH: process.env['PATH'], HOME: home, LANG: 'C.UTF-8' },
    home,
    protectedPaths: [path.join(state, '.env'), path.join(state, 'state.db*')],
    privatePaths: ['workspaces', 'media', 'memories'].map((name) => path.join(state, name)),
    marker: path.basename(root),
  });
  const session = (id: string, media?: readonly string[]): Worker => {
    const workspace = path.join(state, 'workspaces', id);
    mkdirSync(workspace, { recursive: true });
    const ref: SessionRef = { id, workspace, ...(media === undefined ? {} : { media }) };
    const resolved = (name: string): string => path.resolve(workspace, name);
    const find = (name: string) => {
      const found = tools.find((tool) => tool.name === name);
      if (found === undefined) throw new Error(`no tool ${name}`);
      return found;
    };
    return {
      workspace,
      put: (name, content) => {
        mkdirSync(path.dirname(resolved(name)), { recursive: true });
        writeFileSync(resolved(name), content);
        return resolved(name);
      },
      get: (name) => readFileSync(resolved(name), 'utf8'),
      run: (name, args) => {
        const ctx: ToolContext = {
          signal: new AbortController().signal,
          session: ref,
          progress: () => undefined,
          child: () => undefined,
          ask: async () => ({ answered: false, reason: '' }),
        };
        return find(name).run(find(name).args.parse(args), ctx);
      },
      risk: async (name, args) => find(name).risk?.(find(name).args.parse(args), ref, new AbortController().signal),
    };
  };
  return { root, home, state, session, close: () => rmSync(root, { recursive: true, force: true }) };
}
