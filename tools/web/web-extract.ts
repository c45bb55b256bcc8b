import { z } from 'zod';
import type { Risk } from '../../agent/risk.ts';
import { defineTool, type Tool, type ToolOutput } from '../../agent/tool.ts';
import type { FetchRequest, SafeFetch } from '../shared/fetch/safe-fetch.ts';
import { parseTarget } from '../shared/fetch/target.ts';
import { bodyKind, mayBeRead, textOf } from './body.ts';
import type { WebToolsConfig } from './config.ts';
import { createGate } from './gate.ts';
import type { ReadPage } from './page-reader.ts';

const maxUrls = 10;
/** In all conversations together: each page is in memory as a whole. */
const maxAtOnce = 8;
/** A PDF may be larger: little of it is text. */
const maxTextBytes = 5 * 1_048_576;

const args = z.object({
  urls: z
    .preprocess((value) => (typeof value === 'string' ? [value] : value), z.array(z.string().min(1)).min(1).max(maxUrls))
    .describe(`Complete addresses (https://...), at most ${maxUrls}.`),
});

export interface WebExtractOptions {
  readonly fetcher: SafeFetch;
  readonly read: ReadPage;
  readonly config: Pick<WebToolsConfig, 'timeout' | 'max_page_mb'>;
}

export function createWebExtract(options: WebExtractOptions): Tool {
  const enter = createGate(maxAtOnce);
  const one = async (url: string, signal: AbortSignal): Promise<Extract> => {
    const leave = await enter(signal);
    return extract(url, options, signal).finally(leave);
  };
  return defineTool({
    name: 'web_extract',
    toolset: 'web',
    description:
      'Read web pages and PDFs as markdown: of a page what it is about, without menus and advertisements; other files of text as they are. Runs no scripts: a page that is made by one may come out empty.',
    args,
    effect: 'read',
    preview: ({ urls }) => urls.join(' '),
    risk: async ({ urls }) => riskOf(urls),
    run: ({ urls }, { signal }) => run(urls, (url) => one(url, signal)),
  });
}

/** Rules are about hosts; what they forbid or have asked about may also be an address, and a host with or without its "www.". */
function riskOf(urls: readonly string[]): Risk {
  const touches = urls.map((given) => {
    const parsed = parseTarget(given);
    if (!parsed.ok) return { kind: 'text', name: given } as const;
    const { host, url } = parsed.target;
    return { kind: 'text', name: host, also: [url.host, twin(host), url.href] } as const;
  });
  return { level: 'safe', why: '', subjects: [...new Set(touches.map(({ name }) => name))], touches };
}

function twin(host: string): string {
  return host.startsWith('www.') ? host.slice(4) : `www.${host}`;
}

/** Another host would have to be allowed like the first one: the model asks for it in a call of its own. */
function isSameHost(from: URL, to: URL): boolean {
  return bare(from) === bare(to) && to.port === from.port;
}

function bare({ hostname }: URL): string {
  return hostname.replace(/\.+$/u, '').replace(/^www\./u, '');
}

type Extract =
  | { readonly url: string; readonly ok: true; readonly head: readonly string[]; readonly markdown: string }
  /** `foreign`: part of the sentence was written by the server. */
  | { readonly url: string; readonly ok: false; readonly problem: string; readonly foreign?: boolean };

async function run(urls: readonly string[], one: (url: string) => Promise<Extract>): Promise<ToolOutput> {
  const extracts = await Promise.all([...new Set(urls)].map(one));
  const content = extracts.map(present).join('\n\n---\n\n');
  const foreign = extracts.filter((one) => one.ok || one.foreign === true);
  const outside = foreign.length === 0 ? {} : { outside: `the web (${hostsOf(foreign).join(', ')})` };
  if (extracts.every(({ ok }) => !ok)) return { content, failed: true, ...outside };
  const data = Object.fromEntries(extracts.map((one) => [one.url, one.ok ? one.markdown : { error: one.problem }]));
  return { content, data, ...outside };
}

function hostsOf(extracts: readonly Extract[]): readonly string[] {
  return [...new Set(extracts.map(({ url }) => URL.parse(url)?.hostname ?? ''))];
}

function present(one: Extract): string {
  if (!one.ok) return `${one.url} was not read: ${one.problem}.`;
  return [...one.head, one.markdown].join('\n\n');
}

async function extract(url: string, { fetcher, read, config }: WebExtractOptions, signal: AbortSignal): Promise<Extract> {
  const request: FetchRequest = {
    limitBytes: config.max_page_mb * 1_048_576,
    timeoutMs: config.timeout * 1_000,
    accept: 'text/html,application/xhtml+xml,text/markdown,application/pdf;q=0.9,text/*;q=0.8,*/*;q=0.5',
    accepts: mayBeRead,
    follows: isSameHost,
  };
  const fetched = await fetcher.get(url, request, signal);
  if (!fetched.ok) return { url, ok: false, problem: fetched.problem, foreign: fetched.kind === 'moved' };
  const { body, mime, charset } = fetched;
  const from = fetched.url.href;
  const kind = bodyKind(fetched, body);
  if (kind === undefined) return { url, ok: false, problem: `it is no text (${mime === '' ? 'of an unknown type' : mime})` };
  if (kind !== 'pdf' && body.length > maxTextBytes) return { url, ok: false, problem: 'it is larger than the 5 MiB of text that are read' };
  const text = kind === 'pdf' ? '' : textOf(body, kind, charset);
  if (kind !== 'pdf' && text.trim() === '') return { url, ok: false, problem: 'it is empty' };
  if (kind === 'text') return { url, ok: true, head: [`Source: ${from}`], markdown: text };
  const bytes = kind === 'pdf' ? body : new Uint8Array();
  const result = await read({ kind, bytes, text, address: from }, signal);
  if (!result.ok) return { url, ok: false, problem: result.problem };
  const { title, byline, markdown } = result.page;
  if (markdown === '') return { url, ok: false, problem: 'it has no text of its own: it may be made by a script that runs in a browser' };
  return {
    url,
    ok: true,
    head: [...(title === '' ? [] : [`# ${title}`]), `Source: ${from}`, ...(byline === '' ? [] : [byline])],
    markdown,
  };
}
