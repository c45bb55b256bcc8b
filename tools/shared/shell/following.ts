import type { Walk } from './actions.ts';
import type { SimpleCommand } from './command.ts';
import type { Scope } from './scope.ts';

/** A program that runs another command out of its own words. */
export interface Following {
  readonly name: string;
  readonly walk: Walk;
  /** Judges the words as a command of their own. */
  inner(argv: readonly string[], elsewhere?: Pick<SimpleCommand, 'directories'>): void;
}

export interface Special extends Following {
  readonly command: SimpleCommand;
  readonly scope: Scope;
}
