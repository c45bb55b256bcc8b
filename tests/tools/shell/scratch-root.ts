import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { linksBelow } from '../../../tools/shared/home-paths.ts';
import { findProgram } from '../../../tools/shared/process/containment.ts';

/** A whole machine in a directory: commands run in it by bubblewrap may change all of it but the programs, and nothing else. */
export interface ScratchRoot {
  /** Runs each command in a fresh workspace, without input and for a few seconds at most. What is outside of the workspace is as it was at the start. */
  run(commands: readonly string[]): void;
  /** Those commands of the last run that printed a secret, or left one in the workspace. */
  leaks(): string[];
  /** What is different from the start outside of the workspace: files, what is in them, modes and owners. */
  changes(): string[];
  /** As it is at the start of a command. */
  realPath(file: string): string;
  links(directory: string, deep: boolean): string[];
  close(): void;
}

export const scratch = { home: '/home/ada', workspace: '/home/ada/work' } as const;

const FILES: Readonly<Record<string, string>> = {
  'etc/hosts': '127.0.0.1 localhost\n',
  'etc/passwd': 'root:x:0:0::/root:/bin/bash\nada:x:1000:1000::/home/ada:/bin/bash\n',
  'srv/data.txt': 'data\n',
  'tmp/old.txt': 'old\n',
  'home/ada/notes.txt': 'notes\n',
  'home/ada/.bashrc': 'true\n',
  'home/ada/.hermes/.env': 'TOKEN=not-for-you\n',
  'home/ada/.hermes/config.yaml': 'key: not-for-you\n',
  'home/ada/.ssh/id_rsa': 'not-for-you\n',
  'home/ada/.netrc': 'password not-for-you\n',
  'root/.aws/credentials': 'not-for-you\n',
  'home/ada/other/f.txt': 'other\n',
  'home/ada/other/.hidden': 'hidden\n',
  'home/ada/work/a.txt': 'one\ntwo\nthree\n',
  'home/ada/work/b.txt': '../notes.txt\n/tmp/old.txt\n',
  'home/ada/work/-n': 'dash\n',
  'home/ada/work/a b.txt': 'blank\n',
  'home/ada/work/.dot': 'dot\n',
  'home/ada/work/sub/c.txt': 'sub\n',
  'home/ada/work/sub/deep/d.txt': 'deep\n',
};
/** Not the machine's own devices: root in a sandbox changes those for everybody. */
const DEVICES: Readonly<Record<string, string>> = { 'dev/null': '', 'dev/zero': '\0'.repeat(4096), 'dev/urandom': 'not so random' };
const LINKS: Readonly<Record<string, string>> = {
  'dev/fd': '/proc/self/fd',
  'dev/stdin': '/proc/self/fd/0',
  'dev/stdout': '/proc/self/fd/1',
  'dev/stderr': '/proc/self/fd/2',
  'home/ada/work/in': 'sub',
  'home/ada/work/out': '/home/ada/other',
  'home/ada/work/sub/up.txt': '../../notes.txt',
};

/** A sentence when no scratch root can be had here. */
export function whyNoScratchRoot(): string | undefined {
  const bubblewrap = findProgram('bwrap');
  if (bubblewrap === undefined) return 'bubblewrap (bwrap) is not installed';
  const probe = spawnSync(bubblewrap, ['--unshare-all', '--ro-bind', '/', '/', '--proc', '/proc', '--dev', '/dev', 'true'], {
    encoding: 'utf8',
  });
  return probe.status === 0 ? undefined : `bubblewrap may not make namespaces here: ${probe.stderr.trim()}`;
}

/** Stands in every file that nobody may read. */
const SECRET = 'not-for-you';
/** Stands before every command in what is printed. */
const MARK = '==>';

const DRIVER = `for command; do
  cd / && find ${scratch.workspace} -mindepth 1 -delete; cp -a /.template/. ${scratch.workspace}/ && cd ${scratch.workspace} || exit
  printf '\n${MARK}%s\n' "$command"
  timeout -s KILL 3 bash --noprofile --norc -c "$command" </dev/null 2>&1 | head -c 100000
  cd / && grep -rhas ${SECRET.replace('-', '[-]')} ${scratch.workspace}
done`;

export function createScratchRoot(): ScratchRoot {
  const base = mkdtempSync(path.join(os.tmpdir(), 'scratch-root-'));
  const [template, root] = [path.join(base, 'template'), path.join(base, 'root')];
  fill(template);
  const mounts = programMounts(template);
  const reset = (): void => {
    rmSync(root, { recursive: true, force: true });
    cpSync(template, root, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
    for (const [name] of Object.entries(FILES)) chmodSync(path.join(root, name), 0o640);
  };
  reset();
  const before = snapshot(root);
  let printed = '';
  const options = [
    '--unshare-all',
    '--die-with-parent',
    '--clearenv',
    '--setenv',
    'PATH',
    '/usr/bin:/bin',
    '--setenv',
    'HOME',
    scratch.home,
  ];
  const workspace = ['--ro-bind', path.join(template, scratch.workspace), '/.template', '--proc', '/proc'];
  return {
    run: (commands) => {
      const outcome = spawnSync(
        findProgram('bwrap') ?? '',
        [...options, '--bind', root, '/', ...mounts, ...workspace, '/bin/bash', '-c', DRIVER, 'driver', ...commands],
        { encoding: 'utf8', cwd: '/', maxBuffer: 1 << 28 },
      );
      if (outcome.error !== undefined) throw outcome.error;
      printed = outcome.stdout;
      if (/bwrap:/u.test(outcome.stderr)) throw new Error(outcome.stderr);
    },
    leaks: () =>
      printed
        .split(`\n${MARK}`)
        .filter((part) => part.includes(SECRET))
        .map((part) => part.slice(0, 2_000)),
    changes: () => {
      const now = snapshot(root);
      const changed = [...new Set([...before.keys(), ...now.keys()])].filter((name) => before.get(name) !== now.get(name));
      if (changed.length > 0) reset();
      return changed.toSorted();
    },
    realPath: (file) => realPathBelow(template, file),
    links: (directory, deep) => linksBelow(path.join(template, directory), deep).map((link) => link.slice(template.length)),
    close: () => rmSync(base, { recursive: true, force: true }),
  };
}

function fill(template: string): void {
  for (const directory of ['usr', 'proc', 'dev/shm', '.template', 'tmp', 'root', 'var/tmp'])
    mkdirSync(path.join(template, directory), { recursive: true });
  for (const [name, content] of Object.entries(FILES)) {
    mkdirSync(path.dirname(path.join(template, name)), { recursive: true });
    writeFileSync(path.join(template, name), content, { mode: 0o640 });
  }
  for (const [name, content] of Object.entries(DEVICES)) writeFileSync(path.join(template, name), content, { mode: 0o666 });
  for (const [name, target] of Object.entries(LINKS)) symlinkSync(target, path.join(template, name));
}

/** The programs of this machine, which nobody can change. */
function programMounts(template: string): string[] {
  const mounts = ['--ro-bind', '/usr', '/usr'];
  for (const name of ['bin', 'sbin', 'lib', 'lib64', 'etc/alternatives']) {
    const own = path.join('/', name);
    if (!existsSync(own)) continue;
    if (lstatSync(own).isSymbolicLink()) symlinkSync(readlinkSync(own), path.join(template, name));
    else {
      mkdirSync(path.join(template, name), { recursive: true });
      mounts.push('--ro-bind', own, own);
    }
  }
  return mounts;
}

function snapshot(root: string): Map<string, string> {
  const seen = new Map<string, string>();
  const visit = (name: string): void => {
    if (`/${name}` === scratch.workspace) return;
    const file = path.join(root, name);
    const stats = lstatSync(file);
    const what = stats.isSymbolicLink() ? readlinkSync(file) : stats.isFile() ? contentOf(file, name) : '';
    seen.set(`/${name}`, [stats.mode, stats.uid, stats.gid, what].join(' '));
    if (stats.isDirectory()) for (const child of readdirSync(file)) visit(name === '' ? child : `${name}/${child}`);
  };
  visit('');
  return seen;
}

/** What is written to a device is gone. */
function contentOf(file: string, name: string): string {
  return name in DEVICES ? 'a device' : createHash('sha256').update(readFileSync(file)).digest('hex');
}

/** `realpath` with the links of the template followed inside of it. */
function realPathBelow(template: string, file: string, left = 20): string {
  let resolved = '/';
  const parts = path
    .normalize(file)
    .split('/')
    .filter((part) => part !== '');
  for (const [index, part] of parts.entries()) {
    const next = path.join(resolved, part);
    const target = linkTarget(path.join(template, next));
    if (target !== undefined && left > 0) {
      return realPathBelow(template, path.join(path.resolve(resolved, target), ...parts.slice(index + 1)), left - 1);
    }
    resolved = next;
  }
  return resolved;
}

function linkTarget(file: string): string | undefined {
  try {
    return readlinkSync(file);
  } catch {
    return undefined; // not a link, or nothing there
  }
}
