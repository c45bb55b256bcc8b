import { spawnSync } from 'node:child_process';
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { describe, expect, it, onTestFinished } from 'vitest';
import { takeFile } from '../../../gateway/presenter/files.ts';
import { createFakePlatform } from '../../fakes/platform.ts';
import { startGateway } from '../support/gateway.ts';
import { temporaryHome } from '../support/home.ts';
import { scriptedModel } from '../support/model.ts';

const signal = AbortSignal.timeout(20_000);

function swapDirectory(directory: string, other: string): void {
  rmSync(directory, { recursive: true });
  symlinkSync(other, directory);
}

function neighbour({ workspace }: Places): void {
  mkdirSync(`${workspace}-2`);
  writeFileSync(`${workspace}-2/x`, 'x');
}

/** The secret lies where the link in the place of the workspace leads. */
function exchanged({ root, workspace }: Places): void {
  renameSync(workspace, `${workspace}-away`);
  symlinkSync(root, workspace);
}

/** A program that does something in a tight loop, on another core. */
function besides(code: string): Worker {
  const worker = new Worker(`const fs = require('node:fs'); ${code}`, { eval: true });
  onTestFinished(() => void worker.terminate());
  return worker;
}

/** Undefined for what was refused. */
function contentOf(taking: ReturnType<typeof takeFile>): Promise<string | undefined> {
  return taking.then(
    ({ path: copy }) => readFileSync(copy, 'utf8'),
    () => undefined,
  );
}

/** A workspace with a secret beside it. */
function places() {
  const root = temporaryHome();
  const workspace = path.join(root, 'workspace');
  mkdirSync(workspace);
  writeFileSync(path.join(root, 'secret'), 'SECRET');
  writeFileSync(path.join(workspace, 'report.pdf'), 'the report');
  return { root, workspace, into: path.join(root, 'media', '1', 'out', '0') };
}

type Places = ReturnType<typeof places>;

const take = ({ workspace, into }: Places, wanted: string, limitBytes = 1000) =>
  takeFile({ wanted, workspace, alsoFrom: [path.join(path.dirname(workspace), 'turn')], into, limitBytes }, signal);

describe('a file of the workspace', () => {
  it.each(['report.pdf', './report.pdf', 'x/../report.pdf'])('%s is copied, so that what is sent is what was there', async (wanted) => {
    const at = places();
    mkdirSync(path.join(at.workspace, 'x'));
    const file = await take(at, wanted);
    writeFileSync(path.join(at.workspace, 'report.pdf'), 'changed afterwards');
    expect(file).toEqual({ path: path.join(at.into, 'report.pdf'), name: 'report.pdf', mime: 'application/pdf', kind: 'file' });
    expect(readFileSync(file.path, 'utf8')).toBe('the report');
  });

  it('may be named by its whole path', async () => {
    const at = places();
    expect((await take(at, path.join(at.workspace, 'report.pdf'))).name).toBe('report.pdf');
  });

  it('of an unknown type is sent as bytes, a known one as what it is', async () => {
    const at = places();
    for (const name of ['a.PNG', 'b.ogg', 'c.xyz', 'd']) writeFileSync(path.join(at.workspace, name), 'x');
    const kinds = await Promise.all(['a.PNG', 'b.ogg', 'c.xyz', 'd'].map(async (name) => (await take(at, name)).kind));
    expect(kinds).toEqual(['image', 'voice', 'file', 'file']);
  });

  it('is refused when it is empty or too large, with its name and no path', async () => {
    const at = places();
    writeFileSync(path.join(at.workspace, 'big'), '');
    truncateSync(path.join(at.workspace, 'big'), 3 * 1024 * 1024);
    writeFileSync(path.join(at.workspace, 'empty'), '');
    await expect(take(at, 'empty')).rejects.toThrow(/^empty is empty$/);
    await expect(take(at, 'big', 2 * 1024 * 1024)).rejects.toThrow(/^big is larger than the 2 MB that can be sent here$/);
  });
});

describe('what is refused', () => {
  it.each<[string, string, ((at: Places) => unknown)?]>([
    ['a file outside', '/etc/passwd'],
    ['a file outside by dots', '../secret'],
    ['the workspace itself', '.'],
    ['its parent', '..'],
    ['a directory', 'sub', ({ workspace }) => mkdirSync(path.join(workspace, 'sub'))],
    ['what does not exist', 'missing.txt'],
    ['a name with a NUL', 'report.pdf\0.png'],
    ['a neighbour whose name begins like the workspace', '../workspace-2/x', neighbour],
    ['a symbolic link to a file outside', 'link', ({ workspace }) => symlinkSync('/etc/passwd', path.join(workspace, 'link'))],
    ['a symbolic link to a file inside', 'link', ({ workspace }) => symlinkSync('report.pdf', path.join(workspace, 'link'))],
    ['a file behind a linked directory', 'link/secret', ({ root, workspace }) => symlinkSync(root, path.join(workspace, 'link'))],
    ['a file below the workspace, whose own place a link has taken', 'secret', exchanged],
    ['a hard link', 'hard', ({ root, workspace }) => linkSync(path.join(root, 'secret'), path.join(workspace, 'hard'))],
    ['a pipe, without waiting for its other end', 'pipe', ({ workspace }) => spawnSync('mknod', [path.join(workspace, 'pipe'), 'p'])],
    ['a device', '/dev/zero'],
    ['the environment of this process', '/proc/self/environ'],
    ['a file by the process’s own directory', '/proc/self/cwd/package.json'],
  ])('%s', async (_title, wanted, prepare) => {
    const at = places();
    prepare?.(at);
    const error = await take(at, wanted).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    if (!(error instanceof Error)) throw new Error(`${wanted} was taken`);
    expect(error.message).not.toContain(at.root);
    expect(error.message).toMatch(/could not be opened|outside the workspace|not a regular file|hard link/);
  });

  it('a device file inside the workspace', async ({ skip }) => {
    const at = places();
    if (spawnSync('mknod', [path.join(at.workspace, 'zero'), 'c', '1', '5']).status !== 0) return skip('only root may make a device');
    await expect(take(at, 'zero')).rejects.toThrow(/not a regular file|could not be opened/);
  });

  it('a file that is swapped for a link to outside between looking and reading', { timeout: 20_000 }, async () => {
    const at = places();
    const file = path.join(at.workspace, 'swap');
    const stop = Date.now() + 1000;
    let taken = 0;
    while (Date.now() < stop) {
      rmSync(file, { force: true });
      writeFileSync(file, 'harmless');
      const taking = take(at, 'swap').then(
        ({ path: copy }) => {
          taken += 1;
          expect(readFileSync(copy, 'utf8')).toBe('harmless');
        },
        () => undefined,
      );
      symlinkSync(path.join(at.root, 'secret'), `${file}.new`);
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 2));
      renameSync(`${file}.new`, file);
      await taking;
    }
    expect(taken).toBeGreaterThan(0);
  });

  it('a hard link that is taken away again before anybody has counted its names', { timeout: 20_000 }, async () => {
    const at = places();
    const secret = path.join(at.root, 'secret');
    const name = path.join(at.workspace, 'brief');
    const busy = besides(
      `for (;;) { fs.linkSync(${JSON.stringify(secret)}, ${JSON.stringify(name)}); fs.rmSync(${JSON.stringify(name)}); }`,
    );
    const stop = Date.now() + 1500;
    let tries = 0;
    for (; Date.now() < stop || tries <= 10; tries += 1) {
      const taken = await Promise.all([take(at, 'brief'), take({ ...at, into: `${at.into}-2` }, 'brief')].map(contentOf));
      expect(taken).toEqual([undefined, undefined]);
    }
    await busy.terminate();
    expect(tries).toBeGreaterThan(10);
  });

  it('a directory on the way that is swapped for a link to outside', { timeout: 20_000 }, async () => {
    const at = places();
    mkdirSync(path.join(at.root, 'outside'));
    writeFileSync(path.join(at.root, 'outside', 'report'), 'SECRET');
    const inside = path.join(at.workspace, 'inside');
    mkdirSync(inside);
    writeFileSync(path.join(inside, 'report'), 'harmless');
    symlinkSync('../outside', path.join(at.workspace, 'link'));
    const stop = Date.now() + 1000;
    let taken = 0;
    while (Date.now() < stop) {
      const taking = take(at, 'inside/report').then(
        ({ path: copy }) => {
          taken += 1;
          return readFileSync(copy, 'utf8');
        },
        () => 'harmless',
      );
      for (let turn = 0; turn < 2; turn += 1) {
        await new Promise((resolve) => setImmediate(resolve));
        renameSync(path.join(at.workspace, 'inside'), path.join(at.workspace, 'away'));
        renameSync(path.join(at.workspace, 'link'), path.join(at.workspace, 'inside'));
        renameSync(path.join(at.workspace, 'away'), path.join(at.workspace, 'link'));
      }
      expect(await taking).toBe('harmless');
    }
    expect(taken).toBeGreaterThan(0);
  });

  it('what is put in the place of the copy beforehand', async () => {
    const at = places();
    mkdirSync(at.into, { recursive: true });
    writeFileSync(path.join(at.root, 'victim'), 'untouched');
    symlinkSync(path.join(at.root, 'victim'), path.join(at.into, 'report.pdf'));
    expect(readFileSync((await take(at, 'report.pdf')).path, 'utf8')).toBe('the report');
    expect(readFileSync(path.join(at.root, 'victim'), 'utf8')).toBe('untouched');
  });

  it('a name that reads otherwise than it is', async () => {
    const at = places();
    writeFileSync(path.join(at.workspace, 'harmless\u202efdp.exe'), 'x');
    expect((await take(at, 'harmless\u202efdp.exe')).name).toBe('harmless_fdp.exe');
  });

  it('a place to copy to that cannot be written is told without its path', async () => {
    const at = places();
    writeFileSync(path.join(at.root, 'media'), 'a file where a directory should be');
    await expect(take(at, 'report.pdf')).rejects.toThrow(/^report\.pdf could not be copied$/);
  });
});

describe('an answer with files', () => {
  async function deliver(answer: string, prepare: (workspace: string) => void, limits = {}) {
    const platform = createFakePlatform({ limits });
    const model = scriptedModel(({ system, messages }) => {
      if (messages.length > 1) return 'fine';
      prepare(/Your working directory is (\S+);/.exec(system)?.[1] ?? '');
      return answer;
    });
    const gateway = await startGateway({ platform, model });
    gateway.say('ann', 'send it');
    await gateway.idle();
    return { gateway, platform };
  }

  it('sends the text first and then each file, from the gateway’s own copy', async () => {
    const { platform, gateway } = await deliver('Here it is.\nMEDIA:report.pdf', (at) =>
      writeFileSync(path.join(at, 'report.pdf'), 'the report'),
    );
    const [text, file] = platform.shown;
    expect(text?.message).toMatchObject({ type: 'text', markdown: 'Here it is.' });
    expect(file?.message).toMatchObject({ type: 'file', name: 'report.pdf', mime: 'application/pdf' });
    expect(String(file?.content)).toBe('the report');
    expect(readFileSync(path.join(gateway.home, 'media', '1', 'out', '0', 'report.pdf'), 'utf8')).toBe('the report');
  });

  it.each<[string, (copy: string, secret: string) => void]>([
    ['a link is put in its place', (copy, secret) => symlinkSync(secret, copy)],
    ['another name of a file elsewhere is put in its place', (copy, secret) => linkSync(secret, copy)],
    ['its directory becomes a link', (copy, secret) => swapDirectory(path.dirname(copy), path.dirname(secret))],
    ['the turn’s directory becomes a link', (copy, secret) => swapDirectory(path.join(copy, '../../..'), path.join(secret, '../../..'))],
  ])('sends nothing else when %s while it waits to be sent', async (_title, swap) => {
    const platform = createFakePlatform();
    const outside = path.join(temporaryHome(), '1', 'out', '0');
    mkdirSync(outside, { recursive: true });
    const secret = path.join(outside, 'report.pdf');
    writeFileSync(secret, 'SECRET');
    const model = scriptedModel(({ system }) => {
      writeFileSync(path.join(/Your working directory is (\S+);/.exec(system)?.[1] ?? '', 'report.pdf'), 'the report');
      return 'Here it is.\nMEDIA:report.pdf';
    });
    const gateway = await startGateway({ platform, model });
    const copy = path.join(gateway.home, 'media', '1', 'out', '0', 'report.pdf');
    platform.fail({
      after: () => {
        rmSync(copy);
        swap(copy, secret);
      },
    }); // while the text goes out, which is before it
    gateway.say('ann', 'send it');
    await gateway.idle();
    expect(platform.shown.filter(({ content }) => content !== undefined)).toEqual([]);
    expect(gateway.answers('ann').at(-1)).toMatch(/could not deliver the file report\.pdf/);
  });

  it('says in one sentence each what could not be sent, and sends the rest', async () => {
    const { gateway, platform } = await deliver('Two files.\nMEDIA:/etc/passwd\nMEDIA:ok.txt', (at) =>
      writeFileSync(path.join(at, 'ok.txt'), 'ok'),
    );
    expect(gateway.answers('ann')).toEqual(['Two files.\n\n⚠️ I could not send a file: passwd is outside the workspace.']);
    expect(platform.shown.map(({ message }) => message.type)).toEqual(['text', 'file']);
  });

  it('that is nothing but a file which cannot be sent still says something', async () => {
    const { gateway } = await deliver('MEDIA:missing.png', () => undefined);
    expect(gateway.answers('ann')).toEqual(['⚠️ I could not send a file: missing.png could not be opened.']);
  });

  it('does not keep the next turn from working', async () => {
    const { gateway } = await deliver('MEDIA:missing.png', () => undefined);
    gateway.say('ann', 'next');
    await gateway.idle();
    expect(gateway.answers('ann').at(-1)).toBe('fine');
  });
});
