import { isStartupVariable } from '../../environment.ts';
import { commandName, type Finding, type Reading, type SimpleCommand } from '../command.ts';
import { ANY, isStatic, shown } from '../pattern.ts';
import { isReader } from './known.ts';
import { ask, isVital, isWritable, type Rule, reading, type ShellPlace, writing } from './rule.ts';

/** What holds for every command, whatever its name. */

export const programName: Rule = (command) => {
  const [program = ''] = command.argv;
  if (!isStatic(program)) return ask(`Which program it runs only shows when it runs (${shown(program)}).`);
  return /[^\u0021-\u007e]/u.test(program) ? ask('The name of a program in it has unusual characters, which may look like others.') : [];
};

/** `source` runs a file in this very shell. */
export const sourced: Rule = (command) => {
  const [program = '', file = ''] = command.argv;
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
  return words.flatMap((word) => (word.startsWith('-') || word === '' ? [] : reading(word, command.directories, place))).slice(0, 1);
};

const RECURSIVE_READERS = /^(?:grep|egrep|rg|ag|ack|zip|7z|7za|tar)$/u;

/** Searching or packing a whole home directory finds the keys in it. */
export const homeSweep: Rule = (command, place) => {
  const [program = '', ...words] = command.argv;
  if (!RECURSIVE_READERS.test(program)) return [];
  const recursive = /^(?:rg|ag|ack|7z|7za)$/u.test(program) || words.some((word) => /^-\w*[rR]|^--recursive/u.test(word));
  const operands = words.filter((word) => !word.startsWith('-'));
  return recursive && operands.slice(1).some((word) => isVital(word, command.directories, place))
    ? ask('It goes through a home or system directory with all that it holds.')
    : [];
};

const HARMLESS_VALUES = /^(?:cat|true|:|less|more|vi|vim|nano|echo|0|1|)$/u;
const HARMLESS_NAMES =
  /^(?:GIT_(?:AUTHOR|COMMITTER)_\w+|GIT_TERMINAL_PROMPT|GIT_OPTIONAL_LOCKS|GIT_CEILING_DIRECTORIES|PYTHON(?:PATH|UNBUFFERED|DONTWRITEBYTECODE|IOENCODING|UTF8|HASHSEED|WARNINGS|FAULTHANDLER|ASYNCIODEBUG|TRACEMALLOC|NOUSERSITE)|(?:npm_config|NPM_CONFIG|YARN|PIP|UV)_\w+|CDPATH|IFS|RUSTFLAGS|GOFLAGS|GOPROXY|CGO_CFLAGS|CARGO_HOME|GEM_HOME|MAKEFLAGS|MAVEN_OPTS|GRADLE_OPTS|JAVA_OPTS|NODE_PATH|LD_RUN_PATH)$/u;
const HARMLESS_NODE_OPTIONS =
  /^(?:--(?:max-old-space-size|max-semi-space-size|stack-trace-limit|unhandled-rejections|test-\w+|no-[a-z-]+|enable-source-maps|trace-[a-z-]+|experimental-vm-modules|experimental-strip-types|openssl-legacy-provider)(?:=[\w.-]+)?\s*)+$/u;

export function assignmentFindings(assignments: Reading['assignments']): Finding[] {
  return assignments.flatMap(({ name, value }) => {
    if (!isStartupVariable(name) || HARMLESS_NAMES.test(name) || HARMLESS_VALUES.test(value)) return [];
    if (name === 'NODE_OPTIONS' && HARMLESS_NODE_OPTIONS.test(value)) return [];
    return ask(`It sets ${name}, through which other programs run code.`);
  });
}

export function redirectFindings(reading_: Reading, place: ShellPlace): Finding[] {
  return reading_.redirects.flatMap(({ target, writes, directories }) => {
    if (/^\/dev\/(?:tcp|udp)\//u.test(target)) return ask('It opens a connection to another machine.');
    return writes ? writing(target, directories, place) : reading(target, directories, place);
  });
}

/** Fetched, made executable or unpacked, and run in the same breath. */
export function combinationFindings(commands: readonly SimpleCommand[]): Finding[] {
  const madeExecutable = new Set(
    commands.flatMap((command) =>
      command.argv[0] === 'chmod' && /x|7|5/u.test(command.argv[1] ?? '') ? command.argv.slice(2).map(plain) : [],
    ),
  );
  const fetched = new Set(commands.flatMap((command) => fetchedFiles(command)));
  for (const command of commands) {
    const words = command.argv.slice(0, 3).map(plain);
    if (words.slice(0, 1).some((word) => madeExecutable.has(word))) return ask('It makes a file executable and runs it at once.');
    if (
      !/^(?:curl|wget|chmod|cat|head|less|tar|unzip|ls|rm|mv|cp|file|wc|grep|jq|sha256sum|md5sum)$/u.test(words[0] ?? '') &&
      words.some((word) => fetched.has(word))
    ) {
      return ask('It fetches a file and runs it at once.');
    }
  }
  return [];
}

function plain(word: string): string {
  return word.replace(/^\.\//u, '');
}

function fetchedFiles(command: SimpleCommand): string[] {
  const [program = '', ...words] = command.argv;
  if (program !== 'curl' && program !== 'wget') return [];
  return words.flatMap((word, index) => {
    if (/^-\w*[oO]$|^--output(?:-document)?$/u.test(words[index - 1] ?? ''))
      return [plain(word), plain(word.slice(word.lastIndexOf('/') + 1))];
    return /^https?:/u.test(word) ? [word.slice(word.lastIndexOf('/') + 1)] : [];
  });
}
