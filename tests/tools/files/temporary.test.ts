import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { SessionRef, Tool, ToolContext } from '../../../agent/tool.ts';
import { createPatch } from '../../../tools/files/patch.ts';
import { createReadFile } from '../../../tools/files/read-file.ts';
import { createSearchFiles } from '../../../tools/files/search-files.ts';
import { createWriteFile } from '../../../tools/files/write-file.ts';
import { createLocalFiles } from '../../../tools/shared/file-access.ts';
import { createFileStates } from '../../../tools/shared/file-states.ts';

let root: string;
let tools: readonly Tool[];
const temporary = (session: string) => path.join(root, 'state', 'terminal', session, 'tmp');
beforeEach(() => {
  root = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'files-')));
  for (const id of ['one', 'two']) for (const place of [temporary(id), path.join(root, 'state', id)]) mkdirSync(place, { recursive: true });
  const files = createLocalFiles({ home: root, temporaryOf: async ({ id }) => temporary(id) });
  const parts = {
    home: root,
    protectedPaths: [path.join(root, 'state')],
    files,
    states: createFileStates(),
    environment: {},
  };
  tools = [createReadFile(parts), createWriteFile(parts), createPatch(parts), createSearchFiles(parts)];
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const sessionOf = (id: string): SessionRef => ({ id, workspace: path.join(root, 'state', id) });
const find = (name: string): Tool => {
  const tool = tools.find((each) => each.name === name);
  if (tool === undefined) throw new Error(name);
  return tool;
};
const run = (name: string, args: Record<string, unknown>, id = 'one') => {
  const quiet = { signal: new AbortController().signal, progress: () => undefined, child: () => undefined };
  const ctx: ToolContext = { ...quiet, session: sessionOf(id), ask: async () => ({ answered: false, reason: '' }) };
  return find(name).run(find(name).args.parse(args), ctx);
};
const level = async (name: string, args: Record<string, unknown>) =>
  (await find(name).risk?.(find(name).args.parse(args), sessionOf('one'), new AbortController().signal))?.level;

it('finds in /tmp what the commands of the session find there, and nobody else', async () => {
  expect(await level('write_file', { path: '/tmp/a/b.txt', content: 'x' })).toBe('safe');
  expect((await run('write_file', { path: '/tmp/a/b.txt', content: 'needle\n' })).content).toMatch(/^Created \/tmp\/a\/b\.txt/u);
  expect(readFileSync(path.join(temporary('one'), 'a', 'b.txt'), 'utf8')).toBe('needle\n');
  expect((await run('read_file', { path: '/tmp/a/b.txt' })).content).toMatch(/^1\|needle/u);
  expect((await run('search_files', { path: '/tmp', pattern: 'needle' })).content).toMatch(/^\/tmp\/a\/b\.txt:1: needle/u);
  expect((await run('patch', { path: '/tmp/a/b.txt', old_string: 'needle', new_string: 'pin' })).failed).toBeUndefined();
  expect((await run('read_file', { path: '/tmp/a/b.txt' }, 'two')).content).toMatch(/There is no file \/tmp\/a\/b\.txt/u);
});

it("does not reach another session's by its real name or by a link, nor what lies beside its own", async () => {
  writeFileSync(path.join(temporary('two'), 'x.txt'), 'CANARY');
  writeFileSync(path.join(temporary('one'), '..', 'shell.json'), 'CANARY');
  symlinkSync(path.join(temporary('two'), 'x.txt'), path.join(temporary('one'), 'link'));
  for (const name of [path.join(temporary('two'), 'x.txt'), '/tmp/link', path.join(temporary('one'), '..', 'shell.json')]) {
    expect(await level('read_file', { path: name }), name).toBe('hardline');
    expect((await run('read_file', { path: name })).content).toMatch(/is not read/u);
    expect((await run('write_file', { path: name, content: 'x' })).content).toMatch(/is not written/u);
  }
});
