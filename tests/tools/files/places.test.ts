import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSeveral, type Several, type Worker } from './several.ts';

let several: Several;
let one: Worker;
let two: Worker;
beforeEach(() => {
  several = createSeveral();
  const media = (turn: string) => path.join(several.state, 'media', turn);
  for (const turn of ['1', '2']) {
    mkdirSync(media(turn), { recursive: true });
    writeFileSync(path.join(media(turn), 'sent.txt'), `CANARY-MEDIA-${turn}\n`);
  }
  one = several.session('one', [media('1')]);
  two = several.session('two', [media('2')]);
  two.put('notes.txt', 'CANARY-TWO\n');
  two.put('.hermes/results/terminal-1.txt', 'CANARY-RESULT\n');
  one.put('own.txt', 'MINE\n');
  one.put('.hermes/results/terminal-1.txt', 'MY RESULT\n');
  mkdirSync(path.join(several.state, 'memories'), { recursive: true });
  writeFileSync(path.join(several.state, 'memories', 'MEMORY.md'), 'CANARY-MEMORY\n');
});
afterEach(() => several.close());

const foreign = [
  '../two/notes.txt',
  '../two/.hermes/results/terminal-1.txt',
  '~/.hermes/workspaces/two/notes.txt',
  '~/.hermes/media/2/sent.txt',
  '~/.hermes/media/1/../2/sent.txt',
  '~/.hermes/memories/MEMORY.md',
];

describe("another conversation's files", () => {
  it.each(foreign)('are neither read, searched nor written: %s', async (name) => {
    const real = path.resolve(one.workspace, name.replace('~', several.home));
    symlinkSync(real, path.join(one.workspace, 'link'));
    symlinkSync(path.dirname(real), path.join(one.workspace, 'dir'));
    for (const given of [name, real, 'link', `dir/${path.basename(real)}`]) {
      for (const [tool, args] of [
        ['read_file', { path: given }],
        ['search_files', { path: given, pattern: 'CANARY' }],
        ['write_file', { path: given, content: 'x' }],
        ['patch', { path: given, old_string: 'CANARY', new_string: 'x' }],
        ['patch', { mode: 'patch', patch: `*** Begin Patch\n*** Delete File: ${given}\n*** End Patch` }],
        ['patch', { mode: 'patch', patch: `*** Begin Patch\n*** Move File: ${given} -> mine.txt\n*** End Patch` }],
        ['patch', { mode: 'patch', patch: `*** Begin Patch\n*** Move File: own.txt -> ${given}\n*** End Patch` }],
      ] as const) {
        expect(await one.risk(tool, args), `${tool} ${given}`).toMatchObject({ level: 'hardline' });
        const { content, failed, data } = await one.run(tool, args);
        expect(failed, `${tool} ${given}`).toBe(true);
        expect(content + JSON.stringify(data ?? null)).not.toMatch(/CANARY/u);
      }
    }
    expect(readdirSync(one.workspace).toSorted()).toEqual(['.hermes', 'dir', 'link', 'own.txt']);
  });

  it('do not show in a search of a place above them, neither by name nor by content', async () => {
    for (const place of ['~', '~/.hermes', '..', '/'.concat(path.relative('/', several.root))]) {
      const found = await one.run('search_files', { path: place, pattern: 'CANARY', output_mode: 'content' });
      expect(found.content + JSON.stringify(found.data)).not.toMatch(/CANARY-(?:TWO|RESULT|MEMORY|MEDIA-2)/u);
      const names = await one.run('search_files', { path: place, pattern: '*', target: 'files', limit: 1_000 });
      expect(names.content + JSON.stringify(names.data)).not.toMatch(/notes\.txt|media\/2|MEMORY/u);
    }
  });

  it('are not suggested as names that are similar', async () => {
    expect((await one.run('read_file', { path: '../two/note.txt' })).content).not.toMatch(/notes\.txt/u);
  });
});

describe("a conversation's own files", () => {
  it('are those of its workspace, kept results among them, and those that were sent to it', async () => {
    const sent = '~/.hermes/media/1/sent.txt';
    expect((await one.run('read_file', { path: sent })).content).toMatch(/^1\|CANARY-MEDIA-1/u);
    expect((await one.run('search_files', { path: sent, pattern: 'CANARY' })).content).toMatch(/CANARY-MEDIA-1/u);
    expect(await one.risk('read_file', { path: sent })).toMatchObject({ level: 'safe' });
    expect((await one.run('read_file', { path: '.hermes/results/terminal-1.txt' })).content).toMatch(/^1\|MY RESULT/u);
    expect((await one.run('search_files', { path: '.hermes/results/terminal-1.txt', pattern: 'RESULT' })).content).toMatch(/MY RESULT/u);
    expect((await one.run('search_files', { path: '.hermes/results', pattern: 'RESULT' })).content).toMatch(/MY RESULT/u);
    expect((await one.run('search_files', { pattern: 'RESULT' })).content).toBe('No matches found.');
    expect((await one.run('write_file', { path: 'new.txt', content: 'x' })).failed).toBeUndefined();
  });

  it('are marked where others wrote them: what was sent, and what was kept of a page', async () => {
    expect(await one.run('read_file', { path: '~/.hermes/media/1/sent.txt' })).toMatchObject({ outside: 'a file that was sent' });
    const kept = { outside: 'a result that was kept' };
    expect(await one.run('read_file', { path: '.hermes/results/terminal-1.txt' })).toMatchObject(kept);
    expect(await one.run('search_files', { path: '.hermes/results', pattern: 'RESULT' })).toMatchObject(kept);
    expect((await one.run('read_file', { path: 'own.txt' })).outside).toBeUndefined();
  });

  it('that were sent to it are not written', async () => {
    const sent = '~/.hermes/media/1/sent.txt';
    expect(await one.risk('write_file', { path: sent, content: 'x' })).toMatchObject({ level: 'hardline' });
    expect((await one.run('write_file', { path: sent, content: 'x' })).content).toMatch(/is not written/u);
  });
});
