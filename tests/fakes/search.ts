/** Five search services on loopback, each below its own path, with the requests, limits and answers that they document. */
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';

export interface SearchHit {
  readonly title: string;
  readonly url: string;
  readonly text: string;
}

export type Service = 'searxng' | 'brave' | 'tavily' | 'exa' | 'firecrawl';

/** What a service does instead of answering. */
export type Trouble =
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>> }
  | { readonly body: string }
  | 'silence'
  /** From the second page on. */
  | 'one page';

export interface FakeSearch {
  url(service: Service): string;
  /** "searxng /search?q=..." in the order in which they came. */
  readonly asked: readonly string[];
  readonly trouble: Map<Service, Trouble>;
  /** What all of them find. */
  hits: readonly SearchHit[];
  close(): Promise<void>;
}

export const KEY = 'the-right-key-0123456789';

interface Call {
  readonly query: URLSearchParams;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: unknown;
}

type Answer = { readonly status: number } | { readonly json: unknown };

export async function startSearch(): Promise<FakeSearch> {
  const asked: string[] = [];
  const fake = { hits: [] as readonly SearchHit[], trouble: new Map<Service, Trouble>() };
  const server = http.createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://fake');
    const [, name = '', ...rest] = url.pathname.split('/');
    asked.push(`${name} ${request.method} /${rest.join('/')}${url.search}`);
    const trouble = fake.trouble.get(name as Service);
    if (trouble === 'silence') return;
    if (trouble === 'one page' && asked.length > 1) return void response.writeHead(500).end();
    if (typeof trouble === 'object' && 'body' in trouble) return void response.end(trouble.body);
    if (typeof trouble === 'object') return void response.writeHead(trouble.status, trouble.headers).end();
    const service = services[`${name} ${request.method} /${rest.join('/')}`];
    const text = await bodyOf(request);
    const call = { query: url.searchParams, headers: request.headers, body: text === '' ? undefined : JSON.parse(text) };
    const answer: Answer = service === undefined ? { status: 404 } : service(call, fake.hits);
    if ('status' in answer) response.writeHead(answer.status).end();
    else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer.json));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  return Object.assign(fake, { asked, url: (service: Service) => `${origin}/${service}`, close });
}

async function bodyOf(request: http.IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

const services: Readonly<Record<string, (call: Call, hits: readonly SearchHit[]) => Answer>> = {
  'searxng GET /search': ({ query }, hits) => {
    if (query.get('format') !== 'json' || !query.get('q')) return { status: 403 };
    const start = (Number(query.get('pageno') ?? 1) - 1) * 10;
    const results = hits
      .slice(start, start + 10)
      .map(({ title, url, text }) => ({ title, url, content: text, engine: 'x', score: 1, category: 'general' }));
    return { json: { query: query.get('q'), number_of_results: 0, results, answers: [], suggestions: [], unresponsive_engines: [] } };
  },
  'brave GET /res/v1/web/search': ({ query, headers }, hits) => {
    if (headers['x-subscription-token'] !== KEY) return { status: 401 };
    const [count, offset] = [Number(query.get('count') ?? 20), Number(query.get('offset') ?? 0)];
    if (!(count >= 1 && count <= 20 && offset >= 0 && offset <= 9) || !query.get('q')) return { status: 422 };
    const results = hits
      .slice(offset * count, (offset + 1) * count)
      .map(({ title, url, text }) => ({ type: 'search_result', title, url, description: `<strong>${text}</strong>`, language: 'en' }));
    return { json: { type: 'search', query: {}, ...(results.length === 0 ? {} : { web: { type: 'search', results } }) } };
  },
  'tavily POST /search': ({ headers, body }, hits) => {
    if (headers.authorization !== `Bearer ${KEY}`) return { status: 401 };
    const wanted = z.strictObject({ query: z.string().min(1), max_results: z.number().int().min(0).max(20) }).safeParse(body);
    if (!wanted.success) return { status: 400 };
    const results = hits
      .slice(0, wanted.data.max_results)
      .map(({ title, url, text }) => ({ title, url, content: text, score: 0.9, raw_content: null }));
    return { json: { query: wanted.data.query, answer: null, images: [], results, response_time: 0.1 } };
  },
  'exa POST /search': ({ headers, body }, hits) => {
    if (headers['x-api-key'] !== KEY) return { status: 401 };
    const contents = z.object({ highlights: z.literal(true) });
    const wanted = z.strictObject({ query: z.string().min(1), numResults: z.number().int().min(1).max(100), contents }).safeParse(body);
    if (!wanted.success) return { status: 400 };
    const results = hits
      .slice(0, wanted.data.numResults)
      .map(({ title, url, text }) => ({ id: url, title, url, publishedDate: null, author: null, highlights: [text] }));
    return { json: { requestId: 'r', resolvedSearchType: 'neural', results } };
  },
  'firecrawl POST /v2/search': ({ headers, body }, hits) => {
    if (headers.authorization !== `Bearer ${KEY}`) return { status: 401 };
    const wanted = z.strictObject({ query: z.string().min(1), limit: z.number().int().min(1).max(100) }).safeParse(body);
    if (!wanted.success) return { status: 400 };
    const web = hits
      .slice(0, wanted.data.limit)
      .map(({ title, url, text }, index) => ({ title, url, description: text, position: index + 1 }));
    return { json: { success: true, data: { web }, creditsUsed: 2 } };
  },
};
