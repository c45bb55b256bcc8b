import type { Node } from 'web-tree-sitter';
import type { Assignment, Finding, Redirect, SimpleCommand } from './command.ts';
import type { Expander } from './expand.ts';
import type { Scope } from './scope.ts';

/** Collects what a text does while its statements are visited in order. */
export interface Walk {
  readonly commands: SimpleCommand[];
  readonly redirects: Redirect[];
  readonly assignments: Assignment[];
  find(finding: Finding): void;
  /** The text was not understood for certain: a person must look. */
  doubt(why: string): void;
  /** Reads a text that a shell is going to run: `sh -c`, `eval`, `trap`. */
  script(text: string, scope: Scope): void;
}

/** The walk, with every doubt from now on told of this command. */
export function doubting(command: SimpleCommand, walk: Walk): Walk {
  return { ...walk, doubt: (why) => walk.find({ level: 'ask', why, about: [command] }) };
}

/** What a statement may do to the walk that visits it. */
export interface Actions {
  readonly expander: Expander;
  readonly walk: Walk;
  visit(node: Node, scope: Scope): void;
}
