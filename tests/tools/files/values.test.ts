import { readdirSync, symlinkSync } from 'node:fs';
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

describe('what a script receives of read_file', () => {
  const read = async (args: Record<string, unknown>) => (await one.run('read_file', { path: 'a.txt', ...args })).data;

  it('is the text without line numbers, and how many lines there are', async () => {
    one.put('a.txt', 'one\ntwo\nthree\n');
    expect(await read({})).toEqual({ content: 'one\ntwo\nthree\n', total_lines: 3 });
    expect(await read({ offset: 2, limit: 1 })).toEqual({ content: 'two\n', total_lines: 3 });
    expect(await read({ offset: 9 })).toEqual({ content: '', total_lines: 3 });
  });

  it('is what write_file needs to give the same file back', async () => {
    const content = '\ufeffé\r\n日本 🎉\r\n\r\nno end';
    one.put('a.txt', content);
    const { content: given } = (await read({})) as { content: string };
    await one.run('write_file', { path: 'b.txt', content: given });
    expect(one.get('b.txt')).toBe(content);
  });

  it('is never cut, neither a long line nor a long page', async () => {
    const long = `${'x'.repeat(300_000)}\n`.repeat(5);
    one.put('a.txt', long);
    expect(await read({})).toEqual({ content: long, total_lines: 5 });
    expect((await one.run('read_file', { path: 'a.txt' })).content.length).toBeLessThan(15_000);
  });

  it('is an error where it would be too much at once, while the model sees the beginning', async () => {
    one.put('a.txt', `${'y'.repeat(200_000)}\n`.repeat(60));
    expect(await read({})).toEqual({ error: expect.stringMatching(/too many bytes.*fewer lines/u) });
    expect(await read({ limit: 2 })).toMatchObject({ total_lines: 60 });
    expect((await one.run('read_file', { path: 'a.txt' })).content).toMatch(/^1\|yyy/u);
  });

  it('says nothing of the number of lines of a huge file', async () => {
    one.put('a.txt', `first\n${'z'.repeat(99)}\n`.repeat(700_000));
    expect(await read({ limit: 1 })).toEqual({ content: 'first\n', total_lines: null });
    expect(await read({ offset: 1_399_999, limit: 2 })).toEqual({ content: `first\n${'z'.repeat(99)}\n`, total_lines: 1_400_000 });
  });

  it('is nothing of its own where the call failed', async () => {
    expect(await one.run('read_file', { path: 'none.txt' })).toEqual({ content: expect.any(String), failed: true });
  });
});

describe('what a script receives of the others', () => {
  it('says what was written', async () => {
    expect((await one.run('write_file', { path: 'a.txt', content: 'é\n' })).data).toEqual({
      path: path.join(one.workspace, 'a.txt'),
      created: true,
      lines: 1,
      bytes: 3,
    });
    expect((await one.run('patch', { path: 'a.txt', old_string: 'é', new_string: 'e' })).data).toMatchObject({
      replacements: 1,
      diff: '@@ line 1 @@\n-é\n+e',
    });
  });

  it('says what was found, in each way to ask for it', async () => {
    one.put('src/a.ts', 'one\ntwo one\nthree\n');
    one.put('b.ts', 'one\n');
    const search = async (args: Record<string, unknown>) => (await one.run('search_files', { pattern: 'one', ...args })).data;
    const whole = { truncated: false, next_offset: null };
    expect(await search({})).toEqual({
      matches: [
        { path: 'b.ts', line: 1, content: 'one' },
        { path: 'src/a.ts', line: 1, content: 'one' },
        { path: 'src/a.ts', line: 2, content: 'two one' },
      ],
      ...whole,
    });
    expect(await search({ path: 'src', context: 1, offset: 1 })).toEqual({
      matches: [
        { path: 'src/a.ts', line: 2, content: 'two one' },
        { path: 'src/a.ts', line: 3, content: 'three', context: true },
      ],
      ...whole,
    });
    expect(await search({ output_mode: 'files_only', limit: 1 })).toEqual({ files: ['b.ts'], truncated: true, next_offset: 1 });
    expect(await search({ output_mode: 'count' })).toEqual({ counts: { 'b.ts': 1, 'src/a.ts': 2 }, ...whole });
    expect(await search({ target: 'files', pattern: '*.ts', offset: 1 })).toEqual({ files: ['src/a.ts'], ...whole });
    expect(await search({ pattern: 'nothing like it' })).toEqual({ matches: [], ...whole });
  });

  it('has lines that the model sees cut', async () => {
    one.put('a.txt', `needle ${'x'.repeat(5_000)}`);
    const { content, data } = await one.run('search_files', { pattern: 'needle' });
    expect(content).toMatch(/x \[\.\.\. 4607 more\]\n/u);
    expect(data).toMatchObject({ matches: [{ content: `needle ${'x'.repeat(5_000)}` }] });
  });
});

describe('search_files', () => {
  const search = async (args: Record<string, unknown>) => (await one.run('search_files', args)).content;

  it('pages through more files than are opened at once, none twice and none left out', async () => {
    const names = Array.from({ length: 150 }, (_, index) => `d${index % 7}/f${String(index).padStart(3, '0')}.txt`).toSorted();
    for (const name of names) one.put(name, 'needle\nneedle\n');
    for (const args of [{ output_mode: 'files_only' }, { target: 'files', pattern: '*.txt' }] as const) {
      const found: string[] = [];
      for (let offset: number | null = 0; offset !== null; ) {
        const { data } = await one.run('search_files', { pattern: 'needle', limit: 40, offset, ...args });
        const { files, next_offset } = data as { files: string[]; next_offset: number | null };
        found.push(...files);
        offset = next_offset;
      }
      expect(found).toEqual(names);
    }
    expect(await search({ pattern: 'needle', offset: 299, limit: 5 })).toBe(`${names[149]}:2: needle\n\n[results 300 to 300.]`);
  });

  it('shows no context of a match that is on the next page', async () => {
    one.put('a.txt', 'x1\nm1\nx2\nfar\nfar\nx3\nm2\nx4\n');
    expect(await search({ pattern: '^m', context: 1, limit: 1 })).toBe(
      'a.txt-1- x1\na.txt:2: m1\na.txt-3- x2\n\n[results 1 to 1. There are more: go on with offset 1.]',
    );
    expect(await search({ pattern: '^m', context: 1, limit: 1, offset: 1 })).toBe(
      'a.txt-6- x3\na.txt:7: m2\na.txt-8- x4\n\n[results 2 to 2.]',
    );
  });

  it('shows no context of another file', async () => {
    one.put('a.txt', 'm\nx1\n');
    one.put('b.txt', 'm\nx2\n');
    expect(await search({ pattern: '^m', context: 2, offset: 1 })).toBe('b.txt:1: m\nb.txt-2- x2\n\n[results 2 to 2.]');
  });

  it('follows no link on its way and finds through none', async () => {
    symlinkSync(several.session('two').put('x.txt', 'CANARY\n'), path.join(one.workspace, 'file'));
    symlinkSync(several.session('two').workspace, path.join(one.workspace, 'dir'));
    expect(await search({ pattern: 'CANARY' })).toBe('No matches found.');
    expect(await search({ pattern: '*.txt', target: 'files' })).toBe('No files found.');
  });

  it('finds in files whose names are hostile', async () => {
    for (const name of ['--pre=sh', '-e', '$(id)', 'a b\tc', 'quote\'"', '日本.txt', ':1:2-3-']) one.put(name, 'needle\n');
    const { data } = await one.run('search_files', { pattern: 'needle' });
    expect((data as { matches: { path: string }[] }).matches.map((match) => match.path).toSorted()).toEqual(
      ['--pre=sh', '-e', '$(id)', 'a b\tc', 'quote\'"', '日本.txt', ':1:2-3-'].toSorted(),
    );
  });

  it('leaves no file open', async () => {
    for (let index = 0; index < 100; index += 1) one.put(`f${index}.txt`, 'needle\n');
    const open = () => readdirSync('/proc/self/fd').length;
    await search({ pattern: 'needle', limit: 5 });
    const before = open();
    for (let round = 0; round < 5; round += 1) await search({ pattern: 'needle', limit: 5 });
    expect(open()).toBeLessThanOrEqual(before + 2);
  });
});
