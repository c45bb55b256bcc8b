/**
 * Full-text search over what was said. The index is no part of what a turn waits for: it follows behind, whenever somebody searches and in quiet
 * moments, and it can be made anew from the transcripts at any time.
 */
import { sql } from 'drizzle-orm';
import type { ChatRef } from '../../adapters/adapter.ts';
import type { Message } from '../../agent/message.ts';
import type { Database } from './database.ts';
import type { Requester } from './schema.ts';
import type { SearchQuery } from './search-query.ts';

export interface SearchFilter {
  readonly roles: readonly Message['role'][];
  /** ms since the epoch. */
  readonly from?: number;
  readonly to?: number;
}

export interface SearchMatch {
  readonly id: number;
  readonly session: string;
  readonly at: number;
  /** The smaller, the better. */
  readonly rank: number;
}

export interface SearchStore {
  /** Takes up to `most` messages into the index; how many there were. */
  catchUp(most: number): number;
  /** Matches in one window of the newest ones: `before` is the oldest id of the window before. Undefined: there are no more. */
  matches(query: SearchQuery, filter: SearchFilter, before: number): SearchWindow | undefined;
  /** What stands around a message, in its session; that message included. */
  around(session: string, id: number, window: number): readonly SaidMessage[];
  /** Who spoke to us in a session, and where. */
  participants(session: string): readonly Participant[];
  /** Ids of sessions in which something was said, last used first. */
  latest(): Iterable<string>;
  /** A session's first and last messages. */
  ends(session: string, first: number, last: number): readonly SaidMessage[];
}

export interface SearchWindow {
  readonly matches: readonly SearchMatch[];
  /** Where the next window begins. */
  readonly oldest: number;
}

export interface Participant {
  readonly requester: Requester;
  readonly chat: ChatRef;
}

export interface SaidMessage {
  readonly id: number;
  readonly role: Message['role'];
  readonly at: number;
  readonly text: string;
}

/** Ranking costs time for each match: a common word is in a hundred thousand messages. */
const windowSize = 1000;
/** What tools return is long, and rarely what somebody looks for. */
const indexedResult = 2000;
const cjk = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

export function createSearchStore(database: Database): SearchStore {
  const { orm } = database;
  const last = (): number => orm.get<{ id: number | null }>(sql`select max(id) as id from search_docs`)?.id ?? 0;
  return {
    catchUp: (most) =>
      database.quick(() => {
        const rows = orm.all<Row>(
          sql`select id, session_id as session, body, at from messages where id > ${last()} order by id limit ${most}`,
        );
        for (const row of rows) index(database, row);
        return rows.length;
      }),
    matches: (query, filter, before) => matches(database, { query, filter, before }),
    around: (session, id, window) => {
      const older = said(database, session, sql`id <= ${id} order by id desc limit ${window + 1}`).reverse();
      return [...older, ...said(database, session, sql`id > ${id} order by id limit ${window}`)];
    },
    participants: (session) => participants(database, session),
    latest: () => latest(database),
    ends: (session, first, lastOnes) => {
      const beginning = said(database, session, sql`true order by id limit ${first}`);
      const from = beginning.at(-1)?.id ?? 0;
      return [...beginning, ...said(database, session, sql`id > ${from} order by id desc limit ${lastOnes}`).reverse()];
    },
  };
}

interface Row {
  readonly id: number;
  readonly session: string;
  readonly body: string;
  readonly at: number;
}

function index({ orm }: Database, { id, session, body, at }: Row): void {
  const message = JSON.parse(body) as Message; // our own column, written by the transcript store
  const text = message.role === 'tool' ? message.content.slice(0, indexedResult) : textOf(message);
  orm.run(sql`insert into search_docs (id, session_id, role, at) values (${id}, ${session}, ${message.role}, ${at})`);
  if (text.trim() === '') return;
  orm.run(sql`insert into search_words (rowid, text) values (${id}, ${text})`);
  if (cjk.test(text)) orm.run(sql`insert into search_trigrams (rowid, text) values (${id}, ${text})`);
}

function textOf(message: Message): string {
  if (message.role === 'assistant') return message.text;
  if (message.role === 'tool') return message.content;
  if (message.note === true) return ''; // the gateway's own words
  return message.content.map((part) => (part.type === 'text' ? part.text : part.note)).join('\n');
}

interface Wanted {
  readonly query: SearchQuery;
  readonly filter: SearchFilter;
  readonly before: number;
}

function matches({ orm }: Database, { query, filter, before }: Wanted): SearchWindow | undefined {
  const table = sql.raw(query.isCjk ? 'search_trigrams' : 'search_words');
  const conditions = [sql`rowid < ${before}`];
  if (query.match !== undefined) conditions.push(sql`${table} match ${query.match}`);
  for (const term of query.short) conditions.push(sql`text like ${`%${term.replace(/[\\%_]/g, '\\$&')}%`} escape '\\'`);
  const rank = query.match === undefined ? sql`0` : sql`rank`;
  // Downwards in one go: upwards from an id, FTS5 would walk all that is before it.
  const rows = orm.all<SearchMatch & { readonly fits: number }>(sql`
    with found as materialized (
      select rowid as id, ${rank} as rank from ${table} where ${sql.join(conditions, sql` and `)} order by rowid desc limit ${windowSize})
    select d.id as id, d.session_id as session, d.at as at, found.rank as rank,
      m.undone = 0 and d.role in (select value from json_each(${JSON.stringify(filter.roles)}))
        and d.at >= ${filter.from ?? 0} and d.at < ${filter.to ?? Number.MAX_SAFE_INTEGER} as fits
    from found cross join search_docs d on d.id = found.id cross join messages m on m.id = found.id
    order by found.rank, d.id desc`);
  if (rows.length === 0) return undefined;
  return { matches: rows.filter(({ fits }) => fits === 1), oldest: Math.min(...rows.map(({ id }) => id)) };
}

function participants({ orm }: Database, session: string): readonly Participant[] {
  const rows = orm.all<{ requester: string; chat: string }>(
    sql`select distinct requester, json_extract(target, '$.chat') as chat from turns where session_id = ${session}`,
  );
  return rows.map(({ requester, chat }) => ({ requester: JSON.parse(requester) as Requester, chat: JSON.parse(chat) as ChatRef })); // our own columns
}

/** In portions: whoever asks stops early. */
function* latest({ orm }: Database): Generator<string> {
  const portion = 50;
  for (let offset = 0; ; offset += portion) {
    const rows = orm.all<{ id: string }>(sql`
      select id from sessions where exists (select 1 from messages where session_id = sessions.id and undone = 0)
      order by updated_at desc, id desc limit ${portion} offset ${offset}`);
    for (const { id } of rows) yield id;
    if (rows.length < portion) return;
  }
}

function said({ orm }: Database, session: string, rest: ReturnType<typeof sql>): SaidMessage[] {
  const rows = orm.all<Row>(
    sql`select id, session_id as session, body, at from messages where session_id = ${session} and undone = 0 and ${rest}`,
  );
  return rows.map(({ id, body, at }) => {
    const message = JSON.parse(body) as Message; // as above
    return { id, role: message.role, at, text: textOf(message) };
  });
}
