import { z } from 'zod';
import { defineTool, type Tool, type ToolOutput } from '../../agent/tool.ts';
import type { WebToolsConfig } from './config.ts';
import { createProviders, type SearchProvider, type SearchResult } from './providers.ts';
import { search } from './search.ts';

const args = z.object({
  query: z.string().trim().min(1).max(2_000).describe('What to look for, as one would type it into a search engine.'),
  limit: z.number().int().min(1).max(100).default(5).describe('How many results at most.'),
});

const missing =
  'it needs a search service: put SEARXNG_URL, BRAVE_SEARCH_API_KEY, TAVILY_API_KEY, EXA_API_KEY or FIRECRAWL_API_KEY into .env and restart.';

export function createWebSearch(config: WebToolsConfig): Tool {
  const providers = createProviders(config);
  return defineTool({
    name: 'web_search',
    toolset: 'web',
    description:
      'Search the web. Gives titles, addresses and short descriptions; read a page with web_extract before you rely on what it is said to be about.',
    args,
    effect: 'read',
    ...(providers.length === 0 ? { missing } : {}),
    preview: ({ query }) => query,
    risk: async ({ query }) => ({ level: 'safe', why: '', subjects: [query] }),
    run: (given, { signal }) => run(given, { providers, timeoutMs: config.timeout * 1_000 }, signal),
  });
}

interface Services {
  readonly providers: readonly SearchProvider[];
  readonly timeoutMs: number;
}

async function run(given: z.output<typeof args>, { providers, timeoutMs }: Services, signal: AbortSignal): Promise<ToolOutput> {
  const outcome = await search(providers, { ...given, timeoutMs }, signal);
  if (!outcome.ok)
    return { content: `The search failed. ${outcome.problems.join(' ')} Go on without it, or tell the person.`, failed: true };
  const { results, label } = outcome;
  if (results.length === 0) return { content: `${label} found nothing for "${given.query}". Try other words.`, data: { results } };
  return { content: results.map(present).join('\n\n'), data: { results }, outside: `the search service ${label}` };
}

function present({ title, url, description }: SearchResult, index: number): string {
  return `${index + 1}. ${[title, url, description].filter((line) => line !== '').join('\n   ')}`;
}
