import type { Node } from 'web-tree-sitter';
import type { Actions } from './actions.ts';
import { expandToOne, expandWord } from './expand.ts';
import { keepsValue, named } from './node-facts.ts';
import { ANY, forgotten, isComputed, isStatic, VOUCHED } from './pattern.ts';
import { type Scope, variableValue } from './scope.ts';

/** What statements give to variables. */

export function assign(node: Node, scope: Scope, actions: Actions): void {
  const nameNode = node.childForFieldName('name');
  const valueNode = node.childForFieldName('value');
  const name = /^\w+/u.exec(nameNode?.text ?? '')?.[0] ?? '';
  const value = assignedValue(nameNode, valueNode, actions);
  const appends = node.children.some((child) => child?.type === '+=');
  actions.walk.assignments.push({ name, value, appends: appends || keepsValue(name, valueNode), directories: scope.directories });
  scope.variables.set(name, appends ? variableValue(scope, name) + value : value);
  if (name === 'IFS') scope.splitsAtBlanks = false;
}

export function unset(name: string, scope: Scope, actions: Actions): void {
  scope.variables.set(name, '');
  actions.walk.assignments.push({ name, value: '' });
}

function assignedValue(nameNode: Node | null, valueNode: Node | null, actions: Actions): string {
  if (nameNode !== null && nameNode.type !== 'variable_name') actions.expander.substitute(nameNode);
  if (valueNode === null) return '';
  if (valueNode.type === 'array' || nameNode?.type === 'subscript') {
    return noteValues(valueNode.type === 'array' ? named(valueNode) : [valueNode], actions);
  }
  return expandToOne(valueNode, actions.expander);
}

/** `export a=b`, `declare -x a`: with options (`-n`, `-l`, `-i`) a name means something that only bash knows. */
export function declare(node: Node, scope: Scope, actions: Actions): void {
  const children = named(node);
  const options = children.filter((child) => child.text.startsWith('-') || child.text.startsWith('+'));
  for (const child of children) {
    if (child.type === 'variable_assignment') assign(child, scope, actions);
    else declareWord(child, actions);
  }
  if (options.every((option) => /^-[xrgp]+$/u.test(option.text))) return;
  if (options.some((option) => !isStatic(option.text) || /n|\$/u.test(option.text)))
    actions.walk.doubt('It gives a variable the name of another one.');
  for (const [name, value] of scope.variables)
    if (name !== 'HOME' || node.text.includes('HOME')) scope.variables.set(name, forgotten(value));
}

/** `export "a=b"`: the parser sees a text. */
function declareWord(child: Node, actions: Actions): void {
  for (const word of expandWord(child, actions.expander)) {
    const [, name, operator, value = ''] = /^(\w+)(\+?=)([\s\S]*)$/u.exec(word) ?? [];
    if (name === undefined) continue;
    actions.walk.assignments.push({ name, value, appends: operator === '+=' });
    actions.expander.scope.variables.set(name, operator === '=' ? value : ANY);
  }
}

/** Values that get lost here, and may come back as the name of a file. */
function noteValues(nodes: readonly Node[], { expander, walk }: Actions): string {
  const { directories } = expander.scope;
  const values = nodes.flatMap((node) => expandWord(node, expander));
  for (const value of values) walk.assignments.push({ name: '', value, directories });
  return values.every((value) => !isComputed(forgotten(value))) ? ANY + VOUCHED : ANY;
}

/** `a=b command`: holds for that command only, so nothing of it stays known. */
export function prefixAssignment(node: Node, actions: Actions): void {
  const nameNode = node.childForFieldName('name');
  const name = /^\w+/u.exec(nameNode?.text ?? '')?.[0] ?? '';
  const valueNode = node.childForFieldName('value');
  const { directories } = actions.expander.scope;
  actions.walk.assignments.push({
    name,
    value: assignedValue(nameNode, valueNode, actions),
    appends: keepsValue(name, valueNode),
    directories,
    passing: true,
  });
}
