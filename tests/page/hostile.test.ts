/**
 * What a web page of somebody else can do to the gateway from the owner's own browser, where the owner is signed in: one on another site, one on
 * another port of this machine (the same site, so that the browser adds the cookie), and one whose name was rebound to the gateway.
 */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ask } from '../gateway/http/fixture.ts';
import { chromiumPath, connected, needsChromium, say, sees, signedIn } from './browser.ts';
import { EchoGateway, pause } from './echo-gateway.ts';

/** Every name below "example" is this machine; and the browser asks nobody whether a page may reach it, so that we have to refuse. */
const flags = [
  '--host-resolver-rules=MAP *.example 127.0.0.1',
  '--disable-features=LocalNetworkAccessChecks,BlockInsecurePrivateNetworkRequests',
];

let browser: Browser;
let evil: Server;
let context: BrowserContext;
let gateway: EchoGateway;
/** The owner's own page. */
let owner: Page;
/** What the foreign server was sent. */
const seen: IncomingMessage[] = [];

const portOf = (server: Server): number => (server.address() as AddressInfo).port;
const host = (): string => new URL(gateway.url).host;

async function start(): Promise<void> {
  evil = createServer((request, response) => {
    seen.push(request);
    response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>Evil</title><body></body>');
  });
  await new Promise<void>((resolve) => evil.listen(0, '127.0.0.1', resolve));
  browser = await chromium.launch({ executablePath: chromiumPath ?? '', chromiumSandbox: process.getuid?.() !== 0, args: flags });
}

async function stop(): Promise<void> {
  await browser.close();
  await new Promise((resolve) => evil.close(resolve));
}

async function foreignPage(origin: string): Promise<Page> {
  const page = await context.newPage();
  // The name is the gateway's own by now; the page itself still came from elsewhere.
  if (new URL(origin).port === new URL(gateway.url).port)
    await page.route(`${origin}/attack`, (route) =>
      route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>Evil</title><body></body>' }),
    );
  await page.goto(`${origin}/attack`);
  return page;
}

const foreigners = [
  ['on another site', () => `http://evil.example:${portOf(evil)}`],
  ['on another port of this machine', () => `http://127.0.0.1:${portOf(evil)}`],
  ['whose name was rebound to the gateway', () => `http://evil.example:${new URL(gateway.url).port}`],
] as const;

/** Runs in the page. What came of it, as far as the page can tell. */
function attempt(page: Page, script: string): Promise<string> {
  return page.evaluate(
    `(async () => { try { return String(await (async () => { ${script} })()); } catch (error) { return 'failed: ' + error.name; } })()`,
  );
}

/** Everything that a page may have done. */
const done = () => ({
  restarts: gateway.restarts,
  decisions: gateway.decisions.length,
  messages: gateway.inbox.length,
  clicks: gateway.clicks,
  sessions: gateway.sessions.keys().length,
});

describe.skipIf(chromiumPath === undefined)(`a foreign page in the owner's browser${needsChromium}`, { timeout: 60_000 }, () => {
  beforeAll(start, 60_000);
  afterAll(stop);
  beforeEach(async () => {
    gateway = await new EchoGateway().start();
    gateway.asks = [ask];
    context = await browser.newContext({ locale: 'en-GB' });
    ({ page: owner } = await signedIn(context, gateway));
    seen.length = 0;
  });
  afterEach(async () => {
    await context.close();
    await gateway.stop();
  });

  describe.each(foreigners)('%s', (_name, originOf) => {
    /** Its requests go to the gateway under the name that the browser takes for the page's own, or under the gateway's. */
    const targets = (): readonly string[] =>
      [...new Set([gateway.url, `${originOf()}/`])].filter((url) => new URL(url).port === new URL(gateway.url).port);

    it('changes nothing with any request that a browser sends without asking, or asks about', async () => {
      const page = await foreignPage(originOf());
      const before = done();
      const writes = [
        'api/restart',
        'api/sign-in-links',
        `api/asks/${ask.id}/answer`,
        'api/people/clear',
        'api/sign-out',
        'api/links/whatsapp/main/accept',
      ];
      const kinds = ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', 'application/json'];
      for (const url of targets().flatMap((target) => writes.map((path) => `${target}${path}`))) {
        for (const mode of ['no-cors', 'cors'])
          for (const kind of kinds) {
            const options = { method: 'POST', mode, credentials: 'include', headers: { 'content-type': kind }, body: '{"choice":"once"}' };
            await attempt(page, `return (await fetch('${url}', ${JSON.stringify(options)})).status`);
          }
        await attempt(page, `return navigator.sendBeacon('${url}', new Blob(['{"choice":"once"}'], { type: 'text/plain' }))`);
      }
      await pause(200);
      expect(done()).toEqual(before);
      await owner.reload();
      await connected(owner);
    });

    it('changes nothing with a form, whose answer it is not shown', async () => {
      const page = await foreignPage(originOf());
      const before = done();
      for (const target of targets())
        for (const kind of ['text/plain', 'application/x-www-form-urlencoded']) {
          await attempt(
            page,
            `const frame = Object.assign(document.createElement('iframe'), { name: 'hidden' });
             const form = Object.assign(document.createElement('form'), { method: 'POST', action: '${target}api/restart', enctype: '${kind}', target: 'hidden' });
             const field = Object.assign(document.createElement('input'), { name: '{"a":"', value: '"}' });
             form.append(field); document.body.append(frame, form); form.submit();`,
          );
          await pause(150);
        }
      expect(done()).toEqual(before);
    });

    it('reads nothing, neither by a request, nor as a script, a picture or a style, nor in a frame or a window', async () => {
      const page = await foreignPage(originOf());
      for (const target of targets()) {
        for (const path of ['api/status', 'api/people', 'api/asks', 'main.js', '']) {
          for (const mode of ['cors', 'no-cors', 'same-origin']) {
            const text = await attempt(
              page,
              `return await (await fetch('${target}${path}', { mode: '${mode}', credentials: 'include' })).text()`,
            );
            expect([path, text]).toEqual([
              path,
              expect.stringMatching(/^(failed: TypeError|\{"error":"The gateway does not answer under this name.*|)$/),
            ]);
          }
        }
        for (const [tag, key] of [
          ['script', 'src'],
          ['img', 'src'],
        ] as const) {
          const event = `return new Promise((resolve) => { const it = document.createElement('${tag}'); it.onload = () => resolve('loaded'); it.onerror = () => resolve('error'); it.${key} = '${target}api/status'; document.body.append(it); })`;
          expect([tag, await attempt(page, event)]).toEqual([tag, 'error']);
        }
        await attempt(page, `document.body.append(Object.assign(document.createElement('iframe'), { src: '${target}' }))`);
        await pause(200);
        for (const frame of page.frames().slice(1)) expect(await frame.locator('#message').count()).toBe(0);
        expect(
          await attempt(
            page,
            `const other = window.open('${target}'); await new Promise((go) => setTimeout(go, 500)); return other === null || other.closed || other.document.title`,
          ),
        ).toMatch(/^(true|failed: SecurityError|)$/);
      }
    });

    it('opens no WebSocket', async () => {
      const page = await foreignPage(originOf());
      const before = done();
      for (const target of targets()) {
        const socket = `return new Promise((resolve) => {
          const it = new WebSocket('${target.replace('http', 'ws')}ws');
          it.onopen = () => { it.send('{"type":"message","chat":"main","id":"forged-message","text":"run rm -r build"}'); resolve('open'); };
          it.onerror = () => resolve('error'); })`;
        expect(await attempt(page, socket)).toBe('error');
      }
      await pause(100);
      expect(done()).toEqual(before);
    });

    it('guesses no sign-in code, and keeps nobody from signing in by trying', async () => {
      const page = await foreignPage(originOf());
      const code = new URL(gateway.link()).hash.slice('#code='.length);
      const before = done();
      for (const target of targets())
        for (let count = 0; count < 15; count += 1) {
          const body = JSON.stringify({ code: count === 0 ? code : `guess-${count}`, deviceToken: 'x', local: true });
          for (const mode of ['no-cors', 'cors'])
            await attempt(
              page,
              `return (await fetch('${target}api/sign-in', ${JSON.stringify({ method: 'POST', mode, headers: { 'content-type': 'application/json' }, body })})).status`,
            );
        }
      expect(done()).toEqual(before);
      const other = await browser.newContext();
      await signedIn(other, gateway);
      await other.close();
    });
  });

  it('sees no cookie, and with cookies of its own for this machine it keeps nobody out', async () => {
    const [cookie] = await context.cookies();
    const page = await foreignPage(`http://127.0.0.1:${portOf(evil)}`);
    expect(await attempt(page, 'return document.cookie')).toBe('');
    for (const path of ['/', '/api', '/ws'])
      await attempt(page, `document.cookie = '${cookie?.name}=${'x'.repeat(43)}; path=${path}'; document.cookie = 'other=1; path=${path}'`);
    await owner.reload();
    await connected(owner);
    await say(owner, 'still here');
    await sees(owner, ['still here', 'You said: still here']);
  });

  it("is sent nothing by the gateway's own page, whatever is in its address: the policy lets it talk to nobody else", async () => {
    const target = `http://127.0.0.1:${portOf(evil)}/`;
    const violated = `return new Promise((resolve) => {
      document.addEventListener('securitypolicyviolation', (event) => resolve(event.effectiveDirective), { once: true });
      fetch('${target}', { mode: 'no-cors' }).catch(() => undefined); })`;
    expect(await attempt(owner, violated)).toBe('connect-src');
    await owner.goto(`${gateway.url}?url=${target}&host=${host()}#url=${target}`);
    await connected(owner);
    expect(seen).toEqual([]);
  });
});
