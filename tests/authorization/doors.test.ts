/** Where in the sources something begins to listen: nowhere that the inventories and the audit of sockets do not look at. */
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** What Node, ws and Fastify call it. A client's own `listen` is none of it, which the arguments tell. */
const opens = /\b(?:createServer|createSecureServer|createSocket|WebSocketServer|Fastify)\s*\(|\.listen\((?=[^)])/;

it('only the HTTP server and the control socket', () => {
  const files = globSync('{gateway,agent,tools,adapters}/**/*.{ts,js,mjs}', { cwd: root });
  expect(files.length).toBeGreaterThan(300);
  const found = files.filter((file) => opens.test(readFileSync(path.join(root, file), 'utf8')));
  expect(found.sort()).toEqual(['gateway/http/control-socket.ts', 'gateway/http/server.ts']);
});
