import type { Node } from 'web-tree-sitter';
import type { Walk } from './actions.ts';
import { ANY, NUMBER } from './pattern.ts';
import type { Scope } from './scope.ts';

/** `((PATH=1))`, `$((PATH=1))`, `a[PATH=1]` and `[[ PATH=1 -eq 1 ]]` assign like `PATH=1`, in the shell that runs what comes next. */

const EXPRESSIONS = new Set([
  'arithmetic_expansion',
  'binary_expression',
  'parenthesized_expression',
  'postfix_expression',
  'subscript',
  'ternary_expression',
  'unary_expression',
]);

/** In `[[ ]]` only what these stand beside is a number. */
const COMPARES_NUMBERS = /\s-(?:eq|ne|lt|le|gt|ge|v)\s/u;

/** An expression as a whole, not each of its parts. The commands substituted into it are not looked at: what they assign stays theirs. */
export function noteArithmetic(node: Node, scope: Scope, walk: Walk): void {
  for (const name of assignedNames(node)) {
    walk.assignments.push({ name, value: NUMBER, directories: scope.directories });
    scope.variables.set(name, ANY);
    if (name === 'IFS') scope.splitsAtBlanks = false;
  }
}

function assignedNames(node: Node): ReadonlySet<string> {
  if (node.type === 'expansion') return new Set([...givenDefault(node.text), ...node.namedChildren.flatMap(partNames)]);
  const counts = EXPRESSIONS.has(node.type) || (node.type === 'test_command' && COMPARES_NUMBERS.test(node.text));
  return counts ? new Set(namesIn(ownText(node))) : new Set();
}

/** `${a[i=1]}`: of an expansion only the subscript is arithmetic; `key=` in `${x#key=}` is text. */
function partNames(part: Node | null): readonly string[] {
  return part?.type === 'subscript' ? namesIn(ownText(part)) : [];
}

/** `${x:=text}` */
function givenDefault(text: string): readonly string[] {
  const name = /^\$\{([A-Za-z_]\w*)(?:\[[^\]]*\])?:?=/u.exec(text)?.[1];
  return name === undefined ? [] : [name];
}

const ASSIGNS = /(?<![\w$])([A-Za-z_]\w*)(?:\[[^\]]*\])?\s*(?:(?:<<|>>|[-+*/%&^|])?=(?![=~])|\+\+|--)|(?:\+\+|--)\s*([A-Za-z_]\w*)/gu;

function namesIn(text: string): readonly string[] {
  // An index is an expression of its own.
  const indexes = [...text.matchAll(/\[([^[\]]*)\]/gu)].map(([, index = '']) => index);
  return [text, ...indexes].flatMap((part) => [...part.matchAll(ASSIGNS)].flatMap(([, before, after]) => before ?? after ?? []));
}

function ownText(node: Node): string {
  const inner = node.descendantsOfType(['command_substitution', 'process_substitution']).filter((child) => child !== null);
  return inner.reduce((text, child) => text.replace(child.text, ' '), node.text);
}
