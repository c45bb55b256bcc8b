import type { Node } from 'web-tree-sitter';
import { type Actions, doubting } from './actions.ts';
import { assign, declare, prefixAssignment, unset } from './assign.ts';
import { applyBuiltin } from './builtins.ts';
import type { Feed, SimpleCommand } from './command.ts';
import { expandToOne, expandWord } from './expand.ts';
import { named } from './node-facts.ts';
import { ANY, type Directories, isComputed, isStatic } from './pattern.ts';
import { printed } from './printed.ts';
import { doubleQuoted, hidesExpansion } from './quoting.ts';
import { copyScope, type Scope, union, variableValue } from './scope.ts';
import { unwrap } from './unwrap.ts';

/** Plays one statement: its redirections, assignments and words, then what the command does to the shell itself. */
export function runCommand(node: Node, scope: Scope, actions: Actions): void {
  switch (node.type) {
    case 'variable_assignment':
      assign(node, scope, actions);
      return;
    case 'variable_assignments':
      for (const child of named(node)) assign(child, scope, actions);
      return;
    case 'declaration_command':
      declare(node, scope, actions);
      return;
    case 'unset_command':
      for (const child of named(node)) unset(child.text, scope, actions);
      return;
    case 'file_redirect':
      redirectAlone(node, scope, actions);
      return;
    case 'redirected_statement':
      redirected(node, scope, actions);
      return;
    default:
      simple(node, { scope, extra: [] }, actions);
      return;
  }
}

interface Redirections {
  readonly targets: { readonly target: string; readonly writes: boolean }[];
  /** Arguments of the command that stand behind a redirection. */
  readonly words: string[];
  /** Statements that the parser hangs below a here-document: the rest of its line. */
  readonly rest: Node[];
  feed: Feed | undefined;
}

function redirected(node: Node, scope: Scope, actions: Actions): void {
  const body = node.childForFieldName('body');
  const seen: Redirections = { targets: [], words: [], rest: [], feed: undefined };
  for (const child of named(node)) if (child.id !== body?.id) redirection(child, seen, actions);
  const { feed, directories } = scope;
  const from = actions.walk.commands.length;
  scope.feed = seen.feed ?? feed;
  if (body?.type === 'command') simple(body, { scope, extra: seen.words }, actions);
  else if (body !== null) actions.visit(body, scope);
  scope.feed = feed;
  const last = endsInCommand(body) ? actions.walk.commands.slice(from).at(-1) : undefined;
  const known = last === undefined || movesShell(last) ? undefined : last;
  note(seen, known === undefined ? union(directories, union(scope.directories, scope.failedDirectories)) : known.directories, actions);
  const names = actions.walk.commands.slice(from).map((command) => command.argv[0] ?? '');
  visitRest(seen, { scope, names }, actions);
}

/** Its redirections are opened before it leaves. */
function movesShell(command: SimpleCommand): boolean {
  return ['cd', 'pushd', 'popd'].includes(command.argv[0] ?? '');
}

/** `$(<file)` reads the file without a command. */
function redirectAlone(node: Node, scope: Scope, actions: Actions): void {
  const seen: Redirections = { targets: [], words: [], rest: [], feed: undefined };
  redirection(node, seen, actions);
  note(seen, scope.directories, actions);
}

/** The parser hangs a redirection below a whole list, bash gives it to the last command of the list. */
function endsInCommand(body: Node | null): boolean {
  if (body?.type !== 'list' && body?.type !== 'pipeline') return false;
  const last = named(body).at(-1) ?? null;
  return last?.type === 'command' || endsInCommand(last);
}

function note(seen: Redirections, directories: Directories, actions: Actions): void {
  for (const target of seen.targets) actions.walk.redirects.push({ ...target, directories });
}

function visitRest(seen: Redirections, last: { scope: Scope; names: readonly string[] }, actions: Actions): void {
  for (const rest of seen.rest) {
    const inner = copyScope(last.scope);
    const isPiped = rest.type === 'pipeline' && rest.firstChild?.type.startsWith('|') === true;
    if (isPiped) inner.feed = seen.feed?.from === 'text' && last.names[0] === 'cat' ? seen.feed : { from: 'pipe', names: last.names };
    actions.visit(rest, inner);
  }
}

function redirection(node: Node, seen: Redirections, actions: Actions): void {
  switch (node.type) {
    case 'file_redirect':
      fileRedirect(node, seen, actions);
      return;
    case 'herestring_redirect':
      hereString(node, seen, actions);
      return;
    case 'heredoc_redirect':
      hereDocument(node, seen, actions);
      return;
    default:
      seen.words.push(...expandWord(node, actions.expander));
  }
}

function hereString(node: Node, seen: Redirections, { expander, walk }: Actions): void {
  const value = named(node)
    .map((child) => expandToOne(child, expander))
    .join('');
  walk.assignments.push({ name: '', value, directories: expander.scope.directories });
  seen.feed = textFeed(value);
}

function textFeed(text: string): Feed {
  return isStatic(text) ? { from: 'text', text } : { from: 'unknown' };
}

const DUPLICATES = new Set(['>&', '<&', '>&-', '<&-']);

function fileRedirect(node: Node, seen: Redirections, actions: Actions): void {
  const operator = node.children.find((child) => child !== null && !child.isNamed)?.type ?? '>';
  const [destination, ...arguments_] = named(node).filter((child) => child.type !== 'file_descriptor');
  for (const argument of arguments_) seen.words.push(...expandWord(argument, actions.expander));
  if (destination === undefined) return;
  const before = actions.walk.commands.length;
  const [target = ANY, ...more] = expandWord(destination, actions.expander);
  if (DUPLICATES.has(operator) && /^\d+-?$|^-$/u.test(target)) return;
  if (operator.startsWith('<') && seen.feed === undefined)
    seen.feed =
      destination.type === 'process_substitution' ? printed(actions.walk.commands.slice(before), { from: 'nothing' }) : { from: 'file' };
  seen.targets.push({ target: more.length > 0 ? ANY : target, writes: !operator.startsWith('<') || operator === '<>' });
}

function hereDocument(node: Node, seen: Redirections, actions: Actions): void {
  const children = named(node);
  const start = children.find((child) => child.type === 'heredoc_start')?.text ?? '';
  if (seen.feed !== undefined || endsElsewhere(node, start)) actions.walk.doubt('Its here-document could not be read for certain.');
  for (const child of children) {
    if (child.type === 'heredoc_start' || child.type === 'heredoc_end' || child.type === 'file_descriptor') continue;
    if (child.type === 'heredoc_body') seen.feed = bodyFeed(child, /['"\\]/u.test(start), actions);
    else if (STATEMENTS.has(child.type)) seen.rest.push(child);
    else redirection(child, seen, actions);
  }
  seen.feed ??= textFeed('');
}

const STATEMENTS = new Set([
  'pipeline',
  'list',
  'command',
  'redirected_statement',
  'subshell',
  'compound_statement',
  'negated_command',
  'test_command',
]);

/** Without quotes around its delimiter a here-document is expanded like a double-quoted string; the parser overlooks backticks in it. */
function bodyFeed(body: Node, isLiteral: boolean, actions: Actions): Feed {
  if (isLiteral) return textFeed(body.text);
  const expansions = named(body).filter((child) => child.type !== 'heredoc_content');
  for (const child of expansions) actions.expander.substitute(child);
  if (/^(?:[^\\`]|\\[\s\S])*`/u.test(body.text))
    actions.walk.doubt('Its here-document has backticks, which run what stands between them. Quote the delimiter.');
  if (expansions.length > 0) return { from: 'unknown' };
  if (hidesExpansion(body.text)) actions.walk.doubt('Its here-document could not be read for certain.');
  return textFeed(doubleQuoted(body.text));
}

const PLAIN_DELIMITER = /^(?:\w+|'[^'\n]+'|"[^"\n$`\\]+"|\\\w+)$/u;

/**
 * The end of a here-document decides what is text and what runs. The parser also takes an indented delimiter or one with a blank behind it for the end, bash
 * does not: its line must be the delimiter and nothing else (after tabs where `<<-` allows them), and none before may be.
 */
function endsElsewhere(node: Node, start: string): boolean {
  const delimiter = start.replaceAll(/['"\\]/gu, '');
  const isEnd = (line: string): boolean => (node.text.startsWith('<<-') ? line.replace(/^\t+/u, '') : line) === delimiter;
  const body = named(node).find((child) => child.type === 'heredoc_body');
  const end = named(node).find((child) => child.type === 'heredoc_end');
  if (end === undefined || !PLAIN_DELIMITER.test(start)) return true;
  const source = node.tree.rootNode.text;
  const lineStart = source.lastIndexOf('\n', end.startIndex - 1) + 1;
  const lineEnd = source.indexOf('\n', end.startIndex);
  const endLine = source.slice(lineStart, lineEnd < 0 ? source.length : lineEnd);
  return (
    !isEnd(endLine) ||
    (body?.text
      .slice(0, Math.max(0, lineStart - body.startIndex))
      .split('\n')
      .some(isEnd) ??
      false)
  );
}

function simple(node: Node, place: { scope: Scope; extra: readonly string[] }, actions: Actions): void {
  const { scope } = place;
  const seen: Redirections = { targets: [], words: [], rest: [], feed: undefined };
  const argv: string[] = [];
  if (hasOddGaps(node)) actions.walk.doubt('A word in it could not be read for certain.');
  for (const child of named(node)) {
    if (child.type === 'variable_assignment') prefixAssignment(child, actions);
    else if (child.type === 'command_name') argv.push(...named(child).flatMap((word) => expandWord(word, actions.expander)));
    else if (child.type.endsWith('_redirect')) redirection(child, seen, actions);
    else addWords(argv, expandWord(child, actions.expander), child.startIndex === child.previousSibling?.endIndex);
  }
  argv.push(...seen.words, ...place.extra);
  note(seen, scope.directories, actions);
  if (argv.length === 0) return;
  const feed = seen.feed ?? scope.feed;
  const before = { argv, directories: scope.directories, feed, home: variableValue(scope, 'HOME'), isLost: scope.isLost };
  applyBuiltin(argv, scope, doubting(before, actions.walk));
  if (scope.functions.has(argv[0] ?? '')) forgetState(scope, argv[0] ?? '');
  if (scope.functions.has(argv[0] ?? '') && argv.some(isComputed))
    actions.walk.doubt('It gives a function words that only show when it runs.');
  unwrap({ ...before, directories: scope.directories, home: variableValue(scope, 'HOME'), isLost: scope.isLost }, scope, actions.walk);
}

/** Between two words bash wants blanks; where the parser saw anything else it read the text differently. */
function hasOddGaps(node: Node): boolean {
  const words = named(node);
  return words.some((word, index) => {
    const from = words[index - 1]?.endIndex;
    return from !== undefined && !/^(?:[ \t]|\\\n)+$/u.test(node.text.slice(from - node.startIndex, word.startIndex - node.startIndex));
  });
}

/** Words that touch are one word to bash. */
function addWords(argv: string[], words: readonly string[], touches: boolean): void {
  const [first = '', ...rest] = words;
  if (touches && argv.length > 0) argv.push((argv.pop() ?? '') + first, ...rest);
  else argv.push(...words);
}

/** A function of the text may have changed anything. */
function forgetState(scope: Scope, name: string): void {
  const body = scope.functions.get(name)?.text ?? '';
  for (const known of scope.variables.keys()) if (known !== 'HOME' || body.includes('HOME')) scope.variables.set(known, ANY);
  if (!/\b(?:cd|pushd|popd|eval|source)\b/u.test(body)) return;
  scope.directories = undefined;
  scope.failedDirectories = undefined;
}
