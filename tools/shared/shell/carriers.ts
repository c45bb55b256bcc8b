import type { Following, Special } from './following.ts';
import { ANY, DEEP, isStatic, SEVERAL, shown, VOUCHED } from './pattern.ts';
import { runner } from './runners.ts';
import { changeDirectory, copyScope } from './scope.ts';
import { skipOwnWords, type Unwrapped } from './wrappers.ts';

/** Programs that run other commands in their own peculiar ways. */

export function follow(unwrapped: Unwrapped, following: Following): void {
  if (unwrapped.kind === 'unknown-option')
    following.walk.doubt(`It gives ${following.name} the option ${shown(unwrapped.option)}, which is not known here.`);
  if (unwrapped.kind === 'command') following.inner(unwrapped.argv);
}

/** `sudo A=b command` */
export function skipAssignments(unwrapped: Unwrapped): Unwrapped {
  if (unwrapped.kind !== 'command') return unwrapped;
  const start = unwrapped.argv.findIndex((word) => !/^[A-Za-z_]\w*=/u.test(word));
  return start < 0 ? { kind: 'none' } : { kind: 'command', argv: unwrapped.argv.slice(start) };
}

export function runCarrier(words: readonly string[], all: Special): void {
  switch (all.name) {
    case 'env':
      environment(words, all);
      return;
    case 'xargs':
      xargs(words, all);
      return;
    case 'parallel':
      parallel(words, all);
      return;
    case 'watch':
      watch(words, all);
      return;
    case 'find':
    case 'fd':
    case 'fdfind':
      find(words, all);
      return;
    case 'script':
    case 'su':
    case 'runuser':
    case 'flock':
      textOption(words, all);
      return;
    case 'npx':
    case 'npm':
      textOption(words, all);
      runner(words, all);
      return;
    case 'sg':
      textOption(words, all);
      return;
    case 'at':
    case 'batch':
      if (all.command.feed.from === 'text') all.walk.script(all.command.feed.text, copyScope(all.scope));
      return;
    case 'ssh':
      remote(words, all);
      return;
    default:
      runner(words, all);
  }
}

const ENV = { values: 'uC', flags: 'i0v', longValues: ['unset', 'chdir'], longFlags: ['ignore-environment', 'null', 'debug'], operands: 0 };

/** `env -S "rm -rf x"`: the string is cut into words by env itself. */
function environment(words: readonly string[], at: Special): void {
  const split = words.findIndex((word) => /^-[iv0]*S|^--split-string/u.test(word));
  if (split >= 0) {
    at.walk.doubt('It hides a command in an option of env.');
    const joined = (words[split] ?? '').replace(/^-[iv0]*S=?|^--split-string=?/u, '');
    at.walk.script([joined, ...words.slice(split + 1)].join(' '), copyScope(at.scope));
    return;
  }
  const directory = words.findIndex((word) => /^-C|^--chdir/u.test(word));
  if (directory >= 0) {
    const target = (words[directory] ?? '').replace(/^-C|^--chdir=?/u, '') || words[directory + 1];
    changeDirectory(at.scope, target?.includes('..') ? undefined : target); // what lies above a link is not what stands before it
  }
  for (const word of words) {
    const assignment = /^([A-Za-z_]\w*)=([\s\S]*)$/u.exec(word);
    if (assignment !== null) at.walk.assignments.push({ name: assignment[1] ?? '', value: assignment[2] ?? '', passing: true });
  }
  const own = words[0] === '-' ? words.slice(1) : words;
  const unwrapped = skipAssignments(skipOwnWords(own, ENV));
  if (directory < 0) {
    follow(unwrapped, at);
    return;
  }
  follow(unwrapped, {
    ...at,
    inner: (argv) => at.inner(argv, { directories: at.scope.directories }),
  });
}

const XARGS = {
  values: 'IELnPsda',
  flags: 'prt0xo',
  joined: 'iel',
  longValues: ['max-args', 'max-procs', 'delimiter', 'arg-file', 'max-chars', 'process-slot-var'],
  longFlags: ['null', 'no-run-if-empty', 'verbose', 'interactive', 'exit', 'open-tty', 'replace', 'max-lines', 'eof', 'show-limits'],
  operands: 0,
};

function xargs(words: readonly string[], at: Special): void {
  const unwrapped = skipOwnWords(words, XARGS);
  if (unwrapped.kind !== 'command') {
    follow(unwrapped, at);
    return;
  }
  const replaced = /^(?:-[Ii]|--replace=?)(.*)$/u.exec(words.find((word) => /^-[Ii]|^--replace/u.test(word)) ?? '');
  const mark = replaced === null ? undefined : replaced[1] || (replaced[0] === '-I' ? words[words.indexOf('-I') + 1] : '{}');
  const { feed } = at.command;
  // It takes quotes and backslashes in its input away, and cuts elsewhere or reads something else by some options.
  const isPlain = feed.from === 'text' && !/['"\\]/u.test(feed.text) && !words.some((word) => /^-\w*[0da]|^--(?:null|del|arg)/u.test(word));
  const lists = feed.from === 'pipe' && feed.lists === true && !words.some((word) => /^-\w*a|^--arg/u.test(word));
  const given = isPlain
    ? feed.text.split(/\s+/u).filter((word) => word !== '')
    : [(mark === undefined ? SEVERAL : ANY) + (lists ? VOUCHED : '')];
  if (mark === undefined) {
    at.inner([...unwrapped.argv, ...given]);
    return;
  }
  for (const value of given) at.inner(unwrapped.argv.map((word) => word.replaceAll(mark, value)));
}

/** Its words are one text for a shell, whatever stands behind `:::` is put into it. */
function parallel(words: readonly string[], at: Special): void {
  at.walk.doubt('It runs many commands that are put together as text.');
  const end = words.findIndex((word) => word.startsWith(':::'));
  const own = words.slice(0, end < 0 ? words.length : end);
  const start = own.findIndex((word, index) => !word.startsWith('-') && !/^-[jPnN]$|^--jobs$/u.test(own[index - 1] ?? ''));
  const values = end < 0 ? [] : words.slice(end + 1);
  if (start < 0) return;
  const text = own.slice(start).join(' ');
  for (const value of values.length > 0 && values.length < 9 ? values : ['']) {
    const full = text.includes('{}') ? text.replaceAll('{}', value) : `${text} ${value}`;
    if (isStatic(full)) at.walk.script(full, copyScope(at.scope));
  }
}

const WATCH = {
  values: 'nq',
  flags: 'bcdegtprwxC',
  longValues: ['interval'],
  longFlags: ['beep', 'color', 'differences', 'errexit', 'chgexit', 'no-title', 'exec', 'precise'],
  operands: 0,
};

function watch(words: readonly string[], at: Special): void {
  const unwrapped = skipOwnWords(words, WATCH);
  if (unwrapped.kind !== 'command') {
    follow(unwrapped, at);
    return;
  }
  const text = unwrapped.argv.join(' ');
  if (isStatic(text)) at.walk.script(text, copyScope(at.scope));
  else at.inner(unwrapped.argv);
}

/** Of fd, whose letters may stand together. */
const FD_RUNS = /^-[A-Za-z]*[xX]$|^--exec(?:-batch)?$/u;

/** The files that it finds lie below its starting points. */
function find(words: readonly string[], at: Special): void {
  const starts = at.name === 'find' ? findStarts(at.name, words) : fdStarts(words);
  for (const [index, word] of words.entries()) {
    const joined = at.name === 'find' ? undefined : /^--exec(?:-batch)?=(.*)$/u.exec(word)?.[1];
    if (joined === undefined && !(at.name === 'find' ? /^-(?:exec|ok)(?:dir)?$/u : FD_RUNS).test(word)) continue;
    const end = words.findIndex(
      (later, position) => position > index && (later === ';' || (later === '+' && words[position - 1] === '{}')),
    );
    const given = [...(joined === undefined ? [] : [joined]), ...words.slice(index + 1, end < 0 ? words.length : end)];
    const argv = at.name === 'find' || given.some((part) => part.includes('{')) ? given : [...given, '{}'];
    for (const start of starts) at.inner(argv.map((part) => part.replaceAll('{}', `${start}/${DEEP}`)));
  }
}

/** `fd PATTERN [DIRECTORY...]`: the file is put behind a command that does not say where it belongs. */
function fdStarts(words: readonly string[]): string[] {
  const end = words.findIndex((word) => FD_RUNS.test(word) || word.startsWith('--exec'));
  const operands = words
    .slice(0, end < 0 ? words.length : end)
    .filter((word, index, all) => !word.startsWith('-') && !/^-[tedEScj]$/u.test(all[index - 1] ?? ''));
  return operands.length > 1 ? operands.slice(1).map((start) => start.replace(/\/+$/u, '')) : ['.'];
}

export function findStarts(name: string, words: readonly string[]): string[] {
  const end = words.findIndex((word) => /^-.|^[(!]$/u.test(word) && !/^-[HLP]$|^-O\d|^-D/u.test(word));
  const starts = name === 'find' ? words.slice(0, end < 0 ? words.length : end).filter((word) => !/^-[HLP]$|^-O\d|^-D/u.test(word)) : [];
  return starts.length > 0 ? starts.map((start) => (start === '/' ? '' : start.replace(/\/+$/u, ''))) : ['.'];
}

/** `su -c text`, `script -c text`, `flock FILE -c text` or `flock FILE command`. */
function textOption(words: readonly string[], at: Special): void {
  if (at.name === 'su' || at.name === 'runuser') at.walk.doubt('It runs with the rights of another user.');
  const index = words.findIndex((word) => /^-[a-zA-Z]*c$|^--(?:command|call)$/u.test(word));
  const joined = words.find((word) => /^--(?:command|call)=|^-c./u.test(word));
  const text = joined?.replace(/^--(?:command|call)=|^-c/u, '') ?? (index < 0 ? undefined : words[index + 1]);
  if (text !== undefined && isStatic(text)) {
    at.walk.script(text, copyScope(at.scope));
    return;
  }
  if (text !== undefined) {
    at.walk.doubt('It gives a shell commands as text that only shows when it runs.');
    return;
  }
  const { feed } = at.command;
  if (at.name !== 'flock' && !at.name.startsWith('np') && feed.from !== 'nothing')
    at.walk.doubt('It feeds text to a shell, which runs it.');
  if (at.name !== 'flock' && feed.from === 'text') at.walk.script(feed.text, copyScope(at.scope));
  if (at.name === 'flock') follow(skipOwnWords(words, FLOCK), at);
  if (at.name === 'runuser') follow(skipOwnWords(words, RUNUSER), at);
}

const RUNUSER = {
  values: 'ugGsTw',
  flags: 'lmpPf',
  longValues: ['user', 'group', 'supp-group', 'shell'],
  longFlags: ['login', 'pty'],
  operands: 0,
};

const FLOCK = {
  values: 'wEc',
  flags: 'sexnuFov',
  longValues: ['timeout', 'conflict-exit-code'],
  longFlags: ['shared', 'exclusive', 'unlock', 'nonblock', 'nb', 'close'],
  operands: 1,
};

const SSH_VALUES = /^-[BbcDEeFIiJLlmOopQRSWw]$/u;

/** The far shell joins the words and reads them as text. */
function remote(words: readonly string[], at: Special): void {
  const host = words.findIndex((word, index) => !word.startsWith('-') && !SSH_VALUES.test(words[index - 1] ?? ''));
  const options = words.flatMap((word, index) => (words[index - 1] === '-o' ? [word] : word.startsWith('-o') ? [word.slice(2)] : []));
  for (const option of options) {
    const command = /^(?:ProxyCommand|LocalCommand|KnownHostsCommand)[= ]\s*([\s\S]*)$/iu.exec(option)?.[1];
    if (command !== undefined && isStatic(command)) at.walk.script(command, copyScope(at.scope));
  }
  if (host >= 0) at.walk.doubt('It reaches another machine.');
  const text = host < 0 ? '' : words.slice(host + 1).join(' ');
  if (text !== '' && isStatic(text)) at.walk.script(text, copyScope(at.scope));
}
