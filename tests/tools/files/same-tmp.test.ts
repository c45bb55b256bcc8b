import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { ToolContext } from '../../../agent/tool.ts';
import { createTools, toolSections } from '../../../tools/index.ts';

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'same-')));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

it.each(['auto', 'none'] as const)('what commands leave in /tmp is what the file tools find there (isolation %s)', async (isolation) => {
  const state = path.join(root, '.hermes');
  const workspace = path.join(state, 'workspaces', 's');
  mkdirSync(workspace, { recursive: true });
  const tools = createTools({
    terminal: toolSections.terminal.schema.parse({ isolation }),
    environment: { PATH: process.env['PATH'], HOME: root },
    home: root,
    protectedPaths: [path.join(state, 'terminal')],
    state,
    marker: path.basename(root),
  });
  const quiet = { signal: new AbortController().signal, progress: () => undefined, child: () => undefined };
  const ctx: ToolContext = { ...quiet, session: { id: 's', workspace }, ask: async () => ({ answered: false, reason: '' }) };
  const run = async (name: string, args: Record<string, unknown>) => {
    const tool = tools.find((each) => each.name === name);
    return (await tool?.run(tool.args.parse(args), ctx))?.content;
  };
  const file = `/tmp/${path.basename(root)}.txt`;
  await run('terminal', { command: `echo from the shell > ${file}` });
  expect(await run('read_file', { path: file })).toMatch(/^1\|from the shell/u);
  await run('write_file', { path: file, content: 'from the tool\n' });
  expect(await run('terminal', { command: `cat ${file}; rm ${file}` })).toMatch(/from the tool/u);
});
