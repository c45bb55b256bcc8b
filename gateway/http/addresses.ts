/**
 * Which names the gateway answers to. A web page on another site can reach the loopback address (and, by rebinding its name, look like it),
 * so being local is no proof: the Host must be one of ours and the Origin must be that same host. Forwarding headers are never read.
 */

export const DEFAULT_PORT = 9119;

/** The `web` section as far as the server needs it. */
export interface WebConfig {
  readonly host: string;
  /** Undefined: `DEFAULT_PORT`, or a free port where that is taken. */
  readonly port?: number | undefined;
  readonly allowed_hosts: readonly string[];
}

const LOOPBACK_NAMES = ['127.0.0.1', 'localhost', '[::1]'];
const ANY_ADDRESS = ['0.0.0.0', '::', '[::]', '*'];

/** An allowed host without a port stands for our own port and for a proxy's default one. */
export function isOwnHost(host: string | undefined, port: number, config: WebConfig): boolean {
  if (host === undefined) return false;
  const wanted = host.toLowerCase();
  const names = ANY_ADDRESS.includes(config.host) ? LOOPBACK_NAMES : [...LOOPBACK_NAMES, bracketed(config.host)];
  if (names.some((name) => wanted === withPort(name, port))) return true;
  return config.allowed_hosts.some((entry) => {
    const name = entry.toLowerCase();
    return wanted === name || wanted === withPort(name, port);
  });
}

/** A missing Origin is not ours: every browser sends one where this is asked. */
export function isSameOrigin(origin: string | undefined, host: string | undefined): boolean {
  if (origin === undefined || host === undefined) return false;
  return origin === `http://${host.toLowerCase()}` || isSecureOrigin(origin, host);
}

/** The page is reached through something that speaks TLS for us. */
export function isSecureOrigin(origin: string | undefined, host: string | undefined): boolean {
  return origin !== undefined && host !== undefined && origin === `https://${host.toLowerCase()}`;
}

/** Where a browser on this machine finds the page. */
export function pageUrl(config: WebConfig, port: number): string {
  const host = ANY_ADDRESS.includes(config.host) ? '127.0.0.1' : bracketed(config.host);
  return `http://${host}:${port}/`;
}

function bracketed(host: string): string {
  return host.includes(':') && !host.startsWith('[') ? `[${host.toLowerCase()}]` : host.toLowerCase();
}

/** Browsers leave port 80 out. */
function withPort(name: string, port: number): string {
  return port === 80 ? name : `${name}:${port}`;
}
