import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { findIsolation } from '../../../tools/shared/backend/isolation.ts';
import { findProgram } from '../../../tools/shared/process/containment.ts';
import { createProcessTrees } from '../../../tools/shared/process-tree.ts';
import { createTerminalBench, type TerminalBench, until } from './support.ts';

const trees = createProcessTrees({ marker: 'isolation-test', namespace: 'auto' });

/** Not our own self-test: one that wrongly says no must fail here, and skip nothing. */
const works =
  spawnSync(
    findProgram('bwrap') ?? '/bin/false',
    ['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--unshare-pid', '--as-pid-1', 'true'],
    { timeout: 5_000 },
  ).status === 0;

/** A home with keys, another session and our own state in it. */
function isolated(more: { writable?: (home: string) => string[] } = {}): TerminalBench {
  const root = mkdtempSync(path.join(os.tmpdir(), 'terminal-'));
  const home = path.join(root, 'home', 'ada');
  for (const directory of ['.ssh', '.aws', 'projects', '.hermes/workspaces/other', '.hermes/media/7', '.hermes/media/8'])
    mkdirSync(path.join(home, directory), { recursive: true });
  const canaries = [
    '.ssh/id_ed25519',
    '.ssh/work',
    '.aws/credentials',
    '.netrc',
    '.hermes/.env',
    '.hermes/workspaces/other/f',
    '.hermes/media/7/f',
  ];
  for (const file of [...canaries, '.bashrc', '.hermes/media/8/f']) writeFileSync(path.join(home, file), `canary of ${file}\n`);
  const writable_paths = more.writable?.(home) ?? [];
  return createTerminalBench({ root, terminal: { isolation: 'bwrap', writable_paths } });
}

const text = async (bench: TerminalBench, command: string, more: Record<string, unknown> = {}) =>
  (await bench.call('terminal', { command, ...more })).content;

describe.skipIf(!works)('an isolated command', () => {
  it('reads no key, nothing of other sessions and nothing of the gateway', async () => {
    const bench = isolated();
    const found = await text(
      bench,
      `grep -rs canary ${bench.home} /proc/1/root${bench.home}; cat ~/.netrc ~/.ssh/id_ed25519 ~/.hermes/.env`,
    );
    expect(found.match(/canary of \S+/gu)).toEqual(['canary of .bashrc', 'canary of .bashrc']);
  });

  it('writes to its workspace and nowhere else', async () => {
    const bench = isolated();
    const tries = [
      '~/new',
      '~/.bashrc',
      '~/.hermes/new',
      '~/projects/x',
      '/usr/new',
      '/etc/new',
      '~/.ssh/authorized_keys',
      '/dev/shm/../../new',
    ];
    const content = await text(
      bench,
      `${tries.map((place) => `(echo x >> ${place}) 2>/dev/null && echo wrote ${place}`).join('; ')}; echo y > mine && cat mine`,
    );
    expect(content).toMatch(/^y\n/u);
    expect(readFileSync(path.join(bench.home, '.bashrc'), 'utf8')).toBe('canary of .bashrc\n');
    expect(existsSync(path.join(bench.session().workspace, 'mine'))).toBe(true);
  });

  it('has a /tmp that lasts for its session, and no other sees', async () => {
    const bench = isolated();
    const name = `isolation-${process.pid}`;
    await text(bench, `echo mine > /tmp/${name}; cd /tmp`);
    expect(await text(bench, `pwd; cat ${name}`)).toMatch(/^\/tmp\nmine\n/u);
    expect(existsSync(path.join('/tmp', name))).toBe(false);
    const { content } = await bench.call('terminal', { command: `cat /tmp/${name}` }, { session: bench.session('s2') });
    expect(content).toContain('No such file');
  });

  it('sees the files that came with its own session’s messages, and cannot change them', async () => {
    const bench = isolated();
    const session = { ...bench.session(), media: [path.join(bench.state, 'media', '8')] };
    const { content } = await bench.call('terminal', { command: 'cat ~/.hermes/media/*/f; echo x > ~/.hermes/media/8/f' }, { session });
    expect(content).toMatch(/^canary of \.hermes\/media\/8\/f\n.*Read-only file system/u);
  });

  it('writes to the home directory where the owner lets it, and reads no keys even then', async () => {
    const bench = isolated({ writable: (home) => [home] });
    expect(await text(bench, 'echo x > ~/f; cat ~/.netrc ~/.ssh/work ~/.hermes/.env; echo x > ~/.hermes/f')).not.toContain('canary');
    expect(existsSync(path.join(bench.home, 'f'))).toBe(true);
    expect(existsSync(path.join(bench.state, 'f'))).toBe(false);
  });

  it('writes where the owner lets it', async () => {
    const bench = isolated({ writable: (home) => [path.join(home, 'projects')] });
    await text(bench, 'echo x > ~/projects/f; echo x > ~/f');
    expect(readdirSync(path.join(bench.home, 'projects'))).toEqual(['f']);
    expect(existsSync(path.join(bench.home, 'f'))).toBe(false);
  });

  it('gets nothing back by mounting or by a namespace of its own', async () => {
    const bench = isolated();
    const content = await text(
      bench,
      'umount ~/.ssh; umount ~/.hermes; mount -o remount,rw /; unshare -Urm sh -c "umount ~/.ssh; umount ~/.netrc; mount -o remount,rw /; cat ~/.netrc ~/.ssh/*; echo x > ~/new"; ls ~/.ssh',
    );
    expect(content).not.toContain('canary');
    expect(existsSync(path.join(bench.home, 'new'))).toBe(false);
  });

  it('ends with all that it started, in the background and on a terminal, too', async () => {
    const bench = isolated();
    await bench.call('terminal', { command: 'tty; sleep 300', background: true, pty: true });
    await bench.call('terminal', { command: 'env setsid sleep 300', background: true });
    await until(() => bench.terminals.processes.running().length === 2);
    await bench.terminals.processes.close();
    expect(await text(bench.next(), 'ls -d /proc/[0-9]* | wc -l')).toMatch(/^[3-6]\n/u);
  });

  it('keeps the state of its shell', async () => {
    const bench = isolated();
    await text(bench, 'mkdir sub; cd sub; export A=1');
    expect(await text(bench, 'pwd; echo $A; env | grep -c XDG_CACHE_HOME=/tmp')).toMatch(/\/sub\n1\n1\n/u);
    expect(readFileSync(path.join(bench.state, 'terminal', 's1', 'shell.json'), 'utf8')).not.toContain('XDG');
  });

  it('is what /status says', async () => {
    const bench = isolated();
    expect(bench.terminals.isolation()).toContain('is being tried out');
    await text(bench, 'true');
    expect(bench.terminals.isolation()).toMatch(/^Terminal: isolated by bubblewrap; /u);
  });
});

describe('isolation that cannot be had', () => {
  it.skipIf(!works)('is not believed where everybody’s /tmp can be seen, whatever bubblewrap says', async () => {
    const root = mkdtempSync(path.join(os.tmpdir(), 'isolation-'));
    const places = {
      home: root,
      state: path.join(root, 'state'),
      hidden: [],
      writable: ['/tmp'],
      temporary: () => path.join(root, 'state', 'tmp'),
    };
    mkdirSync(places.temporary(), { recursive: true });
    const found = await findIsolation(places, trees);
    expect(found).toEqual({ kind: 'none', why: expect.stringMatching(/^bubblewrap does not hold here: /u) });
    rmSync(root, { recursive: true, force: true });
  });

  it('refuses commands where it is demanded, with what to do, and lets them run where it is not', async () => {
    const bench = createTerminalBench({ terminal: { isolation: 'bwrap', writable_paths: ['/tmp'] } });
    await expect(text(bench, 'touch ran')).rejects.toThrow(/terminal\.isolation is bwrap, but .* set terminal\.isolation to auto/u);
    expect(existsSync(path.join(bench.session().workspace, 'ran'))).toBe(false);
    expect(bench.terminals.isolation()).toMatch(/^Terminal: runs nothing\. /u);
    const free = createTerminalBench({ terminal: { isolation: 'auto', writable_paths: ['/tmp'] } });
    expect(await text(free, 'echo ran')).toMatch(/^ran\n/u);
    expect(free.terminals.isolation()).toMatch(/^Terminal: not isolated, because /u);
  });

  it('is said to be off where the owner switched it off', () => {
    expect(createTerminalBench().terminals.isolation()).toMatch(
      /^Terminal: not isolated \(terminal\.isolation is none\); commands may do what the user \S+ may\.$/u,
    );
  });
});
