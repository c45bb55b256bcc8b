import { commandName, type Feed, type SimpleCommand } from './command.ts';
import { ANY, isComputed, isStatic, mayClimb, PIECE, VOUCHED } from './pattern.ts';
import type { Scope } from './scope.ts';

/** What a stage of a pipeline hands to the next one. */
export function printed(commands: readonly SimpleCommand[], before: Feed): Feed {
  const [only, ...more] = commands;
  const words = only?.argv.slice(1) ?? [];
  const isPrinter = only !== undefined && ['echo', 'printf'].includes(only.argv[0] ?? '');
  if (isPrinter && more.length === 0 && words.every(isStatic))
    return { from: 'text', text: words.filter((word) => !/^-[neE]+$/u.test(word)).join(' ') };
  const earlier = before.from === 'pipe' ? before.names : [];
  const lists = commands.length > 0 && commands.every(printsNames);
  return { from: 'pipe', names: [...earlier, ...commands.map((command) => command.argv[0] ?? '')], lists };
}

const ONE_NAME = new Set(['nproc', 'whoami', 'hostname', 'uname', 'date', 'id', 'tty']);

export function printedValue(commands: readonly SimpleCommand[], scope: Scope): string {
  const [only, ...more] = commands;
  const [name = '', ...words] = only?.argv ?? [];
  const unknown =
    only !== undefined && commands.every(printsNames) && !commands.some(({ argv }) => scope.functions.has(argv[0] ?? ''))
      ? ANY + VOUCHED
      : ANY;
  if (more.length > 0) return unknown;
  if (name === 'pwd' && words.length === 0 && scope.directories?.size === 1) return [...scope.directories][0] ?? ANY;
  if (name === 'echo' && !scope.functions.has(name) && words.every((word) => isStatic(word) && !/^-|\\/u.test(word)))
    return words.join(' ');
  return ONE_NAME.has(name) && words.every((word) => isStatic(word) && !/[/.]/u.test(word)) ? PIECE : unknown;
}

/** These print names of files, numbers and the like, and nothing that they were told to make. */
const LISTERS =
  /^(?:ls|dir|fd|fdfind|which|whereis|realpath|readlink|dirname|basename|pwd|mktemp|date|nproc|uname|hostname|whoami|id|seq|wc|pgrep|pidof|tty|true|false|cd|test|\[|\[\[|:|rg|[ef]?grep|find|git|npm|brew|type|command|head|tail|sort|uniq|shuf|tac|awk|cut)$/u;

const ONLY_NAMES: Readonly<Record<string, (words: readonly string[], isListed: boolean) => boolean>> = {
  // `..` is a name, too: of a directory with all that it holds.
  ls: (words) =>
    !words.some((word) => /^-\w*a|^--all/u.test(word)) && !(words.some((word) => /^-\w*d|^--dir/u.test(word)) && words.some(leads)),
  dir: (words) => !words.some((word) => word.startsWith('-')),
  dirname: (words) => !words.some(leads),
  realpath: (words) => !words.some(leads),
  readlink: (words) => !words.some(leads),
  find: (words) => !words.some((word) => /^-(?:f?printf|exec|ok)/u.test(word)),
  fd: (words) => !words.some((word) => /^-[A-Za-z]*[xX]$|^--(?:exec|format)/u.test(word)),
  rg: (words) => words.some((word) => /^-[a-z]*l|^--files/u.test(word)),
  grep: (words, isListed) =>
    words.some((word) => /^-[a-zA-Z]*[lLc]|^--(?:files|count)/u.test(word)) ||
    (isListed && selects(words, 1) && !words.some((word) => /^-\w*o|^--only/u.test(word))),
  git: ([verb = '', ...words]) =>
    /^(?:ls-files|rev-parse|describe|merge-base|symbolic-ref)$/u.test(verb) ||
    (verb === 'diff' && words.some((word) => word.startsWith('--name'))) ||
    (verb === 'status' && words.length > 0) ||
    (verb === 'branch' && words.includes('--show-current')),
  npm: ([verb = '']) => /^(?:root|prefix|bin)$/u.test(verb),
  brew: ([verb = '']) => verb === '--prefix',
  type: (words) => words[0] === '-P' || words[0] === '-p',
  command: (words) => words[0] === '-v',
  date: (words) => !words.some((word) => /[/.]/u.test(word)),
  seq: (words) => !words.some((word) => word.startsWith('-')),
  awk: ([program = '', ...more], isListed) => isListed && more.length === 0 && /^\s*\{\s*print \$(?:\d|NF)\s*\}\s*$/u.test(program),
  cut: (words, isListed) => isListed && words.every((word) => /^-[df]/u.test(word)),
};

/** Out of the directory that it is in. */
function leads(word: string): boolean {
  return word.startsWith('/') || word.split('/').some((part) => part === '..' || mayClimb(part));
}

/** A selection of what was listed is a list. */
function printsNames(command: SimpleCommand): boolean {
  const name = commandName(command)
    .replace(/^[ef]grep$/u, 'grep')
    .replace(/^fdfind$/u, 'fd');
  const words = command.argv.slice(1);
  const isListed = command.feed.from === 'pipe' && command.feed.lists === true;
  if (!LISTERS.test(name) || words.some(isComputed)) return false;
  if (/^(?:head|tail|sort|uniq|shuf|tac)$/u.test(name)) return isListed && selects(words, 0);
  return ONLY_NAMES[name]?.(words, isListed) ?? true;
}

/** Without a file of its own. */
function selects(words: readonly string[], own: number): boolean {
  return words.filter((word) => !/^-|^\d+$/u.test(word)).length <= own;
}
