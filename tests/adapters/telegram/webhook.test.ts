import { once } from 'node:events';
import http from 'node:http';
import net from 'node:net';
import fastify, { type FastifyInstance } from 'fastify';
import { afterEach, describe, expect, it } from 'vitest';
import type { Json } from '../../../adapters/adapter.ts';
import { type FakeTelegram, startFakeTelegram } from '../../fakes/telegram.ts';
import { startRig, type TelegramRig } from './rig.ts';

const SECRET = 'a_secret-of-our-own';
const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function freePort(): Promise<number> {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as net.AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

interface Hooked extends TelegramRig {
  readonly app: FastifyInstance;
  readonly url: string;
  readonly routes: { url: string; access: unknown }[];
}

async function startHooked(webhook: Record<string, unknown> = { secret: SECRET }, kept = new Map<string, Json>()): Promise<Hooked> {
  const fake: FakeTelegram = await startFakeTelegram({ webhookRetryMs: 20 });
  closing.push(() => fake.close());
  const app = fastify();
  const routes: Hooked['routes'] = [];
  app.addHook('onRoute', ({ url: route, config }) => void routes.push({ url: route, access: Object(config)['access'] }));
  // The port is known before the routes are, as with the gateway's own server behind a proxy.
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const rig = await startRig({ on: fake, kept, config: { webhook: { url, ...webhook } } });
  rig.adapter.routes?.(app, () => 'nobody');
  await app.listen({ port, host: '127.0.0.1' });
  closing.push(() => app.close(), rig.close);
  return { ...rig, app, url, routes };
}

const post = (rig: Hooked, body: unknown, headers: Record<string, string> = {}) =>
  fetch(`${rig.url}/telegram/webhook`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
const update = {
  update_id: 1,
  message: { message_id: 1, date: 1, chat: { id: 5, type: 'private' }, from: { id: 5, is_bot: false, first_name: 'A' }, text: 'forged' },
};

describe("Telegram's webhook", () => {
  it('is set with its secret, and messages come through it without polling', async () => {
    const rig = await startHooked();
    await rig.fake.waitFor(() => rig.fake.webhook().url !== '');
    expect(rig.fake.webhook()).toEqual({ url: `${rig.url}/telegram/webhook`, secret: SECRET });
    rig.fake.inject({ chatId: 5, text: 'pushed' });
    await rig.fake.waitFor(() => rig.host.received.length === 1);
    await rig.fake.waitFor(() => rig.fake.waiting().length === 0);
    expect(rig.fake.polls).toEqual([]);
    expect(rig.routes).toContainEqual({ url: '/telegram/webhook', access: 'public' });
  });

  it('brings clicks as well', async () => {
    const rig = await startHooked();
    await rig.fake.waitFor(() => rig.fake.webhook().url !== '');
    const from = { id: 5, is_bot: false, first_name: 'A' };
    const message = { message_id: 7, date: 1, chat: { id: 5, type: 'private' } };
    rig.fake.inject({ callback_query: { id: 'c1', from, message, chat_instance: '1', data: 'abcdefgh12345678:yes' } });
    await rig.fake.waitFor(() => rig.host.received.length === 1);
    expect(rig.host.received).toMatchObject([{ type: 'answer', event: 'cb:c1', choice: 'yes' }]);
  });

  it('answers 200 only when the update is stored', async () => {
    const rig = await startHooked();
    await rig.fake.waitFor(() => rig.host.alives > 0);
    rig.host.refusal = new Error('disk full');
    expect((await post(rig, update, { 'x-telegram-bot-api-secret-token': SECRET })).status).toBe(503);
    rig.fake.injectMany(['one', 'two'].map((text) => ({ chatId: 5, text })));
    await rig.fake.waitFor(() => rig.host.offers.length >= 3);
    expect(rig.fake.waiting().length).toBe(2);
    rig.host.refusal = undefined;
    await rig.fake.waitFor(() => rig.fake.waiting().length === 0);
    expect(rig.host.received.map((event) => event.type === 'message' && event.text)).toEqual(['one', 'two']);
  });

  it.each([
    ['no secret', {}],
    ['a wrong secret', { 'x-telegram-bot-api-secret-token': 'a_secret-of-our-owm' }],
    ['a longer secret', { 'x-telegram-bot-api-secret-token': `${SECRET}x` }],
    ['an empty secret', { 'x-telegram-bot-api-secret-token': '' }],
  ] as [string, Record<string, string>][])('refuses a request with %s before it reads its body', async (_title, headers) => {
    const rig = await startHooked();
    // The body is announced and never sent: only an answer that does not wait for it can come.
    const request = http.request(`${rig.url}/telegram/webhook`, { method: 'POST', headers: { ...headers, 'content-length': 2_000_000 } });
    request.flushHeaders();
    const [response] = await once(request, 'response');
    expect(response.statusCode).toBe(401);
    request.destroy();
    expect(rig.host.offers).toEqual([]);
  });

  it('refuses a body beyond its limit, other methods and other paths', async () => {
    const rig = await startHooked();
    const headers = { 'x-telegram-bot-api-secret-token': SECRET };
    expect((await post(rig, { ...update, padding: 'x'.repeat(1_100_000) }, headers)).status).toBe(413);
    expect((await fetch(`${rig.url}/telegram/webhook`, { headers })).status).toBe(404);
    expect((await fetch(`${rig.url}/telegram/other`, { method: 'POST', headers })).status).toBe(404);
    expect(rig.host.offers).toEqual([]);
  });

  it('makes a secret of its own where none is configured, and keeps it', async () => {
    const kept = new Map<string, Json>();
    const first = await startHooked({}, kept);
    await first.fake.waitFor(() => first.fake.webhook().secret !== '');
    const { secret } = first.fake.webhook();
    expect(secret).toMatch(/^[0-9a-f]{64}$/);
    const second = await startHooked({}, kept);
    await second.fake.waitFor(() => second.fake.webhook().secret !== '');
    expect(second.fake.webhook().secret).toBe(secret);
  });

  it('is set again when another program took it away', async () => {
    const rig = await startHooked();
    await rig.fake.waitFor(() => rig.host.alives > 0);
    rig.fake.setWebhook('https://elsewhere.example.org');
    await rig.fake.waitFor(() => rig.fake.webhook().url === `${rig.url}/telegram/webhook`);
    expect(rig.host.states.some(({ state }) => state === 'degraded')).toBe(true);
    await rig.fake.waitFor(() => rig.host.states.at(-1)?.state === 'connected');
  });

  it('says when Telegram cannot reach it', async () => {
    const rig = await startHooked();
    await rig.fake.waitFor(() => rig.host.alives > 0);
    await rig.app.close();
    rig.fake.inject({ chatId: 5, text: 'lost in the mail' });
    await rig.fake.waitFor(() => rig.host.states.at(-1)?.state !== 'connected');
    expect(rig.host.states.at(-1)?.detail).toContain('cannot deliver to the webhook');
  });

  it('asks Telegram to offer again what comes before it knows who it is', async () => {
    const fake = await startFakeTelegram();
    closing.push(() => fake.close());
    const app = fastify();
    closing.push(() => app.close());
    const rig = await startRig({
      on: fake,
      config: { webhook: { url: 'http://127.0.0.1:1', secret: SECRET } },
      before: (server) => server.fail('getMe', 'hang', 99),
    });
    closing.push(rig.close);
    rig.adapter.routes?.(app, () => 'nobody');
    const answer = await app.inject({
      method: 'POST',
      url: '/telegram/webhook',
      headers: { 'x-telegram-bot-api-secret-token': SECRET },
      payload: update,
    });
    expect(answer.statusCode).toBe(503);
    expect(rig.host.received).toEqual([]);
  });
});
