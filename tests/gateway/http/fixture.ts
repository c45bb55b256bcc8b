import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HttpServer, HttpServerOptions } from '../../../gateway/http/server.ts';
import { createHttpServer } from '../../../gateway/http/server.ts';
import type { ControlHandlers, OpenAsk, Status } from '../../../gateway/status.ts';
import { createMemoryStore } from '../../adapters/web/memory-store.ts';

export const status: Status = {
  version: '0.0.0-test',
  pid: 42,
  startedAtMs: 0,
  home: '/home/somebody/.hermes',
  database: '/home/somebody/.hermes/state.db',
  model: { name: 'demo', demo: true },
  accounts: [{ platform: 'telegram', account: 'main', state: 'degraded', detail: 'Somebody else polls.', restarts: 3 }],
  work: { inboxPending: 0, turnsRunning: 0, outboxPending: 0, outboxUnknown: 0 },
  notes: ['A private note.'],
};

export const ask: OpenAsk = {
  id: 7,
  number: 3,
  onPage: false,
  platform: 'telegram',
  chat: '-100777',
  chatType: 'group',
  person: 'Ann',
  markdown: 'Run `rm -rf build`?',
  choices: [
    { id: 'once', label: 'Allow once' },
    { id: 'deny', label: 'Deny' },
  ],
  deadlineAtMs: 4_000_000_000_000,
};

export function controlHandlers(changes: Partial<ControlHandlers> = {}): ControlHandlers {
  return {
    status: () => status,
    ready: () => ({ ready: true, accounts: status.accounts }),
    signInLink: () => undefined,
    asks: () => [],
    answerAsk: () => ({ done: false, text: 'There is no such question.' }),
    ...changes,
  };
}

export function pageDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'page-'));
  writeFileSync(join(directory, 'index.html'), '<!doctype html><title>Page</title>');
  writeFileSync(join(directory, 'main.js'), 'export {};');
  writeFileSync(join(directory, '.env'), 'SECRET=1');
  return directory;
}

/** Not listening: for `inject` under the port that it would take. */
export function server(changes: Partial<HttpServerOptions> = {}): HttpServer {
  return createHttpServer({
    config: { host: '127.0.0.1', port: 9119, allowed_hosts: [] },
    store: createMemoryStore(),
    handlers: controlHandlers(),
    pageDirectory: pageDirectory(),
    log: { info: () => {}, warn: () => {} },
    ...changes,
  });
}

export const HOST = '127.0.0.1:9119';
export const ORIGIN = `http://${HOST}`;
export const OWN = { host: HOST, origin: ORIGIN } as const;

export function codeOf(link: string): string {
  return new URL(link).hash.slice('#code='.length);
}

/** Signs in as the page does. The Cookie header. */
export async function signIn(http: HttpServer): Promise<string> {
  const answer = await http.app.inject({ method: 'POST', url: '/api/sign-in', headers: OWN, payload: { code: codeOf(http.signInLink()) } });
  return String(answer.headers['set-cookie']).split(';', 1)[0] ?? '';
}
