import type { Directories } from './pattern.ts';

/** What reaches a command's standard input. `text`: known beforehand. */
export type Feed =
  | { readonly from: 'nothing' | 'file' | 'unknown' }
  | { readonly from: 'text'; readonly text: string }
  /** `lists`: all that comes are names of files that were listed. */
  | { readonly from: 'pipe'; readonly names: readonly string[]; readonly lists?: boolean };

export interface SimpleCommand {
  /** After expansion and without wrappers, as far as known; see pattern.ts for what stands for the unknown. Never empty. */
  readonly argv: readonly string[];
  readonly directories: Directories;
  readonly feed: Feed;
  readonly home: string;
  /** Whether it runs in a directory the name of which was computed. */
  readonly isLost?: boolean;
}

export interface Redirect {
  readonly target: string;
  readonly writes: boolean;
  readonly directories: Directories;
}

export interface Assignment {
  readonly name: string;
  readonly value: string;
  /** What the value would be relative to if it were a path. */
  readonly directories?: Directories;
  /** Only text behind the old value. */
  readonly appends?: boolean;
  /** For one command alone: the shell itself keeps its old value. */
  readonly passing?: true;
}

export interface Finding {
  readonly level: 'ask' | 'hardline';
  readonly why: string;
  /** For whose sake: commands, and places or assignments as text. Absent: the text as a whole. */
  readonly about?: readonly (SimpleCommand | string)[];
}

/** Everything that a text would do, as far as it shows before it runs. */
export interface Reading {
  readonly commands: readonly SimpleCommand[];
  readonly redirects: readonly Redirect[];
  readonly assignments: readonly Assignment[];
  readonly findings: readonly Finding[];
}

/** Name of the program, however it is reached: `/bin/rm`, `\rm` and `RM` are `rm`. */
export function commandName(command: { readonly argv: readonly string[] }): string {
  const [program = ''] = command.argv;
  return program.slice(program.lastIndexOf('/') + 1).toLowerCase();
}
