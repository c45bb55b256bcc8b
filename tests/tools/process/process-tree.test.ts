import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { endLeftovers } from '../../../tools/index.ts';
import { findContainment, namespaceCandidates } from '../../../tools/shared/process/containment.ts';
import { marked } from '../../../tools/shared/process/table.ts';
import { createProcessTrees, type ProcessTrees } from '../../../tools/shared/process-tree.ts';

const isLinux = process.platform === 'linux';
const isRoot = process.getuid?.() === 0;
const proven = (await findContainment()).kind === 'namespace';
const candidates = proven ? namespaceCandidates(isRoot) : [];
const program = (wrapper: readonly string[]) =>
  wrapper.map((word) => word.split('/').at(-1)).find((word) => word === 'unshare' || word === 'bwrap') ?? '';
const modes = [
  ...candidates.map((candidate, index) => [`a namespace made by ${program(candidate.wrapper)}`, String(index)] as const),
  ['marks in the environment', 'off'] as const,
];

/** A child, a grandchild in a session of its own, and a daemon by double fork whose parents are gone; the last two hold no pipe of ours. */
const FAMILY = `sleep 300 & setsid sleep 301 >/dev/null 2>&1 </dev/null & (setsid sh -c '(trap "" TERM; sleep 302) & sleep 0' >/dev/null 2>&1 </dev/null &) ; trap "" TERM; sleep 303; wait`;
const FAMILY_SIZE = 4;

const until = async (condition: () => boolean, ms = 5_000) => {
  const deadline = performance.now() + ms;
  while (!condition()) {
    if (performance.now() >= deadline) return false;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return true; // looked at once: what is just becoming another program shows no environment for a moment
};

const runs = (marker: string, commandLine: string) =>
  marked(marker).some((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8') === commandLine;
    } catch {
      return false; // it ended meanwhile
    }
  });

const treesFor = (mode: string, marker: string): ProcessTrees => {
  const candidate = candidates[Number(mode)];
  return createProcessTrees(
    { marker, namespace: mode === 'off' ? 'off' : 'auto' },
    candidate === undefined ? undefined : async () => candidate,
  );
};

function isOpenToAll(file: string): boolean {
  const open = (statSync(file).mode & 0o001) !== 0;
  return open && (path.dirname(file) === file || isOpenToAll(path.dirname(file)));
}

const environment = { PATH: process.env['PATH'] ?? '' };
const bash = (command: string) => ({ argv: ['/bin/bash', '-c', command], cwd: '/', environment });

describe.skipIf(!isLinux).each(modes)('with %s', (_, mode) => {
  it('tells output in order and the exit code', async () => {
    const tree = await treesFor(mode, randomUUID()).start(bash('echo a; echo b >&2; echo c; exit 7'));
    let output = '';
    tree.output.on('data', (data: Buffer) => {
      output += data.toString();
    });
    expect((await tree.exit).code).toBe(7);
    expect(output).toBe('a\nb\nc\n');
  });

  it('leaves nothing alive when the command ends by itself, not even what left its session and its parents', async () => {
    const marker = randomUUID();
    const tree = await treesFor(mode, marker).start(bash(`${FAMILY.replace('sleep 303; wait', 'sleep 0.2')}; exit 3`));
    tree.output.resume();
    expect((await tree.exit).code).toBe(3);
    expect(marked(marker)).toEqual([]);
  });

  it('ends everything after the grace period, also what ignores TERM', async () => {
    const marker = randomUUID();
    const tree = await treesFor(mode, marker).start(bash(FAMILY));
    tree.output.resume();
    expect(await until(() => ['302', '303'].every((seconds) => runs(marker, `sleep\0${seconds}\0`)))).toBe(true); // both began after their trap was set
    const started = performance.now();
    await tree.end(300);
    expect(performance.now() - started).toBeGreaterThanOrEqual(295);
    expect(marked(marker)).toEqual([]);
  });

  it('lets a command end in its own way within the grace period', async () => {
    const tree = await treesFor(mode, randomUUID()).start(bash('trap "echo bye; exit 9" TERM; echo ready; while :; do sleep 0.05; done'));
    let output = '';
    tree.output.on('data', (data: Buffer) => {
      output += data.toString();
    });
    expect(await until(() => output.includes('ready'))).toBe(true);
    await tree.end(5_000);
    expect((await tree.exit).code).toBe(9);
    expect(output).toMatch(/^ready\n(?:Terminated\n)?bye\n$/u);
  });

  it('says how a killed command ended', async () => {
    const tree = await treesFor(mode, randomUUID()).start(bash('kill -9 $$'));
    tree.output.resume();
    expect((await tree.exit).code).toBe(137);
  });

  it('leaves nothing alive when the daemon is killed', async () => {
    const marker = randomUUID();
    const daemon = startDaemon([marker, mode, FAMILY]);
    expect(await until(() => marked(marker).length >= FAMILY_SIZE, 10_000)).toBe(true);
    daemon.kill('SIGKILL');
    if (mode === 'off') {
      await new Promise((resolve) => daemon.once('close', resolve));
      expect(await until(() => marked(marker).length >= FAMILY_SIZE)).toBe(true);
      expect(await endLeftovers(marker)).toBeGreaterThanOrEqual(FAMILY_SIZE);
      expect(marked(marker)).toEqual([]);
    } else expect(await until(() => marked(marker).length === 0)).toBe(true);
  });

  it('rejects with a sentence when nothing could be started', async () => {
    const trees = treesFor(mode, randomUUID());
    await expect(trees.start({ ...bash('true'), cwd: '/nosuch' })).rejects.toThrow(/could not be started/u);
    await expect(trees.start(bash(`: ${'x'.repeat(3_000_000)}`))).rejects.toThrow(/too long/u);
  });

  it('leaves no zombie, no descriptor and no listener behind over many commands', async () => {
    const trees = treesFor(mode, randomUUID());
    const once = async () => {
      const tree = await trees.start(bash('(setsid sleep 30 >/dev/null 2>&1 &); true'));
      tree.output.resume();
      await tree.exit;
    };
    await once();
    const { readdirSync } = await import('node:fs');
    const before = readdirSync('/proc/self/fd').length;
    await Promise.all(Array.from({ length: 30 }, once));
    expect(await until(() => readdirSync('/proc/self/fd').length <= before + 1)).toBe(true);
  });
});

describe.skipIf(!proven)('the self-test', () => {
  const first = candidates[0]?.wrapper ?? [];
  const shell = first.slice(first.indexOf('/bin/sh'));

  it.each([
    ['makes no namespace', ['/usr/bin/env', ...shell]],
    [
      'does not die with the daemon',
      [
        ...first
          .slice(
            first.findIndex((word) => word.endsWith('unshare')),
            first.indexOf('/bin/sh'),
          )
          .filter((word) => !word.startsWith('--kill-child')),
        ...shell,
      ],
    ],
    ['cannot be started', ['/nosuch/program', ...shell]],
  ])('does not believe a wrapper that %s', async (_, wrapper) => {
    expect((await findContainment([{ kind: 'namespace', wrapper }])).kind).toBe('marker');
  });

  it('runs once, and not before the first command', async () => {
    let runs = 0;
    const trees = createProcessTrees({ marker: randomUUID(), namespace: 'auto' }, async () => {
      runs += 1;
      return findContainment();
    });
    expect(runs).toBe(0);
    for (let round = 0; round < 3; round += 1) {
      const tree = await trees.start(bash('true'));
      tree.output.resume();
      await tree.exit;
    }
    expect(runs).toBe(1);
  });

  it('falls back to marks where a namespace that was proven cannot be had any more', async () => {
    const broken = { kind: 'namespace' as const, wrapper: ['/bin/sh', '-c', 'exit 1', 'sh'] };
    const tree = await createProcessTrees({ marker: randomUUID(), namespace: 'auto' }, async () => broken).start(bash('echo ran'));
    let output = '';
    tree.output.on('data', (data: Buffer) => {
      output += data.toString();
    });
    expect((await tree.exit).code).toBe(0);
    expect(output).toBe('ran\n');
  });

  it.skipIf(!isRoot)('holds for an ordinary user, too', async ({ skip }) => {
    if (!isOpenToAll(process.execPath)) return skip('the checkout lies below a directory that other users may not enter');
    const marker = randomUUID();
    const daemon = startDaemon([marker, 'auto', FAMILY], { uid: 65_534, gid: 65_534 });
    let output = '';
    daemon.stdout?.on('data', (data: Buffer) => {
      output += data.toString();
    });
    expect(await until(() => marked(marker).length >= FAMILY_SIZE, 10_000)).toBe(true);
    daemon.kill('SIGKILL');
    if (output.includes('containment namespace')) expect(await until(() => marked(marker).length === 0)).toBe(true);
    await endLeftovers(marker);
    expect(marked(marker)).toEqual([]);
  });
});

describe.skipIf(!isLinux)('endLeftovers', () => {
  it('ends what carries this marker and nothing else', async () => {
    const mine = randomUUID();
    const other = randomUUID();
    const children = [mine, other].map((marker) =>
      spawn('sleep', ['60'], { env: { ...environment, HERMES_PROCESS_MARK: `${marker}.1` }, stdio: 'ignore' }),
    );
    expect(await until(() => marked(mine).length === 1 && marked(other).length === 1)).toBe(true);
    expect(await endLeftovers(mine)).toBe(1);
    expect(marked(other).length).toBe(1);
    for (const child of children) child.kill('SIGKILL');
  });

  it('leaves the commands of this daemon alone, which has the same marker', async () => {
    const marker = randomUUID();
    const tree = await createProcessTrees({ marker, namespace: 'off' }).start(bash('sleep 60'));
    tree.output.resume();
    expect(await until(() => marked(marker).length > 0)).toBe(true);
    expect(await endLeftovers(marker)).toBe(0);
    expect(marked(marker).length).toBeGreaterThan(0);
    await tree.end(0);
  });

  it('does not take a marker for a longer one that begins with it', async () => {
    const child = spawn('sleep', ['60'], { env: { ...environment, HERMES_PROCESS_MARK: 'home12.1' }, stdio: 'ignore' });
    expect(await until(() => marked('home12.').length === 1)).toBe(true);
    expect(await endLeftovers('home1')).toBe(0);
    child.kill('SIGKILL');
  });
});

function startDaemon(args: readonly string[], user: { uid?: number; gid?: number } = {}): ChildProcess {
  const script = fileURLToPath(new URL('daemon.ts', import.meta.url));
  return spawn(process.execPath, [script, ...args], { stdio: ['ignore', 'pipe', 'inherit'], ...user });
}
