import { createHash } from 'node:crypto';
import { chmodSync, lstatSync, mkdirSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { AdapterLog } from '../../adapters/adapter.ts';
import type { ControlHandlers } from '../status.ts';
import type { ControlAnswer, ControlRoute } from './control-route.ts';
import { controlRoutes } from './control-routes.ts';
import { controlTokenPath, isControlToken, removeControlToken, writeControlToken } from './control-token.ts';
import { randomSecret } from './secrets.ts';

/** `sun_path` holds 108 bytes on Linux and 104 on macOS, the closing zero included. */
const MAX_PATH_BYTES = 100;
const MAX_REQUEST_MS = 5000;
const MAX_BODY_LENGTH = 64 * 1024;

export interface ControlSocketOptions {
  readonly path: string;
  readonly handlers: ControlHandlers;
  readonly log: AdapterLog;
  /** What whoever speaks here has to know; of this process alone. Left out: nobody else needs to know it, and it is made here. */
  readonly token?: string | undefined;
}

export interface ControlSocket {
  /** Rejects when another daemon answers there. */
  listen(): Promise<void>;
  close(): Promise<void>;
}

/** In the home; where that makes the path too long for a socket, in a directory of this user's own that the home's name decides. */
export function controlSocketPath(home: string): string {
  const path = join(home, 'run', 'gateway.sock');
  if (Buffer.byteLength(path) <= MAX_PATH_BYTES) return path;
  const hash = createHash('sha256').update(home).digest('hex').slice(0, 16);
  const base = process.env['XDG_RUNTIME_DIR'] ?? tmpdir();
  return join(base, `hermes-${process.getuid?.() ?? 'user'}-${hash}`, 'gateway.sock');
}

/**
 * The control API for the owner of this home. What keeps others out is the directory (0700 and ours before anything is bound in it) and the
 * token in a file there (0600) that every request has to bring.
 */
export function createControlSocket({ path, handlers, log, token = randomSecret() }: ControlSocketOptions): ControlSocket {
  const api = { routes: controlRoutes(handlers), path, token, log };
  const server = createServer((request, response) => void handle(api, request, response));
  server.requestTimeout = MAX_REQUEST_MS;
  server.headersTimeout = MAX_REQUEST_MS;
  return {
    async listen() {
      ensurePrivateDirectory(dirname(path));
      await removeStale(path);
      writeControlToken(path, token);
      await bind(server, path);
    },
    close: () =>
      new Promise((resolve) => {
        if (server.listening) removeControlToken(path);
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** In a shared directory somebody else may have been first: then this refuses. */
export function ensurePrivateDirectory(directory: string): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const facts = lstatSync(directory);
  if (!facts.isDirectory() || (process.getuid && facts.uid !== process.getuid())) {
    throw new Error(`${directory} is not a directory of this user, so the control socket cannot be put there. Remove it and start again.`);
  }
  if ((facts.mode & 0o077) !== 0) chmodSync(directory, 0o700);
}

/** The file of a daemon that was killed stays behind; only one that nobody answers may be removed. */
async function removeStale(path: string): Promise<void> {
  if (await answers(path)) throw new Error(`Another gateway answers at ${path}. Stop it first, or set HERMES_HOME to another directory.`);
  rmSync(path, { force: true });
}

function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createConnection(path);
    probe.once('connect', () => {
      probe.destroy();
      resolve(true);
    });
    probe.once('error', () => resolve(false));
  });
}

/** A Unix socket is bound inside `listen`, synchronously, so the mask is the process's own again before anything else runs. */
function bind(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    const mask = process.umask(0o077);
    try {
      server.listen(path, () => {
        server.off('error', reject);
        resolve();
      });
    } finally {
      process.umask(mask);
    }
  });
}

interface Api {
  readonly routes: readonly ControlRoute[];
  readonly path: string;
  readonly token: string;
  readonly log: AdapterLog;
}

/** Never rejects: who breaks off in the middle of a request gets no answer. */
async function handle(api: Api, request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    const isOwner = isControlToken(request.headers.authorization, api.token);
    const { status, body } = isOwner ? await answer(api, request, await read(request)) : refusal(api);
    response.writeHead(status, { 'content-type': 'application/json', connection: 'close' }).end(JSON.stringify(body));
  } catch {
    response.destroy();
  }
}

/** Before a byte of the body is read, and the same whatever was asked for. */
function refusal({ path, log }: Api): ControlAnswer {
  log.warn({}, 'somebody without the token was refused at the control socket');
  return {
    status: 401,
    body: { error: `This is for whoever can read ${controlTokenPath(path)}, which is new at each start of the gateway.` },
  };
}

/** The whole body, so that the connection can end in order; of one that is too long the beginning, which is no JSON. */
async function read(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) if (text.length <= MAX_BODY_LENGTH) text += chunk;
  return text;
}

async function answer({ routes, log }: Api, request: IncomingMessage, text: string): Promise<ControlAnswer> {
  for (const route of routes) {
    const params = route.method === request.method ? paramsOf(route.path, request.url ?? '') : undefined;
    if (!params) continue;
    try {
      return await route.answer({ params, body: parsed(text) });
    } catch (error) {
      log.warn({ err: error, route: route.path }, 'a control request failed');
      return { status: 500, body: { error: 'The gateway could not answer this; its log says why.' } };
    }
  }
  return { status: 404, body: { error: 'This gateway has no such control route; the command may be of another version.' } };
}

/** Undefined: the address is not of this path. */
function paramsOf(path: string, url: string): Record<string, string> | undefined {
  const [names, values] = [path.split('/'), url.split('/')];
  if (names.length !== values.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, name] of names.entries()) {
    const value = values[index] ?? '';
    if (name.startsWith(':')) params[name.slice(1)] = value;
    else if (name !== value) return undefined;
  }
  return params;
}

/** Undefined where it is no JSON: a route that needs a body says what it needs. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
