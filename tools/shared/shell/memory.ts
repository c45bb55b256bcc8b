import { createHash } from 'node:crypto';
import type { Node } from 'web-tree-sitter';
import type { RiskMemory } from '../../../agent/risk.ts';
import { isStartupVariable } from '../environment.ts';
import { commandName, type Reading, type SimpleCommand } from './command.ts';
import { isDeceiving, isStatic, resolveWord } from './pattern.ts';
import { findProgramFile, type ProgramFile, readProgramFile } from './program-file.ts';
import { isInterpreter } from './rules/code.ts';
import { runsOnlyGit } from './rules/git.ts';
import type { ParseShell } from './tree.ts';
import { isShell } from './unwrap.ts';
import { readShell } from './walk.ts';
import { WRAPPERS } from './wrappers.ts';

/** What an approval "always" may remember: the same program, by content, with the same words in the same place, and nothing that runs other programs. */

export interface MemoryPlace {
  readonly home: string;
  readonly directory: string;
  readonly workspace: string;
  /** The PATH of commands. */
  readonly searchPath: string;
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
  return programs.length === 0
    ? undefined
    : { key: keyOf([directory, workspace, home, text, programs]), label: labelOf(text, { directory, programs }) };
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

// The rest of bash's own commands: some run text, some change what other words mean, some act on what is there when they run (a process number).
const BUILTINS = new Set(
  `. alias bg bind break builtin caller command compgen complete compopt continue declare dirs disown enable eval exec exit export fc fg getopts hash help history
  jobs kill let local logout mapfile popd printf pushd read readarray readonly return set shift shopt source suspend times trap type typeset ulimit umask unalias unset
  wait`.split(/\s+/u),
);

// Besides the wrappers of wrappers.ts: programs whose work is to run others, or what a file tells them.
const RUNNERS = new Set(
  `busybox toybox env xargs parallel watch script su runuser flock npx npm pnpm yarn sg ssh sftp mosh screen tmux entr expect at batch crontab awk gawk mawk nawk make
  gmake cmake ninja meson bazel just task rake gradle mvn ant cargo go java jshell kotlin dotnet mono wine wine64 wasmtime wasmer vi vim nvim ed ex emacs nano gdb
  lldb jdb m4 dc bc psql mysql mariadb sqlite3 socat nc ncat inotifywait systemd-nspawn lxc-attach`.split(/\s+/u),
);
const CONTAINERS = /^(?:docker|podman|nerdctl|docker-compose|podman-compose|kubectl|oc|lxc|vagrant)$/u;
const FIND_RUNS = /^-(?:exec|ok)(?:dir)?$|^-[xX]$|^--exec(?:-batch)?$/u;

async function programOf(command: SimpleCommand, searchPath: string): Promise<ProgramFile | undefined> {
  const [program = ''] = command.argv;
  const candidates = program.includes('/') ? resolveWord(program, command.directories) : [program];
  if (BUILTINS.has(program) || runsOthers(commandName(command), command)) return undefined;
  const file = findProgramFile(candidates ?? [], searchPath);
  return file === undefined || runsOthers(commandName({ argv: [file] }), command) ? undefined : readProgramFile(file);
}

/** `name`: as it is called, or as the file behind that is called. */
function runsOthers(name: string, command: SimpleCommand): boolean {
  const words = command.argv.slice(1);
  if (isRunner(name) || words.some(namesRunner)) return true;
  if (/^(?:find|fd|fdfind)$/u.test(name)) return words.some((word) => FIND_RUNS.test(word));
  if (name === 'git') return !runsOnlyGit(command.argv);
  return CONTAINERS.test(name) && words.some((word) => /^(?:run|exec|start|up|create|compose|debug|apply|ssh)$/u.test(word));
}

function isRunner(name: string): boolean {
  return isShell(name) || isInterpreter(name) || WRAPPERS.has(name) || RUNNERS.has(name) || /^ld(?:-linux|\.so|-musl)/u.test(name);
}

/** `--to-command='sh -c x'`, `run image python3 y` */
function namesRunner(word: string): boolean {
  return word
    .split(/[\s=:,;|&()'"]+/u)
    .some((part) => isShell(commandName({ argv: [part] })) || isInterpreter(commandName({ argv: [part] })));
}

function keyOf(parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

function labelOf(text: string, { directory, programs }: { directory: string; programs: readonly ProgramFile[] }): string {
  const files = [...new Set(programs.map(({ file }) => file))];
  return `${text.trim()} (in ${directory}, with ${files.join(' and ')} as ${files.length > 1 ? 'they are' : 'it is'} now)`;
}
