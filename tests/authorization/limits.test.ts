/** What holds back those who guess over HTTP: it counts real attempts, whatever is in the request and wherever it says that it comes from. */
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import type { HttpServer } from '../../gateway/http/server.ts';
import { codeOf, HOST, OWN, server } from '../gateway/http/fixture.ts';
import { type HttpWorld, openHttpWorld } from './http-world.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const address = fc.oneof(fc.ipV4(), fc.ipV6(), fc.constantFrom('127.0.0.1', '::1', 'localhost', 'unknown', ''));
const forwarding = fc.dictionary(
  fc.constantFrom(
    'x-forwarded-for',
    'x-real-ip',
    'forwarded',
    'cf-connecting-ip',
    'true-client-ip',
    'x-client-ip',
    'via',
    'x-forwarded-host',
  ),
  address,
);
const body = fc.oneof(
  fc.record(
    { code: fc.oneof(fc.string(), fc.integer(), fc.constant(null)), deviceToken: fc.string(), local: fc.boolean() },
    { requiredKeys: [] },
  ),
  fc.jsonValue().filter((value) => !JSON.stringify(value).includes('__proto__')), // refused as no JSON that anybody may send
);
const attempts = fc.array(fc.record({ headers: forwarding, remoteAddress: fc.ipV4(), body }), { minLength: 10, maxLength: 10 });

function started(): HttpServer {
  const http = server({ now: () => 5_000_000 });
  closing.push(() => http.close());
  return http;
}

const signIn = (http: HttpServer, payload: unknown, more: object = {}) =>
  http.app.inject({
    method: 'POST',
    url: '/api/sign-in',
    headers: { ...OWN, 'content-type': 'application/json' },
    payload: JSON.stringify(payload),
    ...more,
  });

describe('signing in', () => {
  it('is locked after ten attempts, wherever they say they come from and whatever is in them', async () => {
    await fc.assert(
      fc.asyncProperty(attempts, async (wrong) => {
        const http = server({ now: () => 5_000_000 });
        for (const { headers, remoteAddress, body: payload } of wrong) {
          const answer = await signIn(http, payload, {
            remoteAddress,
            headers: { ...headers, ...OWN, 'content-type': 'application/json' },
          });
          expect(answer.statusCode).toBe(401);
        }
        expect((await signIn(http, { code: codeOf(http.signInLink()) })).statusCode).toBe(429);
        await http.close();
      }),
      { numRuns: 25 },
    );
  });

  it('works after nine wrong attempts', async () => {
    const http = started();
    for (let count = 0; count < 9; count += 1) await signIn(http, { code: 'wrong' });
    expect((await signIn(http, { code: codeOf(http.signInLink()) })).statusCode).toBe(200);
  });

  it('is not held back by what is no attempt: other methods, foreign pages, rebound names, forms', async () => {
    const http = started();
    const json = { 'content-type': 'application/json' };
    const noAttempts = [
      { method: 'GET' as const },
      { method: 'OPTIONS' as const },
      { method: 'PUT' as const },
      { headers: { host: HOST, origin: 'http://evil.example', ...json } },
      { headers: { host: 'evil.example:9119', origin: 'http://evil.example:9119', ...json } },
      { headers: { ...OWN, 'content-type': 'text/plain' } },
    ];
    for (let count = 0; count < 5; count += 1)
      for (const more of noAttempts) expect((await signIn(http, { code: 'wrong' }, more)).statusCode).toBeGreaterThanOrEqual(400);
    expect((await signIn(http, { code: codeOf(http.signInLink()) })).statusCode).toBe(200);
  });
});

describe('letting somebody in over HTTP', () => {
  let tries = 0;
  async function approve(world: HttpWorld, code: string): Promise<readonly [number, string]> {
    const route = world.routes.find(({ url }) => url === '/api/people/approve');
    tries += 1;
    const answer = await route?.app.inject({
      method: 'POST',
      url: '/api/people/approve',
      remoteAddress: `10.0.0.${tries}`,
      headers: {
        host: world.url.host,
        origin: world.url.origin,
        cookie: await world.signIn(),
        'content-type': 'application/json',
        'x-forwarded-for': `192.0.2.${tries}`,
        'x-real-ip': `192.0.2.${tries}`,
      },
      payload: JSON.stringify({ account: 'telegram/main', code }),
    });
    return [answer?.statusCode ?? 0, answer?.body ?? ''];
  }

  async function opened(): Promise<HttpWorld> {
    const world = await openHttpWorld();
    closing.push(() => world.close());
    return world;
  }

  it('works after four wrong codes, and with them forgiven again', async () => {
    const world = await opened();
    for (const stranger of [601, 602]) {
      const code = await world.knock(stranger);
      for (let count = 0; count < 4; count += 1) expect((await approve(world, 'AAAABBBB'))[0]).toBe(409);
      expect(await approve(world, code)).toEqual([200, expect.stringContaining('may now talk')]);
    }
  });

  it('is locked after five wrong codes from as many addresses, for a right one too', async () => {
    const world = await opened();
    const code = await world.knock(601);
    for (let count = 0; count < 5; count += 1) expect((await approve(world, 'AAAABBBB'))[0]).toBe(409);
    expect(await approve(world, code)).toEqual([409, expect.stringContaining('Too many wrong codes')]);
    expect(world.daemon.store.people.all()).toEqual([]);
  });
});
