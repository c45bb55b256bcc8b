/** One request to addresses that were checked before; nothing here looks up a name. */
import http from 'node:http';
import https from 'node:https';
import { isIPv6, type LookupFunction } from 'node:net';
import type { Readable } from 'node:stream';
import zlib from 'node:zlib';
import type { Target } from './target.ts';
import { openTunnel } from './tunnel.ts';

export interface Dial {
  readonly target: Target;
  readonly addresses: readonly string[];
  readonly accept: string;
  readonly ways: Ways;
}

export interface Ways {
  /** Certificates that are trusted besides those of Node. */
  readonly trusted?: string;
  /** Absent: straight. */
  readonly proxy?: URL;
}

const userAgent = 'Mozilla/5.0 (compatible; HermesGateway)';

/** No cookies, no kept connection (it would be one to addresses that were checked for something else) and no proxy of the environment. */
export async function dial({ target, addresses, accept, ways }: Dial, signal: AbortSignal): Promise<http.IncomingMessage> {
  const { url, host } = target;
  const { proxy, trusted } = ways;
  const certificates = trusted === undefined ? {} : { trusted };
  const tunnel = proxy === undefined ? undefined : await openTunnel({ proxy, target, addresses, ...certificates }, signal);
  return new Promise((resolve, reject) => {
    const { request } = url.protocol === 'https:' ? https : http;
    const sent = request({
      protocol: url.protocol,
      hostname: host,
      port: url.port === '' ? undefined : url.port,
      path: `${url.pathname}${url.search}`,
      headers: { 'user-agent': userAgent, accept, 'accept-encoding': 'gzip, deflate, br' },
      agent: tunnel === undefined ? false : undefined,
      lookup: pinned(addresses),
      signal,
      ...(trusted === undefined ? {} : { ca: trusted }),
      ...(tunnel === undefined ? {} : { createConnection: () => tunnel }),
    });
    sent.on('response', resolve).on('error', reject).end();
  });
}

function pinned(addresses: readonly string[]): LookupFunction {
  const all = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
  return (_host, options, done) => {
    const [first] = all;
    if (first === undefined) done(new Error('no address'), '');
    else if (options.all === true) done(null, all);
    else done(null, first.address, first.family);
  };
}

/** The streams through which the body goes to be what was meant; undefined for an encoding that nobody asked for. */
export function decoders(encoding: string | undefined): readonly (Readable & NodeJS.WritableStream)[] | undefined {
  switch ((encoding ?? '').trim().toLowerCase()) {
    case '':
    case 'identity':
      return [];
    case 'gzip':
    case 'x-gzip':
      return [zlib.createGunzip()];
    case 'deflate':
      return [zlib.createInflate()];
    case 'br':
      return [zlib.createBrotliDecompress()];
    default:
      return undefined;
  }
}
