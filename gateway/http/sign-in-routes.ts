import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { isSecureOrigin } from './addresses.ts';
import type { BrowserSessions } from './browser-sessions.ts';
import { HttpError } from './errors.ts';
import type { Guard } from './guard.ts';
import type { AttemptLimit, SignInCodes } from './sign-in.ts';

const MAX_BODY_BYTES = 4096;

/** There is one person so far: who can read the terminal of the daemon. */
const OWNER = 'owner';

export interface SignInParts {
  readonly codes: SignInCodes;
  readonly attempts: AttemptLimit;
  readonly sessions: BrowserSessions;
  readonly guard: Guard;
}

const signInBody = z.object({ code: z.string().min(1).max(256) });

export function addSignInRoutes(app: FastifyInstance, { codes, attempts, sessions, guard }: SignInParts): void {
  app.route({
    method: 'POST',
    url: '/api/sign-in',
    config: { access: 'page' },
    bodyLimit: MAX_BODY_BYTES,
    // Before the body is read: what cannot be parsed counts as well.
    onRequest: async () => {
      if (!attempts.begin()) throw new HttpError(429, 'Too many attempts to sign in. Wait a minute and try again.');
    },
    handler: async (request, reply) => {
      const code = signInBody.safeParse(request.body).data?.code;
      if (code === undefined || !codes.redeem(code)) {
        throw new HttpError(401, 'This link was used before or is too old. "hermes gateway link" prints a fresh one.');
      }
      attempts.succeeded();
      return reply.header('set-cookie', sessions.create(OWNER, isSecure(request))).send({ person: OWNER });
    },
  });
  app.post('/api/sign-out', async (request, reply) =>
    reply.header('set-cookie', sessions.end(guard.session(request), isSecure(request))).send({}),
  );
}

function isSecure(request: FastifyRequest): boolean {
  return isSecureOrigin(request.headers.origin, request.headers.host);
}
