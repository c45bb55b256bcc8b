import { z } from 'zod';
import type { AccountConfig, Platform } from '../adapter.ts';

/** Longest part, UTF-16 units: what a browser still lays out without a pause. */
export const MAX_PART_LENGTH = 100_000;

/** The page is our own: there is no foreign rule to respect. Configurable all the same, as on every platform. */
const pacing = z
  .object({
    chat_interval_ms: z.number().min(0).default(0),
    chat_burst: z.number().int().min(1).default(1),
    group_per_minute: z.number().min(0).default(0),
    per_second: z.number().min(0).default(0),
  })
  .prefault({});

export interface WebConfig extends AccountConfig {
  readonly host: string;
  /** Undefined: 9119, or a free port where that is taken. */
  readonly port?: number | undefined;
  /** Further names ("chat.example.org", "box:8080") under which the page may be opened. */
  readonly allowed_hosts: readonly string[];
}

const schema: z.ZodType<WebConfig> = z.object({
  enabled: z.boolean().optional(),
  host: z.string().min(1).default('127.0.0.1'),
  port: z.coerce.number().int().min(0).max(65_535).optional(),
  allowed_hosts: z.array(z.string().min(1)).default([]),
  allowed_users: z.array(z.string()).default(['owner']),
  group_allowed_chats: z.array(z.string()).default([]),
  pacing,
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
  split: splitLongText,
  load: async () => {
    const { createWebAdapter } = await import('./index.ts');
    return { create: createWebAdapter };
  },
};

/** One part, whatever the text; only a text that would choke the browser is cut, at a line end and never inside a character. */
function splitLongText(markdown: string): readonly string[] {
  const parts: string[] = [];
  let rest = markdown;
  while (rest.length > MAX_PART_LENGTH) {
    const end = cutBefore(rest, MAX_PART_LENGTH);
    parts.push(rest.slice(0, end));
    rest = rest.slice(end);
  }
  if (rest !== '' || parts.length === 0) parts.push(rest);
  return parts;
}

function cutBefore(text: string, limit: number): number {
  const line = text.lastIndexOf('\n', limit - 1);
  if (line > 0) return line + 1;
  const characters = new Intl.Segmenter().segment(text);
  return characters.containing(limit)?.index || limit;
}
