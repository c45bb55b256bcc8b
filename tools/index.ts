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
import { createLocalFiles } from './shared/file-access.ts';
import { createFileStates } from './shared/file-states.ts';
import { type TerminalConfig, terminalSection } from './terminal/config.ts';
import { createTerminals, type Terminals } from './terminal/terminals.ts';
import { createTodo, type TodoLists } from './todo.ts';
import { webToolsSection } from './web/config.ts';
import { createWebTools, type WebTools } from './web/web.ts';

/** The registry of tools: one line for each. */

export interface ToolsConfig {
  readonly terminal: TerminalConfig;
  /** Left out: there is no memory. */
  readonly memory?: MemoryConfig;
  /** Left out: the web is not reached. */
  readonly web?: WebTools;
  /** The daemon's own environment; commands receive an allowlisted part of it. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The user's home directory. */
  readonly home: string;
  /** Absolute paths that no tool reads or writes: our own `.env`, configuration and state. A name may end in "*". A workspace below one of them stays usable. */
  readonly protectedPaths: readonly string[];
  /** Absolute paths below which lies what belongs to one conversation or person each: file tools reach their own session's only. */
  readonly privatePaths?: readonly string[];
  /** The gateway's home. Left out: nothing of the terminal outlasts this process, and nothing is isolated. */
  readonly state?: string;
  /** Names the state directory: `endLeftovers(marker)` at the next start ends what a killed daemon left running. */
  readonly marker: string;
}

/** What tools need of whoever runs them. */
export interface ToolPorts {
  readonly history: SessionHistory;
  readonly todos: TodoLists;
  readonly messenger: Messenger;
  readonly memories: Memories;
  /** Left out: one of their own, of whose processes nobody is told. */
  readonly terminals?: Terminals;
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
export const toolSections = { terminal: terminalSection, memory: memorySection, web_tools: webToolsSection };

export function createTools(config: ToolsConfig, ports: ToolPorts = noPorts): Tool[] {
  const environment = environmentOf(config);
  const terminals = ports.terminals ?? createTerminalsFor(config);
  const fileParts = {
    home: config.home,
    protectedPaths: [...config.protectedPaths, ...(config.privatePaths ?? [])],
    files: createLocalFiles({ home: config.home, temporaryOf: terminals.files.temporary }),
    states: createFileStates(),
  };
  return [
    ...terminals.tools,
    createReadFile(fileParts),
    createWriteFile(fileParts),
    createPatch(fileParts),
    createSearchFiles({ ...fileParts, environment }),
    createClarify(),
    createSessionSearch(ports.history, ports.now),
    createTodo(ports.todos),
    createSendMessage(ports.messenger),
    ...memoryTools(config.memory, ports.memories),
    ...(config.web === undefined ? [] : createWebTools(config.web)),
  ];
}

function environmentOf({ environment, terminal }: ToolsConfig): Record<string, string> {
  return childEnvironment(environment, terminal.env_passthrough);
}

/** The terminal and its processes, for a daemon that is told of them and ends them. */
export function createTerminalsFor(config: ToolsConfig): Terminals {
  const { home, protectedPaths, privatePaths = [], state, marker } = config;
  return createTerminals({
    config: config.terminal,
    environment: environmentOf(config),
    home,
    protectedPaths,
    privatePaths,
    state,
    marker,
    now: Date.now,
  });
}

function memoryTools(config: MemoryConfig | undefined, memories: Memories): Tool[] {
  if (config === undefined || !(config.memory_enabled || config.user_profile_enabled)) return []; // by choice: nobody needs to be told that it is missing
  return [createMemoryTool({ memories, asksBeforeWriting: config.write_approval })];
}

export { createMemories } from './memory/memories.ts';
export { endLeftovers } from './shared/process/table.ts';
