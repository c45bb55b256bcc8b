/** Slack calls us: events, clicks and slash commands at one address. https://docs.slack.dev/authentication/verifying-requests-from-slack */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';

const LARGEST_BODY_BYTES = 1_000_000;
/** An older request may have been overheard; one from the future was signed for later. */
const WINDOW_SECONDS = 300;

export interface EventsRoute {
  readonly path: string;
  readonly secret: string;
  readonly now: () => number;
  /** Rejects when the event must be offered again. */
  take(payload: unknown, signal: AbortSignal): Promise<void>;
  /** Another route has this path: nothing will come. */
  taken(): void;
}

export function eventsRoute(app: FastifyInstance, { path, secret, now, take, taken }: EventsRoute): void {
  // A scope of its own, because the signature is over the bytes as they came.
  app.register(async (scope) => {
    if (scope.hasRoute({ method: 'POST', url: path })) return taken();
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: LARGEST_BODY_BYTES }, (_request, body, done) => done(null, body));
    const isDated = (request: FastifyRequest): boolean => signatureOf(request, now()) !== undefined;
    scope.post(
      path,
      {
        bodyLimit: LARGEST_BODY_BYTES,
        config: { access: 'public' },
        onRequest: async (request, reply) => {
          if (isDated(request)) return;
          // The body is not read; the connection cannot be used again.
          await reply.code(401).header('connection', 'close').send({ error: 'not signed, or not now' });
        },
      },
      async (request, reply) => {
        const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
        const signature = signatureOf(request, now());
        if (signature === undefined || !isSigned(body, signature, secret)) return reply.code(401).send({ error: 'wrong signature' });
        const payload = payloadOf(body, request.headers['content-type'] ?? '');
        if (payload === undefined) return reply.code(400).send({ error: 'neither JSON nor a form' });
        if (isVerification(payload)) return reply.code(200).send({ challenge: payload.challenge });
        try {
          await withinTime((signal) => take(payload, signal));
        } catch (error) {
          request.log.warn({ err: error }, 'an event could not be stored; Slack will offer it again');
          return reply.code(503).send({ error: 'not stored, offer it again' });
        }
        // An answer with content would be shown to the person.
        return reply.code(200).send();
      },
    );
  });
}

/** Slack waits for 3 s. What waits longer here, behind what was missed, is offered again and known then. */
const WAIT_MS = 2500;

async function withinTime(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const signal = AbortSignal.timeout(WAIT_MS);
  const late = Promise.withResolvers<never>();
  signal.addEventListener('abort', () => late.reject(signal.reason), { once: true });
  await Promise.race([work(signal), late.promise]);
}

interface Signature {
  readonly timestamp: string;
  readonly given: Buffer;
}

function signatureOf({ headers }: FastifyRequest, nowMs: number): Signature | undefined {
  const timestamp = headers['x-slack-request-timestamp'];
  const given = headers['x-slack-signature'];
  if (typeof timestamp !== 'string' || !/^\d{1,12}$/.test(timestamp) || typeof given !== 'string' || !/^v0=[0-9a-f]{64}$/.test(given))
    return undefined;
  return Math.abs(nowMs / 1000 - Number(timestamp)) <= WINDOW_SECONDS
    ? { timestamp, given: Buffer.from(given.slice(3), 'hex') }
    : undefined;
}

function isSigned(body: Buffer, { timestamp, given }: Signature, secret: string): boolean {
  const ours = createHmac('sha256', secret).update(`v0:${timestamp}:`).update(body).digest();
  return timingSafeEqual(ours, given);
}

/** Events are JSON; a click is JSON in the field `payload` of a form; a slash command is a form. */
function payloadOf(body: Buffer, contentType: string): unknown {
  const text = body.toString('utf8');
  try {
    if (contentType.startsWith('application/json')) return JSON.parse(text);
    if (!contentType.startsWith('application/x-www-form-urlencoded')) return undefined;
    const form = new URLSearchParams(text);
    const payload = form.get('payload');
    return payload === null ? Object.fromEntries(form) : JSON.parse(payload);
  } catch {
    return undefined;
  }
}

function isVerification(payload: unknown): payload is { readonly challenge: string } {
  if (typeof payload !== 'object' || payload === null || !('type' in payload) || !('challenge' in payload)) return false;
  return payload.type === 'url_verification' && typeof payload.challenge === 'string';
}
