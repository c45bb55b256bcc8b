import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSeveral, type Several, type Worker } from './several.ts';

let several: Several;
let one: Worker;
beforeEach(() => {
  several = createSeveral();
  one = several.session('one');
});
afterEach(() => several.close());

const patch = async (body: string) => one.run('patch', { mode: 'patch', patch: `*** Begin Patch\n${body}\n*** End Patch` });

/** Every file of the workspace with what is in it. */
const all = (): Record<string, string> =>
  Object.fromEntries(
    readdirSync(one.workspace, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.relative(one.workspace, path.join(entry.parentPath, entry.name)))
      .toSorted()
      .map((name) => [name, one.get(name)]),
  );

interface Case {
  readonly what: string;
  readonly before?: Record<string, string>;
  readonly patch: string;
  readonly after: Record<string, string>;
  readonly says?: RegExp;
}

const done: readonly Case[] = [
  {
    what: 'adds a file with its directories',
    patch: '*** Add File: a/b/c.txt\n+one\n+two',
    after: { 'a/b/c.txt': 'one\ntwo\n' },
    says: /^Patched one file:\nadded a\/b\/c\.txt \(\+2 -0\)$/u,
  },
  { what: 'adds an empty file', patch: '*** Add File: a.txt', after: { 'a.txt': '' } },
  { what: 'adds a file with blank lines in it', patch: '*** Add File: a.txt\n+one\n+\n\n+two\n\n', after: { 'a.txt': 'one\n\n\ntwo\n' } },
  {
    what: 'adds a file whose name has blanks and other scripts',
    patch: '*** Add File: mit Leerzeichen/größe 日本.txt\n+x',
    after: { 'mit Leerzeichen/größe 日本.txt': 'x\n' },
  },
  {
    what: 'deletes a file',
    before: { 'a.txt': 'a\n', 'b.txt': 'b\n' },
    patch: '*** Delete File: a.txt',
    after: { 'b.txt': 'b\n' },
    says: /\ndeleted a\.txt$/u,
  },
  { what: 'deletes an empty file', before: { 'a.txt': '' }, patch: '*** Delete File: a.txt', after: {} },
  {
    what: 'moves a file as it is',
    before: { 'a.txt': 'a\r\n' },
    patch: '*** Move File: a.txt -> b/c.txt',
    after: { 'b/c.txt': 'a\r\n' },
    says: /\nmoved a\.txt to b\/c\.txt$/u,
  },
  {
    what: 'moves a file without changes, in the other way to write it',
    before: { 'a.txt': 'a' },
    patch: '*** Update File: a.txt\n*** Move to: b.txt',
    after: { 'b.txt': 'a' },
  },
  {
    what: 'moves and changes a file',
    before: { 'a.txt': 'a\nb\n' },
    patch: '*** Update File: a.txt\n*** Move to: c/b.txt\n@@\n a\n-b\n+B',
    after: { 'c/b.txt': 'a\nB\n' },
    says: /moved a\.txt to c\/b\.txt \(\+1 -1\)\n\n--- c\/b\.txt\n@@ line 1 @@\n a\n-b\n\+B$/u,
  },
  {
    what: 'moves and changes a file with the changes below "Move File"',
    before: { 'a.txt': 'a\n' },
    patch: '*** Move File: a.txt -> b.txt\n@@\n-a\n+B',
    after: { 'b.txt': 'B\n' },
  },
  {
    what: 'does everything at once',
    before: { 'a.txt': 'a\n', 'b.txt': 'b\n', 'c.txt': 'c\n' },
    patch: '*** Update File: a.txt\n-a\n+A\n*** Add File: d.txt\n+d\n*** Delete File: b.txt\n*** Move File: c.txt -> e.txt',
    after: { 'a.txt': 'A\n', 'd.txt': 'd\n', 'e.txt': 'c\n' },
    says: /^Patched 4 files:/u,
  },
  {
    what: 'takes several updates of one file for one',
    before: { 'a.txt': 'a\nb\nc\n' },
    patch: '*** Update File: a.txt\n-a\n+A\n*** Update File: ./a.txt\n-c\n+C',
    after: { 'a.txt': 'A\nb\nC\n' },
    says: /^Patched one file:\nupdated a\.txt \(\+2 -2\)/u,
  },
  {
    what: 'lets a later update of a file build on an earlier one',
    before: { 'a.txt': 'a\n' },
    patch: '*** Update File: a.txt\n-a\n+b\n*** Update File: a.txt\n-b\n+c',
    after: { 'a.txt': 'c\n' },
  },
  {
    what: 'moves one file and changes another',
    before: { a: '1', b: '2' },
    patch: '*** Move File: a -> c\n*** Update File: b\n-2\n+3',
    after: { b: '3', c: '1' },
  },
];

const refusals: readonly (Omit<Case, 'after' | 'says'> & { readonly why: RegExp })[] = [
  { what: 'a file that is not there', patch: '*** Update File: a.txt\n-a\n+b', why: /There is no file .*a\.txt/u },
  {
    what: 'a file that is not there, with similar names',
    before: { 'settings.json': '' },
    patch: '*** Delete File: setting.json',
    why: /Similar names: .*settings\.json/u,
  },
  { what: 'a new file that is there', before: { 'a.txt': 'a' }, patch: '*** Add File: a.txt\n+x', why: /a\.txt exists already/u },
  { what: 'a move onto a file', before: { a: '1', b: '2' }, patch: '*** Move File: a -> b', why: /a cannot be moved: .*b exists already/u },
  {
    what: 'a move with changes onto a file',
    before: { a: '1', b: '2' },
    patch: '*** Update File: a\n*** Move to: b\n-1\n+3',
    why: /exists already/u,
  },
  {
    what: 'an update and a deletion of one file',
    before: { a: '1' },
    patch: '*** Update File: a\n-1\n+2\n*** Delete File: a',
    why: /named by several parts/u,
  },
  { what: 'a new file and an update of it', patch: '*** Add File: a\n+1\n*** Update File: a\n-1\n+2', why: /named by several parts/u },
  {
    what: 'two moves to one name',
    before: { a: '1', b: '2' },
    patch: '*** Move File: a -> c\n*** Move File: b -> c',
    why: /named by several parts/u,
  },
  { what: 'a move to its own name', before: { a: '1' }, patch: '*** Move File: a -> ./a', why: /named by several parts/u },
  { what: 'a name of a directory', patch: '*** Add File: a/\n+x', why: /names a directory/u },
  { what: 'a file below a file', before: { a: '1' }, patch: '*** Add File: a/b\n+x', why: /a part of its path is a file/u },
  { what: 'a change that is made already', before: { a: 'x\n' }, patch: '*** Update File: a\n-x\n+x', why: /has this text already/u },
  { what: 'half characters', patch: '*** Add File: a\n+\ud800', why: /half characters/u },
  { what: 'a key', patch: '*** Add File: ~/.ssh/id_ed25519\n+x', why: /is not written/u },
  { what: "another session's file", patch: '*** Delete File: ../two/a.txt', why: /to another conversation/u },
  {
    what: 'the second of two files',
    before: { 'a.txt': 'a\n', 'b.txt': 'x\nx\n' },
    patch: '*** Update File: a.txt\n-a\n+A\n*** Update File: b.txt\n-x\n+y',
    why: /No file was changed\.\n- b\.txt, part 1 .* 2 places/u,
  },
  {
    what: 'several reasons, all of them named',
    before: { 'a.txt': 'a\n' },
    patch: '*** Update File: a.txt\n-q\n+A\n*** Delete File: b.txt\n*** Add File: a.txt\n+x',
    why: /there are 4 problems\. No file was changed\.\n- .*several parts[\s\S]*- a\.txt, part 1[\s\S]*- There is no file[\s\S]*- a\.txt exists/u,
  },
];

describe('a patch of files', () => {
  it.each(done)('$what', async (given) => {
    for (const [name, content] of Object.entries(given.before ?? {})) one.put(name, content);
    const { content, failed } = await patch(given.patch);
    expect(failed, content).toBeUndefined();
    expect(all()).toEqual(given.after);
    if (given.says !== undefined) expect(content).toMatch(given.says);
  });
});

describe('a patch of files changes none for the sake of', () => {
  it.each(refusals)('$what', async (given) => {
    several.session('two').put('a.txt', 'two');
    for (const [name, content] of Object.entries(given.before ?? {})) one.put(name, content);
    const before = all();
    const { content, failed } = await patch(given.patch);
    expect(failed).toBe(true);
    expect(content).toMatch(given.why);
    expect(all()).toEqual(before);
  });
});

describe('patched files', () => {
  it('keep their mode, also where they are moved', async () => {
    for (const name of ['a.sh', 'b.sh', 'c.sh']) chmodSync(one.put(name, 'x\n'), 0o750);
    await patch('*** Update File: a.sh\n-x\n+y\n*** Update File: b.sh\n*** Move to: bb.sh\n-x\n+y\n*** Move File: c.sh -> cc.sh');
    for (const name of ['a.sh', 'bb.sh', 'cc.sh']) expect(statSync(path.join(one.workspace, name)).mode & 0o777, name).toBe(0o750);
  });

  it('leave nothing beside them, whether it worked or not', async () => {
    one.put('a.txt', 'a\n');
    await patch('*** Update File: a.txt\n-a\n+b\n*** Add File: new/dir/b.txt\n+x');
    await patch('*** Update File: a.txt\n-b\n+c\n*** Add File: other/dir/b.txt\n+x\n*** Delete File: missing.txt');
    expect(readdirSync(one.workspace, { recursive: true }).toSorted()).toEqual(['a.txt', 'new', 'new/dir', 'new/dir/b.txt']);
  });

  it('may be binary where they are only moved or deleted', async () => {
    const bytes = Buffer.from([0, 1, 2, 255]);
    one.put('a.bin', bytes);
    one.put('b.bin', bytes);
    expect((await patch('*** Move File: a.bin -> c.bin\n*** Delete File: b.bin')).failed).toBeUndefined();
    expect(readdirSync(one.workspace)).toEqual(['c.bin']);
    expect(readFileSync(path.join(one.workspace, 'c.bin'))).toEqual(bytes);
  });

  it('are none that a link stands for: the link would stay', async () => {
    one.put('real.txt', 'a\n');
    symlinkSync('real.txt', path.join(one.workspace, 'link.txt'));
    for (const body of [
      '*** Delete File: link.txt',
      '*** Move File: link.txt -> x.txt',
      '*** Update File: link.txt\n*** Move to: x.txt\n-a\n+b',
    ])
      expect((await patch(body)).content).toMatch(/link\.txt is a link to .*real\.txt/u);
    expect((await patch('*** Update File: link.txt\n-a\n+b')).failed).toBeUndefined();
    expect(one.get('real.txt')).toBe('b\n');
  });

  it('are no directories and nothing that is write-protected', async () => {
    mkdirSync(path.join(one.workspace, 'dir'));
    chmodSync(one.put('fixed.txt', 'a\n'), 0o444);
    expect((await patch('*** Delete File: dir')).content).toMatch(/dir is a directory/u);
    expect((await patch('*** Move File: dir -> dir2')).content).toMatch(/dir is a directory/u);
    expect((await patch('*** Update File: fixed.txt\n-a\n+b')).content).toMatch(/write-protected/u);
    expect((await one.run('patch', { path: 'fixed.txt', old_string: 'a', new_string: 'b' })).content).toMatch(/write-protected/u);
    expect((await one.run('write_file', { path: 'fixed.txt', content: 'b' })).content).toMatch(/write-protected/u);
    expect(existsSync(path.join(one.workspace, 'dir'))).toBe(true);
  });

  it('have values for a script', async () => {
    one.put('a.txt', 'a\nb\n');
    expect((await patch('*** Update File: a.txt\n*** Move to: c.txt\n a\n-b\n+B\n*** Add File: d.txt\n+x')).data).toEqual({
      files: [
        { path: 'a.txt', to: 'c.txt', action: 'moved', lines_added: 1, lines_removed: 1, diff: '@@ line 1 @@\n a\n-b\n+B' },
        { path: 'd.txt', action: 'added', lines_added: 1, lines_removed: 0, diff: '+x' },
      ],
    });
  });

  it('are told of with what was forgiven', async () => {
    one.put('a.txt', '  a\n');
    expect((await patch('*** Update File: a.txt\n-a\n+b')).content).toMatch(
      /a\.txt was matched by ignoring differences in indentation: check the result\./u,
    );
  });

  it('are judged all together before a person is asked', async () => {
    const risk = (body: string) => one.risk('patch', { mode: 'patch', patch: `*** Begin Patch\n${body}\n*** End Patch` });
    const outside = path.join(several.root, 'x.txt');
    const inside = path.join(one.workspace, 'a.txt');
    expect(await risk('*** Delete File: a.txt')).toMatchObject({
      level: 'safe',
      subjects: [inside],
      touches: [{ kind: 'write', name: inside }],
    });
    expect(await risk(`*** Move File: a.txt -> ${outside}`)).toMatchObject({
      level: 'ask',
      subjects: [inside, outside],
      doubtful: [outside],
    });
    expect(await risk('*** Add File: .git/hooks/pre-commit\n+x')).toMatchObject({ level: 'ask' });
    expect(await risk(`*** Add File: ${outside}\n+x\n*** Delete File: ~/.bashrc`)).toMatchObject({
      level: 'hardline',
      why: expect.stringMatching(/\.bashrc/u),
    });
    expect(await risk('nonsense')).toMatchObject({ level: 'safe', subjects: [] });
    expect((await one.run('patch', { mode: 'patch', patch: 'nonsense' })).failed).toBe(true);
  });

  it('need not be told the mode: a patch is one', async () => {
    const patch = '*** Begin Patch\n*** Add File: a.txt\n+x\n*** End Patch';
    expect(await one.risk('patch', { patch })).toMatchObject({ subjects: [path.join(one.workspace, 'a.txt')] });
    expect((await one.run('patch', { patch })).failed).toBeUndefined();
    expect(one.get('a.txt')).toBe('x\n');
  });

  it('need what their mode needs', async () => {
    expect((await one.run('patch', { mode: 'patch' })).content).toMatch(/needs patch/u);
    expect((await one.run('patch', { path: 'a.txt', old_string: 'a' })).content).toMatch(/needs path, old_string and new_string/u);
    expect((await one.run('patch', { old_string: 'a', new_string: 'b' })).content).toMatch(/needs path/u);
  });
});
