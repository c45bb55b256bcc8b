/**
 * Who is signed in. The browser has a random token in a cookie, the store has its hash: who reads the database cannot sign in with it.
 * Cookies ignore ports, so the cookie's name carries an id of this home; two gateways on one machine do not sign each other out.
 */
import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import type { AccountStore, Json } from '../../adapters/adapter.ts';
import { hashOf, randomSecret } from './secrets.ts';

const LIFETIME_MS = 30 * 24 * 60 * 60 * 1000;
const MAX_SESSIONS = 100;
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

export interface BrowserSession {
  readonly person: string;
  /** The store's key; not a secret. */
  readonly key: string;
}

export class BrowserSessions {
  readonly #store: AccountStore;
  readonly #now: () => number;
  readonly #cookie: string;
  /** Upgraded connections outlive the request that was checked, so signing out has to end them. */
  readonly #sockets = new Map<string, Set<Socket>>();

  constructor(store: AccountStore, now: () => number) {
    this.#store = store;
    this.#now = now;
    const known = store.get('cookie');
    this.#cookie = typeof known === 'string' ? known : `hermes_${randomBytes(4).toString('hex')}`;
    if (known !== this.#cookie) store.put({ cookie: this.#cookie });
  }

  /** The value of Set-Cookie. */
  create(person: string, secure: boolean): string {
    const token = randomSecret();
    this.#store.put({ ...this.#superfluous(), [keyOf(token)]: { person, expiresAtMs: this.#now() + LIFETIME_MS } });
    return this.#setCookie(token, LIFETIME_MS / 1000, secure);
  }

  /** Of several cookies of the name, any: a page on another port may have set some for a path of ours, and they come first. */
  find(cookieHeader: string | undefined): BrowserSession | undefined {
    for (const token of readCookies(cookieHeader, this.#cookie)) {
      const key = keyOf(token);
      const record = TOKEN.test(token) ? sessionRecord(this.#store.get(key)) : undefined;
      if (record && record.expiresAtMs > this.#now()) return { person: record.person, key };
    }
    return undefined;
  }

  /** Ends the session and its open connections. The value of Set-Cookie that removes it from the browser. */
  end(session: BrowserSession, secure: boolean): string {
    this.#store.put({ [session.key]: undefined });
    for (const socket of this.#sockets.get(session.key) ?? []) socket.destroy();
    return this.#setCookie('', 0, secure);
  }

  /** Ties an upgraded connection to its session. */
  attach(session: BrowserSession, socket: Socket): void {
    const sockets = this.#sockets.get(session.key) ?? new Set();
    this.#sockets.set(session.key, sockets.add(socket));
    socket.once('close', () => {
      sockets.delete(socket);
      if (sockets.size === 0) this.#sockets.delete(session.key);
    });
  }

  #setCookie(value: string, maxAgeSeconds: number, secure: boolean): string {
    return `${this.#cookie}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${maxAgeSeconds}${secure ? '; Secure' : ''}`;
  }

  /** Expired sessions, and the ones nearest to it where there are too many; as entries that remove them. */
  #superfluous(): Record<string, undefined> {
    const sessions = this.#store
      .list('session/', { limit: MAX_SESSIONS * 2 })
      .map(([key, value]) => ({ key, expiresAtMs: sessionRecord(value)?.expiresAtMs ?? 0 }))
      .sort((one, other) => other.expiresAtMs - one.expiresAtMs);
    const superfluous = sessions.filter((session, index) => index >= MAX_SESSIONS - 1 || session.expiresAtMs <= this.#now());
    return Object.fromEntries(superfluous.map(({ key }) => [key, undefined]));
  }
}

function keyOf(token: string): string {
  return `session/${hashOf(token)}`;
}

function readCookies(header: string | undefined, name: string): readonly string[] {
  const prefix = `${name}=`;
  const pairs = (header ?? '').split(';').map((pair) => pair.trim());
  return pairs.filter((pair) => pair.startsWith(prefix)).map((pair) => pair.slice(prefix.length));
}

function sessionRecord(value: Json | undefined): { readonly person: string; readonly expiresAtMs: number } | undefined {
  if (typeof value !== 'object' || value === null || !('person' in value)) return undefined;
  const { person, expiresAtMs } = value;
  return typeof person === 'string' && typeof expiresAtMs === 'number' ? { person, expiresAtMs } : undefined;
}
