/** What the rest of the machine has to know of a home directory. */
import { homedir } from 'node:os';
import path from 'node:path';
import { controlSocketPath } from './http/control-socket.ts';
import { permissionsFile } from './permissions/load.ts';

/** Names this home in the environment of every command, so that what a killed daemon left running is found. */
export function markerOf(home: string): string {
  return Buffer.from(home).toString('base64url');
}

/** Where tools are at home. */
export function toolPaths(home: string) {
  return { home: homedir(), protectedPaths: protectedPaths(home), privatePaths: privatePaths(home), state: home, marker: markerOf(home) };
}

/** What no tool reads or writes: our own secrets, configuration and state. "*": also the database's log beside it, and its copies. */
function protectedPaths(home: string): readonly string[] {
  const files = [
    '.env',
    'config.yaml',
    permissionsFile,
    'state.db*',
    'gateway.db*',
    'gateway.lock',
    'gateway.pid',
    'run',
    'logs',
    'memories',
    'terminal',
    ...ofHermes,
  ];
  return [...files.map((name) => path.join(home, name)), path.dirname(controlSocketPath(home))];
}

/** Keys, sessions and other people's words that a home which Hermes Agent has used may hold. */
const ofHermes = [
  'auth.json*',
  'mcp-tokens',
  'pairing',
  'platforms',
  'whatsapp',
  'slack_tokens.json',
  'webhook_subscriptions.json',
  'response_store.db*',
  'sessions',
  '.hermes_history',
];

/** What each conversation has for itself; a tool reaches that of its own. */
function privatePaths(home: string): readonly string[] {
  const names = ['workspaces', 'media', 'cache', 'image_cache', 'audio_cache', 'document_cache', 'checkpoints', 'backups'];
  return names.map((name) => path.join(home, name));
}
