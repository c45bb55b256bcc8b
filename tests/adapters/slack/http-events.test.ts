import { createHmac } from 'node:crypto';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Json } from '../../../adapters/adapter.ts';
import { CHANNEL, chatOf, DIRECT, type SlackRig, startRig } from './rig.ts';

const SECRET = '8f742231b10e8888abcd99yyyzzz85a5';

let rig: SlackRig;
let app: FastifyInstance;
const accesses: unknown[] = [];
beforeEach(async () => {
  rig = await startRig({ config: { mode: 'http', signing_secret: SECRET, app_token: undefined } });
  await rig.connected();
  app = Fastify();
  app.addHook('onRequest', async (request) => void accesses.push(request.routeOptions.config));
  app.post('/json', async (request) => request.body);
  rig.adapter.routes?.(app, () => 'nobody');
});
afterEach(async () => {
  await app.close();
  await rig.close();
});

interface Posted {
  readonly body: string;
  readonly type?: string;
  readonly atSeconds?: number;
  readonly secret?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

function post({ body, type = 'application/json', atSeconds = Math.floor(Date.now() / 1000), secret = SECRET, headers }: Posted) {
  const signature = `v0=${createHmac('sha256', secret).update(`v0:${atSeconds}:${body}`).digest('hex')}`;
  const signed = { 'x-slack-request-timestamp': String(atSeconds), 'x-slack-signature': signature };
  return app.inject({ method: 'POST', url: '/slack/events', headers: { 'content-type': type, ...signed, ...headers }, payload: body });
}

const words = (): string[] => rig.host.received.map((one) => (one.type === 'message' ? one.text : one.type));
const wire = (text: string) => ({ type: 'message', channel: DIRECT, channel_type: 'im', user: 'U0PERSON1', text });

const event = (words: string) =>
  JSON.stringify(
    rig.fake.payload.event({
      type: 'message',
      channel: DIRECT,
      channel_type: 'im',
      user: 'U0PERSON1',
      text: words,
      ts: '1700000000.000001',
    }),
  );

describe('a call of Slack', () => {
  it('is answered when what it brings is on disk', async () => {
    const { statusCode, body } = await post({ body: event('hello') });
    expect([statusCode, body]).toEqual([200, '']);
    expect(rig.host.received).toMatchObject([{ type: 'message', text: 'hello', chat: chatOf(DIRECT) }]);
    expect(rig.host.alives).toBeGreaterThan(0);
  });

  it('is asked for again when it could not be stored, and known when it comes twice', async () => {
    rig.host.refusal = new Error('disk full');
    expect((await post({ body: event('x') })).statusCode).toBe(503);
    rig.host.refusal = undefined;
    expect((await post({ body: event('x'), headers: { 'x-slack-retry-num': '1' } })).statusCode).toBe(200);
    expect((await post({ body: event('x'), headers: { 'x-slack-retry-num': '2' } })).statusCode).toBe(200);
    expect(rig.host.received).toHaveLength(1);
  });

  it('that was refused is fetched from the history when Slack does not repeat it, though later ones were stored', async () => {
    const tell = async (words: string) => {
      const ts = rig.fake.say(words, { quietly: true });
      return post({ body: JSON.stringify(rig.fake.payload.event({ ...wire(words), ts })) });
    };
    await tell('one');
    rig.host.refusal = new Error('disk full');
    expect((await tell('two')).statusCode).toBe(503);
    rig.host.refusal = undefined;
    expect((await tell('three')).statusCode).toBe(200);
    await rig.fake.waitFor(() => new Set(words()).size === 3);
    expect(words().toSorted()).toEqual(['one', 'three', 'two']);
  });

  it('that does not come is noticed by what stands in the history, which is taken in its place', async () => {
    await rig.close();
    const clock = { ms: Date.now() };
    const kept = new Map<string, Json>([[`mark:${DIRECT}`, (clock.ms / 1000 - 60).toFixed(6)]]);
    rig = await startRig({
      config: { mode: 'http', signing_secret: SECRET },
      timing: { auditMs: 40 },
      kept,
      now: () => clock.ms,
      fake: { now: () => clock.ms },
    });
    await rig.fake.waitFor(() => kept.has('listening'));
    clock.ms += 1000;
    rig.fake.say('uncalled', { quietly: true });
    clock.ms += 25_000;
    await rig.fake.waitFor(() => words().length === 1);
    expect(rig.host.states.at(-1)).toMatchObject({ state: 'degraded', detail: expect.stringContaining('does not call us') });
  });

  it('to an address that another account has ends that account alone, with a sentence', async () => {
    const other = await startRig({ on: rig.fake, config: { mode: 'http', signing_secret: 'x', app_token: undefined } });
    other.adapter.routes?.(app, () => 'nobody');
    expect((await post({ body: event('for the first') })).statusCode).toBe(200);
    await expect(other.running).rejects.toThrow('is taken by another account');
  });

  it('that asks who we are is told so', async () => {
    const { statusCode, json } = await post({ body: JSON.stringify({ type: 'url_verification', token: 't', challenge: 'abc' }) });
    expect([statusCode, json()]).toEqual([200, { challenge: 'abc' }]);
  });

  it('may be a click or a slash command', async () => {
    const card = await rig.adapter.send(
      {
        type: 'ask',
        chat: chatOf(DIRECT),
        token: 'abcdefgh12345678',
        number: 1,
        markdown: 'May I?',
        choices: [{ id: 'yes', label: 'Yes' }],
        hint: '',
      },
      'k',
      AbortSignal.timeout(5000),
    );
    const form = 'application/x-www-form-urlencoded';
    const click = new URLSearchParams({ payload: JSON.stringify(rig.fake.payload.click({ channel: DIRECT, ts: card.id }, 'Yes')) });
    expect((await post({ body: click.toString(), type: form })).body).toBe('');
    const command = new URLSearchParams(rig.fake.payload.command('status all', { channel: CHANNEL }) as Record<string, string>);
    expect((await post({ body: command.toString(), type: form })).body).toBe('');
    expect(rig.host.received).toMatchObject([
      { type: 'answer', choice: 'yes', message: card.id },
      { type: 'command', name: 'status', args: 'all', chat: chatOf(CHANNEL) },
    ]);
  });

  it.each<[string, Partial<Posted>]>([
    ['with another secret', { secret: 'guessed' }],
    ['that is six minutes old', { atSeconds: Math.floor(Date.now() / 1000) - 360 }],
    ['from the future', { atSeconds: Math.floor(Date.now() / 1000) + 360 }],
    ['without a signature', { headers: { 'x-slack-signature': '' } }],
    ['with half a signature', { headers: { 'x-slack-signature': 'v0=abcd' } }],
    ['of an unknown version', { headers: { 'x-slack-signature': `v1=${'0'.repeat(64)}` } }],
    ['without a time', { headers: { 'x-slack-request-timestamp': 'now' } }],
  ])('%s is refused', async (_title, how) => {
    expect((await post({ body: event('forged'), ...how })).statusCode).toBe(401);
    expect(rig.host.offers).toEqual([]);
  });

  it('whose body was changed on the way is refused, down to a blank', async () => {
    const atSeconds = Math.floor(Date.now() / 1000);
    const signature = `v0=${createHmac('sha256', SECRET)
      .update(`v0:${atSeconds}:${event('x')}`)
      .digest('hex')}`;
    const headers = { 'content-type': 'application/json', 'x-slack-request-timestamp': String(atSeconds), 'x-slack-signature': signature };
    const changed = await app.inject({ method: 'POST', url: '/slack/events', headers, payload: `${event('x')} ` });
    expect(changed.statusCode).toBe(401);
  });

  it('that is too large is refused', async () => {
    expect((await post({ body: JSON.stringify({ type: 'event_callback', filler: 'x'.repeat(1_000_001) }) })).statusCode).toBe(413);
  });

  it('that is neither JSON nor a form is refused', async () => {
    expect((await post({ body: '{"type":' })).statusCode).toBe(400);
    expect((await post({ body: 'x', type: 'text/plain' })).statusCode).toBe(400);
  });

  it('leaves the other routes of the server as they are, and is open to those who have not signed in', async () => {
    const { json } = await app.inject({ method: 'POST', url: '/json', payload: { a: 1 } });
    expect(json()).toEqual({ a: 1 });
    await post({ body: event('x') });
    expect(accesses.at(-1)).toMatchObject({ access: 'public' });
  });

  it('opens no socket', () => {
    expect(rig.fake.calls.some(({ method }) => method === 'apps.connections.open')).toBe(false);
  });
});
