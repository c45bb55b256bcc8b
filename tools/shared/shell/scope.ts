import type { Node } from 'web-tree-sitter';
import type { Feed } from './command.ts';
import { ANY, type Directories, forgotten, isComputed, PIECE, PLACEHOLDERS, resolveWord, VOUCHED } from './pattern.ts';

/** What is known of the shell's state at one point of the text. Mutable: a walk changes it as the commands would. */
export interface Scope {
  /** Values assigned in the text; a name that is not here has a value that we do not know. */
  variables: Map<string, string>;
  readonly functions: Map<string, Node>;
  /** Where the next command may run. */
  directories: Directories;
  /** Where it runs if the last `cd` failed. */
  failedDirectories: Directories;
  /** False once IFS was changed: then nobody knows how a value falls into words. */
  splitsAtBlanks: boolean;
  /** In the body of a function: then a name that is not here may be given a value before the body runs. */
  isLater: boolean;
  /** Whether the directory has a name that was computed. */
  isLost: boolean;
  feed: Feed;
}

/** `known`: what the shell that runs the text has been given before. */
export function createScope(directory: string, home: string, known: Readonly<Record<string, string>> = {}): Scope {
  const directories = new Set([directory]);
  const given = Object.entries(known).map(([name, value]) => [name, PLACEHOLDERS.test(value) ? ANY : value] as const);
  const variables = new Map([['HOME', home], ...given]);
  return {
    variables,
    functions: new Map(),
    directories,
    failedDirectories: directories,
    splitsAtBlanks: true,
    isLater: false,
    isLost: false,
    feed: { from: 'nothing' },
  };
}

/** A subshell, a branch or a body that may run or not: its changes do not reach the original. */
export function copyScope(scope: Scope): Scope {
  return { ...scope, variables: new Map(scope.variables), functions: new Map(scope.functions) };
}

/** After a branch: what holds on both ways. */
export function mergeInto(scope: Scope, branch: Scope): void {
  for (const name of new Set([...scope.variables.keys(), ...branch.variables.keys()])) {
    const [here, there] = [scope.variables.get(name), branch.variables.get(name)];
    if (here !== there) scope.variables.set(name, isComputed(forgotten(here)) ? ANY : forgotten(there));
  }
  for (const [name, body] of branch.functions) scope.functions.set(name, body);
  scope.directories = union(scope.directories, branch.directories);
  scope.failedDirectories = union(scope.failedDirectories, branch.failedDirectories);
  scope.splitsAtBlanks &&= branch.splitsAtBlanks;
  scope.isLost ||= branch.isLost;
}

export function union(left: Directories, right: Directories): Directories {
  if (left === undefined || right === undefined) return undefined;
  const all = left.union(right);
  return all.size > 8 ? undefined : all;
}

const NUMBERS_AND_NAMES = new Set([
  '?',
  '#',
  '$',
  '!',
  '-',
  'UID',
  'EUID',
  'RANDOM',
  'SECONDS',
  'LINENO',
  'BASHPID',
  'EPOCHSECONDS',
  'USER',
  'LOGNAME',
  'HOSTNAME',
]);

export function variableValue(scope: Scope, name: string): string {
  const assigned = scope.variables.get(name);
  if (assigned !== undefined) return assigned;
  if (name === 'IFS') return scope.splitsAtBlanks ? ' \t\n' : ANY;
  if (name === 'PWD') return scope.directories?.size === 1 ? ([...scope.directories][0] ?? ANY) : ANY;
  if (NUMBERS_AND_NAMES.has(name)) return PIECE;
  return scope.isLater && /^[A-Za-z_]/u.test(name) ? ANY : ANY + VOUCHED;
}

/** `cd`: from here on `directories` if it works, the old ones if not. */
export function changeDirectory(scope: Scope, target: string | undefined): void {
  scope.failedDirectories = union(scope.failedDirectories, scope.directories);
  const resolved = target === undefined ? undefined : resolveWord(target, scope.directories);
  if (target !== undefined && isComputed(target)) scope.isLost = true;
  else if (target?.startsWith('/') === true && resolved !== undefined) scope.isLost = false;
  scope.directories = resolved === undefined ? undefined : new Set(resolved);
}

/** The next statement runs whether or not the last one worked. */
export function settleDirectories(scope: Scope): void {
  scope.directories = union(scope.directories, scope.failedDirectories);
  scope.failedDirectories = scope.directories;
}
