import { z } from 'zod';
import type { AccountConfig, Pacing, Platform } from '../platform.ts';
import { accountShape, idList } from '../shared/config.ts';
import { splitMarkdown } from '../shared/split.ts';

/** Longest part, UTF-16 units: what a browser still lays out without a pause. */
export const MAX_PART_LENGTH = 20_000;

/** The page is our own: there is no foreign rule to respect. Configurable all the same, as on every platform. */
const UNLIMITED: Pacing = { chat_interval_ms: 0, chat_burst: 1, group_per_minute: 0, per_second: 0 };

export interface WebConfig extends AccountConfig {
  readonly host: string;
  /** Undefined: 9119, or a free port where that is taken. */
  readonly port?: number | undefined;
  /** Further names ("chat.example.org", "box:8080") under which the page may be opened. */
  readonly allowed_hosts: readonly string[];
}

const schema: z.ZodType<WebConfig> = z.object({
  ...accountShape(UNLIMITED),
  /** Who signs in with a link. */
  allowed_users: idList.default(['owner']),
  host: z.string().min(1).default('127.0.0.1'),
  port: z.coerce.number().int().min(0).max(65_535).optional(),
  allowed_hosts: idList.default([]),
});

const template = `# The page is served on the loopback address only. "hermes gateway link" prints a sign-in link.
# enabled: true
# host: 127.0.0.1
# port: 9119
# Names under which a reverse proxy or a tunnel reaches the page.
# allowed_hosts: []`;

/** The browser page: a platform like any other, over a WebSocket of the gateway's own HTTP server. */
export const webPlatform: Platform<WebConfig> = {
  name: 'web',
  label: 'Browser page',
  schema,
  env: { HERMES_WEB_HOST: 'host', HERMES_WEB_PORT: 'port', HERMES_WEB_ALLOWED_HOSTS: 'allowed_hosts' },
  secrets: [],
  template,
  enabled: (config) => config.enabled !== false,
  limits: { uploadBytes: 0, downloadBytes: 0 },
  progress: { quietMs: 0, editIntervalMs: 150, previewIntervalMs: 60 },
  split,
  load: async () => {
    const { createWebAdapter } = await import('./index.ts');
    return { create: createWebAdapter };
  },
};

/** One part as it was written; only a text that would choke the browser is cut. */
function split(markdown: string): readonly string[] {
  if (markdown.length <= MAX_PART_LENGTH) return [markdown];
  return splitMarkdown(markdown, { limit: MAX_PART_LENGTH, measure: (part) => part.length });
}
