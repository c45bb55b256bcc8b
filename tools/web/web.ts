/** The two tools that reach into the web. */
import type { Tool } from '../../agent/tool.ts';
import { createResolve } from '../shared/fetch/resolve.ts';
import { createSafeFetch } from '../shared/fetch/safe-fetch.ts';
import type { WebToolsConfig } from './config.ts';
import { createReadPage } from './page-reader.ts';
import { createWebExtract } from './web-extract.ts';
import { createWebSearch } from './web-search.ts';

export interface WebTools {
  readonly config: WebToolsConfig;
  /** `security.allow_private_urls`. */
  readonly allowPrivate: boolean;
}

export function createWebTools({ config, allowPrivate }: WebTools): readonly Tool[] {
  const ways = config.proxy === '' ? {} : { proxy: new URL(config.proxy) };
  const fetcher = createSafeFetch({ allowPrivate, resolve: createResolve({ ownNames: allowPrivate }), ways });
  return [createWebSearch(config), createWebExtract({ fetcher, read: createReadPage(), config })];
}
