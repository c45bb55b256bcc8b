import type { Backend, Environment } from '../shared/backend/backend.ts';
import type { ProcessTree } from '../shared/process-tree.ts';
import type { ShellReader } from '../shared/shell/judge.ts';
import type { Outline } from '../shared/shell/outline.ts';
import type { TerminalConfig } from './config.ts';
import type { ProcessRegistry } from './processes/registry.ts';
import type { ShellStates } from './shell-state.ts';
import type { Situation } from './situation.ts';

export interface TerminalParts {
  readonly config: TerminalConfig;
  readonly backend: Backend;
  readonly states: ShellStates;
  readonly shell: ShellReader;
  readonly registry: ProcessRegistry;
  /** What commands receive as their environment before they change it. */
  readonly environment: Environment;
}

/** A command that was looked at and can be started. */
export interface Runnable {
  readonly situation: Situation;
  readonly outline: Outline;
  readonly timeout: number;
  readonly environment: Environment;
  start(): Promise<ProcessTree>;
}
