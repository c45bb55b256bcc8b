import { type Touch, UNKNOWN } from '../../../agent/risk.ts';
import { isWithin } from '../home-paths.ts';
import { type Assignment, commandName, type Finding, type Reading, type Redirect, type SimpleCommand } from './command.ts';
import { isStatic, PLACEHOLDERS, resolveWord, shown } from './pattern.ts';
import { removedPlaces } from './rules/delete.ts';
import { followed, type ShellPlace } from './rules/links.ts';
import { isShell, shellsWork } from './shells.ts';

/** A redirection alone is one of the command that does nothing: a call of the shell has commands. */
const noCommand: Touch = { kind: 'command', name: ':' };

/** Nothing is read or written there. */
const NOWHERE = new Set(['/dev/null', '/dev/stdin', '/dev/stdout', '/dev/stderr']);

/**
 * Everything in it that a permission rule must allow: each simple command, each assignment (it may change what a command does), each place that a
 * redirection opens, and one that no rule can name where it was not understood as a whole.
 */
export function touchesOf(reading: Reading, findings: readonly Finding[], place: ShellPlace): Touch[] {
  const touches = [
    ...directoryTouch(place),
    ...reading.commands.map(commandTouch),
    ...(reading.commands.length === 0 && reading.redirects.length > 0 ? [noCommand] : []),
    ...reading.assignments.flatMap(assignmentTouch),
    ...reading.redirects.flatMap((redirect) => redirectTouches(redirect, place)),
    ...reading.commands.flatMap(removedTouches),
    ...reading.commands.flatMap(hiddenTouches),
  ];
  const names = new Set(touches.flatMap(({ name, also = [] }) => [name, ...also].map(shown)));
  return distinct([...touches, ...findings.flatMap((finding) => doubt(finding, names))]);
}

/** A command in its words, quoted so that it cannot be taken for another one. */
export function inWords(command: SimpleCommand): string {
  return shown(words(command.argv));
}

function words(argv: readonly string[]): string {
  return argv.map(quoted).join(' ');
}

function quoted(word: string): string {
  return /^[\w@%+=:,./\ue000-\uf8ff-]+$/u.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** To begin elsewhere is to go there first. Within the workspace is no elsewhere. */
function directoryTouch({ directory, workspace, realPath }: ShellPlace): Touch[] {
  const isInside = isWithin(realPath(directory), realPath(workspace));
  return isInside ? [] : [{ kind: 'command', name: words(['cd', directory]) }];
}

/** `/bin/rm` is an `rm` that may be forbidden, and `./git` is none that may be allowed. */
function commandTouch(command: SimpleCommand): Touch {
  const name = masked(words(command.argv));
  const plain = masked(words([commandName(command), ...command.argv.slice(1)]));
  return plain === name ? { kind: 'command', name } : { kind: 'command', name, also: [plain] };
}

function assignmentTouch({ name, value }: Assignment): Touch[] {
  return name === '' ? [] : [{ kind: 'command', name: masked(`${name}=${value === '' ? '' : quoted(value)}`) }];
}

function redirectTouches({ target, writes, directories }: Redirect, place: ShellPlace): Touch[] {
  const kind = writes ? 'write' : 'read';
  const named = resolveWord(target, directories);
  if (named === undefined) return [{ kind, name: UNKNOWN }];
  return named
    .filter((file) => !NOWHERE.has(file))
    .flatMap((file) => followed(file, place, false).map((real): Touch => ({ kind, name: masked(real), also: [masked(file)] })));
}

function removedTouches(command: SimpleCommand): Touch[] {
  return removedPlaces(command).map((name) => ({ kind: 'write', name, implied: true }));
}

const ITS_INPUT = /^\/dev\/(?:fd|stdin)|^\/proc\/.*\/fd/u;

/** These take a word of theirs for the text of a command. */
const RUN_TEXT = new Set(
  'eval trap alias complete compgen bind fc script su runuser flock sg ssh watch parallel tmux screen hyperfine concurrently entr nodemon watchexec onchange'.split(
    ' ',
  ),
);

/** What a shell runs that only shows when it runs may be anything that a rule forbids. To be allowed, the shell itself is enough. */
function hiddenTouches(command: SimpleCommand): Touch[] {
  return isHidden(commandName(command), command) ? [{ kind: 'command', name: UNKNOWN, implied: true }] : [];
}

function isHidden(name: string, { argv: [, ...words], feed }: SimpleCommand): boolean {
  const isUnknown = feed.from !== 'nothing' && feed.from !== 'text';
  if (RUN_TEXT.has(name)) return !words.every(isStatic);
  if (name === 'env') return words.some((word) => /^-[iv0]*S|^--split-string/u.test(word)) && !words.every(isStatic);
  if (name === 'at' || name === 'batch') return isUnknown;
  if (name === 'source' || name === '.') return words.some((word) => !isStatic(word) || ITS_INPUT.test(word));
  if (!isShell(name)) return false;
  const { script = '', file = '', readsInput } = shellsWork(words);
  if (!isStatic(script) || !isStatic(file) || ITS_INPUT.test(file)) return true;
  return readsInput && isUnknown;
}

function doubt({ about }: Finding, known: ReadonlySet<string>): Touch[] {
  if (about === undefined) return [{ kind: 'command', name: UNKNOWN }];
  if (about.some((subject) => typeof subject !== 'string')) return [];
  return about.flatMap((subject) =>
    typeof subject !== 'string' || known.has(subject) ? [] : [{ kind: 'command' as const, name: subject }],
  );
}

function masked(word: string): string {
  return word.replaceAll(new RegExp(`(?:${PLACEHOLDERS.source})+`, 'gu'), UNKNOWN);
}

function distinct(touches: readonly Touch[]): Touch[] {
  return [...new Map(touches.map((touch) => [JSON.stringify(touch), touch])).values()];
}
