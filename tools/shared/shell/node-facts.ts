import type { Node } from 'web-tree-sitter';
import { ANY } from './pattern.ts';
import type { Scope } from './scope.ts';

/** A comment that does not begin where bash begins one may hide a command. */
export function isTrueComment(node: Node): boolean {
  const before = node.tree.rootNode.text.slice(Math.max(0, node.startIndex - 2), node.startIndex);
  return /(?:^|[\s;&|()])$/u.test(before) && !/\\[ \t]$/u.test(before);
}

/** What a loop changes is unknown already in its first round: it may be a later one. */
export function forgetChanged(node: Node, scope: Scope): void {
  for (const assignment of node.descendantsOfType('variable_assignment')) {
    const name = assignment?.childForFieldName('name')?.text;
    if (name !== undefined) scope.variables.set(name, ANY);
  }
  if (!changesDirectory(node)) return;
  scope.directories = undefined;
  scope.failedDirectories = undefined;
}

export function changesDirectory(node: Node): boolean {
  if (['subshell', 'command_substitution', 'process_substitution', 'pipeline'].includes(node.type)) return false;
  if (node.type === 'command_name') return ['cd', 'pushd', 'popd', 'eval', 'source', '.', 'command', 'builtin'].includes(node.text);
  return node.namedChildren.some((child) => child !== null && changesDirectory(child));
}

export function callsItselfInBackground(body: Node, name: string): boolean {
  const callsItself = body.descendantsOfType('command_name').some((command) => command?.text === name);
  return callsItself && /(?<![&>|])&(?![&>])/u.test(body.text);
}

/** A list that is no group: redirected or not, bash takes its last command alone for what follows. */
export function looseList(node: Node): Node | undefined {
  if (node.type === 'list') return node;
  const body = node.type === 'redirected_statement' ? node.childForFieldName('body') : null;
  return body === null ? undefined : looseList(body);
}

/** `PATH=$PATH:more` */
export function keepsValue(name: string, valueNode: Node | null): boolean {
  const kept = /^"?\$(?:(\w+)|\{(\w+)\})(?=[:"]|$)/u.exec(valueNode?.text ?? '');
  return (kept?.[1] ?? kept?.[2]) === name;
}

export function named(node: Node): Node[] {
  return node.namedChildren.filter((child) => child !== null);
}
