/** A connection through a proxy that the owner has configured, to an address that was checked before: the proxy looks up no name for us. */
import http from 'node:http';
import { isIPv6 } from 'node:net';
import type { Duplex } from 'node:stream';
import tls from 'node:tls';
import type { Target } from './target.ts';

export interface Tunnel {
  readonly proxy: URL;
  readonly target: Target;
  readonly addresses: readonly string[];
  /** Certificates that are trusted besides those of Node. */
  readonly trusted?: string;
}

/** Encrypted where the target is https, with its name checked. The addresses are tried one after the other. */
export async function openTunnel({ proxy, target, addresses, trusted }: Tunnel, signal: AbortSignal): Promise<Duplex> {
  const isSecure = target.url.protocol === 'https:';
  const port = target.url.port === '' ? (isSecure ? 443 : 80) : Number(target.url.port);
  const socket = await firstOf(addresses, (address) =>
    connect(proxy, isIPv6(address) ? `[${address}]:${port}` : `${address}:${port}`, signal),
  );
  if (!isSecure) return socket;
  const name = target.isAddress ? { host: target.host } : { servername: target.host };
  const secure = tls.connect({ socket, ALPNProtocols: ['http/1.1'], ...name, ...(trusted === undefined ? {} : { ca: trusted }) });
  return new Promise((resolve, reject) => {
    const stop = (): void => void secure.destroy(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    secure.once('error', reject).once('secureConnect', () => {
      signal.removeEventListener('abort', stop);
      resolve(secure);
    });
  });
}

async function firstOf(addresses: readonly string[], attempt: (address: string) => Promise<Duplex>): Promise<Duplex> {
  let last: unknown = new Error('no address');
  for (const address of addresses) {
    try {
      return await attempt(address);
    } catch (error) {
      last = error;
    }
  }
  throw last;
}

/** RFC 9110, section 9.3.6. */
function connect(proxy: URL, authority: string, signal: AbortSignal): Promise<Duplex> {
  const { hostname, port, username, password } = proxy;
  const credentials = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64');
  return new Promise((resolve, reject) => {
    const request = http.request({
      hostname: hostname.replace(/^\[|\]$/gu, ''),
      port: port === '' ? 80 : port,
      method: 'CONNECT',
      path: authority,
      headers: { host: authority, ...(username === '' ? {} : { 'proxy-authorization': `Basic ${credentials}` }) },
      agent: false,
      signal,
    });
    request.once('connect', (response, socket) => {
      if (response.statusCode === 200) resolve(socket);
      else {
        socket.destroy();
        reject(new Error(`the proxy refuses the connection (HTTP ${response.statusCode})`));
      }
    });
    request.once('error', (error) => reject(new Error(`the proxy cannot be reached (${codeOf(error)})`, { cause: error }))).end();
  });
}

function codeOf(error: Error): string {
  return 'code' in error ? String(error.code) : error.message;
}
