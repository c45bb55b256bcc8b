import type { SimpleCommand } from '../command.ts';
import { isStatic } from '../pattern.ts';
import type { ShellPlace } from './links.ts';
import { ask, holdsSecrets, type Rule, writing } from './rule.ts';

/** Settings through which git runs programs, or through which it would do so later. */
const RUNNING_SETTING =
  /^(?:alias\..*|core\.(?:pager|editor|sshcommand|fsmonitor|hookspath|askpass|gitproxy|worktree|alternaterefscommand)|.*\.(?:helper|textconv|command|cmd|driver|process|clean|smudge|program|path|browser|uploadpack|receivepack|proxy)|pager\..*|sequence\.editor|diff\.external|gpg\..*|include.*\.path|protocol\..*|url\..*|init\.templatedir|uploadpack\..*)$/iu;

const READS = new Set([
  'status',
  'log',
  'diff',
  'show',
  'rev-parse',
  'ls-files',
  'ls-tree',
  'blame',
  'grep',
  'describe',
  'cat-file',
  'remote',
  'branch',
  'tag',
  'shortlog',
  'rev-list',
  'reflog',
  'config',
  'help',
  'version',
  'name-rev',
  'merge-base',
  'for-each-ref',
  'count-objects',
  'var',
  'whatchanged',
  'cherry',
  'range-diff',
  'check-ignore',
  'ls-remote',
]);

interface GitCall {
  readonly verb: string;
  readonly words: readonly string[];
  readonly settings: readonly string[];
  readonly directories: readonly string[];
}

function parseGit(argv: readonly string[]): GitCall {
  const words = argv.slice(1);
  const settings: string[] = [];
  const directories: string[] = [];
  let index = 0;
  for (; index < words.length && /^-/u.test(words[index] ?? ''); index += 1) {
    const word = words[index] ?? '';
    const next = words[index + 1] ?? '';
    if (word === '-c' || word === '--config-env') settings.push(next);
    if (word === '-C' || word === '--git-dir' || word === '--work-tree') directories.push(next);
    if (/^--(?:git-dir|work-tree)=/u.test(word)) directories.push(word.slice(word.indexOf('=') + 1));
    if (/^--(?:exec-path|config-env)=/u.test(word)) settings.push(`core.pager=${word}`);
    if (/^(?:-[cC]|--config-env|--git-dir|--work-tree|--namespace|--super-prefix)$/u.test(word)) index += 1;
  }
  const verb = words[index] ?? '';
  const own = words.slice(index + 1);
  if (verb === 'clone') settings.push(...own.filter((_, at) => /^-[a-z]*c$/u.test(own[at - 1] ?? '')), ...own.flatMap(gluedSetting));
  return { verb, words: own, settings, directories };
}

function gluedSetting(word: string): string[] {
  return /^-[a-z]*?c(.+)$/u.exec(word)?.slice(1) ?? [];
}

const KEPT_TO_ITSELF = new Set(
  'add am apply branch checkout cherry-pick clean clone commit fetch gc merge mv prune pull push reflog reset restore revert rm stash switch tag worktree'.split(
    ' ',
  ),
);

/** No setting, alias or option that would make git run what it is not. Hooks are the repository's, and are as they were. */
export function runsOnlyGit(argv: readonly string[]): boolean {
  const { verb, words, settings } = parseGit(argv);
  return KEPT_TO_ITSELF.has(verb) && settings.length === 0 && !namesProgram(verb, words);
}

const RUNNING_OPTION = /^--(?:upload-pack|receive-pack|exec|extcmd|open-files-in-pager|template|config)(?:=|$)|(?:^|=)ext::/u;
/** The same by a letter, which means something else to other verbs. */
const RUNNING_LETTERS: Readonly<Record<string, RegExp>> = { clone: /^-[a-z]*u/u, grep: /^-[A-Za-z]*O/u };

function namesProgram(verb: string, words: readonly string[]): boolean {
  return words.some((word) => RUNNING_OPTION.test(word) || RUNNING_LETTERS[verb]?.test(word) === true);
}

export const git: Rule = (command, place) => {
  const call = parseGit(command.argv);
  if (call.settings.some((setting) => !isStatic(setting) || RUNNING_SETTING.test(setting.split('=', 1)[0] ?? '')))
    return ask('It gives git a program to run.');
  if (call.verb !== 'config' && namesProgram(call.verb, call.words)) return ask('It gives git a program to run.');
  if (readsElsewhere(call, command, place)) return ask('It shows what is in a directory where secrets or the state of this gateway are.');
  if (/^credential/u.test(call.verb)) return ask('It shows or keeps credentials.');
  if (call.verb === 'maintenance' && !call.words.includes('run')) return ask('It makes something run later by itself.');
  if (/^(?:send-email|imap-send)$/u.test(call.verb)) return ask('It sends mail.');
  if (/^(?:daemon|instaweb|http-backend)$/u.test(call.verb)) return ask('It opens a way into this machine.');
  const losing = LOSING[call.verb]?.(call.words);
  if (losing !== undefined) return ask(losing);
  if (leaves(call, command, place)) return ask('It lets git write outside of the workspace.');
  const elsewhere = READS.has(call.verb)
    ? []
    : (call.directories.length > 0 ? call.directories : command.directories === undefined ? [] : ['.']).flatMap((word) =>
        writing(word, command.directories, place),
      );
  return [...elsewhere.slice(0, 1), ...target(call, command, place)];
};

// What they name outside is only read.
const SOURCES =
  /^(?:apply|am|clone|fetch|pull|commit|tag|notes|remote|submodule|add|rm|merge|check-ignore|ls-remote|push|hash-object|diff|grep|blame)$/u;

/** Writing commands name places to write in many ways: `--export-marks=../x`, `worktree move a ../b`. */
function leaves(call: GitCall, command: SimpleCommand, place: ShellPlace): boolean {
  if (READS.has(call.verb) || SOURCES.test(call.verb)) return false;
  const words = call.words.map((word) => word.replace(/^--[\w-]+=/u, '').replace(/^-o(?=[./~])/u, ''));
  return words.some((word) => /^(?:\/|\.\.(?:\/|$))/u.test(word) && writing(word, command.directories, place).length > 0);
}

const SHOWS_CONTENT = /^(?:grep|show|diff|log|blame|cat-file|archive|whatchanged)$/u;

/** `git -C ~ grep x`, `git grep --no-index x ..` */
function readsElsewhere(call: GitCall, command: SimpleCommand, place: ShellPlace): boolean {
  if (!SHOWS_CONTENT.test(call.verb)) return false;
  const bases = call.directories.map((word) => word.replace(/\/\.git\/*$/u, ''));
  const operands = call.words.includes('--no-index') ? call.words.filter((word) => !word.startsWith('-')) : [];
  return [...bases, ...operands].some((word) => holdsSecrets(word, command.directories, place));
}

function target(call: GitCall, command: SimpleCommand, place: ShellPlace) {
  const operands = call.words.filter(
    (word, index) => !word.startsWith('-') && !/^-[bouj]$|^--(?:branch|depth|origin|jobs)$/u.test(call.words[index - 1] ?? ''),
  );
  const written =
    call.verb === 'clone'
      ? operands.slice(1, 2)
      : call.verb === 'init'
        ? operands.slice(0, 1)
        : call.verb === 'worktree' && operands[0] === 'add'
          ? operands.slice(1, 2)
          : call.verb === 'bundle' && operands[0] === 'create'
            ? operands.slice(1, 2)
            : call.verb === 'push'
              ? operands.slice(0, 1).filter((word) => /^[./~]/u.test(word))
              : /^(?:apply|am)$/u.test(call.verb)
                ? call.words.flatMap((word) => /^--directory=(.*)$/u.exec(word)?.[1] ?? [])
                : [];
  return written.flatMap((word) => writing(word, command.directories, place));
}

const has = (words: readonly string[], pattern: RegExp): boolean => words.some((word) => pattern.test(word));

const isEverything = (word: string): boolean => /^(?:\.{1,2}\/?|:\/|:\(top\)|\*|\ue001)$/u.test(word);

/** What takes work away, from here or from others, or sets a trap for later; the sentence says which. */
const LOSING: Readonly<Record<string, (words: readonly string[]) => string | undefined>> = {
  push: (words) =>
    has(words, /^--(?:force|mirror|delete|prune)|^-\w*[fd]|^\+|^:/u)
      ? 'It overwrites or deletes what others may rely on in the remote repository.'
      : undefined,
  reset: (words) => (has(words, /^--(?:hard|merge|keep)/u) ? 'It throws uncommitted work away.' : undefined),
  clean: (words) =>
    has(words, /^-\w*f|^--force/u) && !has(words, /^-\w*n|^--dry-run/u) ? 'It deletes files that git does not know.' : undefined,
  branch: (words) =>
    has(words, /^-\w*D|^--force/u) || (has(words, /^-\w*d|^--delete/u) && has(words, /^-\w*f/u))
      ? 'It deletes branches that are not merged.'
      : undefined,
  checkout: (words) => (has(words, /^-\w*f|^--force$/u) || words.some(isEverything) ? 'It throws uncommitted work away.' : undefined),
  restore: (words) =>
    words.some(isEverything) && (!has(words, /^--staged$|^-S$/u) || has(words, /^--worktree$|^-\w*W/u))
      ? 'It throws uncommitted work away.'
      : undefined,
  'read-tree': (words) => (has(words, /^--reset$|^-\w*u/u) ? 'It throws uncommitted work away.' : undefined),
  'checkout-index': (words) => (has(words, /^-\w*f|^--force$/u) ? 'It throws uncommitted work away.' : undefined),
  switch: (words) => (has(words, /^--(?:discard-changes|force)|^-\w*f/u) ? 'It throws uncommitted work away.' : undefined),
  stash: (words) => (/^(?:drop|clear)$/u.test(words[0] ?? '') ? 'It throws stashed work away.' : undefined),
  reflog: (words) => (/^(?:expire|delete)$/u.test(words[0] ?? '') ? 'It deletes the history of references.' : undefined),
  apply: (words) => (has(words, /^--unsafe/u) ? 'It may write outside of the workspace.' : undefined),
  'update-ref': (words) => (has(words, /^-d|^--(?:stdin|delete)/u) ? 'It deletes references.' : undefined),
  rm: (words) => (has(words, /^-\w*f|^--force$/u) && !has(words, /^--cached$/u) ? 'It throws uncommitted work away.' : undefined),
  worktree: (words) => (words[0] === 'remove' && has(words, /^-\w*f|^--force$/u) ? 'It throws uncommitted work away.' : undefined),
  'filter-branch': () => 'It rewrites history and runs commands given as text.',
  'filter-repo': () => 'It rewrites history.',
  rebase: (words) => (has(words, /^-\w*x|^--exec/u) ? 'It runs commands given as text.' : undefined),
  bisect: (words) => (words[0] === 'run' ? 'It runs a command many times.' : undefined),
  submodule: (words) => (words.includes('foreach') ? 'It runs commands given as text.' : undefined),
  difftool: () => 'It gives git a program to run.',
  mergetool: () => 'It gives git a program to run.',
  config: (words) => {
    if (has(words, /^--(?:get.*|list|show-.*)$|^-l$|^(?:get|list)$/u)) return undefined;
    if (has(words, /^--(?:global|system|file)|^-f|^-e$|^--edit/u))
      return words.filter((word) => !word.startsWith('-')).length > 1
        ? 'It changes the configuration of git outside of the workspace.'
        : undefined;
    return words.some((word) => RUNNING_SETTING.test(word)) && words.length > 1 ? 'It gives git a program to run.' : undefined;
  },
};
