import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import type { AccountStore, AdapterLog } from '../../adapters/adapter.ts';
import type { ControlHandlers } from '../status.ts';
import { DEFAULT_PORT, pageUrl, type WebConfig } from './addresses.ts';
import { BrowserSessions } from './browser-sessions.ts';
import { controlRoutes } from './control-routes.ts';
import { answerErrors } from './errors.ts';
import { createGuard } from './guard.ts';
import { servePage } from './page-files.ts';
import { createAttemptLimit, createSignInCodes } from './sign-in.ts';
import { addSignInRoutes } from './sign-in-routes.ts';

const MAX_BODY_BYTES = 1024 * 1024;
/** Until a request is complete. Fastify waits for ever otherwise, also for who has not shown yet that they may ask at all. */
const MAX_REQUEST_MS = 30_000;

export interface HttpServerOptions {
  readonly config: WebConfig;
  /** Holds the hashes of the session cookies. */
  readonly store: AccountStore;
  readonly handlers: ControlHandlers;
  /** The built page (`dist/web`). */
  readonly pageDirectory: string;
  readonly log: AdapterLog;
  readonly now?: () => number;
}

export interface HttpServer {
  /** For the adapters' routes, before `listen`. Every route is behind the guard. */
  readonly app: FastifyInstance;
  /** The person behind a request that passed the guard. */
  verified(request: FastifyRequest): string;
  /** Resolves with the page's address. */
  listen(): Promise<string>;
  /** A fresh link that signs in once. Only once it listens. */
  signInLink(): string;
  close(): Promise<void>;
}

/** Assembles; binds nothing before `listen`. */
export function createHttpServer({ config, store, handlers, pageDirectory, log, now = Date.now }: HttpServerOptions): HttpServer {
  const app = Fastify({ bodyLimit: MAX_BODY_BYTES, requestTimeout: MAX_REQUEST_MS, forceCloseConnections: true, trustProxy: false });
  const port = (): number => boundPort(app) ?? config.port ?? DEFAULT_PORT;
  const sessions = new BrowserSessions(store, now);
  const guard = createGuard({ config, sessions, port });
  const codes = createSignInCodes();
  // JSON is what is understood; a webhook that needs another type adds its parser in its own scope.
  app.removeContentTypeParser('text/plain');
  app.addHook('onRequest', guard.check);
  answerErrors(app, log);
  addControlRoutes(app, handlers);
  addSignInRoutes(app, { codes, attempts: createAttemptLimit(now), sessions, guard });
  servePage(app, pageDirectory);
  return {
    app,
    verified: (request) => guard.session(request).person,
    listen: () => listen(app, config),
    signInLink: () => `${pageUrl(config, port())}#code=${codes.issue()}`,
    close: () => app.close(),
  };
}

function addControlRoutes(app: FastifyInstance, handlers: ControlHandlers): void {
  for (const route of controlRoutes(handlers)) {
    app.route({
      method: route.method,
      url: route.path,
      config: { access: route.public ? 'public' : 'signed-in' },
      handler: async (request, reply) => {
        // Each `:name` of a path is one string.
        const params = request.params as Readonly<Record<string, string>>;
        const { status, body } = await route.answer({ params, body: request.body });
        return reply.code(status).header('cache-control', 'no-store').send(body);
      },
    });
  }
}

/** A port that somebody asked for is taken or it fails; the default one gives way, so that a second home starts without a word. */
async function listen(app: FastifyInstance, config: WebConfig): Promise<string> {
  try {
    await app.listen({ host: config.host, port: config.port ?? DEFAULT_PORT });
  } catch (error) {
    if (!isAddressInUse(error)) throw error;
    if (config.port !== undefined) throw portTaken(config, error);
    await app.listen({ host: config.host, port: 0 });
  }
  return pageUrl(config, boundPort(app) ?? DEFAULT_PORT);
}

function portTaken({ host, port }: WebConfig, cause: unknown): Error {
  const message = `Port ${port} on ${host} is in use by another program. Set web.port in config.yaml to a free one, or remove it to let the gateway choose.`;
  return new Error(message, { cause });
}

function isAddressInUse(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
}

function boundPort(app: FastifyInstance): number | undefined {
  const address = app.server.address();
  return typeof address === 'object' && address !== null ? address.port : undefined;
}
