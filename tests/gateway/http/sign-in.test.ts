import { afterEach, describe, expect, it } from 'vitest';
import type { HttpServer } from '../../../gateway/http/server.ts';
import { createMemoryStore } from '../../adapters/web/memory-store.ts';
import { codeOf, HOST, ORIGIN, OWN, server, signIn } from './fixture.ts';

const open: HttpServer[] = [];
afterEach(async () => {
  for (const http of open.splice(0)) await http.close();
});

function started(...options: Parameters<typeof server>): HttpServer {
  const http = server(...options);
  open.push(http);
  return http;
}

const attempt = (http: HttpServer, payload: unknown) =>
  http.app.inject({
    method: 'POST',
    url: '/api/sign-in',
    headers: { ...OWN, 'content-type': 'application/json' },
    payload: JSON.stringify(payload),
  });

describe('signing in', () => {
  it('a link signs in once and its replay does not', async () => {
    const http = started();
    const code = codeOf(http.signInLink());
    expect((await attempt(http, { code })).statusCode).toBe(200);
    const replay = await attempt(http, { code });
    expect(replay.statusCode).toBe(401);
    expect(replay.json().error).toContain('hermes gateway link');
  });

  it('a link carries 256 random bits in the fragment, which no server and no log ever sees', () => {
    const http = started();
    const link = new URL(http.signInLink());
    expect(link.origin).toBe(ORIGIN);
    expect(link.search).toBe('');
    expect(Buffer.from(codeOf(link.href), 'base64url')).toHaveLength(32);
  });

  it('the cookie is out of reach of scripts and of other sites, and lasts 30 days', async () => {
    const http = started();
    const answer = await attempt(http, { code: codeOf(http.signInLink()) });
    expect(answer.headers['set-cookie']).toMatch(/^hermes_[0-9a-f]{8}=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=2592000$/);
  });

  it('behind a proxy that speaks TLS the cookie is only ever sent over TLS', async () => {
    const http = started({ config: { host: '127.0.0.1', port: 9119, allowed_hosts: ['chat.example.org'] } });
    const headers = { host: 'chat.example.org', origin: 'https://chat.example.org' };
    const answer = await http.app.inject({ method: 'POST', url: '/api/sign-in', headers, payload: { code: codeOf(http.signInLink()) } });
    expect(answer.headers['set-cookie']).toContain('; Secure');
  });

  it('the store holds hashes only: what it keeps signs nobody in', async () => {
    const store = createMemoryStore();
    const http = started({ store });
    const cookie = await signIn(http);
    const token = cookie.split('=')[1] ?? '';
    const kept = JSON.stringify(store.keys().map((key) => [key, store.get(key)]));
    expect(kept).not.toContain(token);
    const key = store.keys().find((candidate) => candidate.startsWith('session/')) ?? '';
    const forged = `${cookie.split('=')[0]}=${key.slice('session/'.length)}`;
    expect((await http.app.inject({ url: '/api/status', headers: { host: HOST, cookie: forged } })).statusCode).toBe(401);
  });

  it('a session survives a restart of the gateway', async () => {
    const store = createMemoryStore();
    const cookie = await signIn(started({ store }));
    const again = started({ store });
    expect((await again.app.inject({ url: '/api/status', headers: { host: HOST, cookie } })).statusCode).toBe(200);
  });

  it('a session ends after 30 days', async () => {
    let nowMs = 1_000_000;
    const http = started({ now: () => nowMs });
    const cookie = await signIn(http);
    const ask = async () => (await http.app.inject({ url: '/api/status', headers: { host: HOST, cookie } })).statusCode;
    nowMs += 30 * 24 * 3600 * 1000 - 1;
    expect(await ask()).toBe(200);
    nowMs += 2;
    expect(await ask()).toBe(401);
  });

  it('signing out ends the session on the server too', async () => {
    const http = started();
    const cookie = await signIn(http);
    const left = await http.app.inject({ method: 'POST', url: '/api/sign-out', headers: { ...OWN, cookie }, payload: {} });
    expect(left.statusCode).toBe(200);
    expect(left.headers['set-cookie']).toContain('Max-Age=0');
    expect((await http.app.inject({ url: '/api/status', headers: { host: HOST, cookie } })).statusCode).toBe(401);
  });

  it('only the five newest links are good', async () => {
    const http = started();
    const [oldest, ...newer] = Array.from({ length: 6 }, () => codeOf(http.signInLink()));
    expect((await attempt(http, { code: oldest })).statusCode).toBe(401);
    for (const code of newer) expect((await attempt(http, { code })).statusCode).toBe(200);
  });
});

describe('guessing', () => {
  const bodies: readonly unknown[] = [
    { code: 'wrong' },
    { code: 'wrong', deviceToken: 'x' },
    { deviceToken: 'x' },
    { token: 'x', retry: true, local: true },
    { code: '' },
    { code: 12 },
    { code: { __proto__: null } },
    [],
    null,
    'text',
  ];

  it('is counted whatever is in the request, and locks everybody out after ten a minute, a right code included', async () => {
    let nowMs = 5_000_000;
    const http = started({ now: () => nowMs });
    for (const body of bodies) expect((await attempt(http, body)).statusCode).toBe(401);
    const code = codeOf(http.signInLink());
    const locked = await attempt(http, { code });
    expect(locked.statusCode).toBe(429);
    nowMs += 60_001;
    expect((await attempt(http, { code })).statusCode).toBe(200);
  });

  it('is counted when the body is not even JSON', async () => {
    const http = started();
    const broken = { method: 'POST', url: '/api/sign-in', headers: { ...OWN, 'content-type': 'application/json' }, payload: '{' } as const;
    for (let count = 0; count < 10; count++) expect((await http.app.inject(broken)).statusCode).toBe(400);
    expect((await http.app.inject(broken)).statusCode).toBe(429);
  });

  it('does not count people who sign in', async () => {
    const http = started();
    for (let count = 0; count < 20; count++) expect((await attempt(http, { code: codeOf(http.signInLink()) })).statusCode).toBe(200);
  });
});
