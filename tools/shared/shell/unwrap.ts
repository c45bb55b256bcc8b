import type { Walk } from './actions.ts';
import { commandName, type SimpleCommand } from './command.ts';
import { ANY, DEEP, isStatic, shown } from './pattern.ts';
import { changeDirectory, copyScope, type Scope } from './scope.ts';
import { skipOwnWords, type Unwrapped, WRAPPERS } from './wrappers.ts';

const MAX_LAYERS = 12;
const SHELLS = new Set(['sh', 'bash', 'zsh', 'dash', 'ksh', 'mksh', 'ash', 'fish', 'hush', 'csh', 'tcsh', 'rbash', 'yash', 'pwsh']);

export function isShell(name: string): boolean {
  return SHELLS.has(name);
}

/** Words that bash does not take for a command: the parser did. */
const RESERVED = new Set([
  '{',
  '}',
  'then',
  'fi',
  'do',
  'done',
  'elif',
  'else',
  'esac',
  'in',
  'if',
  'while',
  'until',
  'for',
  'case',
  'select',
  'function',
  '[[',
  ']]',
  'coproc',
]);

/** Notes the command, and every command that it runs in turn, each with its own words. */
export function unwrap(command: SimpleCommand, scope: Scope, walk: Walk): void {
  layer(command, copyScope(scope), { walk, left: MAX_LAYERS });
}

interface Layers {
  readonly walk: Walk;
  readonly left: number;
}

function layer(command: SimpleCommand, scope: Scope, layers: Layers): void {
  const { walk } = layers;
  if (layers.left === 0) {
    walk.doubt('Too many commands are wrapped in each other in it.');
    return;
  }
  walk.commands.push(command);
  if (RESERVED.has(command.argv[0] ?? '')) walk.doubt('It could not be read for certain as a shell command.');
  const name = commandName(command);
  const words = command.argv.slice(1);
  const inner = (argv: readonly string[]): void => {
    if (argv.length > 0) layer({ ...command, argv }, scope, { walk, left: layers.left - 1 });
  };
  const spec = WRAPPERS.get(name);
  if (spec !== undefined && !(name === 'command' && /^-[vV]/u.test(words[0] ?? ''))) {
    if (spec.ask !== undefined) walk.doubt(spec.ask);
    follow(skipAssignments(skipOwnWords(words, spec)), { name, walk, inner });
  } else if (isAppletBox(name)) inner(words.filter((word, index) => index > 0 || !word.startsWith('--')));
  else if (isShell(name)) shell(command, scope, walk);
  else special(name, words, { command, scope, walk, inner });
}

/** Programs that are another program by their first argument: busybox, the dynamic loader. */
function isAppletBox(name: string): boolean {
  return name === 'busybox' || name === 'toybox' || /^ld(?:-linux.*|\.so.*|-musl.*)$/u.test(name);
}

interface Following {
  readonly name: string;
  readonly walk: Walk;
  inner(argv: readonly string[]): void;
}

function follow(unwrapped: Unwrapped, following: Following): void {
  if (unwrapped.kind === 'unknown-option')
    following.walk.doubt(`It gives ${following.name} the option ${shown(unwrapped.option)}, which is not known here.`);
  if (unwrapped.kind === 'command') following.inner(unwrapped.argv);
}

/** `sudo A=b command` */
function skipAssignments(unwrapped: Unwrapped): Unwrapped {
  if (unwrapped.kind !== 'command') return unwrapped;
  const start = unwrapped.argv.findIndex((word) => !/^[A-Za-z_]\w*=/u.test(word));
  return start < 0 ? { kind: 'none' } : { kind: 'command', argv: unwrapped.argv.slice(start) };
}

/** `sh -c text`, and text that reaches a shell's standard input. */
function shell(command: SimpleCommand, scope: Scope, walk: Walk): void {
  const words = command.argv.slice(1);
  const at = words.findIndex((word) => /^-[a-zA-Z]*c/u.test(word) && !word.startsWith('--'));
  const takesValue = (word: string | undefined): boolean => word !== undefined && /^[-+][oO]$/u.test(word);
  const script = at < 0 ? undefined : words.slice(at + 1).find((word, index, all) => !/^[-+]/u.test(word) && !takesValue(all[index - 1]));
  if (at >= 0) walk.doubt('It gives a shell commands as text.');
  if (script !== undefined && isStatic(script)) walk.script(script, copyScope(scope));
  const isFile = at < 0 && words.some((word, index) => !/^[-+]/u.test(word) && !takesValue(words[index - 1]));
  if (at >= 0 || (isFile && !words.some((word) => /^-\w*s/u.test(word)))) {
    scriptFile(words, walk);
    return;
  }
  if (command.feed.from !== 'nothing') walk.doubt('It feeds text to a shell, which runs it.');
  if (command.feed.from === 'text') walk.script(command.feed.text, copyScope(scope));
}

function scriptFile(words: readonly string[], walk: Walk): void {
  if (words.some((word) => /^\/dev\/(?:fd|stdin|tcp|udp)|^\/proc\/.*\/fd/u.test(word)))
    walk.doubt('It lets a shell run what another command prints.');
  if (words.some((word) => /^--(?:rc|init-)file/u.test(word))) walk.doubt('It gives a shell another start-up file.');
}

interface Special extends Following {
  readonly command: SimpleCommand;
  readonly scope: Scope;
}

function special(name: string, words: readonly string[], at: Omit<Special, 'name'>): void {
  const all = { ...at, name };
  switch (name) {
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
    case 'sg':
      textOption(words, all);
      return;
    case 'ssh':
      remote(words, all);
      return;
    default:
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
  if (directory >= 0) changeDirectory(at.scope, (words[directory] ?? '').replace(/^-C|^--chdir=?/u, '') || words[directory + 1]);
  for (const word of words) {
    const assignment = /^([A-Za-z_]\w*)=([\s\S]*)$/u.exec(word);
    if (assignment !== null) at.walk.assignments.push({ name: assignment[1] ?? '', value: assignment[2] ?? '' });
  }
  const own = words[0] === '-' ? words.slice(1) : words;
  const unwrapped = skipAssignments(skipOwnWords(own, ENV));
  if (directory < 0) {
    follow(unwrapped, at);
    return;
  }
  follow(unwrapped, {
    ...at,
    inner: (argv) => layer({ ...at.command, argv, directories: at.scope.directories }, at.scope, { walk: at.walk, left: 4 }),
  });
}

const XARGS = {
  values: 'IELnPsdai',
  flags: 'prt0xo',
  longValues: ['max-args', 'max-procs', 'delimiter', 'arg-file', 'replace', 'max-lines', 'max-chars'],
  longFlags: ['null', 'no-run-if-empty', 'verbose', 'interactive', 'exit', 'open-tty'],
  operands: 0,
};

function xargs(words: readonly string[], at: Special): void {
  const unwrapped = skipOwnWords(words, XARGS);
  if (unwrapped.kind !== 'command') {
    follow(unwrapped, at);
    return;
  }
  const replaced = /^-[Ii](.*)$/u.exec(words.find((word) => /^-[Ii]/u.test(word)) ?? '');
  const mark = replaced === null ? undefined : replaced[1] || (replaced[0] === '-I' ? words[words.indexOf('-I') + 1] : '{}');
  const { feed } = at.command;
  const given = feed.from === 'text' ? feed.text.split(/\s+/u).filter((word) => word !== '') : [ANY];
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

const FIND_RUNS = new Set(['-exec', '-execdir', '-ok', '-okdir', '-x', '--exec', '-X', '--exec-batch']);

/** The files that it finds lie below its starting points. */
function find(words: readonly string[], at: Special): void {
  const starts = findStarts(at.name, words);
  for (const [index, word] of words.entries()) {
    if (!FIND_RUNS.has(word) || (at.name === 'find' && !/^-(?:exec|ok)/u.test(word))) continue;
    const end = words.findIndex(
      (later, position) => position > index && (later === ';' || (later === '+' && words[position - 1] === '{}')),
    );
    const argv = words.slice(index + 1, end < 0 ? words.length : end);
    for (const start of starts) at.inner(argv.map((part) => part.replaceAll('{}', `${start}/${DEEP}`)));
  }
}

export function findStarts(name: string, words: readonly string[]): string[] {
  const end = words.findIndex((word) => /^[-(!]/u.test(word) && !/^-[HLP]$|^-O\d|^-D/u.test(word));
  const starts = name === 'find' ? words.slice(0, end < 0 ? words.length : end).filter((word) => !/^-[HLP]$|^-O\d|^-D/u.test(word)) : [];
  return starts.length > 0 ? starts.map((start) => (start === '/' ? '' : start.replace(/\/+$/u, ''))) : ['.'];
}

/** `su -c text`, `script -c text`, `flock FILE -c text` or `flock FILE command`. */
function textOption(words: readonly string[], at: Special): void {
  if (at.name === 'su' || at.name === 'runuser') at.walk.doubt('It runs with the rights of another user.');
  const index = words.findIndex((word) => /^-[a-zA-Z]*c$|^--command$/u.test(word));
  const joined = words.find((word) => /^--command=|^-c./u.test(word));
  const text = joined?.replace(/^--command=|^-c/u, '') ?? (index < 0 ? undefined : words[index + 1]);
  if (text !== undefined && isStatic(text)) {
    at.walk.script(text, copyScope(at.scope));
    return;
  }
  if (text !== undefined) {
    at.walk.doubt('It gives a shell commands as text that only shows when it runs.');
    return;
  }
  const operands = words.filter((word) => !word.startsWith('-'));
  if (at.name === 'flock') follow(skipOwnWords(words, FLOCK), at);
  if (at.name === 'runuser') at.inner(operands);
}

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
