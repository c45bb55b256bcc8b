import { createHash } from 'node:crypto';
import path from 'node:path';
import type { Node } from 'web-tree-sitter';
import type { RiskMemory } from '../../../agent/risk.ts';
import { isStartupVariable } from '../environment.ts';
import { commandName, type Reading, type SimpleCommand } from './command.ts';
import { isDeceiving, isStatic } from './pattern.ts';
import { findProgramFile, type ProgramFile, readProgramFile } from './program-file.ts';
import { runsOnlyGit } from './rules/git.ts';
import type { ParseShell } from './tree.ts';
import { readShell } from './walk.ts';

/** What an approval "always" may remember: the same program, by content, with the same words in the same place, and only programs that are known to run no others. */

export interface MemoryPlace {
  readonly home: string;
  readonly directory: string;
  readonly workspace: string;
  /** The PATH of commands. */
  readonly searchPath: string;
  /** What the shell was given before. */
  readonly variables?: Readonly<Record<string, string>>;
}

/** `undefined`: it must be asked about each time. Looks at the disk. */
export async function memoryOf(text: string, place: MemoryPlace, parse: ParseShell): Promise<RiskMemory | undefined> {
  if (isDeceiving(text) || !isPlain(text, parse)) return undefined;
  const reading = readShell(text, place, parse);
  if (reading.findings.length > 0 || reading.commands.length === 0 || !isFixed(reading)) return undefined;
  const programs: ProgramFile[] = [];
  for (const command of reading.commands) {
    if (isShellsOwn(command)) continue;
    const program = await programOf(command, place.searchPath);
    if (program === undefined) return undefined;
    programs.push(program);
  }
  const { directory, workspace, home } = place;
  const given = Object.entries(place.variables ?? {}).sort();
  return programs.length === 0
    ? undefined
    : {
        key: keyOf([directory, workspace, home, text, programs, ...(given.length > 0 ? [given] : [])]),
        label: labelOf(text, { directory, programs }),
      };
}

// No expansions, no input from files or texts, no control flow, nothing in the background.
const PLAIN_NODES = new Set(
  `program list pipeline command command_name word number raw_string string string_content ansi_c_string concatenation variable_assignment variable_name
  redirected_statement file_redirect file_descriptor`.split(/\s+/u),
);
const PLAIN_TOKENS = new Set(['&&', '||', ';', '\n', '|', '|&', '>', '>>', '>|', '&>', '&>>', '>&', '"', '=']);

function isPlain(text: string, parse: ParseShell): boolean {
  const tree = parse(text);
  if (tree === undefined) return false;
  try {
    return !tree.root.hasError && isPlainNode(tree.root);
  } finally {
    tree.release();
  }
}

function isPlainNode(node: Node): boolean {
  const isKnown = node.isNamed ? PLAIN_NODES.has(node.type) : PLAIN_TOKENS.has(node.type);
  return isKnown && node.children.every((child) => child !== null && isPlainNode(child));
}

/** Nothing in it depends on what is there when it runs, and no variable changes what its programs are or do. */
function isFixed({ commands, redirects, assignments }: Reading): boolean {
  const words = [...commands.flatMap(({ argv }) => argv), ...redirects.map(({ target }) => target)];
  const isHarmless = assignments.every(
    ({ name, value }) => isStatic(value) && name !== 'PATH' && name !== 'HOME' && !isStartupVariable(name),
  );
  return isHarmless && words.every(isStatic);
}

const SHELLS_OWN = new Set(['cd', 'echo', 'printf', 'pwd', 'test', '[', 'true', 'false', ':']);

function isShellsOwn({ argv }: SimpleCommand): boolean {
  return SHELLS_OWN.has(argv[0] ?? '') && !argv.includes('-v');
}

/** Programs of which no argument, and no file that one names, makes them run another program. What is not known here is asked about each time. */
const RUN_NOTHING = new Set(
  `basename cat chgrp chmod chown cksum cmp comm cp cut date dd df dirname du fallocate fold grep groups head hostname id killall link ln ls md5sum mkdir mkfifo
  mknod mv nl nproc od paste pgrep pkill readlink realpath rm rmdir seq sha1sum sha256sum sha512sum shred sleep stat sync tac tail tee touch tr truncate uname uniq
  unlink uptime wc whoami`.split(/\s+/u),
);
const FIND_RUNS = /^-(?:exec|ok)(?:dir)?$/u;

/** Only of the search path: a program of the workspace with a known name is none that is known. */
async function programOf(command: SimpleCommand, searchPath: string): Promise<ProgramFile | undefined> {
  const [program = ''] = command.argv;
  const isOnPath = !program.includes('/') || searchPath.split(':').includes(path.dirname(program));
  if (!isOnPath || !runsNothing(commandName(command), command)) return undefined;
  const file = findProgramFile([program], searchPath);
  return file !== undefined && runsNothing(commandName({ argv: [file] }), command) ? readProgramFile(file) : undefined;
}

/** `name`: as it is called, or as the file behind that is called. */
function runsNothing(name: string, command: SimpleCommand): boolean {
  if (name === 'git') return runsOnlyGit(command.argv);
  if (name === 'find') return !command.argv.some((word) => FIND_RUNS.test(word));
  return RUN_NOTHING.has(name);
}

function keyOf(parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

function labelOf(text: string, { directory, programs }: { directory: string; programs: readonly ProgramFile[] }): string {
  const files = [...new Set(programs.map(({ file }) => file))];
  return `${text.trim()} (in ${directory}, with ${files.join(' and ')} as ${files.length > 1 ? 'they are' : 'it is'} now)`;
}
