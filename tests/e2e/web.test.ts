/** The web tools as they are built: with keys from the environment, and with the page reader's thread beside the bundle. */
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type FakeSearch, KEY, startSearch } from '../fakes/search.ts';
import { useFakes } from './fakes.ts';

const fakes = useFakes();
let search: FakeSearch;
let site: http.Server;
let address: string;

beforeEach(async () => {
  search = await startSearch();
  search.hits = [{ title: 'Tide tables', url: 'https://tides.example/', text: 'when the water comes' }];
  site = http.createServer((_request, response) => {
    response.setHeader('content-type', 'text/html').end('<title>Tides</title><body><nav>menu</nav><p>High water at <b>noon</b>.');
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(site.address() as AddressInfo).port}/tides`;
});

afterEach(async () => {
  site.close();
  await search.close();
});

/** What the model has read of the tools that it called. */
async function results(): Promise<readonly string[]> {
  fakes.model.reply((body) => {
    if (body.messages.at(-1)?.role === 'tool') return { text: 'done' };
    const offered = (body.tools ?? []).map((tool) => tool.function.name);
    const calls = [
      { name: 'web_search', args: { query: 'tides', limit: 1 } },
      { name: 'web_extract', args: { urls: [address] } },
    ];
    return { calls: calls.filter(({ name }) => offered.includes(name)) };
  });
  fakes.telegram.inject({ chatId: 7, text: 'when is high water?' });
  await fakes.said(7, 'done');
  return (fakes.model.requests.at(-1)?.messages ?? []).flatMap((message) => (message.role === 'tool' ? [String(message.content)] : []));
}

test('search through the service that is configured, and read a page of the own network where the owner has opened it', async () => {
  await fakes.start({
    config: { security: { allow_private_urls: true }, web_tools: { brave_url: search.url('brave') } },
    env: { BRAVE_SEARCH_API_KEY: KEY },
  });
  const [found = '', page = ''] = await results();
  expect(found).toMatch(
    /^\[outside (\w+): from the search service Brave\..*\]\n1\. Tide tables\n {3}https:\/\/tides\.example\/\n.*\n\[end of outside \1\]$/,
  );
  expect(page).toMatch(
    /^\[outside (\w+): from the web \(127\.0\.0\.1\)\.[^\n]*\n# Tides\n\nSource: [^\n]*\n\n(?:menu\s+)?High water at \*\*noon\*\*\.\n\[end of outside \1\]$/,
  );
}, 60_000);

test('without a service there is no search, and without leave no page of the own network', async () => {
  await fakes.start();
  const [page = '', ...others] = await results();
  expect(page).toMatch(/127\.0\.0\.1 is not of the public internet \(this machine\)/);
  expect(others).toEqual([]);
}, 60_000);
