import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import type { SessionRef } from '../../agent/tool.ts';
import type { Environment } from '../shared/backend/backend.ts';
import { MARK_VARIABLE } from '../shared/process/table.ts';
import { decidesPrograms } from '../shared/shell/rules/generic.ts';

/** What a session's commands leave behind for the next one: where they stand, and what they exported. */
export interface ShellState {
  /** Absent: the workspace. */
  readonly directory?: string | undefined;
  /** Beside, or in place of, what every command has. */
  readonly variables: Environment;
  /** What every command has and these do not. */
  readonly unset: readonly string[];
}

export interface ShellStates {
  read(session: SessionRef): ShellState;
  /** Never throws: a state that could not be kept is the next command's surprise, not this one's failure. */
  write(session: SessionRef, state: ShellState): void;
}

const stateSchema = z.object({
  directory: z.string().optional(),
  variables: z.record(z.string(), z.string()),
  unset: z.array(z.string()),
});

const FRESH: ShellState = { variables: {}, unset: [] };

/** `placeOf`: a directory of this session's own that its commands do not reach; undefined: nothing outlasts this process. */
export function createShellStates(placeOf: (session: SessionRef) => string | undefined): ShellStates {
  const known = new Map<string, ShellState>();
  const fileOf = (session: SessionRef): string | undefined => {
    const place = placeOf(session);
    return place === undefined ? undefined : path.join(place, 'shell.json');
  };
  return {
    read: (session) => {
      const state = known.get(session.id) ?? stored(fileOf(session));
      known.set(session.id, state);
      return state;
    },
    write: (session, state) => {
      known.set(session.id, state);
      const file = fileOf(session);
      if (file !== undefined) store(file, state);
    },
  };
}

function stored(file: string | undefined): ShellState {
  if (file === undefined) return FRESH;
  try {
    return stateSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return FRESH; // none yet, or one that a full disk has cut
  }
}

function store(file: string, state: ShellState): void {
  try {
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(`${file}.new`, JSON.stringify(state), { mode: 0o600 });
    renameSync(`${file}.new`, file);
  } catch {
    // it lasts as long as this process
  }
}

export function environmentOf(state: ShellState, base: Environment): Environment {
  const all = { ...base, ...state.variables };
  return Object.fromEntries(Object.entries(all).filter(([name]) => !state.unset.includes(name)));
}

/** As a judge needs it: what was unset is known to be empty. */
export function givenVariables(state: ShellState): Environment {
  return { ...Object.fromEntries(state.unset.map((name) => [name, ''])), ...state.variables };
}

/** What a command reports at its end. */
export interface Snapshot {
  readonly directory: string;
  readonly environment: Environment;
}

/** Printed by the shell itself when it leaves: its directory and its environment, each ended by a NUL, and one NUL more. Undefined: it was cut. */
export function parseSnapshot(text: string | undefined): Snapshot | undefined {
  if (text === undefined || !text.endsWith('\0\0')) return undefined;
  const [directory = '', ...entries] = text.slice(0, -2).split('\0');
  if (!path.isAbsolute(directory)) return undefined;
  const pairs = entries.map((entry) => [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1)] as const);
  return { directory, environment: Object.fromEntries(pairs.filter(([name]) => isName(name))) };
}

export interface Change {
  readonly before: ShellState;
  /** What the command was started with. */
  readonly given: Environment;
  readonly startedIn: string;
  /** Variables that decide which programs run, and were asked about. */
  readonly announced: ReadonlySet<string>;
}

export interface Kept {
  readonly state: ShellState;
  /** Names that were changed and are not kept. */
  readonly dropped: readonly string[];
}

const STATE_LIMIT = 128_000;
const OF_THE_SHELL = new Set(['_', 'SHLVL', 'PWD', 'OLDPWD', 'TERM', 'COLUMNS', 'LINES', MARK_VARIABLE]);

/** Variables that decide which programs run are kept only where the command said that it changes them. */
export function keep({ directory, environment }: Snapshot, { before, given, startedIn, announced }: Change): Kept {
  const changed = Object.entries(environment).filter(([name, value]) => given[name] !== value);
  const gone = Object.keys(given).filter((name) => isName(name) && !(name in environment));
  const mayChange = (name: string, value: string): boolean => announced.has(name) || !decidesPrograms(name, value);
  const set = changed.filter(([name, value]) => mayChange(name, value));
  const unset = gone.filter((name) => mayChange(name, ''));
  const names = new Set(set.map(([name]) => name));
  const variables = Object.fromEntries([...Object.entries(before.variables).filter(([name]) => !unset.includes(name)), ...set]);
  const stays = directory === startedIn ? before.directory : directory;
  const state = { directory: stays, variables, unset: [...before.unset.filter((name) => !names.has(name)), ...unset] };
  const dropped = [...changed.map(([name]) => name).filter((name) => !names.has(name)), ...gone.filter((name) => !unset.includes(name))];
  const isTooMuch = JSON.stringify(state).length > STATE_LIMIT;
  return isTooMuch ? { state: { ...before, directory: stays }, dropped: [...names] } : { state, dropped };
}

function isName(name: string): boolean {
  return /^[A-Za-z_]\w*$/u.test(name) && !OF_THE_SHELL.has(name);
}
