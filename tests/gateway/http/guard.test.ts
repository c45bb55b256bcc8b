import { connect } from 'node:net';
import fastifyWebsocket from '@fastify/websocket';
import type { FastifyInstance } from 'fastify';
import { afterEach, describe, expect, it } from 'vitest';
import type { HttpServer } from '../../../gateway/http/server.ts';
import { controlHandlers, HOST, OWN, server, signIn, status } from './fixture.ts';

const open: HttpServer[] = [];
afterEach(async () => {
  for (const http of open.splice(0)) await http.close();
});

function started(...options: Parameters<typeof server>): HttpServer {
  const http = server(...options);
  open.push(http);
  return http;
}

/** What an adapter adds: a webhook that authenticates itself, and a route that does not. */
function addAdapterRoutes(app: FastifyInstance): void {
  app.register(async (scope) => {
    scope.post('/webhooks/telegram', { config: { access: 'public' } }, async () => ({ hook: true }));
    scope.post('/adapter', async () => ({ adapter: true }));
    scope.get('/adapter', async () => ({ adapter: true }));
  });
}

const PROTECTED = [
  ['GET', '/api/status'],
  ['POST', '/api/sign-in-links'],
  ['GET', '/api/asks'],
  ['POST', '/api/asks/7/answer'],
  ['POST', '/api/sign-out'],
  ['GET', '/adapter'],
  ['POST', '/adapter'],
  ['GET', '/no-such-thing'],
  ['GET', '/.env'],
  ['GET', '/..%2f..%2fetc/passwd'],
] as const;

describe('the guard', () => {
  it.each(PROTECTED)('%s %s needs a sign-in', async (method, url) => {
    const http = started();
    addAdapterRoutes(http.app);
    const headers = { ...OWN, ...(method === 'POST' ? { 'content-type': 'application/json' } : {}) };
    const answer = await http.app.inject({ method, url, headers, ...(method === 'POST' ? { payload: '{}' } : {}) });
    expect(answer.statusCode).toBe(401);
    expect(answer.json()).toEqual({ error: expect.stringContaining('hermes gateway link') });
  });

  it.each([
    'evil.example',
    'evil.example:9119',
    '127.0.0.1',
    '127.0.0.1:9120',
    'localhost.:9119',
    '127.0.0.1.evil.example:9119',
    '127.0.0.1:9119@evil.example',
    '0.0.0.0:9119',
    '',
  ])('a page whose name was rebound to us (%j) gets nothing, signed in or not', async (host) => {
    const http = started();
    const cookie = await signIn(http);
    for (const url of ['/api/status', '/', '/main.js']) {
      const answer = await http.app.inject({ url, headers: { host, cookie } });
      expect(answer.statusCode).toBe(403);
      expect(answer.body).not.toContain(status.home);
    }
  });

  it.each(['127.0.0.1:9119', 'localhost:9119', 'LOCALHOST:9119', '[::1]:9119'])('%s is its own name', async (host) => {
    const http = started();
    expect((await http.app.inject({ url: '/', headers: { host } })).statusCode).toBe(200);
  });

  it('answers under further names only where the configuration lists them', async () => {
    const http = started({ config: { host: '0.0.0.0', port: 9119, allowed_hosts: ['Chat.example.org', 'box:8080'] } });
    const ask = async (host: string) => (await http.app.inject({ url: '/', headers: { host } })).statusCode;
    expect(await Promise.all(['chat.example.org', 'chat.example.org:9119', 'box:8080', 'localhost:9119'].map(ask))).toEqual([
      200, 200, 200, 200,
    ]);
    expect(await Promise.all(['chat.example.org:1', 'box', 'box:9119', 'example.org'].map(ask))).toEqual([403, 403, 403, 403]);
  });

  it('forwarding headers make nobody local', async () => {
    const http = started();
    const cookie = await signIn(http);
    const forwarded = { 'x-forwarded-host': HOST, 'x-forwarded-for': '127.0.0.1', 'x-forwarded-proto': 'https', forwarded: `host=${HOST}` };
    const answer = await http.app.inject({ url: '/api/status', headers: { host: 'evil.example', cookie, ...forwarded } });
    expect(answer.statusCode).toBe(403);
  });

  it.each([undefined, 'null', 'http://evil.example', 'http://localhost:9119', 'http://127.0.0.1:9120', 'http://127.0.0.1', 'file://'])(
    'a write from another origin (%s) is refused with the cookie in hand',
    async (origin) => {
      const http = started();
      addAdapterRoutes(http.app);
      const cookie = await signIn(http);
      for (const url of ['/api/sign-in-links', '/api/asks/7/answer', '/api/sign-out', '/adapter', '/api/sign-in']) {
        const headers = { host: HOST, cookie, ...(origin === undefined ? {} : { origin }) };
        expect((await http.app.inject({ method: 'POST', url, headers, payload: {} })).statusCode).toBe(403);
      }
      expect((await http.app.inject({ url: '/api/status', headers: { host: HOST, cookie } })).statusCode).toBe(200);
    },
  );

  it.each([
    ['text/plain', '{"code":"x"}'],
    ['application/x-www-form-urlencoded', 'code=x'],
    ['multipart/form-data; boundary=x', '--x--'],
    ['application/json-evil', '{}'],
    [undefined, undefined],
  ])('a write that a foreign page could send without asking (%s) is not understood', async (type, payload) => {
    const http = started();
    const cookie = await signIn(http);
    const headers = { ...OWN, cookie, ...(type ? { 'content-type': type } : {}) };
    for (const url of ['/api/sign-in', '/api/sign-in-links', '/api/asks/7/answer']) {
      const answer = await http.app.inject({ method: 'POST', url, headers, ...(payload ? { payload } : {}) });
      expect(answer.statusCode).toBe(415);
    }
  });

  it('a webhook that authenticates itself is reached from outside', async () => {
    const http = started();
    addAdapterRoutes(http.app);
    const headers = { host: 'bot.example.org', 'content-type': 'application/json' };
    expect((await http.app.inject({ method: 'POST', url: '/webhooks/telegram', headers, payload: '{}' })).json()).toEqual({ hook: true });
  });

  it.each([
    ['cross-site', 403],
    ['same-site', 403],
    ['same-origin', 200],
    ['none', 200],
  ])(
    'a read that the browser says is %s gets %i with the cookie in hand, and the page itself is there for links from anywhere',
    async (site, status) => {
      const http = started();
      const cookie = await signIn(http);
      const headers = { host: HOST, cookie, 'sec-fetch-site': site };
      expect((await http.app.inject({ url: '/api/status', headers })).statusCode).toBe(status);
      expect((await http.app.inject({ url: '/', headers })).statusCode).toBe(200);
    },
  );

  it('tells an adapter who asks', async () => {
    const http = started();
    http.app.get('/who', async (request) => ({ person: http.verified(request) }));
    const cookie = await signIn(http);
    expect((await http.app.inject({ url: '/who', headers: { host: HOST, cookie } })).json()).toEqual({ person: 'owner' });
  });

  it('an upgrade is checked before anything is upgraded', async () => {
    const http = started({ config: { host: '127.0.0.1', port: 0, allowed_hosts: [] } });
    const url = new URL(await http.listen());
    const cookie = await listeningSignIn(http, url);
    const upgrade = (lines: readonly string[]) =>
      firstLine(Number(url.port), ['GET /ws HTTP/1.1', `Host: ${url.host}`, ...upgradeLines, ...lines]);
    expect(await upgrade([`Cookie: ${cookie}`])).toContain('403');
    expect(await upgrade([`Cookie: ${cookie}`, 'Origin: http://evil.example'])).toContain('403');
    expect(await upgrade([`Origin: ${url.origin}`])).toContain('401');
    expect(await upgrade([`Cookie: ${cookie}`, `Origin: ${url.origin}`])).toContain('404');
  });

  it('a refused upgrade leaves no connection behind that would keep the server from closing', async () => {
    const http = started({ config: { host: '127.0.0.1', port: 0, allowed_hosts: [] } });
    http.app.register(fastifyWebsocket);
    const url = new URL(await http.listen());
    const socket = connect(Number(url.port), '127.0.0.1');
    const ended = new Promise((resolve) => socket.once('close', resolve));
    socket.resume().write(['GET /ws HTTP/1.1', `Host: ${url.host}`, ...upgradeLines, '', ''].join('\r\n'));
    await ended;
    await http.close();
  });
});

describe('what anybody may see', () => {
  it('the health of the process, and of the accounts without a private word', async () => {
    const http = started({ handlers: controlHandlers({ ready: () => ({ ready: false, accounts: status.accounts }) }) });
    expect((await http.app.inject({ url: '/healthz', headers: { host: 'probe' } })).statusCode).toBe(200);
    const ready = await http.app.inject({ url: '/readyz', headers: { host: 'probe' } });
    expect(ready.statusCode).toBe(503);
    expect(ready.json()).toEqual({ ready: false, accounts: [{ platform: 'telegram', account: 'main', state: 'degraded' }] });
  });

  it('the page, under a policy that lets it talk to nobody else', async () => {
    const http = started();
    const answer = await http.app.inject({ url: '/', headers: { host: HOST } });
    expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(answer.headers['content-security-policy']).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    expect(answer.headers['x-content-type-options']).toBe('nosniff');
    expect(answer.headers['referrer-policy']).toBe('no-referrer');
    expect(answer.headers['access-control-allow-origin']).toBeUndefined();
  });

  it('a file that did not change is not sent twice', async () => {
    const http = started();
    const first = await http.app.inject({ url: '/main.js', headers: { host: HOST } });
    expect(first.headers['content-type']).toBe('text/javascript; charset=utf-8');
    const again = await http.app.inject({ url: '/main.js', headers: { host: HOST, 'if-none-match': String(first.headers.etag) } });
    expect([again.statusCode, again.body]).toEqual([304, '']);
  });

  it('says what to do when the page was not built', async () => {
    const http = started({ pageDirectory: '/nonexistent' });
    const answer = await http.app.inject({ url: '/', headers: { host: HOST } });
    expect([answer.statusCode, answer.body]).toEqual([503, expect.stringContaining('npm run build')]);
  });
});

describe('who never finishes a request', () => {
  it('is not waited for longer than half a minute, signed in or not', () => {
    expect(started().app.server.requestTimeout).toBe(30_000);
  });
});

describe('signed in', () => {
  it('stays so with further cookies of the same name, which a page on another port may have set', async () => {
    const http = started();
    const cookie = await signIn(http);
    const [name] = cookie.split('=');
    for (const forged of [`${name}=${'x'.repeat(43)}`, `${name}=`, `${name}=;;=`]) {
      const headers = { host: HOST, cookie: `${forged}; ${cookie}; ${forged}` };
      expect((await http.app.inject({ url: '/api/status', headers })).statusCode).toBe(200);
    }
    expect((await http.app.inject({ url: '/api/status', headers: { host: HOST, cookie: `x${cookie}` } })).statusCode).toBe(401);
  });

  it('the owner sees the status and gets a link for another browser', async () => {
    const http = started({ handlers: controlHandlers({ signInLink: () => 'http://127.0.0.1:9119/#code=x' }) });
    const cookie = await signIn(http);
    expect((await http.app.inject({ url: '/api/status', headers: { host: HOST, cookie } })).json()).toEqual(status);
    const link = await http.app.inject({ method: 'POST', url: '/api/sign-in-links', headers: { ...OWN, cookie }, payload: {} });
    expect(link.json()).toEqual({ link: 'http://127.0.0.1:9119/#code=x' });
  });

  it('an error inside tells the client one sentence and the log the rest', async () => {
    const warnings: object[] = [];
    const handlers = controlHandlers({
      status: () => {
        throw new Error('SQLITE_CORRUPT: /home/somebody/secret');
      },
    });
    const http = started({ handlers, log: { info: () => {}, warn: (facts) => warnings.push(facts) } });
    const answer = await http.app.inject({ url: '/api/status', headers: { host: HOST, cookie: await signIn(http) } });
    expect([answer.statusCode, answer.json()]).toEqual([500, { error: 'The gateway could not answer this; its log says why.' }]);
    expect(warnings).toHaveLength(1);
  });
});

describe('the port', () => {
  it('gives way when nobody asked for the taken one, and does not when somebody did', async () => {
    const first = started({ config: { host: '127.0.0.1', port: 0, allowed_hosts: [] } });
    const taken = Number(new URL(await first.listen()).port);
    const second = started({ config: { host: '127.0.0.1', port: taken, allowed_hosts: [] } });
    await expect(second.listen()).rejects.toThrow(`Port ${taken} on 127.0.0.1 is in use`);
    const both = [
      started({ config: { host: '127.0.0.1', allowed_hosts: [] } }),
      started({ config: { host: '127.0.0.1', allowed_hosts: [] } }),
    ];
    const urls = await Promise.all(both.map((http) => http.listen()));
    expect(new Set(urls).size).toBe(2);
    for (const [index, url] of urls.entries()) expect((await fetch(`${url}healthz`)).ok, `${index}`).toBe(true);
    expect(both[1]?.signInLink().startsWith(urls[1] ?? '-')).toBe(true);
  });

  it('is on the loopback address alone', async () => {
    const http = started({ config: { host: '127.0.0.1', port: 0, allowed_hosts: [] } });
    await http.listen();
    expect(http.app.addresses().map((bound) => (typeof bound === 'string' ? bound : bound.address))).toEqual(['127.0.0.1']);
  });
});

const upgradeLines = [
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
];

async function listeningSignIn(http: HttpServer, url: URL): Promise<string> {
  const code = new URL(http.signInLink()).hash.slice('#code='.length);
  const headers = { origin: url.origin, 'content-type': 'application/json' };
  const answer = await fetch(new URL('/api/sign-in', url), { method: 'POST', headers, body: JSON.stringify({ code }) });
  return answer.headers.getSetCookie()[0]?.split(';', 1)[0] ?? '';
}

function firstLine(port: number, lines: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(`${lines.join('\r\n')}\r\n\r\n`));
    socket.once('data', (data) => {
      socket.destroy();
      resolve(data.toString().split('\r\n', 1)[0] ?? '');
    });
    socket.once('error', reject);
  });
}
