import type { FastifyReply, FastifyRequest } from 'fastify';
import { isOwnHost, isSameOrigin, type WebConfig } from './addresses.ts';
import type { BrowserSession, BrowserSessions } from './browser-sessions.ts';
import { HttpError } from './errors.ts';

const HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const;

export interface Guard {
  /** The one hook in front of every route, the adapters' included. */
  check(request: FastifyRequest, reply: FastifyReply): Promise<void>;
  /** The session of a request that passed. */
  session(request: FastifyRequest): BrowserSession;
}

export interface GuardOptions {
  readonly config: WebConfig;
  readonly sessions: BrowserSessions;
  port(): number;
}

/**
 * `config.access` of a route: `public` authenticates itself (webhooks) or tells nothing (health), and is not looked at here; `page` needs
 * no sign-in (the page's files, signing in); everything else needs the cookie, also where no route matches.
 */
export function createGuard({ config, sessions, port }: GuardOptions): Guard {
  const found = new WeakMap<FastifyRequest, BrowserSession>();
  return {
    async check(request, reply) {
      reply.headers(HEADERS);
      // An answer instead of an upgrade: nobody else ends this connection, and it would outlive the server.
      if (isUpgrade(request)) reply.raw.once('finish', () => request.raw.socket.destroy());
      const access = accessOf(request);
      if (access === 'public') return;
      checkAddress(request, config, port());
      if (access === 'page') return;
      if (isForeign(request)) throw new HttpError(403, 'This did not come from the page of this gateway.');
      const session = sessions.find(request.headers.cookie);
      if (!session) throw new HttpError(401, 'Sign in first: "hermes gateway link" prints a link.');
      found.set(request, session);
      if (isUpgrade(request)) sessions.attach(session, request.raw.socket);
    },
    session(request) {
      const session = found.get(request);
      if (!session) throw new HttpError(401, 'Sign in first: "hermes gateway link" prints a link.');
      return session;
    },
  };
}

function checkAddress(request: FastifyRequest, config: WebConfig, port: number): void {
  const { host, origin } = request.headers;
  if (!isOwnHost(host, port, config)) {
    throw new HttpError(403, 'The gateway does not answer under this name; web.allowed_hosts in config.yaml lists further ones.');
  }
  const reads = request.method === 'GET' || request.method === 'HEAD';
  if (reads && !isUpgrade(request)) return;
  if (!isSameOrigin(origin, host)) throw new HttpError(403, 'This did not come from the page of this gateway.');
  if (!reads && !isJson(request.headers['content-type'])) throw new HttpError(415, 'Only application/json is understood.');
}

function isUpgrade(request: FastifyRequest): boolean {
  return request.headers.upgrade !== undefined;
}

/**
 * Browsers say with reads, too, whose page they come from. They keep the answer from a foreign page by themselves; another port of this
 * machine is the same site to them, though, so that such a read has the cookie. Upgrades have an Origin, which says more.
 */
function isForeign(request: FastifyRequest): boolean {
  const site = request.headers['sec-fetch-site'];
  return site !== undefined && site !== 'same-origin' && site !== 'none' && !isUpgrade(request);
}

/** Another content type could be sent by a foreign page without asking first (CORS "simple" requests). */
function isJson(contentType: string | undefined): boolean {
  return contentType?.split(';', 1)[0]?.trim().toLowerCase() === 'application/json';
}

/** Routes outside this folder declare `config: { access: 'public' }` without knowing us, so the field is read as what it is: unknown. */
function accessOf(request: FastifyRequest): unknown {
  const config: object = request.routeOptions.config ?? {};
  return 'access' in config ? config.access : undefined;
}
