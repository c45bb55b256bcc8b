import path from 'node:path';
import { commandName, type Finding, type Reading, type SimpleCommand } from '../command.ts';
import { ANY, couldBe, type Directories, mayClimb, shown } from '../pattern.ts';
import { AFTER_PROGRAM } from './generic.ts';
import { ask } from './rule.ts';

/** Ways up that no look at the disk shows: through links that the text itself makes, and through those that differ for each process. */
export function hiddenClimbs(reading: Reading): Finding[] {
  const words = namedPlaces(reading);
  return [...throughProcesses(words), ...throughMadeLinks(reading, words)].slice(0, 1);
}

interface NamedPlace {
  readonly word: string;
  readonly directories: Directories;
  readonly about: SimpleCommand | string;
  /** The program that is given the word; empty for a redirection. */
  readonly program: string;
}

function namedPlaces({ commands, redirects, assignments }: Reading): NamedPlace[] {
  return [
    ...commands.flatMap((command) =>
      command.argv
        .flatMap(pieces)
        .map((word) => ({ word, directories: command.directories, about: command, program: commandName(command) })),
    ),
    ...redirects.map(({ target, directories }) => ({ word: target, directories, about: shown(target), program: '' })),
    ...assignments.flatMap(({ name, value, directories }) =>
      pieces(value).map((word) => ({ word, directories, about: `${name}=${shown(value)}`, program: '' })),
    ),
  ];
}

/** A place may stand behind `=`, `@`, `:` or glued to an option of one letter. */
function pieces(word: string): string[] {
  const glued = /^-[A-Za-z](?=[./])/u.test(word) ? [word.slice(2)] : [];
  return [word, ...glued, ...word.split(/[=@:,]/u).slice(1)];
}

const PROCESS_LINKS = ['/proc/*/cwd', '/proc/*/root', '/proc/*/task/*/cwd', '/proc/*/task/*/root'];
const DESCRIPTORS = ['/proc/*/fd/*', '/proc/*/task/*/fd/*', '/dev/fd/*', '/dev/stdin', '/dev/stdout', '/dev/stderr'];
const ONLY_SHOWS_LINKS = /^(?:ls|readlink|stat|lstat|file|echo|printf|test|\[|\[\[)$/u;

/** To whoever judges these links lead elsewhere than to the command. */
function throughProcesses(words: readonly NamedPlace[]): Finding[] {
  const found = words.find(
    (named) => bases(named).some((file) => leadsThroughProcess(file, named.program)) || (named.program === 'ln' && linksToProcess(named)),
  );
  return found === undefined ? [] : ask(`It uses a place that differs for each process (${shown(found.word)}).`, [found.about]);
}

/** Not normalized: `x/..` is only `.` where x is no link. */
function bases({ word, directories }: NamedPlace): string[] {
  return path.isAbsolute(word) ? [word] : [...(directories ?? [])].map((directory) => `${directory}/${word}`);
}

function linksToProcess(named: NamedPlace): boolean {
  return path.isAbsolute(named.word) && couldBe(path.normalize(named.word).replace(/\/$/u, ''), '/proc/**');
}

function leadsThroughProcess(file: string, program: string): boolean {
  const parts = file.split('/').filter((part) => part !== '' && part !== '.');
  let known: string[] = [];
  for (const [index, part] of parts.entries()) {
    known = part === '..' ? known.slice(0, -1) : [...known, part];
    const here = `/${known.join('/')}`;
    if (known[0]?.startsWith(ANY) === true && AFTER_PROGRAM.test(program)) return false; // a pattern between slashes, no path
    const isLast = index === parts.length - 1 && !file.endsWith('/');
    if (!(isLast && ONLY_SHOWS_LINKS.test(program)) && PROCESS_LINKS.some((link) => couldBe(here, link))) return true;
    if (!isLast && DESCRIPTORS.some((link) => couldBe(here, link))) return true;
  }
  return false;
}

const LINK_MAKERS = /^(?:g?ln|g?mv|rename|rsync|bsdtar|g?tar|unzip|7za?|7zz|unrar|cpio|pax|patch|stow|lndir)$/u;
const GIT_WRITES =
  /^(?:clone|checkout|switch|restore|reset|apply|am|pull|merge|rebase|cherry-pick|revert|stash|worktree|submodule|mv|read-tree)$/u;

/** `ln -s "$PWD/t" a/b/l && cat a/b/l/../../x`: as long as the link is not there, nobody sees where that leads. */
function throughMadeLinks(reading: Reading, words: readonly NamedPlace[]): Finding[] {
  const makers = reading.commands.filter(makesLinks);
  if (makers.length === 0) return [];
  const entered = reading.commands.filter(({ argv }) => /^(?:cd|pushd)$/u.test(argv[0] ?? '') && argv.slice(1).some(isEntering));
  const climbs = (word: string): boolean => climbsOut(word) || (entered.length > 0 && climbsTwice(word));
  const found = words.find(({ word, program }) => climbs(word) || (/^(?:cd|pushd)$/u.test(program) && /^-\w*P/u.test(word)));
  return found === undefined
    ? []
    : ask(`It climbs out of what may be a link that it makes itself (${shown(found.word)}).`, [...makers, found.about]);
}

function makesLinks(command: SimpleCommand): boolean {
  const name = commandName(command);
  const words = command.argv.slice(1);
  if (/^g?cp$/u.test(name)) return words.some((word) => /^-[A-Za-z]*[aPdrRls]|^--(?:ar|r|no-d|pres|li|sy)/u.test(word));
  if (name === 'git') return words.some((word) => GIT_WRITES.test(word));
  return LINK_MAKERS.test(name);
}

function isEntering(word: string): boolean {
  return !/^[-+]/u.test(word) && word.split('/').some((part) => part !== '' && part !== '.' && part !== '..');
}

function isClimb(part: string): boolean {
  return part === '..' || mayClimb(part);
}

/** Up from something that has a name; what begins with `..` only goes up from where the command runs. */
function climbsOut(word: string): boolean {
  const parts = word.split('/').filter((part) => part !== '' && part !== '.');
  return parts.some((part, index) => index > 0 && isClimb(part) && parts[index - 1] !== '..');
}

/** From within a link to the workspace itself one step leads beside it, two to what lies above. */
function climbsTwice(word: string): boolean {
  const parts = word.split('/').filter((part) => part !== '' && part !== '.');
  return parts.length > 1 && parts.slice(0, 2).every(isClimb);
}
