/** What each search service is asked and how it answers. Pure. */
import { z } from 'zod';
import type { WebToolsConfig } from './config.ts';
import { type ProviderName, providerNames } from './provider-names.ts';

export interface SearchResult {
  readonly title: string;
  readonly url: string;
  /** What the page is about, or the passage that fits; "" where the service tells nothing. */
  readonly description: string;
}

export interface SearchRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON; absent: GET. */
  readonly body?: string;
}

export interface SearchProvider {
  readonly name: ProviderName;
  /** What people call it. */
  readonly label: string;
  /** What is probably the matter when it refuses with HTTP 403. */
  readonly forbidden?: string;
  /** Undefined: there is no such page. The first is 0. */
  request(query: string, limit: number, page: number): SearchRequest | undefined;
  /** Throws where the answer is not what the service documents, or says that it failed. */
  results(answer: unknown): readonly SearchResult[];
}

/** One that is not as documented is left out, and takes no other with it. */
function listOf<T>(one: z.ZodType<T>): z.ZodType<T[]> {
  return z.array(z.unknown()).transform((all, context) => {
    const good = all.flatMap((each) => one.safeParse(each).data ?? []);
    if (good.length === 0 && all.length > 0) context.addIssue('not one of them is as documented');
    return good;
  });
}

const text = z.string().nullish().transform(plain);
const hit = { title: text, url: z.string() };

/** https://docs.searxng.org/dev/search_api.html */
function searxng(base: string): SearchProvider {
  const schema = z.object({
    results: listOf(z.object({ ...hit, content: text })),
    unresponsive_engines: z.array(z.unknown()).default([]),
  });
  return {
    name: 'searxng',
    label: 'SearXNG',
    forbidden: 'its settings.yml must list json below search.formats',
    request: (query, _limit, page) => ({
      url: withQuery(`${base}/search`, { q: query, format: 'json', pageno: String(page + 1) }),
      headers: {},
    }),
    results: (answer) => {
      const { results, unresponsive_engines: silent } = schema.parse(answer);
      if (results.length === 0 && silent.length > 0) throw new Error(`none of its search engines answers (${silent.flat().join(', ')})`);
      return results.map(({ content, ...rest }) => ({ ...rest, description: content }));
    },
  };
}

const bravePage = 20;
/** It takes offsets from 0 to 9. */
const bravePages = 10;

/** https://api-dashboard.search.brave.com/app/documentation/web-search/get-started */
function brave(base: string, key: string): SearchProvider {
  const schema = z.object({ web: z.object({ results: listOf(z.object({ ...hit, description: text })).default([]) }).nullish() });
  return {
    name: 'brave',
    label: 'Brave',
    request: (query, limit, page) => {
      if (page >= bravePages) return undefined;
      const count = String(Math.min(limit, bravePage));
      return {
        url: withQuery(`${base}/res/v1/web/search`, { q: query, count, offset: String(page), text_decorations: 'false' }),
        headers: { 'x-subscription-token': key },
      };
    },
    results: (answer) => schema.parse(answer).web?.results ?? [],
  };
}

/** https://docs.tavily.com/documentation/api-reference/endpoint/search */
function tavily(base: string, key: string): SearchProvider {
  const schema = z.object({ results: listOf(z.object({ ...hit, content: text })) });
  return {
    name: 'tavily',
    label: 'Tavily',
    request: (query, limit, page) =>
      page > 0 ? undefined : post(`${base}/search`, bearer(key), { query, max_results: Math.min(limit, 20) }),
    results: (answer) => schema.parse(answer).results.map(({ content, ...rest }) => ({ ...rest, description: content })),
  };
}

/** https://docs.exa.ai/reference/search */
function exa(base: string, key: string): SearchProvider {
  const schema = z.object({ results: listOf(z.object({ ...hit, highlights: z.array(z.string()).nullish(), text })) });
  return {
    name: 'exa',
    label: 'Exa',
    request: (query, limit, page) =>
      page > 0
        ? undefined
        : post(`${base}/search`, { 'x-api-key': key }, { query, numResults: Math.min(limit, 100), contents: { highlights: true } }),
    results: (answer) =>
      schema.parse(answer).results.map(({ title, url, highlights, text: body }) => {
        return { title, url, description: plain(highlights?.join(' … ')) || body };
      }),
  };
}

/** https://docs.firecrawl.dev/api-reference/endpoint/search; older servers of one's own answer with a plain list. */
function firecrawl(base: string, key: string): SearchProvider {
  const list = listOf(z.object({ ...hit, description: text }));
  const schema = z.object({
    success: z.boolean().default(true),
    data: z.union([z.object({ web: list.default([]) }), list]).optional(),
    error: text,
  });
  return {
    name: 'firecrawl',
    label: 'Firecrawl',
    request: (query, limit, page) =>
      page > 0 ? undefined : post(`${base}/v2/search`, key === '' ? {} : bearer(key), { query, limit: Math.min(limit, 100) }),
    results: (answer) => {
      const { success, data, error } = schema.parse(answer);
      if (!success) throw new Error(error === '' ? 'it says that the search failed' : error);
      return data === undefined ? [] : Array.isArray(data) ? data : data.web;
    },
  };
}

/** Those that are configured; the one that is named as the first comes first. */
export function createProviders(config: WebToolsConfig): readonly SearchProvider[] {
  const key = (name: 'brave' | 'tavily' | 'exa' | 'firecrawl'): string => config[`${name}_api_key`];
  const url = (name: ProviderName): string => config[`${name}_url`].replace(/\/+$/u, '');
  const all: Readonly<Record<ProviderName, SearchProvider | undefined>> = {
    searxng: url('searxng') === '' ? undefined : searxng(url('searxng')),
    brave: key('brave') === '' ? undefined : brave(url('brave'), key('brave')),
    tavily: key('tavily') === '' ? undefined : tavily(url('tavily'), key('tavily')),
    exa: key('exa') === '' ? undefined : exa(url('exa'), key('exa')),
    firecrawl: key('firecrawl') === '' && isFirecrawlCloud(url('firecrawl')) ? undefined : firecrawl(url('firecrawl'), key('firecrawl')),
  };
  const first = providerNames.filter((name) => name === config.search_backend);
  return [...new Set([...first, ...providerNames])].flatMap((name) => all[name] ?? []);
}

/** A server of one's own needs no key. */
function isFirecrawlCloud(url: string): boolean {
  return URL.parse(url)?.hostname === 'api.firecrawl.dev';
}

function withQuery(url: string, query: Readonly<Record<string, string>>): string {
  return `${url}?${new URLSearchParams(query)}`;
}

function bearer(key: string): Readonly<Record<string, string>> {
  return { authorization: `Bearer ${key}` };
}

function post(url: string, headers: SearchRequest['headers'], body: object): SearchRequest {
  return { url, headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

/** Some mark the words that fit. */
function plain(value: string | null | undefined): string {
  return (value ?? '')
    .replaceAll(/<\/?(?:strong|b|em|mark)>/giu, '')
    .replaceAll(/\s+/gu, ' ')
    .trim();
}
