/** Telegram calls us. An update stays with it until we answer 200. https://core.telegram.org/bots/api#setwebhook */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import type { Host } from '../adapter.ts';
import { sleep } from '../shared/backoff.ts';
import { type Client, grammySignal, type Timing } from './client.ts';
import { type Health, keepGoing } from './loop.ts';
import { WANTED_UPDATES } from './wire.ts';

const LARGEST_UPDATE_BYTES = 1_000_000;
const SECRET_KEY = 'webhook-secret';

export interface WebhookLink {
  readonly client: Client;
  readonly timing: Timing;
  readonly host: Host;
  readonly health: Health;
  /** Public address with the path. */
  readonly url: string;
  readonly secret: string;
  prepare(signal: AbortSignal): Promise<void>;
}

/** Registers the webhook and then looks now and then whether Telegram can still reach it. */
export async function superviseWebhook(link: WebhookLink, signal: AbortSignal): Promise<void> {
  const { client, timing, health, url, secret } = link;
  let registered = false;
  await keepGoing(
    link,
    async () => {
      await link.prepare(signal);
      const request = { url, secret_token: secret, allowed_updates: WANTED_UPDATES };
      if (!registered) await client.probe.setWebhook(request, grammySignal(signal));
      registered = true;
      const info = await client.probe.getWebhookInfo(grammySignal(signal));
      registered = info.url === url;
      const problem = problemOf(info, registered, timing.webhookCheckMs);
      if (problem === undefined) health.ok();
      else health.failed(problem);
      await sleep(timing.webhookCheckMs, signal);
    },
    signal,
  );
}

interface WebhookInfo {
  readonly url?: string;
  readonly last_error_date?: number;
  readonly last_error_message?: string;
  readonly pending_update_count: number;
}

function problemOf(info: WebhookInfo, registered: boolean, sinceMs: number): string | undefined {
  if (!registered) return 'Another program changed the webhook of this bot; it is set again.';
  const { last_error_date: at, last_error_message: message, pending_update_count: pending } = info;
  // Telegram's time is in whole seconds.
  if (at === undefined || pending === 0 || (at + 1) * 1000 < Date.now() - sinceMs) return undefined;
  return `Telegram cannot deliver to the webhook: ${message ?? 'no reason given'}. ${pending} updates are waiting.`;
}

/** The configured secret, or one that is made once and kept. */
export function webhookSecret(configured: string | undefined, host: Host): string {
  const kept = configured ?? host.store.get(SECRET_KEY);
  if (typeof kept === 'string') return kept;
  const secret = randomBytes(32).toString('hex');
  host.store.put({ [SECRET_KEY]: secret });
  return secret;
}

export interface WebhookRoute {
  readonly path: string;
  readonly secret: string;
  /** Throws when the update must be offered again. */
  deliver(update: unknown): void;
}

/** The secret is compared before a byte of the body is read, and in constant time. */
export function webhookRoute(app: FastifyInstance, { path, secret, deliver }: WebhookRoute): void {
  const options = { bodyLimit: LARGEST_UPDATE_BYTES, config: { access: 'public' } };
  app.post(
    path,
    {
      ...options,
      onRequest: async (request, reply) => {
        const given = request.headers['x-telegram-bot-api-secret-token'];
        if (typeof given === 'string' && isSame(given, secret)) return;
        // The body is not read; the connection cannot be used again.
        await reply.code(401).header('connection', 'close').send({ error: 'wrong or missing secret token' });
      },
    },
    async (request, reply) => {
      try {
        deliver(request.body);
      } catch (error) {
        request.log.warn({ err: error }, 'an update could not be stored; Telegram will offer it again');
        return reply.code(503).send({ error: 'not stored, offer it again' });
      }
      return reply.code(200).send({});
    },
  );
}

function isSame(given: string, secret: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(secret));
}
