import type { Node } from 'web-tree-sitter';
import type { Actions, Walk } from './actions.ts';
import { noteArithmetic } from './arithmetic.ts';
import type { Finding, Reading } from './command.ts';
import { commonValue, type Expander, expandWord } from './expand.ts';
import { callsItselfInBackground, changesDirectory, forgetChanged, isTrueComment, looseList } from './node-facts.ts';
import { ANY, forgotten, isComputed, SEVERAL, VOUCHED } from './pattern.ts';
import { printed, printedValue } from './printed.ts';
import { runCommand } from './run-command.ts';
import { copyScope, createScope, mergeInto, type Scope, settleDirectories, union } from './scope.ts';
import type { ParseShell } from './tree.ts';

const MAX_DEPTH = 60;
const MAX_COMMANDS = 2_000;
const UNROLLED = 8;

export interface Start {
  readonly directory: string;
  readonly home: string;
  /** Variables that the shell has been given before, by name. */
  readonly variables?: Readonly<Record<string, string>>;
}

/** Pure: text in, everything that it would run out. Never throws; what is not understood becomes a finding that asks. */
export function readShell(text: string, start: Start, parse: ParseShell): Reading {
  const findings: Finding[] = [];
  let depth = 0;
  const walk: Walk = {
    commands: [],
    redirects: [],
    assignments: [],
    find: (finding) => void findings.push(finding),
    doubt: (why) => void findings.push({ level: 'ask', why }),
    script(inner, scope) {
      if (depth > 8) return walk.doubt('Commands are nested too deeply in it to be judged.');
      depth += 1;
      readText(inner, scope, { walk, parse });
      depth -= 1;
    },
  };
  walk.script(text, createScope(start.directory, start.home, start.variables));
  return { commands: walk.commands, redirects: walk.redirects, assignments: walk.assignments, findings };
}

function readText(text: string, scope: Scope, tools: { walk: Walk; parse: ParseShell }): void {
  const { walk } = tools;
  // bash joins the two halves of such a word, the parser makes two words of it.
  if (/(?<=[^\s\\](?:\\\\)*)\\\n(?=\S)/u.test(text)) walk.doubt('A word in it is broken over two lines.');
  // To the parser such a line goes on with the one before it, to bash it begins a command.
  const given = text.replaceAll(/(?<=\n[ \t]*)\\\n/gu, '');
  if (given !== text) walk.doubt('A line in it is empty but for a backslash, so that it could not be read for certain.');
  const tree = tools.parse(given);
  if (tree === undefined || tree.root.hasError) walk.doubt('It could not be read for certain as a shell command.');
  if (tree === undefined) return;
  try {
    visit(tree.root, scope, { walk, depth: 0 });
  } finally {
    tree.release();
  }
}

/** `depth` bounds recursion: nesting is the sender's choice. */
interface At {
  readonly walk: Walk;
  readonly depth: number;
}

type Visitor = (node: Node, scope: Scope, at: At) => void;

const VISITORS: Readonly<Record<string, Visitor>> = {
  program: visitSequence,
  compound_statement: visitSequence,
  do_group: visitSequence,
  else_clause: visitSequence,
  elif_clause: visitSequence,
  case_item: visitSequence,
  negated_command: visitSequence,
  ERROR: visitSequence,
  list: visitList,
  pipeline: visitPipeline,
  subshell: (node, scope, at) => visitSequence(node, copyScope(scope), at),
  if_statement: visitBranches,
  case_statement: visitBranches,
  while_statement: visitLoop,
  c_style_for_statement: visitLoop,
  for_statement: visitFor,
  function_definition: visitFunction,
  command: visitCommand,
  redirected_statement: visitCommand,
  file_redirect: visitCommand,
  declaration_command: visitCommand,
  unset_command: visitCommand,
  variable_assignment: visitCommand,
  variable_assignments: visitCommand,
  comment: (node, _scope, at) => {
    if (!isTrueComment(node)) at.walk.doubt('A comment in it could not be read for certain.');
  },
};

function visit(node: Node, scope: Scope, outer: At): void {
  const at = { walk: outer.walk, depth: outer.depth + 1 };
  const isTooMuch = at.depth > MAX_DEPTH || at.walk.commands.length > MAX_COMMANDS;
  if (isTooMuch) at.walk.doubt('It is too large or too deeply nested to be judged.');
  else (VISITORS[node.type] ?? visitExpression)(node, scope, at);
}

function visitCommand(node: Node, scope: Scope, at: At): void {
  runCommand(node, scope, actions(scope, at));
}

/** Arithmetic, patterns, words outside commands: what matters is the commands substituted into them, and what they assign. */
function visitExpression(node: Node, scope: Scope, at: At): void {
  const { expander } = actions(scope, at);
  if (node.isNamed) expander.substitute(node);
}

function visitSequence(node: Node, scope: Scope, at: At): void {
  for (const child of statements(node)) {
    const isBackground = child.nextSibling?.type === '&';
    visit(child, isBackground ? copyScope(scope) : scope, at);
    settleDirectories(scope);
  }
}

function statements(node: Node): Node[] {
  return node.children.filter((child) => child !== null).filter((child) => child.isNamed);
}

function visitList(node: Node, scope: Scope, at: At): void {
  const [left, right] = statements(node);
  if (left !== undefined) visit(left, scope, at);
  if (right === undefined) return;
  const branch = copyScope(scope);
  const isAnd = node.children.some((child) => child?.type === '&&');
  if (!isAnd) branch.directories = union(scope.failedDirectories, scope.directories);
  visit(right, branch, at);
  mergeRight(scope, branch, isAnd);
}

/** After `a && b`: either both worked, or one did not. */
function mergeRight(scope: Scope, branch: Scope, isAnd: boolean): void {
  const worked = isAnd ? branch.directories : union(scope.directories, branch.directories);
  const failed = union(union(scope.failedDirectories, scope.directories), branch.failedDirectories);
  mergeInto(scope, branch);
  scope.directories = worked;
  scope.failedDirectories = failed;
}

function visitPipeline(node: Node, scope: Scope, at: At): void {
  let feed = scope.feed;
  let before = scope;
  for (const stage of statements(node)) {
    const inner = copyScope(before);
    inner.feed = feed;
    const from = at.walk.commands.length;
    visit(stage, inner, at);
    feed = printed(at.walk.commands.slice(from), feed);
    const list = looseList(stage);
    if (list !== undefined) before = afterLooseList(list, inner, { scope, before });
  }
}

/** `cd x && a 2>&1 | b`: the parser takes the whole list for the first stage, to bash only `a` is. What stands before it holds for `b`, too. */
function afterLooseList(list: Node, inner: Scope, outer: { scope: Scope; before: Scope }): Scope {
  const last = statements(list).at(-1);
  const next = copyScope(inner);
  if (last !== undefined && changesDirectory(last)) next.directories = union(outer.before.directories, inner.directories);
  mergeInto(outer.scope, inner);
  return next;
}

function visitBranches(node: Node, scope: Scope, at: At): void {
  for (const child of statements(node)) {
    const branch = copyScope(scope);
    visit(child, branch, at);
    settleDirectories(branch);
    mergeInto(scope, branch);
  }
}

/** What the body changes is unknown already in its first run: it may be a later one. */
function visitLoop(node: Node, scope: Scope, at: At): void {
  forgetChanged(node, scope);
  const body = copyScope(scope);
  visitSequence(node, body, at);
  mergeInto(scope, body);
}

function visitFor(node: Node, scope: Scope, at: At): void {
  const name = node.childForFieldName('variable')?.text ?? '_';
  const body = node.childForFieldName('body');
  const { expander } = actions(scope, at);
  const words = node.childrenForFieldName('value').filter((value) => value !== null);
  const values = words.flatMap((word) => expandWord(word, expander)).map((value) => value.replaceAll(SEVERAL, ANY));
  for (const value of values) at.walk.assignments.push({ name, value, directories: scope.directories });
  if (body === null) return;
  forgetChanged(body, scope);
  const rounds = values.length === 0 ? [ANY + VOUCHED] : values.length > UNROLLED ? [commonValue(values)] : values;
  for (const value of rounds) {
    const round = copyScope(scope);
    round.variables.set(name, value);
    visitSequence(body, round, at);
    mergeInto(scope, round);
  }
  scope.variables.set(name, values.some((value) => isComputed(forgotten(value))) ? ANY : ANY + VOUCHED);
}

const INTERPRETED_HERE = new Set([
  'cd',
  'pushd',
  'popd',
  'command',
  'builtin',
  'eval',
  'exec',
  'export',
  'read',
  'set',
  'source',
  'test',
  'trap',
  'unset',
  '[',
  '.',
]);

/** The body is judged where it stands, with nothing known, and calls of the name add nothing to it. */
function visitFunction(node: Node, scope: Scope, at: At): void {
  const name = node.childForFieldName('name')?.text ?? '';
  const body = node.childForFieldName('body');
  if (INTERPRETED_HERE.has(name)) at.walk.doubt(`It gives the built-in command ${name} another meaning.`);
  for (const redirect of node.childrenForFieldName('redirect')) if (redirect !== null) visit(redirect, copyScope(scope), at);
  if (body === null) return;
  if (callsItselfInBackground(body, name))
    at.walk.find({ level: 'hardline', why: 'It is a fork bomb: it multiplies itself until the machine stands still.' });
  scope.functions.set(name, body);
  const unknown = { ...copyScope(scope), isLater: true };
  for (const known of unknown.variables.keys()) if (known !== 'HOME') unknown.variables.set(known, ANY);
  visit(body, unknown, at);
}

function actions(scope: Scope, at: At): Actions {
  const expander: Expander = {
    scope,
    doubt: at.walk.doubt,
    substitute: (node) => {
      noteArithmetic(node, scope, at.walk);
      return substitute(node, scope, at);
    },
  };
  return { expander, walk: at.walk, visit: (node, inner) => visit(node, inner, at) };
}

/** Between backquotes bash takes backslashes away before it reads: what looks like text is a command then. Undefined: there are none. */
function backquoted(node: Node): string | undefined {
  if (!node.text.startsWith('`') || !node.text.includes('\\')) return undefined;
  const escapes = isQuoted(node) ? /\\([$`\\"])/gu : /\\([$`\\])/gu;
  return node.text.slice(1, -1).replaceAll(escapes, '$1');
}

function isQuoted({ parent }: Node): boolean {
  if (parent === null || parent.type === 'command_substitution') return false;
  return parent.type === 'string' || isQuoted(parent);
}

function substitute(node: Node, scope: Scope, at: At): string {
  if (node.type !== 'command_substitution' && node.type !== 'process_substitution') {
    for (const child of statements(node)) substitute(child, scope, at);
    return ANY;
  }
  const from = at.walk.commands.length;
  const inner = copyScope(scope);
  if (node.text.startsWith('>(')) inner.feed = { from: 'unknown' };
  const unescaped = backquoted(node);
  if (unescaped === undefined) visitSequence(node, inner, { walk: at.walk, depth: at.depth + 1 });
  else at.walk.script(unescaped, inner);
  return printedValue(at.walk.commands.slice(from), scope);
}
