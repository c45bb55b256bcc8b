import { mkdirSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { isWithin } from '../home-paths.ts';
import type { ProcessTrees } from '../process-tree.ts';
import type { Backend, Environment } from './backend.ts';
import { findIsolation, type Isolation, type IsolationOptions } from './isolation.ts';

export type IsolationMode = 'auto' | 'none' | 'bwrap';

export interface LocalOptions extends Omit<IsolationOptions, 'temporary' | 'state'> {
  readonly trees: ProcessTrees;
  readonly mode: IsolationMode;
  /** The gateway's home. Absent: nothing says what is to be hidden, and nothing is isolated. */
  readonly state: string | undefined;
}

/** This machine. Isolation is proven with the first command, or when somebody asks about it: never on the daemon's way to readiness. */
export function createLocalBackend(options: LocalOptions): Backend {
  const { trees, mode } = options;
  let known: Isolation | undefined;
  let finding: Promise<Isolation> | undefined;
  const isolation = (): Promise<Isolation> => {
    finding ??= find(options).then((found) => {
      known = found;
      return found;
    });
    return finding;
  };
  return {
    start: async ({ session, ...command }) => {
      const found = await isolation();
      if (found.kind === 'bwrap') return trees.start({ ...command, cwd: '/', isolation: found.wrapper(session, command.cwd) });
      if (mode === 'bwrap') throw new Error(refusal(found.why));
      return trees.start(command);
    },
    environment: async (wanted) => ((await isolation()).kind === 'bwrap' ? inside(wanted) : wanted),
    files: {
      isDirectory: async (directory, session) => {
        const place = (await isolation()).kind === 'bwrap' ? placeOf(directory, session, options) : directory;
        return statSync(place, { throwIfNoEntry: false })?.isDirectory() === true;
      },
      temporary: async (session) => {
        const { state } = options;
        return state !== undefined && (await isolation()).kind === 'bwrap' ? temporaryOf(session.id, state) : undefined;
      },
    },
    isolation: () => {
      void isolation();
      return sentence(mode, known);
    },
  };
}

async function find({ trees, mode, state, ...rest }: LocalOptions): Promise<Isolation> {
  if (mode === 'none') return { kind: 'none', why: 'terminal.isolation is none' };
  if (state === undefined) return { kind: 'none', why: 'there is no state directory' };
  return findIsolation({ ...rest, state, temporary: (session) => temporaryOf(session.id, state) }, trees);
}

/** A session's own place, which its commands do not see but for what is mounted for them. */
export function sessionPlace(id: string, state: string): string {
  return path.join(state, 'terminal', id.replaceAll(/[^\w.-]/gu, '_'));
}

function temporaryOf(id: string, state: string): string {
  const directory = path.join(sessionPlace(id, state), 'tmp');
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  return directory;
}

/** The home directory cannot be written there: what programs keep for the next time goes where it can. */
function inside(wanted: Environment): Environment {
  const { TMP: _, TEMP: __, ...rest } = wanted;
  return { ...rest, TMPDIR: '/tmp', XDG_CACHE_HOME: '/tmp/.cache', npm_config_cache: '/tmp/.npm' };
}

function placeOf(directory: string, session: { readonly id: string; readonly workspace: string }, options: LocalOptions): string {
  const { state, writable } = options;
  const isOther = [session.workspace, ...writable].some((place) => isWithin(directory, place));
  if (state === undefined || isOther || !isWithin(directory, '/tmp')) return directory;
  return path.join(temporaryOf(session.id, state), path.relative('/tmp', directory));
}

function sentence(mode: IsolationMode, known: Isolation | undefined): string {
  if (mode === 'none') return `Terminal: not isolated (terminal.isolation is none); ${may()}.`;
  if (known === undefined) return 'Terminal: whether commands are isolated is being tried out; ask again in a moment.';
  if (known.kind === 'bwrap')
    return 'Terminal: isolated by bubblewrap; commands write to their workspace and a /tmp of their own, and see no keys and nothing else of the gateway.';
  return mode === 'bwrap' ? `Terminal: runs nothing. ${refusal(known.why)}` : `Terminal: not isolated, because ${known.why}; ${may()}.`;
}

function may(): string {
  return `commands may do what the user ${os.userInfo().username} may`;
}

function refusal(why: string): string {
  return `terminal.isolation is bwrap, but ${why}. Mend that and restart the gateway, or set terminal.isolation to auto.`;
}
