import path from 'node:path';
import type { Tool } from '../../agent/tool.ts';
import type { BackendFiles, Environment } from '../shared/backend/backend.ts';
import { createLocalBackend, sessionPlace } from '../shared/backend/local.ts';
import { createProcessTrees } from '../shared/process-tree.ts';
import { createShellReader } from '../shared/shell/judge.ts';
import type { TerminalConfig } from './config.ts';
import { PROCESSES, removeOldPlacesLater } from './old-places.ts';
import { createProcessTool } from './process.ts';
import { createProcessRecords } from './processes/record.ts';
import { createProcessRegistry } from './processes/registry.ts';
import { createShellStates } from './shell-state.ts';
import { createTerminal } from './terminal.ts';
import type { ProcessList } from './wake.ts';

/** The terminal and its processes. */
export interface Terminals {
  readonly tools: readonly Tool[];
  readonly processes: ProcessList;
  readonly files: BackendFiles;
  /** One sentence about what commands are kept from. The first time it may only say that this is being found out. */
  isolation(): string;
}

export interface TerminalsOptions {
  readonly config: TerminalConfig;
  /** What commands receive as their environment. */
  readonly environment: Environment;
  /** The user's home directory. */
  readonly home: string;
  readonly protectedPaths: readonly string[];
  /** Below them lies what belongs to one conversation each. */
  readonly privatePaths: readonly string[];
  /** The gateway's home; what is ours in it is `terminal`. Absent: nothing outlasts this process, and nothing is isolated. */
  readonly state?: string | undefined;
  /** Names the state directory in the environment of every command. */
  readonly marker: string;
  readonly now: () => number;
}

export function createTerminals(options: TerminalsOptions): Terminals {
  const { config, environment, home, protectedPaths, privatePaths, state, marker, now } = options;
  const trees = createProcessTrees({ marker, namespace: config.process_namespace });
  const backend = createLocalBackend({
    trees,
    home,
    state,
    mode: config.isolation,
    hidden: protectedPaths,
    writable: config.writable_paths,
  });
  const states = createShellStates((session) => (state === undefined ? undefined : sessionPlace(session.id, state)));
  const shell = createShellReader({ home, protectedPaths: [...protectedPaths, ...privatePaths], searchPath: environment['PATH'] ?? '' });
  const records = createProcessRecords(state === undefined ? undefined : path.join(state, 'terminal', PROCESSES));
  const registry = createProcessRegistry(records, now);
  const tools = [createTerminal({ config, backend, states, shell, registry, environment }), createProcessTool({ config, registry, now })];
  const begin: ProcessList['begin'] = (wake) => {
    registry.list.begin(wake);
    if (state !== undefined) removeOldPlacesLater(path.join(state, 'terminal'), now);
  };
  return { tools, processes: { ...registry.list, begin }, files: backend.files, isolation: () => backend.isolation() };
}
