import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { ToolContext } from '../../../agent/tool.ts';
import { createSearchFiles } from '../../../tools/files/search-files.ts';
import { createLocalFiles, type FileAccess } from '../../../tools/shared/file-access.ts';

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'search-')));
  for (const [place, text] of [
    ['work/dir', 'needle inside\n'],
    ['outside', 'needle CANARY\n'],
  ] as const) {
    mkdirSync(path.join(root, place), { recursive: true });
    writeFileSync(path.join(root, place, 'a.txt'), text);
  }
  writeFileSync(path.join(root, 'outside', 'b.txt'), 'needle CANARY\n');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const swap = () => {
  renameSync(path.join(root, 'work/dir'), path.join(root, 'work/dir.real'));
  symlinkSync(path.join(root, 'outside'), path.join(root, 'work/dir'));
};

/** `swapped`: when somebody swaps the directory for a link, at the worst moments that there are. */
const search = async (swapped: 'before a file is opened' | 'after it was opened', args: Record<string, unknown>) => {
  const files = createLocalFiles({ home: root });
  let isDone = false;
  const once = () => {
    if (!isDone) swap();
    isDone = true;
  };
  const open: FileAccess['open'] = async (file) => {
    if (swapped === 'before a file is opened') once();
    const handle = await files.open(file);
    once();
    return handle;
  };
  const tool = createSearchFiles({ home: root, protectedPaths: [path.join(root, 'outside')], files: { ...files, open }, environment: {} });
  const quiet = { signal: new AbortController().signal, progress: () => undefined, child: () => undefined };
  const ctx: ToolContext = {
    ...quiet,
    session: { id: 's', workspace: path.join(root, 'work') },
    ask: async () => ({ answered: false, reason: '' }),
  };
  const { content, data } = await tool.run(tool.args.parse({ pattern: 'needle', ...args }), ctx);
  return content + JSON.stringify(data);
};

it.each(['content', 'count', 'files_only'] as const)(
  'shows nothing of another directory that takes the place of one that was found (%s)',
  async (output_mode) => {
    expect(await search('before a file is opened', { output_mode })).toMatch(/^No matches found\./u);
  },
);

it('shows what was opened, whatever has its name meanwhile', async () => {
  const shown = await search('after it was opened', { output_mode: 'content' });
  expect(shown).toMatch(/^dir\/a\.txt:1: needle inside\n/u);
  expect(shown).not.toMatch(/CANARY/u);
});

it('names no file of a directory that takes the place of one that was listed', async () => {
  expect(await search('before a file is opened', { target: 'files', pattern: '*.txt' })).toMatch(/^No files found\./u);
});
