/** What was said in earlier conversations, for whoever may read it again: who took part in them, and where nobody else reads along. */
import type { ChatRef } from '../adapters/adapter.ts';
import { isOwner, type RoleFacts, visitorOf } from './roles.ts';
import type { Store } from './store/index.ts';
import type { Requester } from './store/schema.ts';
import type { SaidMessage, SearchFilter, SearchMatch } from './store/search.ts';
import { type SearchQuery, searchQuery, snippetOf } from './store/search-query.ts';
import type { SessionRow } from './store/sessions.ts';
import { accountKey, outboxLane } from './target.ts';

/** Shaped like the port of the tool `session_search`. */
export interface History {
  search(query: HistoryQuery, session: SessionId): readonly FoundSession[];
  recent(limit: number, session: SessionId): readonly FoundSession[];
  read(place: HistoryPlace, session: SessionId): FoundSession | undefined;
}

interface SessionId {
  readonly id: string;
}

export interface HistoryQuery extends SearchFilter {
  readonly text: string;
  readonly platform?: string;
  readonly limit: number;
}

interface HistoryPlace {
  readonly session: string;
  readonly around?: number;
  readonly window: number;
}

interface FoundSession {
  readonly session: string;
  readonly title: string;
  readonly platform: string;
  readonly startedAtMs: number;
  readonly lastAtMs: number;
  readonly snippet?: string;
  readonly match?: number;
  readonly messages: readonly { readonly id: number; readonly role: SaidMessage['role']; readonly atMs: number; readonly text: string }[];
}

interface HistoryFacts extends RoleFacts {
  readonly store: Store;
}

/** Messages that a search takes into the index before it looks; the rest follows in quiet moments. */
const catchUpAtOnce = 5000;
const mostWindows = 20;
const nearby = 2;
const [firstOnes, lastOnes] = [20, 10];

export function createHistory(facts: HistoryFacts): History {
  const { store } = facts;
  return {
    search: (query, session) => {
      store.search.catchUp(catchUpAtOnce);
      const reader = readerOf(facts, session.id);
      if (reader === undefined) return [];
      const strict = found(store, { query, reader, wanted: searchQuery(query.text) });
      return strict.length > 0 ? strict : found(store, { query, reader, wanted: searchQuery(query.text, true) });
    },
    recent: (limit, session) => recent(store, readerOf(facts, session.id), limit),
    read: ({ session: id, around, window }, session) => {
      const conversation = conversationOf(store, readerOf(facts, session.id), id);
      if (conversation === undefined) return undefined;
      const messages = around === undefined ? store.search.ends(id, firstOnes, lastOnes) : store.search.around(id, around, window);
      return messages.length === 0 ? undefined : presented(conversation, messages);
    },
  };
}

/** Who searches, and from where. */
interface Reader {
  readonly session: string;
  /** Undefined: nobody else reads along. */
  readonly onlyIn: string | undefined;
  isMe(chat: ChatRef, who: Requester): boolean;
}

/** The session's turn tells; between turns nobody asks. */
function readerOf(facts: HistoryFacts, session: string): Reader | undefined {
  const { store } = facts;
  const key = store.sessions.get(session)?.key;
  const turn = key === undefined ? undefined : store.turns.running(key);
  if (turn === undefined) return undefined;
  const { chat, chatType } = turn.target;
  const own = new Set(idsOf(turn.requester));
  const isAll = chatType === 'dm' && isOwner(visitorOf(turn), facts);
  return {
    session,
    onlyIn: chatType === 'dm' ? undefined : outboxLane(chat),
    isMe: (place, who) =>
      (accountKey(place) === accountKey(chat) && idsOf(who).some((id) => own.has(id))) || (isAll && isOwnersToo(facts, place, who)),
  };
}

function idsOf({ id, aliases = [] }: Requester): readonly string[] {
  return [id, ...aliases];
}

/** The owner of the machine is one person on all platforms. */
function isOwnersToo(facts: HistoryFacts, chat: ChatRef, requester: Requester): boolean {
  return isOwner(visitorOf({ target: { chat, chatType: 'dm' }, requester }), facts);
}

interface Conversation {
  readonly row: SessionRow;
  readonly platform: string;
}

function conversationOf(store: Store, reader: Reader | undefined, id: string): Conversation | undefined {
  if (reader === undefined || id === reader.session) return undefined;
  const mine = store.search.participants(id).filter(({ chat, requester }) => reader.isMe(chat, requester));
  const place = mine.find(({ chat }) => reader.onlyIn === undefined || outboxLane(chat) === reader.onlyIn);
  const row = place === undefined ? undefined : store.sessions.get(id);
  return place === undefined || row === undefined ? undefined : { row, platform: place.chat.platform };
}

interface Looking {
  readonly query: HistoryQuery;
  readonly reader: Reader;
  readonly wanted: SearchQuery;
}

function found(store: Store, { query, reader, wanted }: Looking): readonly FoundSession[] {
  if (wanted.match === undefined && wanted.short.length === 0) return [];
  const results: FoundSession[] = [];
  const seen = new Set<string>();
  for (const match of matchesOf(store, query, wanted)) {
    if (results.length === query.limit) break;
    if (seen.has(match.session)) continue;
    seen.add(match.session);
    const conversation = conversationOf(store, reader, match.session);
    if (conversation === undefined || (query.platform !== undefined && conversation.platform !== query.platform)) continue;
    const text = store.search.around(match.session, match.id, 0).at(-1)?.text ?? '';
    if (seen.has(text)) continue; // a copy of that conversation (`/branch`)
    seen.add(text);
    const messages = store.search.around(match.session, match.id, nearby);
    results.push({ ...presented(conversation, messages), snippet: snippetOf(text, wanted.terms), match: match.id });
  }
  return results;
}

function* matchesOf(store: Store, query: HistoryQuery, wanted: SearchQuery): Generator<SearchMatch> {
  let before = Number.MAX_SAFE_INTEGER;
  for (let count = 0; count < mostWindows; count += 1) {
    const window = store.search.matches(wanted, query, before);
    if (window === undefined) return;
    yield* window.matches;
    before = window.oldest;
  }
}

function recent(store: Store, reader: Reader | undefined, limit: number): readonly FoundSession[] {
  const results: FoundSession[] = [];
  for (const id of store.search.latest()) {
    if (results.length === limit) break;
    const conversation = conversationOf(store, reader, id);
    if (conversation !== undefined) results.push(presented(conversation, store.search.ends(id, 1, 1)));
  }
  return results;
}

const titleUnits = 60;

function presented({ row, platform }: Conversation, messages: readonly SaidMessage[]): FoundSession {
  const spoken = messages.filter(({ text }) => text.trim() !== '');
  const beginning = spoken
    .find(({ role }) => role === 'user')
    ?.text.replace(/\s+/g, ' ')
    .slice(0, titleUnits)
    .toWellFormed();
  return {
    session: row.id,
    title: row.title ?? beginning ?? '',
    platform,
    startedAtMs: row.createdAt,
    lastAtMs: row.updatedAt,
    messages: spoken.map(({ id, role, at, text }) => ({ id, role, atMs: at, text })),
  };
}
