import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ToolOutput } from '../../../agent/tool.ts';
import { type WebToolsConfig, webToolsSchema } from '../../../tools/web/config.ts';
import { createWebSearch } from '../../../tools/web/web-search.ts';
import { type FakeSearch, KEY, type SearchHit, type Service, startSearch } from '../../fakes/search.ts';
import { toolContext } from './support.ts';

const all: readonly Service[] = ['searxng', 'brave', 'tavily', 'exa', 'firecrawl'];
const hit = (number: number): SearchHit => ({ title: `Page ${number}`, url: `https://example.com/${number}`, text: `about ${number}` });

let fake: FakeSearch;

beforeEach(async () => {
  fake = await startSearch();
  fake.hits = Array.from({ length: 120 }, (_, index) => hit(index + 1));
});

afterEach(() => fake.close());

function configured(services: readonly Service[], more: Partial<Record<keyof WebToolsConfig, unknown>> = {}): WebToolsConfig {
  const parts = services.map((service) => ({
    [`${service}_url`]: fake.url(service),
    ...(service === 'searxng' ? {} : { [`${service}_api_key`]: KEY }),
  }));
  return webToolsSchema.parse(Object.assign({ timeout: 5 }, ...parts, more));
}

async function found(config: WebToolsConfig, args: object = {}, signal?: AbortSignal): Promise<ToolOutput> {
  const tool = createWebSearch(config);
  return tool.run(tool.args.parse({ query: 'gateway & tools', ...args }), toolContext(signal));
}

/** Where nothing listens. */
async function nobody(): Promise<string> {
  const server = http.createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}

function titles({ data }: ToolOutput): string[] {
  return (data as { results: { title: string }[] }).results.map(({ title }) => title);
}

describe('web_search', () => {
  it.each(all)('finds the same through %s, for the model and for scripts', async (service) => {
    const output = await found(configured([service]), { limit: 2 });
    expect(output.data).toEqual({
      results: [
        { title: 'Page 1', url: 'https://example.com/1', description: 'about 1' },
        { title: 'Page 2', url: 'https://example.com/2', description: 'about 2' },
      ],
    });
    expect(output.content).toBe('1. Page 1\n   https://example.com/1\n   about 1\n\n2. Page 2\n   https://example.com/2\n   about 2');
    expect(output.outside).toMatch(/^the search service /);
    expect(output.failed).toBeUndefined();
    expect(fake.asked).toHaveLength(1);
  });

  it.each([
    ['searxng', 45],
    ['brave', 45],
    ['tavily', 20],
    ['exa', 45],
    ['firecrawl', 45],
  ] as const)('gets as many as %s gives, up to what was asked for', async (service, expected) => {
    const output = await found(configured([service]), { limit: 45 });
    expect(titles(output)).toEqual(fake.hits.slice(0, expected).map(({ title }) => title));
  });

  it('gives five where nobody says how many, and ends where there are no more', async () => {
    expect(titles(await found(configured(['searxng'])))).toHaveLength(5);
    fake.hits = fake.hits.slice(0, 13);
    expect(titles(await found(configured(['brave']), { limit: 100 }))).toHaveLength(13);
  });

  it('shows a page once, and keeps what there is when a further page cannot be had', async () => {
    fake.hits = [hit(1), hit(1), hit(2)];
    expect(titles(await found(configured(['searxng'])))).toEqual(['Page 1', 'Page 2']);
    fake.hits = Array.from({ length: 30 }, (_, index) => hit(index));
    fake.trouble.set('searxng', 'one page');
    const { asked } = fake;
    (asked as string[]).length = 0;
    expect(titles(await found(configured(['searxng', 'exa']), { limit: 30 }))).toHaveLength(10);
    expect(asked.map((line) => line.split(' ')[0])).toEqual(['searxng', 'searxng']);
  });

  it('asks the first that is configured, or the one that the owner names first, and no other', async () => {
    await found(configured(all));
    await found(configured(['exa', 'tavily']));
    await found(configured(all, { search_backend: 'brave-free' }));
    await found(configured(all, { search_backend: 'duckduckgo' }));
    expect(fake.asked.map((line) => line.split(' ')[0])).toEqual(['searxng', 'tavily', 'brave', 'searxng']);
  });

  it.each<[string, Parameters<FakeSearch['trouble']['set']>[1]]>([
    ['a used up quota', { status: 402 }],
    ['too many requests', { status: 429 }],
    ['a refusal', { status: 403 }],
    ['a server of no use', { status: 500 }],
    ['a page instead of JSON', { body: '<html>sign in</html>' }],
    ['something else than it documents', { body: '{"results": "none"}' }],
    ['engines that do not answer', { body: '{"results": [], "unresponsive_engines": [["google", "timeout"]]}' }],
    ['results of which none has an address', { body: '{"results": [{"title": "x"}, null]}' }],
    ['silence', 'silence'],
    ['a redirect', { status: 302, headers: { location: '/tavily/search' } }],
  ])('asks the next one after %s', async (_what, trouble) => {
    fake.trouble.set('searxng', trouble);
    fake.trouble.set('brave', { status: 500 });
    const output = await found(configured(all, { timeout: 0.3 }), { limit: 1 });
    expect(titles(output)).toEqual(['Page 1']);
    expect(output.outside).toBe('the search service Tavily');
    expect(fake.asked.map((line) => line.split(' ')[0])).toEqual(['searxng', 'brave', 'tavily']);
  });

  it('leaves out a result that is none', async () => {
    fake.trouble.set('searxng', {
      body: JSON.stringify({ results: [{ title: 'no address' }, { title: null, url: 'https://a.test/', content: null }] }),
    });
    const { data, content } = await found(configured(['searxng']));
    expect(data).toEqual({ results: [{ title: '', url: 'https://a.test/', description: '' }] });
    expect(content).toBe('1. https://a.test/');
  });

  it('says of each why it failed, and no key, where none answers', async () => {
    fake.trouble.set('searxng', { status: 403 });
    fake.trouble.set('brave', { status: 401 });
    fake.trouble.set('firecrawl', { body: JSON.stringify({ success: false, error: 'out of credits' }) });
    const output = await found(configured(['searxng', 'brave', 'firecrawl'], { tavily_api_key: KEY, tavily_url: await nobody() }));
    expect(output.failed).toBe(true);
    expect(output.content).toMatch(/SearXNG: it refuses .*search\.formats/);
    expect(output.content).toMatch(/Brave: it does not accept the key/);
    expect(output.content).toMatch(/Tavily: it cannot be reached \(ECONNREFUSED\)/);
    expect(output.content).toMatch(/Firecrawl: out of credits/);
    expect(output.content).not.toContain(KEY);
    expect(output.data).toBeUndefined();
  });

  it('gives a key to nobody to whom a redirect leads', async () => {
    const seen: http.IncomingHttpHeaders[] = [];
    const thief = http.createServer(({ headers }, response) => {
      seen.push(headers);
      response.end('{}');
    });
    await new Promise<void>((resolve) => thief.listen(0, '127.0.0.1', resolve));
    const location = `http://127.0.0.1:${(thief.address() as AddressInfo).port}/`;
    for (const service of all) fake.trouble.set(service, { status: 307, headers: { location } });
    expect((await found(configured(all))).failed).toBe(true);
    thief.close();
    expect(seen).toEqual([]);
  });

  it('says that nothing was found, which is no failure and no reason to ask the next one', async () => {
    fake.hits = [];
    const output = await found(configured(['brave', 'exa']));
    expect(output).toEqual({ content: 'Brave found nothing for "gateway & tools". Try other words.', data: { results: [] } });
    expect(fake.asked).toHaveLength(1);
  });

  it('stops with the turn', async () => {
    fake.trouble.set('searxng', 'silence');
    const stopped = new AbortController();
    const running = found(configured(all), {}, stopped.signal);
    const reason = new Error('stopped');
    setTimeout(() => stopped.abort(reason), 20);
    await expect(running).rejects.toBe(reason);
    expect(fake.asked.every((line) => line.startsWith('searxng'))).toBe(true);
  });

  it('is not offered without a service, and says which keys there are', () => {
    expect(createWebSearch(configured([])).missing).toMatch(/SEARXNG_URL, BRAVE_SEARCH_API_KEY, .* into \.env/);
    expect(createWebSearch(configured([], { brave_url: 'http://127.0.0.1:1' })).missing).toBeDefined();
    expect(createWebSearch(configured([], { firecrawl_url: 'http://127.0.0.1:3002' })).missing).toBeUndefined();
    for (const service of all) expect(createWebSearch(configured([service])).missing).toBeUndefined();
  });

  it('lets rules be about what is looked for', async () => {
    const tool = createWebSearch(configured([]));
    const risk = await tool.risk?.(
      tool.args.parse({ query: 'codename falcon' }),
      { id: 's', workspace: '/' },
      new AbortController().signal,
    );
    expect(risk).toEqual({ level: 'safe', why: '', subjects: ['codename falcon'] });
  });
});
