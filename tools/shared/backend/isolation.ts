import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { SessionRef } from '../../../agent/tool.ts';
import { isWithin } from '../home-paths.ts';
import { findContainment, findProgram, isolated } from '../process/containment.ts';
import type { ProcessTrees } from '../process-tree.ts';
import { bubblewrapArgv } from './bubblewrap.ts';
import { hiddenPlaces } from './hidden.ts';
import { PROBE } from './probe.ts';

/** What keeps commands from the rest of the machine, as a self-test has shown. */
export type Isolation =
  | { readonly kind: 'bwrap'; wrapper(session: SessionRef, directory: string): readonly string[] }
  /** `why`: half a sentence. */
  | { readonly kind: 'none'; readonly why: string };

export interface IsolationOptions {
  /** The user's home directory. */
  readonly home: string;
  /** The gateway's home: hidden but for the workspace. */
  readonly state: string;
  /** Hidden, too; patterns as in sensitive-paths.ts. */
  readonly hidden: readonly string[];
  readonly writable: readonly string[];
  /** A directory that is this session's /tmp. */
  readonly temporary: (session: SessionRef) => string;
}

const PROBE_MS = 5_000;

/** Proven, never assumed: a command in it must fail to do what it is to be kept from. Takes a tenth of a second. */
export async function findIsolation(options: IsolationOptions, trees: ProcessTrees): Promise<Isolation> {
  const program = process.platform === 'linux' ? findProgram('bwrap') : undefined;
  if (process.platform !== 'linux') return { kind: 'none', why: 'bubblewrap works on Linux only' };
  if (program === undefined) return { kind: 'none', why: 'bubblewrap is not installed (apt-get install bubblewrap, or the like)' };
  const wrapper = (session: SessionRef, directory: string): readonly string[] =>
    bubblewrapArgv({
      program,
      directory,
      home: options.home,
      state: options.state,
      workspace: session.workspace,
      temporary: options.temporary(session),
      hidden: hiddenPlaces(options.home, options.hidden),
      writable: options.writable,
      shown: session.media ?? [],
      isRoot: process.getuid?.() === 0,
    });
  const problem = await problemOf(wrapper, options, trees);
  return problem === undefined ? { kind: 'bwrap', wrapper } : { kind: 'none', why: problem };
}

const FORBIDDEN =
  'where it is an ordinary user who starts the gateway, the kernel may forbid user namespaces (see its sysctl and AppArmor settings)';

async function problemOf(
  wrapper: (session: SessionRef, directory: string) => readonly string[],
  options: IsolationOptions,
  trees: ProcessTrees,
): Promise<string | undefined> {
  const probe = makeProbe(options);
  try {
    const isolation = wrapper(probe.session, probe.session.workspace);
    if ((await findContainment([isolated(isolation)])).kind !== 'namespace')
      return `bubblewrap does not work here: what it starts cannot be had, or does not end with the gateway; ${FORBIDDEN}`;
    const { directories, files } = hiddenPlaces(options.home, options.hidden);
    const hidden = [...directories, ...files].filter((place) => !isWithin(place, options.state)); // of the state directory the workspace is to be seen
    const found = await runProbe({ isolation, args: [...probe.args, ...hidden] }, trees);
    if (existsSync(probe.intruder)) return `bubblewrap does not hold here: ${path.dirname(probe.intruder)} could be written`;
    return found === 'held' ? undefined : `bubblewrap does not hold here: ${found}`;
  } catch (error) {
    return `bubblewrap could not be tried (${error instanceof Error ? error.message : String(error)})`;
  } finally {
    probe.remove();
  }
}

interface Probe {
  readonly session: SessionRef;
  readonly args: readonly string[];
  /** Made by a command that is not isolated. */
  readonly intruder: string;
  remove(): void;
}

/** A session of its own, with things beside it that a command in it must not see. */
function makeProbe({ home, state, temporary, writable }: IsolationOptions): Probe {
  const id = `probe-${randomUUID()}`;
  const root = path.join(state, 'terminal', id);
  const session = { id, workspace: path.join(root, 'workspace') };
  const others = path.join(root, 'others');
  const shared = path.join('/tmp', id);
  const isOpen = writable.some((place) => isWithin(home, place)); // by the owner's will
  const intruder = path.join(isOpen ? '/usr' : home, `.${id}`);
  mkdirSync(session.workspace, { recursive: true, mode: 0o700 });
  for (const file of [others, shared]) writeFileSync(file, 'visible', { mode: 0o600, flag: 'wx' });
  return {
    session,
    intruder,
    args: [readlinkSync('/proc/self/ns/pid'), session.workspace, state, others, shared, intruder],
    remove: () => {
      for (const place of [root, shared, intruder, temporary(session)]) rmSync(place, { recursive: true, force: true });
    },
  };
}

async function runProbe(probe: { isolation: readonly string[]; args: readonly string[] }, trees: ProcessTrees): Promise<string> {
  const tree = await trees.start({
    argv: ['/bin/sh', '-c', PROBE, 'sh', ...probe.args],
    isolation: probe.isolation,
    cwd: '/',
    environment: { PATH: '/usr/local/bin:/usr/bin:/bin' },
  });
  let output = '';
  tree.output.on('data', (chunk: Buffer) => {
    output = (output + chunk.toString()).slice(0, 1_000);
  });
  const late = setTimeout(() => void tree.end(0), PROBE_MS);
  await tree.exit;
  clearTimeout(late);
  return output.trim() || 'its self-test said nothing';
}
