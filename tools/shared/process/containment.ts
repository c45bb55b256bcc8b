import { spawn } from 'node:child_process';
import { existsSync, readlinkSync } from 'node:fs';
import path from 'node:path';

/**
 * How a command and everything that it starts is held together.
 * `namespace`: a pid namespace whose first process dies with us; the kernel then ends all others, whatever they did to get away.
 * `marker`: only a variable in the environment tells which processes belong to it.
 */
export interface Containment {
  readonly kind: 'namespace' | 'marker';
  /** Put before the command's argv. In a namespace it prints `READY` on its own standard error once the command is about to run. */
  readonly wrapper: readonly string[];
}

export const READY = 'ready';

// The shell is process 1 of the namespace: it reaps orphans, is immune to TERM, and when it leaves the kernel kills whoever is left.
// Standard error of the command joins its standard output so that a reader sees both in the order of writing.
const FIRST_PROCESS = ['/bin/sh', '-c', `printf ${READY} >&2; "$@" 2>&1; exit $?`, 'sh'];
// With a terminal the command is a job of its own: what its keys send (Ctrl-C) reaches it alone, and not the programs that guard it. Only bash gives such a
// terminal back without an error when the command has ended.
const FIRST_ON_TERMINAL = ['-c', `set -m; printf ${READY} >&2; "$@" 2>&1; exit $?`, 'sh'];
const PLAIN: Containment = { kind: 'marker', wrapper: ['/bin/sh', '-c', 'exec "$@" 2>&1', 'sh'] };

const SELF_TEST_MS = 3_000;

/** Proven, never assumed: each candidate must survive a self-test. Takes tens of milliseconds. */
export async function findContainment(candidates = namespaceCandidates(process.getuid?.() === 0)): Promise<Containment> {
  if (process.platform !== 'linux') return PLAIN;
  for (const candidate of candidates) {
    if (await dies(candidate)) return candidate;
  }
  return PLAIN;
}

export function plainContainment(): Containment {
  return PLAIN;
}

/** `programs` make a pid namespace among other things. */
export function isolated(programs: readonly string[]): Containment {
  return { kind: 'namespace', wrapper: [...programs, ...FIRST_PROCESS] };
}

export function withTerminal({ kind, wrapper }: Containment): Containment {
  const bash = findProgram('bash');
  if (kind === 'marker' || bash === undefined) return { kind, wrapper };
  return { kind, wrapper: [...wrapper.slice(0, -FIRST_PROCESS.length), bash, ...FIRST_ON_TERMINAL] };
}

/** `unshare --kill-child` ties the namespace to unshare; setpriv ties unshare to us (prctl PR_SET_PDEATHSIG). bwrap does both itself. */
export function namespaceCandidates(isRoot: boolean): Containment[] {
  const user = isRoot ? [] : ['--user', '--map-current-user'];
  const unshare = ['unshare', ...user, '--pid', '--fork', '--kill-child=KILL', '--mount-proc'];
  const bubblewrap = ['bwrap', '--dev-bind', '/', '/', '--proc', '/proc', '--unshare-pid', '--as-pid-1', '--die-with-parent', '--'];
  const wrappers = [['setpriv', '--pdeathsig', 'KILL', ...unshare], bubblewrap];
  return wrappers
    .flatMap((wrapper) => absolute(wrapper))
    .map((wrapper) => ({ kind: 'namespace', wrapper: [...wrapper, ...FIRST_PROCESS] }));
}

/** Programs are named by full path, from fixed directories: a workspace or PATH entry must not be able to replace the guard. */
function absolute(wrapper: readonly string[]): string[][] {
  const programs = new Map(['setpriv', 'unshare', 'bwrap'].map((name) => [name, findProgram(name)]));
  const resolved = wrapper.map((word) => (programs.has(word) ? programs.get(word) : word));
  return resolved.every((word) => word !== undefined) ? [resolved] : [];
}

const programDirectories = ['/usr/bin', '/bin', '/usr/local/bin', '/usr/sbin', '/sbin', '/run/current-system/sw/bin'];

export function findProgram(name: string): string | undefined {
  return programDirectories.map((directory) => path.join(directory, name)).find((file) => existsSync(file));
}

// A grandchild that left its session and its parent tells which namespace it is in, then waits.
const ESCAPEE = '(setsid /bin/sh -c "readlink /proc/self/ns/pid; exec sleep 10" &) ; sleep 10';

/**
 * Plays a daemon that is killed: a shell starts the wrapped command, the shell is killed with SIGKILL, and the grandchild must be gone. It holds
 * our pipe open, so the end of the pipe is the proof.
 */
async function dies(candidate: Containment): Promise<boolean> {
  const daemon = ['-c', '"$@" 2>/dev/null & wait', 'sh', ...candidate.wrapper, '/bin/sh', '-c', ESCAPEE];
  const env = { PATH: programDirectories.join(':') }; // not ours: there are keys in it, and whatever runs can be looked into
  const child = spawn('/bin/sh', daemon, { stdio: ['ignore', 'pipe', 'ignore'], detached: true, env });
  const ended = new Promise<boolean>((resolve) => {
    child.stdout.on('close', () => resolve(true));
    setTimeout(resolve, SELF_TEST_MS, false).unref();
  });
  const namespace = await new Promise<string>((resolve) => {
    child.on('error', () => resolve(''));
    child.stdout.once('data', (data: Buffer) => resolve(data.toString().trim()));
    child.stdout.once('close', () => resolve(''));
    setTimeout(resolve, SELF_TEST_MS, '').unref();
  });
  child.kill('SIGKILL');
  const dead = await ended;
  child.stdout.destroy();
  return dead && namespace.startsWith('pid:') && namespace !== readlinkSync('/proc/self/ns/pid');
}
