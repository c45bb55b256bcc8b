import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { applyContained, type Change, FileChangedError } from '../../../tools/shared/contained-changes.ts';
import { containmentNotes } from '../../../tools/shared/contained-file.ts';

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'changes-')));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const at = (name: string) => path.join(root, name);
const put = (name: string, content: string) => {
  mkdirSync(path.dirname(at(name)), { recursive: true });
  writeFileSync(at(name), content);
  return lstatSync(at(name));
};
const all = () =>
  Object.fromEntries(
    readdirSync(root, { recursive: true, withFileTypes: true })
      .map((entry) => path.join(entry.parentPath, entry.name))
      .toSorted()
      .map((file) => [path.relative(root, file), lstatSync(file).isFile() ? readFileSync(file, 'utf8') : '']),
  );

it('takes back everything when the last name cannot be changed', async () => {
  const changed = put('a.txt', 'a');
  const removed = put('b.txt', 'b');
  const moved = put('c.txt', 'c');
  chmodSync(at('a.txt'), 0o640);
  const before = all();
  const changes: Change[] = [
    { kind: 'write', file: at('a.txt'), content: 'A', seen: changed },
    { kind: 'remove', file: at('b.txt'), seen: removed },
    { kind: 'write', file: at('new/deep/d.txt'), content: 'd' },
    { kind: 'move', file: at('c.txt'), to: at('e.txt'), seen: moved },
    { kind: 'move', file: at('c.txt'), to: at('f.txt'), seen: moved }, // is gone by then
  ];
  await expect(applyContained(changes)).rejects.toThrow(/ENOENT/u);
  expect(all()).toEqual(before);
  expect(lstatSync(at('a.txt')).mode & 0o777).toBe(0o640);
  expect(lstatSync(at('a.txt')).ino).toBe(changed.ino);
});

it('changes nothing when a file is not what was looked at', async () => {
  const seen = put('a.txt', 'a');
  put('b.txt', 'b');
  rmSync(at('a.txt'));
  put('a.txt', 'somebody else');
  const other = { kind: 'write', file: at('c.txt'), content: 'c' } as const;
  await expect(applyContained([other, { kind: 'write', file: at('a.txt'), content: 'A', seen }])).rejects.toThrow(FileChangedError);
  await expect(applyContained([other, { kind: 'remove', file: at('a.txt'), seen }])).rejects.toThrow(FileChangedError);
  await expect(applyContained([other, { kind: 'write', file: at('b.txt'), content: 'x' }])).rejects.toThrow(FileChangedError);
  await expect(applyContained([other, { kind: 'move', file: at('b.txt'), to: at('a.txt'), seen: lstatSync(at('b.txt')) }])).rejects.toThrow(
    FileChangedError,
  );
  expect(all()).toEqual({ 'a.txt': 'somebody else', 'b.txt': 'b' });
});

it('writes through no link, neither as the file nor on the way to it', async () => {
  put('out/secret.txt', 'secret');
  symlinkSync(at('out/secret.txt'), at('link.txt'));
  symlinkSync(at('out'), at('dir'));
  await expect(applyContained([{ kind: 'write', file: at('link.txt'), content: 'x' }])).rejects.toThrow(/changed into a link/u);
  await expect(applyContained([{ kind: 'write', file: at('dir/new.txt'), content: 'x' }])).rejects.toThrow(/changed into a link/u);
  await expect(applyContained([{ kind: 'write', file: at('dir/deep/new.txt'), content: 'x' }])).rejects.toThrow(/changed into a link/u);
  expect(readdirSync(at('out'))).toEqual(['secret.txt']);
  expect(readFileSync(at('out/secret.txt'), 'utf8')).toBe('secret');
});

it('says on which systems paths do not hold', () => {
  expect(containmentNotes('linux')).toEqual([]);
  expect(containmentNotes('darwin')).toEqual([expect.stringMatching(/^File tools: on this system .*on Linux it cannot\.$/u)]);
});
