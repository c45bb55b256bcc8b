/**
 * Every handler that the running daemon has over HTTP, by WebSocket and at its Unix socket, driven by people who may not and by the owner.
 * The list comes from the daemon; a route without an entry in `uses` fails.
 */
import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { afterAll, describe, expect, it } from 'vitest';
import { openHttpWorld, type Route, SLACK_SECRET, TELEGRAM_SECRET } from './http-world.ts';

const world = await openHttpWorld();
afterAll(() => world.close());

interface Call {
  /** Where it is not the route's own address. */
  readonly url?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** How somebody uses a route who has the right to, and what is answered then. */
interface Use extends Call {
  readonly status: number;
  readonly prepare?: () => Promise<Call>;
}

const nowSeconds = String(Math.floor(Date.now() / 1000));
const telegramUpdate = { update_id: 1, message: { message_id: 1, date: 1, chat: { id: 5, type: 'private' }, text: 'hi' } };
const slackCall = { type: 'url_verification', challenge: 'c' };

function signature(body: unknown, secret: string): Readonly<Record<string, string>> {
  const digest = createHmac('sha256', secret)
    .update(`v0:${nowSeconds}:${JSON.stringify(body)}`)
    .digest('hex');
  return { 'x-slack-request-timestamp': nowSeconds, 'x-slack-signature': `v0=${digest}` };
}

const uses: Readonly<Record<string, Use>> = {
  'GET /': { status: 200 },
  'GET /main.js': { status: 200 },
  'GET /healthz': { status: 200 },
  'GET /readyz': { status: 503 }, // WhatsApp is not linked
  'GET /ws': { status: 404 }, // without an upgrade; with one, see below
  'POST /api/sign-in': { status: 200, prepare: async () => ({ body: { code: await code() } }) },
  'POST /api/sign-out': { status: 200, body: {} },
  'GET /api/status': { status: 200 },
  'POST /api/sign-in-links': { status: 200, body: {} },
  'POST /api/restart': { status: 202, body: {} },
  'GET /api/asks': { status: 200 },
  'POST /api/asks/:id/answer': {
    status: 200,
    prepare: async () => ({ url: `/api/asks/${await world.ask()}/answer`, body: { choice: 'deny' } }),
  },
  'GET /api/people': { status: 200 },
  'POST /api/people/approve': { status: 409, body: { account: 'telegram/main', code: 'ABCD2345' } }, // nobody has asked
  'POST /api/people/revoke': { status: 200, prepare: async () => letIn('555') },
  'POST /api/people/clear': { status: 200, body: {} },
  'POST /api/audit': { status: 200, body: { limit: 10 } },
  'POST /api/audit/verify': { status: 200, body: {} },
  'GET /api/permissions': { status: 200 },
  'POST /api/permissions/check': {
    status: 200,
    body: { platform: 'web', account: 'main', person: 'owner', chatType: 'dm', chat: 'main', call: 'terminal(ls)' },
  },
  'GET /api/links': { status: 200 },
  'POST /api/links/:platform/:account/accept': { status: 200, url: '/api/links/whatsapp/main/accept', body: {} },
  'POST /api/links/:platform/:account/code/:phone': { status: 202, url: '/api/links/whatsapp/main/code/4915123456789', body: {} },
  'GET /api/approvals': { status: 200 },
  'POST /api/approvals/forget': { status: 404, body: { id: 'abcd1234' } }, // nothing is remembered
  'POST /telegram/webhook': { status: 200, body: telegramUpdate, headers: { 'x-telegram-bot-api-secret-token': TELEGRAM_SECRET } },
  'POST /slack/events': { status: 200, body: slackCall, headers: signature(slackCall, SLACK_SECRET) },
};

async function code(): Promise<string> {
  return new URL(await world.link()).hash.slice('#code='.length);
}

async function letIn(person: string): Promise<Call> {
  const chat = { platform: 'telegram', account: 'main', chat: person };
  const facts = { name: 'Bob', aliases: [], role: 'user', groupRole: 'user', approvedBy: 'owner', approvedAt: 1 } as const;
  world.daemon.store.people.put({ account: 'telegram/main', person, chat, ...facts });
  return { body: { account: 'telegram/main', person } };
}

/** HEAD is the same handler as GET. */
function useOf({ method, url }: Route): Use | undefined {
  return uses[`${method === 'HEAD' ? 'GET' : method} ${url}`];
}

const { host, origin } = world.url;
const own = { host, origin };
const json = { 'content-type': 'application/json' };

/** What everybody may try whose request has the owner's cookie only because the owner's browser adds it, or who has none. */
interface Attacker {
  readonly who: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly hasCookie: boolean;
  readonly refusal: number;
  /** The page's own files and signing in are for who is not signed in, too. */
  readonly spares?: 'page';
  /** Reads are kept from them by the browser (CORS, CORP); what they would change is kept from them by us. */
  readonly writesOnly?: true;
}

const attackers: readonly Attacker[] = [
  { who: 'somebody who is not signed in', headers: { ...own, ...json }, hasCookie: false, refusal: 401, spares: 'page' },
  {
    who: 'somebody with an invented cookie',
    headers: { ...own, ...json, cookie: `hermes_00000000=${'x'.repeat(43)}` },
    hasCookie: false,
    refusal: 401,
    spares: 'page',
  },
  {
    who: 'somebody who says that the request comes from this machine',
    headers: { ...own, ...json, 'x-forwarded-for': '127.0.0.1', 'x-real-ip': '127.0.0.1', forwarded: 'for=127.0.0.1;host=localhost' },
    hasCookie: false,
    refusal: 401,
    spares: 'page',
  },
  {
    who: 'a page of another site',
    headers: { host, ...json, origin: 'http://evil.example', 'sec-fetch-site': 'cross-site' },
    hasCookie: true,
    refusal: 403,
  },
  {
    who: 'a page on another port of this machine',
    headers: { host, ...json, origin: 'http://127.0.0.1:1', 'sec-fetch-site': 'same-site' },
    hasCookie: true,
    refusal: 403,
  },
  {
    who: 'a page whose name was rebound to this machine',
    headers: {
      ...json,
      host: `evil.example:${world.url.port}`,
      origin: `http://evil.example:${world.url.port}`,
      'sec-fetch-site': 'same-origin',
    },
    hasCookie: true,
    refusal: 403,
  },
  { who: 'a page that hides its origin', headers: { host, ...json, origin: 'null' }, hasCookie: true, refusal: 403, writesOnly: true },
  { who: 'a program that sends no origin', headers: { host, ...json }, hasCookie: true, refusal: 403, writesOnly: true },
  { who: 'a form', headers: { ...own, 'content-type': 'text/plain' }, hasCookie: true, refusal: 415, writesOnly: true },
];

const isRead = ({ method }: Route): boolean => method === 'GET' || method === 'HEAD';

/** Undefined: this is open to them. */
function refusalOf(attacker: Attacker, route: Route): number | undefined {
  if (route.access === 'public') return undefined;
  if (attacker.writesOnly && isRead(route)) return undefined;
  if (route.access !== 'page') return attacker.refusal;
  if (attacker.spares === 'page') return undefined;
  // The page's files are the same for everybody; a foreign page may not read them, but there is nothing to read either.
  return isRead(route) && !attacker.who.includes('rebound') ? undefined : attacker.refusal;
}

async function drive(route: Route, call: Call, headers: Readonly<Record<string, string>>) {
  const { url = route.url, body } = call;
  const payload = isRead(route) ? {} : { payload: JSON.stringify(body ?? {}) };
  return route.app.inject({ method: route.method as 'GET', url, headers: { ...headers, ...call.headers }, ...payload });
}

const name = ({ method, url }: Route): string => `${method} ${url}`;
const guarded = world.routes.filter(({ access }) => access !== 'public');

describe('the inventory', () => {
  it('names every handler that the daemon has, and none that it has not', () => {
    const there = new Set(world.routes.map((route) => name(route).replace(/^HEAD/, 'GET')));
    expect([...there].sort()).toEqual(Object.keys(uses).sort());
  });

  it('knows which of them are open to everybody, or to whoever is not signed in', () => {
    const open = (access: string) =>
      [...new Set(world.routes.filter((route) => route.access === access && route.method !== 'HEAD').map(name))].sort();
    expect(open('public')).toEqual(['GET /healthz', 'GET /readyz', 'POST /slack/events', 'POST /telegram/webhook']);
    expect(open('page')).toEqual(['GET /', 'GET /main.js', 'POST /api/sign-in']);
  });
});

describe.each(guarded)('$method $url', (route) => {
  const use = useOf(route);

  it('is refused to everybody who may not, and nothing changes', async () => {
    const call = { ...use, ...(await use?.prepare?.()) };
    const cookie = await world.signIn();
    const before = await world.state();
    for (const attacker of attackers) {
      const refusal = refusalOf(attacker, route);
      if (refusal === undefined) continue;
      const answer = await drive(route, call, { ...attacker.headers, ...(attacker.hasCookie ? { cookie } : {}) });
      expect([attacker.who, answer.statusCode]).toEqual([attacker.who, refusal]);
      expect(answer.headers['set-cookie']).toBeUndefined();
      if (route.method !== 'HEAD') expect(Object.keys(answer.json())).toEqual(['error']);
    }
    expect(await world.state()).toEqual(before);
  });

  it("is the owner's", async () => {
    const call = { ...use, ...(await use?.prepare?.()) };
    const cookie = await world.signIn();
    const answer = await drive(route, call, { ...own, ...(isRead(route) ? {} : json), cookie });
    expect(answer.statusCode).toBe(use?.status);
  });
});

describe('what is open to everybody', () => {
  const probe = (url: string) => world.routes.find((route) => route.method === 'GET' && route.url === url);

  it.each(['/healthz', '/readyz'])('%s tells nothing that is private, under any name', async (url) => {
    const route = probe(url);
    if (route === undefined) throw new Error(`there is no ${url}`);
    const before = await world.state();
    const { body, statusCode } = await drive(route, {}, { host: 'probe.example' });
    expect(statusCode).toBe(uses[name(route)]?.status);
    for (const word of [world.home, 'agent', 'owner', 'allowed', 'token', 'phone']) expect(body).not.toContain(word);
    expect(await world.state()).toEqual(before);
  });

  const hooks = world.routes.filter(({ access, method }) => access === 'public' && method === 'POST');
  it.each(hooks)('$url takes only what its platform has signed', async (route) => {
    const use = useOf(route);
    if (use === undefined) throw new Error('it is not in the inventory');
    const { headers = {}, ...unsigned } = use;
    const before = await world.state();
    const cookie = await world.signIn();
    const signedIn = await world.state();
    const forged = Object.fromEntries(
      Object.entries(headers).map(([key, value]) => [key, value.replace(/.$/, (last) => (last === '0' ? '1' : '0'))]),
    );
    for (const given of [{}, { cookie }, forged, ...Object.keys(headers).map((key) => ({ ...headers, [key]: '' }))]) {
      const answer = await drive(route, unsigned, { ...own, ...json, ...given });
      expect([given, answer.statusCode]).toEqual([given, 401]);
    }
    expect([await world.state(), before]).toEqual([signedIn, before]);
    const answer = await drive(route, unsigned, { host: 'bot.example.org', ...json, ...headers });
    expect(answer.statusCode).toBe(use.status);
  });

  it('is not signing in with a code that is wrong, or was used', async () => {
    const route = world.routes.find(({ url }) => url === '/api/sign-in');
    if (route === undefined) throw new Error('nobody can sign in');
    const used = await code();
    expect((await drive(route, { body: { code: used } }, { ...own, ...json })).statusCode).toBe(200);
    const before = await world.state();
    for (const wrong of [used, 'x', '']) {
      const answer = await drive(route, { body: { code: wrong } }, { ...own, ...json });
      expect([answer.statusCode, answer.headers['set-cookie']]).toEqual([401, undefined]);
    }
    expect(await world.state()).toEqual(before);
  });
});

describe.each(world.routes.filter(({ websocket, method }) => websocket && method === 'GET'))('the WebSocket at $url', ({ url }) => {
  const handshake = [
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  ];
  const upgrade = (headers: Readonly<Record<string, string>>): Promise<string> => {
    const lines = Object.entries(headers).map(([key, value]) => `${key}: ${value}`);
    return firstLine([`GET ${url} HTTP/1.1`, ...handshake, ...lines]);
  };

  it.each(attackers.filter(({ who }) => who !== 'a form'))('is not opened by $who', async ({ headers, hasCookie, refusal }) => {
    const cookie = hasCookie ? { cookie: await world.signIn() } : {};
    const before = await world.state();
    expect(await upgrade({ ...headers, ...cookie })).toContain(` ${refusal} `);
    expect(await world.state()).toEqual(before);
  });

  it("is the owner's, until the owner signs out", async () => {
    expect(await upgrade({ ...own, cookie: await world.signIn() })).toContain(' 101 ');
  });
});

function firstLine(lines: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(world.url.port), '127.0.0.1', () => socket.write(`${lines.join('\r\n')}\r\n\r\n`));
    socket.once('data', (data) => {
      socket.destroy();
      resolve(data.toString().split('\r\n', 1)[0] ?? '');
    });
    socket.once('error', reject);
  });
}

/** Signing in and out is between the page and its cookie; at the socket the token stands for both. */
const control = world.routes.filter(
  ({ access, method, url }) => access !== 'page' && method !== 'HEAD' && /^\/(api|healthz|readyz)/.test(url) && url !== '/api/sign-out',
);

describe.each(control)('$method $url at the Unix socket', (route) => {
  const use = useOf(route);

  it('is refused to whoever does not bring the token, and nothing changes', async () => {
    const call = { ...use, ...(await use?.prepare?.()) };
    const token = readFileSync(`${world.controlSocket.replace(/\.sock$/, '')}.token`, 'utf8');
    const cookie = await world.signIn();
    const before = await world.state();
    const without = [
      {},
      { cookie, ...own },
      { authorization: 'Bearer ' },
      { authorization: token },
      { authorization: `Basic ${token}` },
      { authorization: `Bearer ${token}x` },
      { authorization: `Bearer ${token.slice(0, -1)}` },
      { cookie: `token=${token}`, 'x-hermes-token': token },
    ];
    for (const headers of without) expect([headers, await atSocket(route, call, headers)]).toEqual([headers, 401]);
    expect(await atSocket(route, { ...call, url: `${call.url ?? route.url}?token=${token}` }, {})).toBe(401);
    expect(await world.state()).toEqual(before);
  });

  it('is answered with the token', async () => {
    const call = { ...use, ...(await use?.prepare?.()) };
    const token = readFileSync(`${world.controlSocket.replace(/\.sock$/, '')}.token`, 'utf8');
    expect(await atSocket(route, call, { authorization: `Bearer ${token}` })).toBe(use?.status);
  });
});

function atSocket(route: Route, { url = route.url, body }: Call, headers: Readonly<Record<string, string>>): Promise<number> {
  return new Promise((resolve, reject) => {
    const options = { socketPath: world.controlSocket, method: route.method, path: url, headers: { ...headers, ...json }, agent: false };
    const sent = request(options, (answer) => answer.resume().on('end', () => resolve(answer.statusCode ?? 0)));
    sent.on('error', reject).end(route.method === 'POST' ? JSON.stringify(body ?? {}) : undefined);
  });
}
