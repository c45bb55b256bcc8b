import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createTools, toolSections } from '../../../tools/index.ts';

let state: string;
beforeEach(() => {
  state = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'private-')));
});
afterEach(() => rmSync(state, { recursive: true, force: true }));

it.each([
  ['its own workspace', 'cat notes.txt', 'safe'],
  ['its own workspace by its whole name', 'cat workspaces/mine/notes.txt', 'safe'],
  ['files that were sent to it', 'cat media/7/photo.txt', 'safe'],
  ["another conversation's workspace", 'cat workspaces/theirs/notes.txt', 'ask'],
  ['all workspaces', 'grep -r secret workspaces', 'ask'],
  ["another conversation's files", 'cat media/8/photo.txt', 'ask'],
])('a command that reads %s is judged so', async (_what, command, level) => {
  const workspace = path.join(state, 'workspaces', 'mine');
  for (const place of ['workspaces/mine', 'workspaces/theirs', 'media/7', 'media/8']) {
    mkdirSync(path.join(state, place), { recursive: true });
    writeFileSync(path.join(state, place, place.startsWith('media') ? 'photo.txt' : 'notes.txt'), 'x');
  }
  const [terminal] = createTools({
    terminal: toolSections.terminal.schema.parse({ isolation: 'none' }),
    environment: { PATH: process.env['PATH'], HOME: '/nowhere' },
    home: '/nowhere',
    protectedPaths: [path.join(state, 'state.db*')],
    privatePaths: [path.join(state, 'workspaces'), path.join(state, 'media')],
    marker: path.basename(state),
  });
  const whole = command.replace(/(workspaces|media)(\/|$)/, `${state}/$1$2`);
  const session = { id: 's', workspace, media: [path.join(state, 'media', '7')] };
  const risk = await terminal?.risk?.(terminal.args.parse({ command: whole }), session, new AbortController().signal);
  expect(risk?.level).toBe(level);
});
