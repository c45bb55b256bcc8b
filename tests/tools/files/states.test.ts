import { appendFileSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFileStates, type FileStates, lineHashes, type Snapshot } from '../../../tools/shared/file-states.ts';
import { createSeveral, type Several, type Worker } from './several.ts';

describe('writing a file that changed since it was read', () => {
  let several: Several;
  let one: Worker;
  let file: string;
  beforeEach(async () => {
    several = createSeveral();
    one = several.session('one');
    file = one.put('a.txt', 'a\nb\nc\nd\n');
    await one.run('read_file', { path: 'a.txt' });
  });
  afterEach(() => several.close());

  const write = async (content = 'mine\n') => one.run('write_file', { path: 'a.txt', content });
  const replace = async (from: string, to: string) => one.run('patch', { path: 'a.txt', old_string: from, new_string: to });

  it('is silent where nobody changed it, and after what the session itself wrote', async () => {
    expect((await write('x\ny\n')).content).not.toMatch(/Note/u);
    expect((await replace('y', 'z')).content).not.toMatch(/Note/u);
    expect(
      (await one.run('patch', { mode: 'patch', patch: '*** Begin Patch\n*** Update File: a.txt\n-z\n+q\n*** End Patch' })).content,
    ).not.toMatch(/Note/u);
    expect((await write()).content).not.toMatch(/Note/u);
  });

  it('is silent where it was only touched or written again as it was', async () => {
    utimesSync(file, 1, 1);
    expect((await replace('b', 'B')).content).not.toMatch(/Note/u);
    writeFileSync(file, one.get('a.txt'));
    expect((await write()).content).not.toMatch(/Note/u);
  });

  it('is silent for a file that the session never read', async () => {
    one.put('new.txt', 'x');
    expect((await one.run('write_file', { path: 'new.txt', content: 'y' })).content).not.toMatch(/Note/u);
  });

  it('names the lines, says what was overwritten, and warns once', async () => {
    writeFileSync(file, 'a\nB1\nB2\nd\n');
    const { content, data } = await write();
    expect(content).toMatch(
      /^Replaced .*\nNote: .*a\.txt was changed since you last saw it: lines 2 to 3 are different \(2 lines before\)\. These lines were overwritten:\n2\|B1\n3\|B2$/u,
    );
    expect(data).toMatchObject({ warning: expect.stringMatching(/lines 2 to 3/u) });
    expect((await write('again')).content).not.toMatch(/Note/u);
  });

  it.each([
    ['new lines at the end', 'a\nb\nc\nd\ne\nf\n', /lines 5 to 6 are new/u],
    ['a new first line', '0\na\nb\nc\nd\n', /line 1 is new/u],
    ['lines that have gone', 'a\nd\n', /2 lines after line 1 are gone/u],
    ['a changed line', 'a\nb\nX\nd\n', /line 3 is different \(1 line before\)/u],
    ['other line ends', 'a\r\nb\r\nc\r\nd\r\n', /lines 1 to 4 are different/u],
    ['nothing left', '', /4 lines after line 0 are gone/u],
  ])('tells of %s', async (_, content, what) => {
    writeFileSync(file, content);
    expect((await write()).content).toMatch(what);
  });

  it('patches the file as it is now and says so', async () => {
    writeFileSync(file, 'a\nb\nc\nd\ne\n');
    expect((await replace('b', 'B')).content).toMatch(/Note: .*line 5 is new\. The change was made to the file as it is now/u);
    expect(one.get('a.txt')).toBe('a\nB\nc\nd\ne\n');
    appendFileSync(file, 'f\n');
    const patch = '*** Begin Patch\n*** Update File: a.txt\n-c\n+C\n*** End Patch';
    expect((await one.run('patch', { mode: 'patch', patch })).content).toMatch(/Note: .*line 6 is new/u);
  });

  it('warns of what another session wrote, and not of what is none of its own', async () => {
    const two = several.session('two');
    const shared = path.join(several.root, 'shared.txt');
    writeFileSync(shared, 'a\nb\n');
    await one.run('read_file', { path: shared });
    await two.run('read_file', { path: shared });
    await two.run('patch', { path: shared, old_string: 'b', new_string: 'B' });
    expect((await two.run('write_file', { path: shared, content: 'a\nB\nc\n' })).content).not.toMatch(/Note/u);
    expect((await one.run('write_file', { path: shared, content: 'x' })).content).toMatch(
      /changed by another agent of this gateway since you last saw it: lines 2 to 3/u,
    );
  });

  it('warns when it was removed meanwhile, and when it is deleted or moved', async () => {
    rmSync(file);
    expect((await write()).content).toMatch(/Created .*\nNote: .*it was removed/u);
    writeFileSync(file, 'other\n');
    expect((await one.run('patch', { mode: 'patch', patch: '*** Begin Patch\n*** Delete File: a.txt\n*** End Patch' })).content).toMatch(
      /Note: .*line 1 is different/u,
    );
  });

  it('tells a large file by its size', async () => {
    writeFileSync(file, 'line\n'.repeat(1_000_000));
    await one.run('read_file', { path: 'a.txt', limit: 1 });
    appendFileSync(file, 'x');
    expect((await write()).content).toMatch(/it had 5,000,000 bytes and has 5,000,001/u);
  });
});

describe('file states', () => {
  let several: Several;
  let states: FileStates;
  let now: number;
  beforeEach(() => {
    several = createSeveral();
    now = 1_000;
    states = createFileStates(() => now);
  });
  afterEach(() => several.close());

  const snapshot = (text: string, mtimeMs = 1): Snapshot => ({
    facts: { ino: 1, size: text.length, mtimeMs },
    lines: lineHashes(Buffer.from(text)),
  });

  it('name what a session read and others changed since, in the tools or beside them', async () => {
    const parent = several.session('parent');
    const child = several.session('child');
    const names = ['by-child.txt', 'beside.txt', 'gone.txt', 'same.txt', 'own.txt'].map((name) => path.join(several.root, name));
    const [byChild = '', beside = '', gone = '', , own = ''] = names;
    for (const name of names) parent.put(name, 'a\n');
    const { statSync } = await import('node:fs');
    const seen = (file: string): Snapshot => ({ facts: statSync(file) });
    for (const name of names) states.read('parent', name, seen(name));
    expect(await states.changedByOthers('parent')).toEqual([]);
    child.put(byChild, 'b\n');
    states.wrote('child', byChild, seen(byChild));
    writeFileSync(beside, 'longer\n');
    renameSync(gone, `${gone}.x`);
    parent.put(own, 'mine\n');
    states.wrote('parent', own, seen(own));
    expect(await states.changedByOthers('parent')).toEqual([{ file: byChild, by: 'child' }, { file: beside }, { file: gone }]);
    expect(await states.changedByOthers('child')).toEqual([]);
    states.read('parent', byChild, seen(byChild));
    expect(await states.changedByOthers('parent')).toEqual([{ file: beside }, { file: gone }]);
  });

  it('leave out what happened before', async () => {
    const file = several.session('one').put('a.txt', 'a');
    states.read('one', file, snapshot('a'));
    states.wrote('two', file, snapshot('b'));
    expect(await states.changedByOthers('one', 1_000)).toEqual([{ file, by: 'two' }]);
    expect(await states.changedByOthers('one', 1_001)).toEqual([]);
  });

  it('keep no more than fits, and forget what was seen longest ago', () => {
    const many = { facts: { ino: 1, size: 1, mtimeMs: 1 }, lines: new Uint32Array(500_000) };
    for (const name of ['a', 'b', 'c', 'd', 'e']) states.read('one', name, many);
    const stale = ['a', 'b', 'c', 'd', 'e'].map((name) => states.staleness('one', name, undefined)?.what);
    expect(stale).toEqual([undefined, undefined, 'it was removed', 'it was removed', 'it was removed']);
  });

  it('tell sessions apart whatever they are called', () => {
    states.read('__proto__', '/a', snapshot('a'));
    expect(states.staleness('__proto__', '/a', snapshot('b', 2))?.what).toBe('line 1 is different (1 line before)');
    expect(states.staleness('constructor', '/a', snapshot('b', 2))).toBeUndefined();
  });
});
