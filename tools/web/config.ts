import { z } from 'zod';
import { providerNames } from './provider-names.ts';

const address = z.url({ protocol: /^https?$/u }).or(z.literal(''));
const key = z.string().default('');

/** Hermes Agent's names of what we have, too; another of its services is nothing that we could ask first. */
const backend = z
  .string()
  .default('')
  .transform((name) => providerNames.find((known) => known === name.toLowerCase().replace(/-free$/u, '')) ?? '');

/** The `web_tools` section of config.yaml ("web" is the page). The keys belong into `.env`, under Hermes Agent's names. */
export const webToolsSchema = z.object({
  search_backend: backend,
  searxng_url: address.default(''),
  brave_api_key: key,
  brave_url: address.default('https://api.search.brave.com'),
  tavily_api_key: key,
  tavily_url: address.default('https://api.tavily.com'),
  exa_api_key: key,
  exa_url: address.default('https://api.exa.ai'),
  firecrawl_api_key: key,
  firecrawl_url: address.default('https://api.firecrawl.dev'),
  proxy: z
    .url({ protocol: /^http$/u })
    .or(z.literal(''))
    .default(''),
  timeout: z.number().positive().max(300).default(30),
  max_page_mb: z.number().positive().max(100).default(20),
});

export type WebToolsConfig = z.output<typeof webToolsSchema>;

const template = `# web_search asks the first of these that is configured, and the next where it fails: SearXNG, Brave, Tavily, Exa, Firecrawl.
# Keys are better kept in .env, from where they are taken without a line here.
# Which one is asked first, where several are configured.
# search_backend: searxng
# A SearXNG of your own; its settings.yml must list json below search.formats.
# searxng_url: http://localhost:8080
# brave_api_key: \${BRAVE_SEARCH_API_KEY}
# tavily_api_key: \${TAVILY_API_KEY}
# exa_api_key: \${EXA_API_KEY}
# firecrawl_api_key: \${FIRECRAWL_API_KEY}
# Other servers, for a proxy, or a Firecrawl of your own (which needs no key).
# brave_url: https://api.search.brave.com
# tavily_url: https://api.tavily.com
# exa_url: https://api.exa.ai
# firecrawl_url: https://api.firecrawl.dev
# A proxy through which pages are fetched (it must allow CONNECT); that of the environment is not taken.
# proxy: http://user:password@proxy.example:3128
# Seconds that a search or a page may take.
# timeout: 30
# The largest page or PDF that is read.
# max_page_mb: 20`;

/** Shaped like gateway/config/section.ts, which this room may not import. */
export const webToolsSection = {
  schema: webToolsSchema,
  env: {
    SEARXNG_URL: 'searxng_url',
    BRAVE_SEARCH_API_KEY: 'brave_api_key',
    BRAVE_API_KEY: 'brave_api_key',
    TAVILY_API_KEY: 'tavily_api_key',
    TAVILY_BASE_URL: 'tavily_url',
    EXA_API_KEY: 'exa_api_key',
    FIRECRAWL_API_KEY: 'firecrawl_api_key',
    FIRECRAWL_API_URL: 'firecrawl_url',
  },
  secrets: ['brave_api_key', 'tavily_api_key', 'exa_api_key', 'firecrawl_api_key', 'proxy'],
  template,
};
