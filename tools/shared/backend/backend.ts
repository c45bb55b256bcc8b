import type { SessionRef } from '../../../agent/tool.ts';
import type { ProcessSpec } from '../process/spec.ts';
import type { ProcessTree } from '../process-tree.ts';

/** Where a session's commands run and what files they find there. This machine is one such place; a container or another machine would be others. */
export interface Backend {
  /** Rejects with a sentence that says what to do when the command could not be started at all. */
  start(command: BackendCommand): Promise<ProcessTree>;
  /** What commands receive as their environment there, made of what they would receive here. */
  environment(wanted: Environment): Promise<Environment>;
  readonly files: BackendFiles;
  /** One sentence about what commands are kept from. The first time it may only say that this is being found out. */
  isolation(): string;
}

export type Environment = Readonly<Record<string, string>>;

export interface BackendCommand extends Omit<ProcessSpec, 'isolation'> {
  readonly session: SessionRef;
}

/** Files as the commands of a session find them. Paths are absolute. */
export interface BackendFiles {
  isDirectory(directory: string, session: SessionRef): Promise<boolean>;
  /** The directory of this machine that the session's commands find as /tmp; undefined where it is the machine's own. */
  temporary(session: SessionRef): Promise<string | undefined>;
}
