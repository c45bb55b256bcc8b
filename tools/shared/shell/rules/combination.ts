import { commandName, type Finding, type Reading, type SimpleCommand } from '../command.ts';
import { ANY, couldBe, type Directories, resolveWord } from '../pattern.ts';
import { isShell } from '../shells.ts';
import { isInterpreter } from './code.ts';
import { AFTER_PROGRAM, FILE_READERS } from './generic.ts';
import type { ShellPlace } from './links.ts';
import { ask, holdsSecrets } from './rule.ts';

/** What several commands of one text do together. */

/** Fetched, made executable or unpacked, and run in the same breath. */
export function combinationFindings(reading: Reading, place: ShellPlace): Finding[] {
  const { commands } = reading;
  return [...obtainedAndRun(commands), ...writtenAndRun(reading), ...listedAndRead(reading, place)].slice(0, 1);
}

function obtainedAndRun(commands: readonly SimpleCommand[]): Finding[] {
  const madeExecutable = new Set(
    commands.flatMap((command) =>
      command.argv[0] === 'chmod' && /x|7|5/u.test(command.argv[1] ?? '') ? command.argv.slice(2).map(plain) : [],
    ),
  );
  const fetched = new Set(commands.flatMap((command) => fetchedFiles(command)));
  for (const command of commands) {
    const words = command.argv.slice(0, 3).map(plain);
    if (words.slice(0, 1).some((word) => madeExecutable.has(word)))
      return ask('It makes a file executable and runs it at once.', [command]);
    if (
      !/^(?:curl|wget|chmod|cat|head|less|tar|unzip|ls|rm|mv|cp|file|wc|grep|jq|sha256sum|md5sum)$/u.test(words[0] ?? '') &&
      words.some((word) => fetched.has(word))
    ) {
      return ask('It fetches a file and runs it at once.', [...commands.filter((other) => fetchedFiles(other).length > 0), command]);
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

/** Nobody has judged a script that the text itself writes. */
function writtenAndRun(reading: Reading): Finding[] {
  const redirected = reading.redirects.flatMap(({ target, writes, directories }) => (writes ? placesOf(target, directories) : []));
  const written = [...redirected, ...reading.commands.flatMap(writtenFiles)].filter((file) => !file.startsWith('/dev/'));
  if (written.length === 0) return [];
  const runs = reading.commands.filter((command) =>
    scriptWords(command).some(
      (word) =>
        word.includes(ANY) ||
        placesOf(word, command.directories).some((file) => written.some((other) => couldBe(file, other) || couldBe(other, file))),
    ),
  );
  return runs.length > 0 ? ask('It writes a file and runs it at once.', runs) : [];
}

function placesOf(word: string, directories: Directories): string[] {
  return resolveWord(word, directories) ?? [];
}

const WRITERS = /^(?:tee|cp|mv|ln|install|g?sed|dd)$/u;

function writtenFiles(command: SimpleCommand): string[] {
  const name = commandName(command);
  const operands = command.argv.slice(1).filter((word) => !word.startsWith('-'));
  if (!WRITERS.test(name)) return [];
  if (name === 'dd') return operands.flatMap((word) => (word.startsWith('of=') ? placesOf(word.slice(3), command.directories) : []));
  if (name.endsWith('sed') && !command.argv.some((word) => /^-\w*i|^--in-place/u.test(word))) return [];
  const [target = '', ...sources] = operands.toReversed();
  const inside = sources.map((source) => `${target}/${source.slice(source.lastIndexOf('/') + 1)}`);
  const words = name === 'tee' || name.endsWith('sed') ? operands : [target, ...inside];
  return words.flatMap((word) => placesOf(word, command.directories));
}

const RUNS_A_FILE = /^(?:g?make|g?sed|[gmn]?awk)$/u;
const DEFAULT_SCRIPTS = ['Makefile', 'makefile', 'GNUmakefile'];

/** The file that the command runs; behind an option it may be the second word that is none: the first is the option's value then. */
function scriptWords(command: SimpleCommand): string[] {
  const [program = '', ...words] = command.argv;
  const name = commandName(command);
  if (RUNS_A_FILE.test(name))
    return [
      ...(name.endsWith('make') ? DEFAULT_SCRIPTS : []),
      ...words.filter((_, index) => /^-f$|^--file$/u.test(words[index - 1] ?? '')),
    ];
  if (!isShell(name) && !isInterpreter(name) && name !== 'source' && name !== '.') return program.includes('/') ? [program] : [];
  const isOption = (word: string | undefined): boolean => /^[-+]/u.test(word ?? '');
  const end = words.findIndex((word, index) => !isOption(word) && !isOption(words[index - 1]));
  return words.slice(0, end < 0 ? words.length : end + 1).filter((word) => !isOption(word));
}

const LISTERS = /^(?:ls|dir|find|fd|fdfind|locate|tree|e?grep|rg|ag|ack)$/u;

/** `find ../.. | xargs cat`: what is listed outside of the workspace is read. */
function listedAndRead({ commands, redirects }: Reading, place: ShellPlace): Finding[] {
  const listers = commands.filter((command) => LISTERS.test(commandName(command)) && listsSecrets(command, place));
  if (listers.length === 0) return [];
  const readsList = commands.filter((command) => command.feed.from !== 'nothing' && takesNamesFromInput(command));
  // `ls` prints bare names, which lead nowhere without the directory in front of them.
  const printsPaths = listers.some((command) => !/^(?:ls|dir)$/u.test(commandName(command)));
  const unknownInput = redirects.some(({ target, writes }) => !writes && target.startsWith(ANY));
  const readsUnknown = commands.filter(readsUnknownFiles);
  return readsList.length > 0 || (printsPaths && (unknownInput || readsUnknown.length > 0))
    ? ask('It reads files that it finds where secrets or the state of this gateway are.', [...listers, ...readsList, ...readsUnknown])
    : [];
}

function takesNamesFromInput(command: SimpleCommand): boolean {
  const name = commandName(command);
  const fromList = command.argv.some((word) => /^-\w*T|^--files-from/u.test(word));
  return (name === 'xargs' && readsFiles(command)) || (fromList && /^(?:tar|bsdtar|rsync)$/u.test(name));
}

function readsUnknownFiles(command: SimpleCommand): boolean {
  return readsFiles({ argv: ['', command.argv[0] ?? ''] }) && command.argv.slice(1).some((word) => word.includes(ANY));
}

function readsFiles(command: { readonly argv: readonly string[] }): boolean {
  return command.argv.slice(1).some((word) => {
    const name = commandName({ argv: [word] });
    return FILE_READERS.test(name) || AFTER_PROGRAM.test(name);
  });
}

/** Without an operand the directory itself is listed. Patterns among the operands name no place that holds anything. */
function listsSecrets(command: SimpleCommand, place: ShellPlace): boolean {
  if (commandName(command) === 'locate') return true;
  const operands = command.argv.slice(1).filter((word) => !word.startsWith('-'));
  return ['.', ...operands].some((word) => holdsSecrets(word, command.directories, place));
}
