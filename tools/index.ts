import type { Tool } from '../agent/tool.ts';
import { createClarify } from './clarify.ts';
import { createPatch } from './files/patch.ts';
import { createReadFile } from './files/read-file.ts';
import { createSearchFiles } from './files/search-files.ts';
import { createWriteFile } from './files/write-file.ts';
import { type MemoryConfig, memorySection } from './memory/config.ts';
import type { Memories } from './memory/memories.ts';
import { createMemoryTool } from './memory/memory.ts';
import { createSendMessage, type Messenger } from './send-message.ts';
import { createSessionSearch, type SessionHistory } from './session-search.ts';
import { childEnvironment } from './shared/environment.ts';
import { createFileStates } from './shared/file-states.ts';
import { createProcessTrees } from './shared/process-tree.ts';
import { createShellJudge } from './shared/shell/judge.ts';
import { type TerminalConfig, terminalSection } from './terminal/config.ts';
import { createTerminal } from './terminal/terminal.ts';
import { createTodo, type TodoLists } from './todo.ts';

/** The registry of tools: one line for each. */

export interface ToolsConfig {
  readonly terminal: TerminalConfig;
  /** Left out: there is no memory. */
  readonly memory?: MemoryConfig;
  /** The daemon's own environment; commands receive an allowlisted part of it. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The user's home directory. */
  readonly home: string;
  /** Absolute paths that no tool reads or writes: our own `.env`, configuration and state. A name may end in "*". A workspace below one of them stays usable. */
  readonly protectedPaths: readonly string[];
  /** Absolute paths below which lies what belongs to one conversation or person each: file tools reach their own session's only. */
  readonly privatePaths?: readonly string[];
  /** Names the state directory: `endLeftovers(marker)` at the next start ends what a killed daemon left running. */
  readonly marker: string;
}

/** What tools need of whoever runs them. */
export interface ToolPorts {
  readonly history: SessionHistory;
  readonly todos: TodoLists;
  readonly messenger: Messenger;
  readonly memories: Memories;
  /** ms since the epoch. */
  readonly now: () => number;
}

/** For tools that are looked at and never run. */
const noPorts: ToolPorts = {
  history: { search: () => [], recent: () => [], read: () => undefined },
  todos: { read: () => undefined, write: () => undefined },
  messenger: { chats: () => [], find: () => 'No chats are known.', send: () => Promise.reject(new Error('nothing can be sent')) },
  memories: { of: () => 'There is no memory here.', snapshot: async () => '' },
  now: () => 0,
};

/** Sections of config.yaml that belong to tools. */
export const toolSections = { terminal: terminalSection, memory: memorySection };

export function createTools(config: ToolsConfig, ports: ToolPorts = noPorts): Tool[] {
  const processes = createProcessTrees({ marker: config.marker, namespace: config.terminal.process_namespace });
  const environment = childEnvironment(config.environment, config.terminal.env_passthrough);
  const files = { home: config.home, protectedPaths: config.protectedPaths };
  const fileParts = { ...files, protectedPaths: [...files.protectedPaths, ...(config.privatePaths ?? [])], states: createFileStates() };
  const judge = createShellJudge({ ...files, searchPath: environment['PATH'] ?? '' });
  return [
    createTerminal({ config: config.terminal, processes, environment, judge }),
    createReadFile(fileParts),
    createWriteFile(fileParts),
    createPatch(fileParts),
    createSearchFiles({ ...fileParts, environment }),
    createClarify(),
    createSessionSearch(ports.history, ports.now),
    createTodo(ports.todos),
    createSendMessage(ports.messenger),
    ...memoryTools(config.memory, ports.memories),
  ];
}

function memoryTools(config: MemoryConfig | undefined, memories: Memories): Tool[] {
  if (config === undefined || !(config.memory_enabled || config.user_profile_enabled)) return []; // by choice: nobody needs to be told that it is missing
  return [createMemoryTool({ memories, asksBeforeWriting: config.write_approval })];
}

export { createMemories } from './memory/memories.ts';
export { endLeftovers } from './shared/process/table.ts';
