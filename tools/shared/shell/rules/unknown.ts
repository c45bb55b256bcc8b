import path from 'node:path';
import { isStartupPlace } from '../../sensitive-paths.ts';
import { commandName, type Finding, type SimpleCommand } from '../command.ts';
import { ANY, shown } from '../pattern.ts';
import { isShell } from '../shells.ts';
import { isReader } from './known.ts';
import { followed, meant, type ShellPlace } from './links.ts';
import { ask, type Rule } from './rule.ts';

/** Programs that we do not know may write into whatever they are given: `convert a ~/.bashrc`. Of most files nobody can say; of these it matters. */

const ONLY_READ =
  /^(?:shellcheck|yamllint|jsonlint|hadolint|cloc|tokei|scc|view|batcat|hexyl|xxhsum|xxh\d+sum|b3sum|identify|mediainfo|exa|eza|lsd|nm|size|gdb|bash|zsh|sh|sshd|named-checkconf)$/u;
/** What many programs are given to read. */
const SHARED = [
  '/usr/share',
  '/usr/include',
  '/usr/lib',
  '/usr/lib64',
  '/usr/local/lib',
  '/usr/local/share',
  '/usr/local/include',
  '/usr/src',
  '/proc',
  '/sys',
  '/dev',
];

export function judgeUnknown(isKnown: (name: string) => boolean): Rule {
  return (command, place) => {
    const name = commandName(command);
    if (isKnown(name) || isReader(name) || isShell(name) || ONLY_READ.test(name)) return [];
    const words = command.argv.slice(1);
    return words.flatMap((word, index) => given(word, words[index - 1] ?? '', { command, place })).slice(0, 1);
  };
}

/** Behind an option stands what is read more often than what is written, but for the files that a shell runs when it starts. */
function given(word: string, before: string, at: { command: SimpleCommand; place: ShellPlace }): Finding[] {
  const value = word.startsWith('-') || /^[\w.-]+=/u.test(word) ? word.slice(word.indexOf('=') + 1) : word;
  if (value === '' || value.includes(ANY) || (word.startsWith('-') && !word.includes('='))) return [];
  const isOperand = value === word && !before.startsWith('-');
  const { directories } = at.command;
  const files = (meant(value, directories, at.place) ?? []).flatMap((file) => [file, ...followed(file, at.place, false)]);
  const found = files.find((file) => startsBySelf(file, at.place, isOperand));
  return found === undefined
    ? []
    : ask(`It may write to ${shown(found)}, which is a start-up file or belongs to the system.`, [shown(found)]);
}

function startsBySelf(file: string, place: ShellPlace, isOperand: boolean): boolean {
  if (!isStartupPlace(file, place)) return false;
  if (path.dirname(file) === place.home) return true;
  return isOperand && !SHARED.some((directory) => file === directory || file.startsWith(`${directory}/`));
}
