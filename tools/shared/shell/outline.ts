import type { Node } from 'web-tree-sitter';
import type { ParseShell } from './tree.ts';

/** The outward form of a command: what somebody who starts it should know before, and who reads its exit code after. */
export interface Outline {
  /** `nohup`, `disown`, `setsid`, or `&` behind its last command: it wants something to outlive it. */
  readonly detaches?: string;
  /** Names and words of its simple commands, in order; what only shows when it runs is left as it is written. */
  readonly commands: readonly (readonly string[])[];
  /** The exit code is that of the last command. False behind `!` or in a loop. */
  readonly endsInLast: boolean;
}

const DETACHERS = new Set(['nohup', 'disown', 'setsid']);

export function outlineOf(text: string, parse: ParseShell): Outline {
  const tree = parse(text);
  if (tree === undefined) return { commands: [], endsInLast: false };
  try {
    const commands = commandsOf(tree.root).map(wordsOf);
    const detaches = commands.find(([name = '']) => DETACHERS.has(name))?.[0] ?? (endsInBackground(tree.root) ? '&' : undefined);
    return { commands, endsInLast: lastIsPlain(tree.root), ...(detaches === undefined ? {} : { detaches }) };
  } finally {
    tree.release();
  }
}

function commandsOf(node: Node): Node[] {
  return node.type === 'command' ? [node] : children(node).flatMap(commandsOf);
}

function wordsOf(command: Node): string[] {
  const parts = children(command).filter(({ isNamed, type }) => isNamed && type !== 'variable_assignment' && !type.endsWith('redirect'));
  return parts.map(({ text }) => text);
}

function endsInBackground(root: Node): boolean {
  return children(root).findLast(({ type }) => type !== 'comment' && type !== '\n')?.type === '&';
}

const PASSING_ON = new Set(['program', 'list', 'pipeline', 'redirected_statement', 'compound_statement']);

function lastIsPlain(node: Node): boolean {
  if (node.type === 'command') return true;
  if (!PASSING_ON.has(node.type)) return false;
  const body = node.type === 'redirected_statement' ? node.childForFieldName('body') : undefined;
  const last = body ?? children(node).findLast(({ isNamed, type }) => isNamed && type !== 'comment');
  return last !== undefined && lastIsPlain(last);
}

function children(node: Node): Node[] {
  return node.children.filter((child) => child !== null);
}
