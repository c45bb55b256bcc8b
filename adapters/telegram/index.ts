/** The Telegram account: one connection in, calls out. Loaded only when Telegram is switched on. */
import type { Adapter, Host } from '../adapter.ts';
import type { MenuCommand } from '../platform.ts';
import { createCallbackAnswers } from './callbacks.ts';
import { type Client, createClient, TIMING, type Timing } from './client.ts';
import { createDeliverer } from './delivery.ts';
import { fetchFile } from './download.ts';
import { createIdentity } from './identity.ts';
import { createIntake } from './intake.ts';
import { createHealth, type Health } from './loop.ts';
import { publishMenu } from './menu.ts';
import { createMigrations } from './migrations.ts';
import { DOWNLOAD_LIMIT_BYTES, type TelegramConfig } from './platform.ts';
import { poll } from './poller.ts';
import { superviseWebhook, webhookRoute, webhookSecret } from './webhook.ts';

export function createTelegramAdapter(config: TelegramConfig, host: Host, menu: readonly MenuCommand[]): Adapter {
  return connectTelegram({ config, host, menu, timing: TIMING });
}

export interface TelegramParts {
  readonly config: TelegramConfig;
  readonly host: Host;
  readonly menu: readonly MenuCommand[];
  readonly timing: Timing;
}

export function connectTelegram({ config, host, menu, timing }: TelegramParts): Adapter {
  const token = config.bot_token ?? '';
  const client = createClient({ token, root: config.base_url, pollMs: config.poll_timeout_seconds * 1000 }, timing);
  const migrations = createMigrations(host.store);
  const identity = createIdentity({ token, host, client });
  const { respond, dismiss } = createCallbackAnswers(client, timing);
  const intake = createIntake({ config, host, menu, migrations, identity, dismiss });
  const deliverer = createDeliverer({ client, migrations, disableLinkPreviews: config.disable_link_previews });
  const parts = { config, client, timing, host, health: createHealth(host), identity, intake };
  return {
    async run(signal) {
      host.state('connecting');
      const proven = Promise.withResolvers<void>();
      const over = new AbortController();
      const extras = whenProven({ ...parts, menu }, proven.promise, AbortSignal.any([signal, over.signal]));
      const { ok, failed } = parts.health;
      const told = () => {
        ok();
        proven.resolve();
      };
      try {
        await connection({ ...parts, health: { ok: told, failed } }, signal);
      } finally {
        over.abort();
        proven.resolve();
        await extras;
      }
    },
    ...deliverer,
    buttons: true,
    respond,
    fetch: (attachment, signal) => fetchFile({ client, timing, limitBytes: DOWNLOAD_LIMIT_BYTES }, attachment, signal),
    ...(config.webhook.url === undefined ? {} : { routes: (app) => addRoute(parts, app) }),
  };
}

interface ConnectionParts {
  readonly config: TelegramConfig;
  readonly client: Client;
  readonly timing: Timing;
  readonly host: Host;
  readonly health: Health;
  readonly identity: ReturnType<typeof createIdentity>;
  readonly intake: ReturnType<typeof createIntake>;
}

/** What may wait until messages flow. Never rejects. */
async function whenProven(
  { client, host, identity, menu }: ConnectionParts & { readonly menu: readonly MenuCommand[] },
  proven: Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  await proven;
  if (signal.aborted) return;
  await Promise.all([identity.confirm(signal), publishMenu({ client, host, menu }, signal)]);
}

function connection(parts: ConnectionParts, signal: AbortSignal): Promise<void> {
  const { config, host, identity, intake } = parts;
  const prepare = identity.prepare;
  if (config.webhook.url === undefined)
    return poll({ ...parts, pollSeconds: config.poll_timeout_seconds, prepare, deliver: intake.batch }, signal);
  const url = config.webhook.url.replace(/\/+$/, '') + pathOf(parts);
  return superviseWebhook({ ...parts, url, secret: webhookSecret(config.webhook.secret, host), prepare }, signal);
}

/** Each account has a path of its own. */
function pathOf({ config, host }: Pick<ConnectionParts, 'config' | 'host'>): string {
  return host.account === 'main' ? config.webhook.path : `${config.webhook.path}/${host.account}`;
}

function addRoute({ config, host, health, intake }: ConnectionParts, app: Parameters<NonNullable<Adapter['routes']>>[0]): void {
  const deliver = (update: unknown): void => {
    intake.one(update);
    health.ok();
  };
  webhookRoute(app, { path: pathOf({ config, host }), secret: webhookSecret(config.webhook.secret, host), deliver });
}
