import { isStartupVariable } from '../../environment.ts';
import { type Assignment, commandName, type Finding, type Reading, type SimpleCommand } from '../command.ts';
import { ANY, isStatic, shown } from '../pattern.ts';
import { isReader } from './known.ts';
import type { ShellPlace } from './links.ts';
import {
  ask,
  holdsSecrets,
  isRawDisk,
  isVital,
  isWritable,
  type Rule,
  reading,
  readingByEnd,
  readingByStart,
  streaming,
  unnamed,
} from './rule.ts';

/** What holds for every command, whatever its name. */

export const programName: Rule = (command) => {
  const [program = ''] = command.argv;
  if (!isStatic(program)) return ask(`Which program it runs only shows when it runs (${shown(program)}).`);
  return /[^\u0021-\u007e]/u.test(program) ? ask('The name of a program in it has unusual characters, which may look like others.') : [];
};

/** `source` runs a file in this very shell. */
export const sourced: Rule = (command) => {
  const [program = '', file = ''] = command.argv;
  const script = command.argv.findIndex((word) => /^(?:-f|-E|--file|--makefile|--exec)$/u.test(word)) + 1;
  if (script > 0 && /^(?:g?make|g?sed|[gmn]?awk)$/u.test(program) && /^(?:-|\/dev\/(?:fd\/.*|stdin))$/u.test(command.argv[script] ?? ''))
    return ask('It runs what another command prints.');
  if (program !== 'source' && program !== '.') return [];
  if (/^\/dev\/(?:fd|stdin)/u.test(file)) return ask('It runs what another command prints.');
  return file.includes(ANY) ? ask('It runs a file that only shows when it runs.') : [];
};

/** A program that may write, in a directory that is not the workspace. */
export const elsewhere: Rule = (command, place) => {
  const directories = [...(command.directories ?? [])];
  if (isReader(commandName(command)) || directories.length === 0) return [];
  const inside = directories.some((directory) => isWritable(directory, place));
  return inside ? [] : ask(`It runs ${shown(command.argv[0] ?? '')} outside of the workspace (${shown(directories[0] ?? '')}).`);
};

/** A key or our own state named anywhere: as a word, behind `=`, `@` or `:`. */
export const secretPaths: Rule = (command, place) => {
  const words = command.argv.slice(1).flatMap((word) => [word, ...word.split(/[=@:,]/u).slice(1)]);
  const files = words.filter((word) => !word.startsWith('-') && word !== '');
  const judges = NAMES_ONLY.test(commandName(command)) ? [reading] : [reading, readingByEnd];
  const findings = files.flatMap((word) => judges.flatMap((judge) => judge(word, command.directories, place)));
  return [...findings, ...dynamicOperands(command, place)].slice(0, 1);
};

const NAMES_ONLY = /^(?:echo|printf|test|\[|\[\[|ls|stat|touch|mkdir|basename|dirname|cd|pushd|export|read|true|false|:)$/u;
/** Programs that print, copy or pack the files that they are given. */
export const FILE_READERS =
  /^(?:cat|tac|head|tail|less|more|bat|nl|cp|mv|ln|rsync|scp|install|tar|zip|7z|7za|gzip|xz|zstd|base64|base32|xxd|od|hexdump|strings|sort|uniq|cut|paste|join|comm|diff|cmp|fold|fmt|rev|column|iconv|openssl|gpg|dd|source|\.|tee|vi|vim|nano|view|split|shuf|cksum|curl|wget|zcat|bzcat|xzcat|zless|objdump|pr|expand|unexpand|tsort|batcat|hd|sdiff|colordiff)$/u;
/** The same, behind a pattern or a program. */
export const AFTER_PROGRAM = /^(?:e?grep|fgrep|zgrep|rg|ag|ack|g?sed|[gmn]?awk|jq|yq|perl)$/u;

function dynamicOperands(command: SimpleCommand, place: ShellPlace): Finding[] {
  const name = commandName(command);
  const operands = command.argv.slice(1).filter((word) => !word.startsWith('-'));
  const files = FILE_READERS.test(name) ? operands : AFTER_PROGRAM.test(name) ? operands.slice(1) : [];
  const named = files.flatMap((word) => [word, ...word.split(/[=@]/u).slice(1)]);
  return [...named.flatMap((word) => readingByStart(word, command.directories, place)), ...namelessOperands(command)];
}

const NO_FILES = /^(?:source|\.|tee|ln)$/u;
/** Letters of options that take no file as their value. */
const VALUED: Readonly<Record<string, RegExp>> = {
  ...Object.fromEntries(['head', 'tail'].map((name) => [name, /^-[nc]$|^--(?:lines|bytes)$/u])),
  cut: /^-[dfcb]$/u,
  sort: /^-[ktS]$/u,
  paste: /^-d$/u,
  join: /^-[12ajtvo]$/u,
  column: /^-[sNtoc]$/u,
  fold: /^-w$/u,
  split: /^-[lbnCa]$/u,
  shuf: /^-[ni]$/u,
  xxd: /^-[slcg]$/u,
  od: /^-[AjNtSw]$/u,
  iconv: /^-[ft]$/u,
  base64: /^-w$/u,
};
const OF_PROGRAMS = /^-[vefFmABCgtTj]$|^--[a-z][\w-]*$/u;

function namelessOperands(command: SimpleCommand): Finding[] {
  const name = commandName(command);
  const words = command.argv.slice(1);
  const isProgram = AFTER_PROGRAM.test(name);
  if (name === 'git' && words.some((word) => /^(?:--no-index|--no-inde?|hash-object|--contents)/u.test(word)))
    return words.flatMap((word) => unnamed(word, command));
  if (/^(?:curl|wget)$/u.test(name)) {
    const sent = words.filter(
      (word, index) => /@[^@]*$/u.test(word) || /^(?:-T|--upload-file|--post-file|--body-file)$/u.test(words[index - 1] ?? ''),
    );
    return sent.map((word) => word.slice(word.lastIndexOf('@') + 1)).flatMap((word) => unnamed(word, command));
  }
  if ((!isProgram && !FILE_READERS.test(name)) || NO_FILES.test(name)) return [];
  const letters = isProgram ? OF_PROGRAMS : VALUED[name];
  // What stands before may itself be the value of an option: `shuf -o -n FILE`.
  const isOption = (index: number): boolean =>
    letters?.test(words[index] ?? '') === true && !(isProgram ? OF_PROGRAMS : /^-[A-Za-z]$|^--[a-z-]+$/u).test(words[index - 1] ?? '');
  const isValue = (index: number): boolean => isOption(index - 1) || /^--(?:raw)?(?:arg|slurp)/u.test(words[index - 2] ?? '');
  const operands = words.filter((word, index) => !word.startsWith('-') && !isValue(index));
  const hasProgram = isProgram && !words.some((word) => /^-[ef]$|^--files$/u.test(word));
  return operands.slice(hasProgram ? 1 : 0).flatMap((word) => unnamed(word, command));
}

const RECURSIVE_READERS = /^(?:[efz]?grep|diff|rg|ag|ack|zip|7z|7za|tar)$/u;

/** Searching or packing a whole home directory finds the keys in it. */
export const homeSweep: Rule = (command, place) => {
  const [program = '', ...words] = command.argv;
  if (!RECURSIVE_READERS.test(program)) return [];
  const recursive = /^(?:rg|ag|ack|7z|7za)$/u.test(program) || words.some((word) => /^-\w*[rR]|^--recursive/u.test(word));
  const operands = words.filter((word) => !word.startsWith('-'));
  const goesThrough = (word: string): boolean =>
    isVital(word, command.directories, place) || holdsSecrets(word, command.directories, place);
  return recursive && operands.slice(program === 'diff' ? 0 : 1).some(goesThrough)
    ? ask('It goes through a home or system directory with all that it holds.')
    : [];
};

/** Of a variable that names a program, or is a switch. For any other the same word is a file of that name. */
const HARMLESS_PROGRAMS = /^(?:cat|true|:|less|more|vi|vim|nano|echo)$/u;
const NAMES_PROGRAM = /(?:PAGER|EDITOR|VISUAL|BROWSER|ASKPASS)$/u;
const IS_SWITCH =
  /^(?:GIT_(?:TERMINAL_PROMPT|OPTIONAL_LOCKS|TRACE)|PYTHON(?:UNBUFFERED|DONTWRITEBYTECODE|UTF8|HASHSEED|FAULTHANDLER|ASYNCIODEBUG|TRACEMALLOC|NOUSERSITE)|(?:npm_config|NPM_CONFIG|YARN|PIP|UV)_\w+)$/u;
const HARMLESS_NAMES =
  /^(?:GIT_(?:AUTHOR|COMMITTER)_\w+|GIT_TERMINAL_PROMPT|GIT_OPTIONAL_LOCKS|GIT_CEILING_DIRECTORIES|PYTHON(?:PATH|UNBUFFERED|DONTWRITEBYTECODE|IOENCODING|UTF8|HASHSEED|WARNINGS|FAULTHANDLER|ASYNCIODEBUG|TRACEMALLOC|NOUSERSITE)|(?:npm_config|NPM_CONFIG|YARN|PIP|UV)_\w+|IFS|RUSTFLAGS|GOFLAGS|GOPROXY|CGO_CFLAGS|CARGO_HOME|GEM_HOME|MAVEN_OPTS|GRADLE_OPTS|JAVA_OPTS|NODE_PATH|LD_RUN_PATH)$/u;
/** Files that a program writes by itself. */
const WRITTEN_NAMES =
  /^(?:HISTFILE|LESSHISTFILE|SSLKEYLOGFILE|SQLITE_HISTORY|NODE_REPL_HISTORY|MYSQL_HISTFILE|PSQL_HISTORY|PYTHONPYCACHEPREFIX|PYTHONUSERBASE|CARGO_TARGET_DIR|DESTDIR|GOBIN)$/u;
/** Here, where a value is given by somebody who may also have written the file or program that it names. */
const MORE_STARTUP_NAMES = new Set(
  'FZF_DEFAULT_COMMAND FZF_DEFAULT_OPTS MANOPT TAR_OPTIONS RSYNC_RSH SHELL HOME XDG_CONFIG_HOME XDG_CONFIG_DIRS RIPGREP_CONFIG_PATH'.split(
    ' ',
  ),
);
const HARMLESS_NODE_OPTIONS =
  /^(?:--(?:max-old-space-size|max-semi-space-size|stack-trace-limit|unhandled-rejections|test-\w+|no-[a-z-]+|enable-source-maps|trace-[a-z-]+|experimental-vm-modules|experimental-strip-types|openssl-legacy-provider)(?:=[\w.-]+)?\s*)+$/u;

function isHarmlessValue(name: string, value: string): boolean {
  if (value === '') return true;
  return NAMES_PROGRAM.test(name) ? HARMLESS_PROGRAMS.test(value) : IS_SWITCH.test(name) && /^[01]$/u.test(value);
}

/** Whether a variable of this value decides which programs run, or what code runs in them. PATH always does. */
export function decidesPrograms(name: string, value: string): boolean {
  if (name === 'PATH') return true;
  if (!(isStartupVariable(name) || MORE_STARTUP_NAMES.has(name) || /_(?:PAGER|EDITOR)$/u.test(name)) || isHarmlessValue(name, value))
    return false;
  if (name === 'MAKEFLAGS' && /^[\s\w-]*$/u.test(value) && !value.includes('--eval')) return false;
  return !(name === 'NODE_OPTIONS' && HARMLESS_NODE_OPTIONS.test(value));
}

export function assignmentFindings(assignments: Reading['assignments'], place: ShellPlace): Finding[] {
  return assignments.flatMap((assignment) => {
    const { name, value, directories } = assignment;
    const named = value === '' || directories === undefined ? [] : reading(value, directories, place);
    if (named.length > 0) return named;
    const written = WRITTEN_NAMES.test(name) ? streaming(value, directories, place) : [];
    if (written.length > 0) return written;
    return powerFindings(assignment, place.variables !== undefined && assignment.passing !== true);
  });
}

/** `lasts`: the commands after this text have it, too, whoever writes them. */
function powerFindings({ name, value, appends }: Assignment, lasts: boolean): Finding[] {
  const isHarmless = name === 'PATH' ? appends === true : HARMLESS_NAMES.test(name);
  if (!decidesPrograms(name, value) || (isHarmless && !lasts)) return [];
  const about = [`${name}=${shown(value)}`];
  const later = lasts ? ', also for the commands after this one' : '';
  if (name === 'PATH') return ask(`It changes where programs are looked for (PATH)${later}: other ones may run than it names.`, about);
  return ask(`It sets ${name}${later}, through which other programs run code.`, about);
}

export function redirectFindings(reading_: Reading, place: ShellPlace): Finding[] {
  return reading_.redirects.flatMap(({ target, writes, directories }) => {
    if (/^\/dev\/(?:tcp|udp)\//u.test(target)) return ask('It opens a connection to another machine.', [shown(target)]);
    if (writes) return streaming(target, directories, place);
    if (isRawDisk(target)) return ask('It reads a disk as a whole.', [shown(target)]);
    return [...[reading, readingByEnd, readingByStart].flatMap((judge) => judge(target, directories, place)), ...unnamed(target, {})].slice(
      0,
      1,
    );
  });
}
