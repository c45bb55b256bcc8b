/** A small hostile internet on loopback: a name server, web servers, and a fetcher that asks only these. */
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { judgeAddress } from '../../../tools/shared/fetch/address.ts';
import { createResolve } from '../../../tools/shared/fetch/resolve.ts';
import { createSafeFetch, type Fetched, type FetchRequest, type SafeFetch } from '../../../tools/shared/fetch/safe-fetch.ts';
import { type DnsAnswer, type DnsQuestion, type FakeDns, startDns } from '../../fakes/dns.ts';

/** Stands for the public internet in these tests; every other address of the loopback is what it is. */
export const PUBLIC = '127.0.0.1';
export const INTERNAL = '127.0.0.2';

export type Page = (request: http.IncomingMessage, response: http.ServerResponse) => void;

export interface World {
  readonly dns: FakeDns;
  readonly port: number;
  /** Paths that the public server was asked for, and the internal one. */
  readonly visits: { readonly outside: string[]; readonly inside: string[] };
  readonly fetcher: SafeFetch;
  /** As it is configured out of the box, with nothing on loopback public. */
  readonly strict: SafeFetch;
  get(address: string, request?: Partial<FetchRequest>, signal?: AbortSignal): Promise<Fetched>;
  close(): Promise<void>;
}

export interface WorldOptions {
  readonly names?: (question: DnsQuestion) => DnsAnswer;
  readonly page?: Page;
  readonly allowPrivate?: boolean;
}

export const usual: FetchRequest = { limitBytes: 1_000_000, timeoutMs: 10_000 };

/** Both servers listen on the same port, so that a name that changes its address leads to the other one. */
export async function createWorld({ names, page, allowPrivate = false }: WorldOptions = {}): Promise<World> {
  const dns = await startDns((question) => (names === undefined ? { addresses: [PUBLIC] } : names(question)));
  const visits = { outside: [] as string[], inside: [] as string[] };
  const outside = http.createServer((request, response) => {
    visits.outside.push(request.url ?? '');
    if (page === undefined) response.end('outside');
    else page(request, response);
  });
  await listen(outside, 0, PUBLIC);
  const { port } = outside.address() as AddressInfo;
  const inside = http.createServer((request, response) => {
    visits.inside.push(request.url ?? '');
    response.end('inside');
  });
  await listen(inside, port, INTERNAL);
  const resolve = createResolve({ servers: [dns.server], ownNames: false });
  const judge = (address: string) => (address === PUBLIC ? ({ class: 'public', what: 'public' } as const) : judgeAddress(address));
  const fetcher = createSafeFetch({ allowPrivate, resolve, judge });
  return {
    dns,
    port,
    visits,
    fetcher,
    strict: createSafeFetch({ allowPrivate, resolve }),
    get: (address, request = {}, signal = new AbortController().signal) =>
      fetcher.get(address.replace(':PORT', `:${port}`), { ...usual, ...request }, signal),
    close: async () => {
      for (const server of [outside, inside]) {
        server.closeAllConnections();
        server.close();
      }
      await dns.close();
    },
  };
}

function listen(server: http.Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject).listen(port, host, resolve);
  });
}

export function said(fetched: Fetched): string {
  return fetched.ok ? fetched.body.toString() : `${fetched.kind}: ${fetched.problem}`;
}
