import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import zlib from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { judgeAddress } from '../../../tools/shared/fetch/address.ts';
import type { Ways } from '../../../tools/shared/fetch/connect.ts';
import { createResolve } from '../../../tools/shared/fetch/resolve.ts';
import { createSafeFetch } from '../../../tools/shared/fetch/safe-fetch.ts';
import type { DnsAnswer } from '../../fakes/dns.ts';
import { createWorld, INTERNAL, type Page, PUBLIC, said, usual, type World, type WorldOptions } from './world.ts';

const open: World[] = [];

async function world(options?: WorldOptions): Promise<World> {
  const made = await createWorld(options);
  open.push(made);
  return made;
}

afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()));
});

const redirect =
  (to: (url: string) => string): Page =>
  (request, response) => {
    response.writeHead(302, { location: to(request.url ?? '/') }).end();
  };

describe('what names our own network', () => {
  it.each([
    'http://127.0.0.1:PORT/',
    'http://127.0.0.2:PORT/',
    'http://2130706434:PORT/',
    'http://0x7f000002:PORT/',
    'http://017700000002:PORT/',
    'http://127.2:PORT/',
    'http://0177.0.0.02:PORT/',
    'http://0x7f.0.0.0x2:PORT/',
    'http://127.0.0.2.:PORT/',
    'http://１２７.０.０.２:PORT/',
    'http://127。0。0。2:PORT/',
    'http://%31%32%37.0.0.2:PORT/',
    'http://0:PORT/',
    'http://[::1]:PORT/',
    'http://[::]:PORT/',
    'http://[::ffff:127.0.0.2]:PORT/',
    'http://[::FFFF:7f00:2]:PORT/',
    'http://[0:0:0:0:0:ffff:127.0.0.2]:PORT/',
    'http://[::127.0.0.2]:PORT/',
    'http://[64:ff9b::127.0.0.2]:PORT/',
    'http://[2002:7f00:2::]:PORT/',
    'http://[2001:0:0:0:0:0:80ff:fffd]:PORT/',
    'http://[fe80::1]:PORT/',
    'http://localhost:PORT/',
    'http://LOCALHOST.:PORT/',
    'http://ⓛocalhost:PORT/',
    'http://page.localhost:PORT/',
    'http://printer.local:PORT/',
    'http://intranet:PORT/',
    'http://169.254.169.254/latest/meta-data/',
    'http://metadata.google.internal/computeMetadata/v1/',
    'http:\\\\127.0.0.2:PORT\\',
    ' http://127.0.0.2:PORT/ ',
    'http://127.0\n.0.2:PORT/',
  ])('is not fetched as %j', async (address) => {
    const { strict, port, visits, dns } = await world();
    const fetched = await strict.get(address.replace('PORT', String(port)), usual, new AbortController().signal);
    expect(said(fetched)).toMatch(/^refused: .*not of the public internet/);
    expect(visits).toEqual({ outside: [], inside: [] });
    expect(dns.questions).toEqual([]);
  });

  it.each([
    ['http://public.test@127.0.0.2:PORT/', /user name or password/],
    ['http://127.0.0.2:PORT@public.test/', /user name or password/],
    ['http://public.test:80#@127.0.0.2:PORT/', /there is no host/],
    ['http://[fe80::1%25eth0]:PORT/', /not a complete address/],
    ['http://127.0.0.2.999:PORT/', /not a complete address/],
    ['file:///etc/passwd', /only http and https/],
    ['ftp://public.test/', /only http and https/],
    ['gopher://127.0.0.2:PORT/_x', /only http and https/],
    ['data:text/plain,hello', /only http and https/],
    ['//127.0.0.2:PORT/', /not a complete address/],
    ['public.test', /not a complete address/],
    [`http://public.test/${'x'.repeat(5_000)}`, /not a complete address/],
  ])('%s is read as what it is', async (address, problem) => {
    const { get, visits } = await world({ names: () => 'no such name' });
    expect(said(await get(address))).toMatch(problem);
    expect(visits).toEqual({ outside: [], inside: [] });
  });

  it.each<[string, (type: string) => DnsAnswer]>([
    ['only private addresses', () => ({ addresses: ['10.0.0.1'] })],
    ['a public and a private one', () => ({ addresses: ['93.184.216.34', '10.0.0.1'] })],
    ['a private and a public one', () => ({ addresses: ['10.0.0.1', '93.184.216.34'] })],
    ['a public one of one kind and a private one of the other', (type) => ({ addresses: [type === 'A' ? PUBLIC : '::1'] })],
    ['a metadata service', () => ({ addresses: ['169.254.169.254'] })],
    ['a mapped address', () => ({ addresses: ['::ffff:10.0.0.1'] })],
    ['a NAT64 address', () => ({ addresses: ['64:ff9b::7f00:1'] })],
    ['a link-local one', () => ({ addresses: ['fe80::1'] })],
    ['another name that is of our own network', () => ({ alias: 'db.corp.test', addresses: ['192.168.7.7'] })],
    ['every address', () => ({ addresses: ['0.0.0.0'] })],
  ])('is not fetched by a name that has %s', async (_what, answer) => {
    const { get, visits } = await world({ names: ({ type }) => answer(type) });
    expect(said(await get('http://innocent.test:PORT/'))).toMatch(/^refused: innocent\.test \(.+\) is not of the public internet/);
    expect(visits).toEqual({ outside: [], inside: [] });
  });
});

describe('a name that changes its address', () => {
  const rebinding: WorldOptions['names'] = ({ type, before }) => ({ addresses: type === 'A' ? [before === 0 ? PUBLIC : INTERNAL] : [] });

  it('is connected to where it was checked, and is not asked about again', async () => {
    const { get, visits, dns } = await world({ names: rebinding });
    expect(said(await get('http://rebind.test:PORT/'))).toBe('outside');
    expect(visits.inside).toEqual([]);
    expect(dns.questions.filter(({ type }) => type === 'A')).toHaveLength(1);
  });

  it('is checked anew where it redirects to itself', async () => {
    const { get, visits } = await world({ names: rebinding, page: redirect((url) => `${url}again/`) });
    expect(said(await get('http://rebind.test:PORT/'))).toMatch(/^refused: it redirects to .*rebind\.test \(127\.0\.0\.2\)/);
    expect(visits).toEqual({ outside: ['/'], inside: [] });
  });

  it('is not connected to over a connection that an earlier fetch has left', async () => {
    const { get, visits } = await world({ names: rebinding });
    await get('http://rebind.test:PORT/');
    expect(said(await get('http://rebind.test:PORT/'))).toMatch(/^refused/);
    expect(visits).toEqual({ outside: ['/'], inside: [] });
  });
});

describe('a redirect', () => {
  it.each([
    ['http://169.254.169.254/latest/meta-data/', /not of the public internet/],
    ['http://127.0.0.2:PORT/', /not of the public internet/],
    ['//2130706434:PORT/', /not of the public internet/],
    ['http://[::ffff:7f00:2]:PORT/', /not of the public internet/],
    ['http://localhost.:PORT/', /not of the public internet/],
    ['http://inside.test:PORT/', /not of the public internet/],
    ['http://public.test@127.0.0.2:PORT/', /user name or password/],
    ['file:///etc/passwd', /only http and https/],
    ['http://', /not a complete address/],
  ])('to %s is not followed', async (location, problem) => {
    const made = await world({
      names: ({ name }) => ({ addresses: [name === 'inside.test' ? INTERNAL : PUBLIC] }),
      page: redirect(() => location.replace('PORT', String(made.port))),
    });
    expect(said(await made.get('http://public.test:PORT/'))).toMatch(problem);
    expect(made.visits).toEqual({ outside: ['/'], inside: [] });
  });

  it('to an address inside is found at the end of a chain, too', async () => {
    const made = await world({
      page: redirect((url) => (url === '/5' ? `http://127.0.0.2:${made.port}/` : `/${Number(url.slice(1)) + 1}`)),
    });
    expect(said(await made.get('http://public.test:PORT/1'))).toMatch(/^refused: it redirects to .*127\.0\.0\.2 is not/);
    expect(made.visits).toEqual({ outside: ['/1', '/2', '/3', '/4', '/5'], inside: [] });
  });

  it('is followed ten times and not for ever', async () => {
    const made = await world({ page: redirect((url) => `${url}x`) });
    expect(said(await made.get('http://public.test:PORT/'))).toBe('refused: it redirects more than 10 times');
    expect(made.visits.outside).toHaveLength(11);
  });

  it('is followed with all of its codes, relative to where it stands, and tells where it ended', async () => {
    const codes = [301, 302, 303, 307, 308];
    const { get, port } = await world({
      page: ({ url = '' }, response) => {
        const code = codes[Number(/\d+/u.exec(url)?.[0] ?? 0)];
        if (code === undefined) response.end(`the end of ${url}`);
        else response.writeHead(code, { location: `./${codes.indexOf(code) + 1}?q=ä#part` }).end();
      },
    });
    const fetched = await get('http://public.test:PORT/deep/0');
    expect(said(fetched)).toBe('the end of /deep/5?q=%C3%A4');
    expect(fetched.ok && fetched.url.href).toBe(`http://public.test:${port}/deep/5?q=%C3%A4`);
  });

  it('is left to whoever asked where it leads elsewhere', async () => {
    const made = await world({ page: redirect(() => `http://other.test:${made.port}/x`) });
    const fetched = await made.get('http://public.test:PORT/', { follows: (from, to) => from.host === to.host });
    expect(fetched).toMatchObject({ ok: false, kind: 'moved', location: `http://other.test:${made.port}/x` });
    expect(made.dns.questions.map(({ name }) => name)).not.toContain('other.test');
  });

  it('takes no cookie along', async () => {
    const seen: (string | undefined)[] = [];
    const { get } = await world({
      page: ({ url, headers }, response) => {
        seen.push(headers.cookie, headers.authorization, headers.referer);
        if (url === '/') response.writeHead(302, { location: '/next', 'set-cookie': 'a=b' }).end();
        else response.end('done');
      },
    });
    expect(said(await get('http://public.test:PORT/'))).toBe('done');
    expect(seen).toEqual(Array(6).fill(undefined));
  });
});

describe('time', () => {
  it('ends with a name server that is silent', async () => {
    const { get } = await world({ names: () => undefined });
    expect(said(await get('http://silent.test:PORT/', { timeoutMs: 300 }))).toMatch(/^failed: it did not come within/);
  });

  it('ends with a server that sends a byte now and then', async () => {
    const { get } = await world({
      page: (_request, response) => {
        const drip = setInterval(() => response.write('.'), 20);
        response.on('close', () => clearInterval(drip));
      },
    });
    expect(said(await get('http://slow.test:PORT/', { timeoutMs: 300 }))).toMatch(/^failed: it did not come within/);
  });

  it('ends when whoever asked does not want it any more, with their reason', async () => {
    const stopped = new AbortController();
    const reason = new Error('the person said stop');
    const { get } = await world({ page: () => stopped.abort(reason) });
    await expect(get('http://slow.test:PORT/', {}, stopped.signal)).rejects.toBe(reason);
    const again = new AbortController();
    const silent = await world({
      names: () => {
        queueMicrotask(() => again.abort(reason));
        return undefined;
      },
    });
    await expect(silent.get('http://slow.test:PORT/', {}, again.signal)).rejects.toBe(reason);
    expect(silent.dns.questions.filter(({ type }) => type === 'A')).toHaveLength(1); // and not only after it was asked again
  });
});

describe('size and type', () => {
  it.each<[string, Page]>([
    ['says so', (_request, response) => response.writeHead(200, { 'content-length': '2000000' }).flushHeaders()],
    ['does not say so', (_request, response) => response.write(Buffer.alloc(1_100_000)) && response.end()],
    [
      'comes as a small package',
      (_request, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(zlib.gzipSync(Buffer.alloc(20_000_000))),
    ],
  ])('what is too large and %s is not taken', async (_what, page) => {
    const { get } = await world({ page });
    expect(said(await get('http://large.test:PORT/'))).toBe('refused: it is larger than the 1 MiB that are fetched');
  });

  it.each([
    ['gzip', zlib.gzipSync('packed')],
    ['deflate', zlib.deflateSync('packed')],
    ['br', zlib.brotliCompressSync('packed')],
    ['identity', Buffer.from('packed')],
  ])('what is packed with %s is unpacked', async (encoding, body) => {
    const { get } = await world({ page: (_request, response) => response.writeHead(200, { 'content-encoding': encoding }).end(body) });
    expect(said(await get('http://packed.test:PORT/'))).toBe('packed');
  });

  it('what cannot be unpacked is a problem and not a crash', async () => {
    const page: Page = ({ url }, response) =>
      response.writeHead(200, { 'content-encoding': url === '/z' ? 'zip' : 'gzip' }).end('no such thing');
    const { get } = await world({ page });
    expect(said(await get('http://packed.test:PORT/'))).toMatch(/damaged/);
    expect(said(await get('http://packed.test:PORT/z'))).toMatch(/encoding that is not understood \(zip\)/);
  });

  it('a type that nobody wants is refused before its body is read', async () => {
    let sent = 0;
    const { get } = await world({
      page: (_request, response) => {
        response.writeHead(200, { 'content-type': 'Video/MP4; codecs=x' });
        const more = (): void => {
          sent += 65_536;
          if (!response.destroyed && sent < 50_000_000) response.write(Buffer.alloc(65_536), more);
        };
        more();
      },
    });
    const fetched = await get('http://video.test:PORT/', { accepts: (mime) => mime.startsWith('text/') });
    expect(said(fetched)).toBe('refused: it is of a type that is not read (video/mp4)');
    expect(sent).toBeLessThan(10_000_000);
  });

  it.each([
    [404, /no such page/],
    [403, /another source/],
    [429, /retry-after: 30/],
    [503, /try again later/],
    [304, /HTTP 304/],
  ])('an answer of %i is told with what to do', async (status, sentence) => {
    const { get } = await world({ page: (_request, response) => response.writeHead(status, { 'retry-after': '30' }).end('body') });
    expect(said(await get('http://public.test:PORT/'))).toMatch(sentence);
  });
});

describe('the network', () => {
  it('tells what does not exist, what does not answer and what refuses apart', async () => {
    const { get, dns } = await world({
      names: ({ name }) => (name === 'gone.test' ? 'no such name' : name === 'ill.test' ? 'broken' : { addresses: [PUBLIC] }),
    });
    expect(said(await get('http://gone.test:PORT/'))).toMatch(/^failed: there is no host gone\.test/);
    expect(said(await get('http://ill.test:PORT/'))).toMatch(/^failed: the name servers did not answer for ill\.test/);
    expect(said(await get('http://closed.test:1/'))).toBe('failed: it could not be fetched (ECONNREFUSED)');
    expect(new Set(dns.questions.map(({ type }) => type))).toEqual(new Set(['A', 'AAAA']));
  });

  it('is asked for the host as it was written, by the checked address', async () => {
    const { get, port } = await world({ page: ({ headers, url }, response) => response.end(`${headers.host} ${url}`) });
    expect(said(await get('http://BÜCHER.test:PORT/a b?c=d#e'))).toBe(`xn--bcher-kva.test:${port} /a%20b?c=d`);
  });

  it('is opened by the owner, but for what nobody wants to have fetched', async () => {
    const { strict, port } = await world({ allowPrivate: true, names: () => ({ addresses: [INTERNAL] }) });
    const get = async (address: string) => said(await strict.get(address, usual, new AbortController().signal));
    expect(await get(`http://127.0.0.1:${port}/`)).toBe('outside');
    expect(await get(`http://[::ffff:127.0.0.2]:${port}/`)).toBe('inside');
    expect(await get(`http://nas.local:${port}/`)).toBe('inside');
    for (const address of [
      '169.254.169.254',
      '[::ffff:a9fe:a9fe]',
      '[64:ff9b::169.254.169.254]',
      '[fd00:ec2::254]',
      'metadata.google.internal',
      '0.0.0.0',
    ])
      expect(await get(`http://${address}:${port}/`)).toMatch(/^refused: .*No setting opens it/);
  });

  it('knows the names of this machine where the owner has opened it, and only there', async () => {
    const { dns } = await world({ names: () => 'no such name' });
    const signal = new AbortController().signal;
    expect(await createResolve({ servers: [dns.server], ownNames: true })('localhost', signal)).toContain('127.0.0.1');
    expect(await createResolve({ servers: [dns.server], ownNames: false })('box.test', signal)).toEqual([]);
  });

  it('is not reached through a proxy of the environment', async () => {
    const made = await world();
    const file = fileURLToPath(new URL('../../../tools/shared/fetch/', import.meta.url));
    const script = `
      import { createSafeFetch } from '${file}safe-fetch.ts';
      const fetcher = createSafeFetch({ allowPrivate: true, resolve: async () => ['127.0.0.2'] });
      const fetched = await fetcher.get('http://public.test:${made.port}/', { limitBytes: 1e6, timeoutMs: 5000 }, new AbortController().signal);
      console.log(fetched.ok ? fetched.body.toString() : fetched.problem);`;
    const proxy = `http://${PUBLIC}:${made.port}`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
      env: { NODE_USE_ENV_PROXY: '1', HTTP_PROXY: proxy, http_proxy: proxy, ALL_PROXY: proxy, NO_PROXY: '' },
    });
    expect(stdout.trim()).toBe('inside');
    expect(made.visits.outside).toEqual([]);
  });

  it('is reached through the proxy that the owner has configured, which is told checked addresses and no names', async () => {
    const { dns, port, visits } = await world({ names: ({ name }) => ({ addresses: [name === 'inside.test' ? '10.0.0.1' : INTERNAL] }) });
    const proxy = await startProxy();
    const judge = (address: string) => (address === INTERNAL ? ({ class: 'public', what: 'public' } as const) : judgeAddress(address));
    const resolve = createResolve({ servers: [dns.server], ownNames: false });
    const fetcher = createSafeFetch({ allowPrivate: false, resolve, judge, ways: { proxy: proxy.url } });
    const get = async (address: string) => said(await fetcher.get(address, usual, new AbortController().signal));
    expect(await get(`http://public.test:${port}/x`)).toBe('inside');
    expect(await get(`http://inside.test:${port}/x`)).toMatch(/^refused: inside\.test \(10\.0\.0\.1\)/);
    expect({ asked: proxy.asked, visits: visits.inside, credentials: proxy.credentials }).toEqual({
      asked: [`${INTERNAL}:${port}`],
      visits: ['/x'],
      credentials: ['Basic YW5uOnA6dw=='],
    });
    proxy.refuse();
    expect(await get(`http://public.test:${port}/`)).toBe('failed: the proxy refuses the connection (HTTP 407)');
    proxy.close();
    expect(await get(`http://public.test:${port}/`)).toBe('failed: the proxy cannot be reached (ECONNREFUSED)');
  });

  const openssl = hasOpenssl();
  it.skipIf(!openssl)('is trusted only with a certificate for the name, not for the address (needs openssl)', async () => {
    const directory = mkdtempSync(path.join(os.tmpdir(), 'certificate-'));
    const [key, cert] = [path.join(directory, 'key.pem'), path.join(directory, 'cert.pem')];
    const subject = ['-subj', '/CN=public.test', '-addext', 'subjectAltName=DNS:public.test', '-days', '2', '-nodes'];
    execFileSync(
      'openssl',
      ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-keyout', key, '-out', cert, ...subject],
      {
        stdio: 'ignore',
      },
    );
    const trusted = readFileSync(cert, 'utf8');
    const server = https.createServer({ key: readFileSync(key), cert: trusted }, (_request, response) => response.end('secure'));
    await new Promise<void>((resolve) => server.listen(0, PUBLIC, resolve));
    const { port } = server.address() as AddressInfo;
    const get = async (host: string, more: Ways) => {
      const fetcher = createSafeFetch({ allowPrivate: true, resolve: async () => [PUBLIC], ways: more });
      return said(await fetcher.get(`https://${host}:${port}/`, usual, new AbortController().signal));
    };
    expect(await get('public.test', { trusted })).toBe('secure');
    expect(await get('other.test', { trusted })).toMatch(/certificate is not in order/);
    expect(await get('public.test', {})).toMatch(/certificate is not in order/);
    const proxy = await startProxy();
    expect(await get('public.test', { trusted, proxy: proxy.url })).toBe('secure');
    expect(await get('other.test', { trusted, proxy: proxy.url })).toMatch(/certificate is not in order/);
    expect(proxy.asked).toEqual(Array(2).fill(`${PUBLIC}:${port}`));
    proxy.close();
    server.closeAllConnections();
    server.close();
    rmSync(directory, { recursive: true });
  });
});

async function startProxy() {
  const asked: string[] = [];
  const credentials: (string | undefined)[] = [];
  let open = true;
  const server = http.createServer();
  server.on('connect', ({ url = '', headers }, client) => {
    asked.push(url);
    credentials.push(headers['proxy-authorization']);
    if (!open) return void client.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
    const target = new URL(`http://${url}`);
    const upstream = connect(Number(target.port || 80), target.hostname, () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      upstream.pipe(client).pipe(upstream);
    });
    for (const socket of [upstream, client]) socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, PUBLIC, resolve));
  const url = new URL(`http://ann:p%3Aw@${PUBLIC}:${(server.address() as AddressInfo).port}`);
  return {
    url,
    asked,
    credentials,
    refuse: () => {
      open = false;
    },
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function hasOpenssl(): boolean {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
