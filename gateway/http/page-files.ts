import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

interface PageFile {
  readonly path: string;
  readonly type: string;
  readonly body: Buffer;
  readonly tag: string;
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webmanifest': 'application/manifest+json',
};

/**
 * The page: a handful of files of our own build, read once. No request names a file on disk, so there is no path to escape from.
 * Browsers ask each time whether a file is still the same (a loopback round trip), so an upgrade is never half old.
 */
export function servePage(app: FastifyInstance, directory: string): void {
  const files = readPage(directory);
  for (const file of files) app.get(file.path, { config: { access: 'page' } }, (request, reply) => answer(file, request, reply));
  if (files.some((file) => file.path === '/')) return;
  app.get('/', { config: { access: 'page' } }, (_request, reply) =>
    reply.code(503).type('text/plain; charset=utf-8').send('The page is not built. Run "npm run build" and start again.'),
  );
}

function readPage(directory: string): readonly PageFile[] {
  if (!existsSync(directory)) return [];
  const names = readdirSync(directory).filter((name) => TYPES[extname(name)] !== undefined);
  return names.map((name) => {
    const body = readFileSync(join(directory, name));
    const tag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
    return { path: name === 'index.html' ? '/' : `/${name}`, type: TYPES[extname(name)] ?? '', body, tag };
  });
}

function answer(file: PageFile, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply.header('cache-control', 'no-cache').header('etag', file.tag);
  if (request.headers['if-none-match'] === file.tag) return reply.code(304).send();
  return reply.type(file.type).send(file.body);
}
