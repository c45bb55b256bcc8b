import type { Walk } from './actions.ts';
import { ANY, forgotten, isComputed, isStatic, VOUCHED } from './pattern.ts';
import { changeDirectory, type Scope, variableValue } from './scope.ts';

type Builtin = (words: readonly string[], scope: Scope, walk: Walk) => void;

/** `cd -P` follows links, and so does every `cd ..` after it. */
const change: Builtin = (words, scope) =>
  changeDirectory(scope, words.some((word) => /^-\w*P/u.test(word)) ? undefined : directoryOperand(words, scope));
const forgetNames: Builtin = (words, scope, walk) => forgetVariables(words, scope, walk);

const BUILTINS: Readonly<Record<string, Builtin>> = {
  command: again,
  builtin: again,
  cd: change,
  pushd: change,
  popd: (_words, scope) => changeDirectory(scope, undefined),
  eval: evaluate,
  source: sourceFile,
  '.': sourceFile,
  read: forgetNames,
  mapfile: callback,
  readarray: callback,
  getopts: (_words, scope, walk) => forgetVariables(['-'], scope, walk),
  let: (_words, scope, walk) => forgetVariables(['-'], scope, walk),
  printf: (words, scope, walk) => {
    if (words.some((word) => word.startsWith('-v'))) forgetVariables(['-', ...words], scope, walk);
  },
  trap: (words, scope, walk) => later('trap', words[0] === '--' ? (words[1] ?? '') : (words[0] ?? ''), { scope, walk }),
  alias: (words, scope, walk) => later('alias', words.map((word) => word.slice(word.indexOf('=') + 1)).join('\n'), { scope, walk }),
  shopt: (words, _scope, walk) =>
    doubtIf(!words.includes('-u') && words.some((word) => MEANING_CHANGERS.has(word) || !isStatic(word)), 'shopt', walk),
  compgen: runsText,
  complete: runsText,
  bind: (words, _scope, walk) =>
    doubtIf(
      words.some((word) => /^-[a-z]*[xfu]/u.test(word)),
      'bind',
      walk,
    ),
  fc: (words, _scope, walk) =>
    doubtIf(
      words.some((word) => /^-[a-z]*[es]/u.test(word)),
      'fc',
      walk,
    ),
  hash: (words, _scope, walk) => doubtIf(words.includes('-p'), 'hash', walk),
  enable: (words, _scope, walk) =>
    doubtIf(
      words.some((word) => word.startsWith('-')),
      'enable',
      walk,
    ),
  set: (words, scope, walk) => {
    doubtIf(
      words.some((word) => /^-[a-zA-Z]*[kP]|^(?:keyword|physical)$/u.test(word)),
      'set',
      walk,
    );
    if (words.some(isComputed)) for (const parameter of '123456789@*') scope.variables.set(parameter, ANY);
  },
};

const MEANING_CHANGERS = new Set(['expand_aliases', 'extglob', 'dotglob']);

/** What a built-in command does to the shell that runs it: directory, variables, code given as text. */
export function applyBuiltin(argv: readonly string[], scope: Scope, walk: Walk): void {
  const [name = '', ...words] = argv;
  if (Object.hasOwn(BUILTINS, name)) BUILTINS[name]?.(words, scope, walk);
}

function again(words: readonly string[], scope: Scope, walk: Walk): void {
  applyBuiltin(
    words.filter((word, index) => index > 0 || !word.startsWith('-')),
    scope,
    walk,
  );
}

/** `compgen -W text` expands the text, `-C text` runs it. */
function runsText(words: readonly string[], _scope: Scope, walk: Walk): void {
  if (words.some((word) => /^-[a-z]*[CFW]/u.test(word))) walk.doubt('It evaluates text as commands.');
}

/** `mapfile -C text` evaluates the text. */
function callback(words: readonly string[], scope: Scope, walk: Walk): void {
  doubtIf(
    words.some((word) => /^-\w*C/u.test(word)),
    'mapfile -C',
    walk,
  );
  forgetVariables(words, scope, walk);
}

function doubtIf(changesMeaning: boolean, name: string, walk: Walk): void {
  if (changesMeaning) walk.doubt(`It changes with ${name} what other commands mean.`);
}

function directoryOperand(words: readonly string[], scope: Scope): string | undefined {
  const operands = words.filter((word) => !/^-[LPe@]+$|^--$/u.test(word));
  const [target] = operands;
  if (target === undefined) return variableValue(scope, 'HOME');
  return target === '-' || /^[-+]\d/u.test(target) || operands.length > 1 ? undefined : target;
}

function evaluate(words: readonly string[], scope: Scope, walk: Walk): void {
  const text = words.join(' ');
  if (isStatic(text)) walk.script(text, scope);
  else walk.doubt('It evaluates text as commands that only shows when it runs.');
}

function forgetVariables(words: readonly string[], scope: Scope, walk: Walk): void {
  for (const name of words) if (/^[A-Z_]+$/u.test(name) && name !== 'IFS') walk.assignments.push({ name, value: ANY });
  const given = scope.feed.from === 'pipe' && scope.feed.lists === true ? ANY + VOUCHED : ANY;
  for (const name of ['REPLY', 'MAPFILE', ...words.filter((word) => /^[A-Za-z_]\w*$/u.test(word) && word !== 'HOME')])
    scope.variables.set(name, given);
  if (words.every((word) => isStatic(word) && /^(?:-[a-z]|-[rst]+|[A-Za-z_]\w*|[\d.]+)$/u.test(word)) && !words.includes('HOME')) return;
  for (const [known, value] of scope.variables)
    if (known !== 'HOME' || words.some((word) => word.includes('HOME')))
      scope.variables.set(known, value === given ? given : forgotten(value));
}

/** A file that is read in may give any name another value. */
function sourceFile(words: readonly string[], scope: Scope, walk: Walk): void {
  forgetVariables(['-', ...words], scope, walk);
}

/** Text that becomes commands at another time. */
function later(name: string, text: string, at: { scope: Scope; walk: Walk }): void {
  if (text === '' || text === '-') return;
  if (isStatic(text)) at.walk.script(text, at.scope);
  else at.walk.doubt(`It gives ${name} commands that only show when it runs.`);
}
