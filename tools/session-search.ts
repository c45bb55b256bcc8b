import { z } from 'zod';
import { defineTool, type SessionRef, type Tool, type ToolOutput } from '../agent/tool.ts';

/** Port: what was said in earlier conversations that whoever the session is with may read. */
export interface SessionHistory {
  /** Best first. Never the session itself. */
  search(query: HistoryQuery, session: SessionRef): readonly FoundSession[];
  /** Last used first. */
  recent(limit: number, session: SessionRef): readonly FoundSession[];
  /** Undefined: there is no such conversation, or it is not theirs. */
  read(place: HistoryPlace, session: SessionRef): FoundSession | undefined;
}

export interface HistoryQuery {
  readonly text: string;
  readonly roles: readonly Role[];
  /** ms since the epoch. */
  readonly from?: number;
  readonly to?: number;
  readonly platform?: string;
  readonly limit: number;
}

export interface HistoryPlace {
  readonly session: string;
  /** Absent: how it began and how it ended. */
  readonly around?: number;
  readonly window: number;
}

export interface FoundSession {
  readonly session: string;
  readonly title: string;
  readonly platform: string;
  readonly startedAtMs: number;
  readonly lastAtMs: number;
  /** Where it speaks of what was looked for. */
  readonly snippet?: string;
  readonly match?: number;
  readonly messages: readonly FoundMessage[];
}

export interface FoundMessage {
  readonly id: number;
  readonly role: Role;
  readonly atMs: number;
  readonly text: string;
}

const roles = ['user', 'assistant', 'tool'] as const;
type Role = (typeof roles)[number];

const dayMs = 86_400_000;
const shownUnits = 800;
const maxWindow = 20;

const args = z.object({
  query: z.string().max(500).default('').describe('Words, "a phrase", prefix*, AND, OR, NOT. Empty lists the latest conversations.'),
  role_filter: z.array(z.enum(roles)).min(1).default(['user', 'assistant']).describe('Whose words to look in.'),
  date_range: z
    .string()
    .regex(
      /^(\d{1,4}d|(\d{4}-\d{2}-\d{2})?\.\.(\d{4}-\d{2}-\d{2})?)$/,
      'expected "30d" or "2026-01-31..2026-02-28" (either side may be left out)',
    )
    .optional()
    .describe('"30d" (the last days), or "2026-01-31..2026-02-28"; either side may be left out.'),
  platform: z.string().optional().describe('Only conversations on this platform, such as telegram.'),
  limit: z.number().int().min(1).max(10).default(3).describe('How many conversations.'),
  session_id: z.string().optional().describe('Read this conversation instead of searching.'),
  around_message_id: z.number().int().positive().optional().describe('With session_id: read around this message.'),
  window: z.number().int().min(1).max(maxWindow).default(5).describe('With around_message_id: how many messages before and after.'),
});

type Args = z.output<typeof args>;

export function createSessionSearch(history: SessionHistory, now: () => number): Tool {
  return defineTool({
    name: 'session_search',
    toolset: 'session_search',
    description:
      'Search earlier conversations with this person, list the latest ones, or read on in one (session_id with around_message_id). The present conversation is not part of it.',
    args,
    effect: 'read',
    preview: ({ query, session_id: session }) => session ?? (query === '' ? 'the latest' : query),
    run: async (given, { session }) => run(given, { history, session, now: now() }),
  });
}

interface Place {
  readonly history: SessionHistory;
  readonly session: SessionRef;
  readonly now: number;
}

function run(given: Args, place: Place): ToolOutput {
  if (given.session_id !== undefined) return read(given, given.session_id, place);
  if (given.around_message_id !== undefined) return failure('around_message_id needs the session_id that it belongs to.');
  if (given.query.trim() === '') return listed(place.history.recent(given.limit, place.session), 'There are no earlier conversations.');
  const { from, to } = rangeOf(given.date_range, place.now);
  const query = {
    text: given.query,
    roles: given.role_filter,
    limit: given.limit,
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
    ...(given.platform === undefined ? {} : { platform: given.platform }),
  };
  const none = 'No earlier conversation speaks of that. Try fewer or other words, a prefix (deploy*), or a wider date_range.';
  return listed(place.history.search(query, place.session), none);
}

/** A day begins at midnight of the machine's own zone, as people mean it. */
function rangeOf(range: string | undefined, now: number): { readonly from?: number; readonly to?: number } {
  if (range === undefined) return {};
  if (range.endsWith('d')) return { from: now - Number(range.slice(0, -1)) * dayMs };
  const [from = '', to = ''] = range.split('..');
  return { ...(from === '' ? {} : { from: midnight(from, 0) }), ...(to === '' ? {} : { to: midnight(to, 1) }) };
}

function midnight(date: string, later: number): number {
  const [year = 0, month = 1, day = 1] = date.split('-').map(Number);
  return new Date(year, month - 1, day + later).getTime();
}

function read({ around_message_id: around, window }: Args, id: string, { history, session }: Place): ToolOutput {
  const found = history.read({ session: id, window, ...(around === undefined ? {} : { around }) }, session);
  if (found === undefined)
    return failure(`There is no conversation ${id} that could be read here. Leave session_id out and query empty to list the latest ones.`);
  return listed([found], '');
}

function failure(content: string): ToolOutput {
  return { content, failed: true };
}

function listed(found: readonly FoundSession[], none: string): ToolOutput {
  const data = { sessions: found.map(dataOf) };
  if (found.length === 0) return { content: none, data };
  return { content: found.map(shown).join('\n\n'), data, outside: 'earlier conversations' };
}

function shown({ session, title, platform, startedAtMs, lastAtMs, snippet, match, messages }: FoundSession): string {
  const head = `## ${title === '' ? 'untitled' : title} (session_id ${session}, ${platform}, ${when(startedAtMs)} to ${when(lastAtMs)})`;
  const found = snippet === undefined ? [] : [`Found in message ${match ?? ''}: ${snippet}`];
  return [head, ...found, ...messages.map(shownMessage)].join('\n');
}

function shownMessage({ id, role, atMs, text }: FoundMessage): string {
  const cut = text.length > shownUnits ? `${text.slice(0, shownUnits).toWellFormed()} [...]` : text;
  return `[${id}] ${when(atMs)} ${role}: ${cut.trim()}`;
}

function when(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

function dataOf({ session, title, platform, startedAtMs, lastAtMs, snippet, match, messages }: FoundSession) {
  return {
    session_id: session,
    title,
    platform,
    started_at: new Date(startedAtMs).toISOString(),
    last_at: new Date(lastAtMs).toISOString(),
    snippet: snippet ?? null,
    message_id: match ?? null,
    messages: messages.map(({ id, role, atMs, text }) => ({ id, role, at: new Date(atMs).toISOString(), text })),
  };
}
