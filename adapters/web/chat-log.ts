/**
 * The durable log of the page's chats in the account's key-value store. The page keeps nothing but what it has not sent yet: what it shows is this.
 *
 * Keys: `epoch`; `chat/<chat>` (summary and counters); `log/<chat>/<seq>` (an entry); `change/<chat>/<version>` (which entry changed then: one
 * key an entry, so catching up costs what was missed and not the whole log); `client/<chat>/<id>` (a page's message); `pending/<time>/<id>`
 * (in the log, not yet taken by the gateway); `sent/<key>` (what was sent under an idempotency key).
 */
import { randomUUID } from 'node:crypto';
import type { AccountStore, Json } from '../adapter.ts';
import { type AskEntry, type AskRef, type ChatSummary, type Entry, type EntryBody, MAIN_CHAT, titleOf } from './codec.ts';

interface ChatRecord extends ChatSummary {
  readonly seq: number;
  readonly version: number;
}

/** A message of the page: its place in the log, and whether the gateway has taken it. */
export interface PageMessage {
  readonly chat: string;
  readonly id: string;
  readonly person: string;
  readonly entry: Entry & { readonly type: 'user' };
  readonly taken: boolean;
}

export interface NewMessage {
  readonly chat: string;
  readonly id: string;
  readonly person: string;
  readonly text: string;
  readonly replyTo?: AskRef | undefined;
}

export interface Accepted {
  readonly message: PageMessage;
  /** False: the page sent it again. */
  readonly fresh: boolean;
}

export interface Missed {
  readonly epoch: string;
  readonly version: number;
  readonly reset: boolean;
  readonly entries: readonly Entry[];
}

interface ClientRecord {
  readonly seq: number;
  readonly person: string;
  readonly pending?: string;
}

const MAX_CHATS = 1000;
/** Entries of one answer to the page; more come when it scrolls up. */
const PAGE_SIZE = 100;

const padded = (value: number): string => String(value).padStart(12, '0');
const entryKey = (chat: string, seq: number): string => `log/${chat}/${padded(seq)}`;
const changeKey = (chat: string, version: number): string => `change/${chat}/${padded(version)}`;
const clientKey = (chat: string, id: string): string => `client/${chat}/${id}`;

export class ChatLog {
  readonly epoch: string;
  readonly #store: AccountStore;
  readonly #now: () => number;

  constructor(store: AccountStore, now: () => number) {
    this.#store = store;
    this.#now = now;
    const known = store.get('epoch');
    this.epoch = typeof known === 'string' ? known : randomUUID();
    if (known !== this.epoch) store.put({ epoch: this.epoch });
  }

  /** All chats, the one that changed last first. `main` is always there. */
  chats(): readonly ChatSummary[] {
    const records = this.#store.list('chat/', { limit: MAX_CHATS }).map(([, value]) => stored<ChatRecord>(value));
    const summaries = records.map(({ chat, title, updatedAtMs }) => ({ chat, title, updatedAtMs }));
    if (!summaries.some((summary) => summary.chat === MAIN_CHAT)) summaries.push({ chat: MAIN_CHAT, title: '', updatedAtMs: 0 });
    return summaries.sort((one, other) => other.updatedAtMs - one.updatedAtMs);
  }

  hasRoomFor(chat: string): boolean {
    return this.#store.get(`chat/${chat}`) !== undefined || this.#store.list('chat/', { limit: MAX_CHATS }).length < MAX_CHATS;
  }

  /** Idempotent by the page's id. */
  accept(message: NewMessage): Accepted {
    const known = this.#message(message.chat, message.id);
    if (known) return { message: known, fresh: false };
    const atMs = this.#now();
    const pending = `pending/${padded(atMs)}/${padded(this.#record(message.chat).seq + 1)}/${message.id}`;
    const replyTo = message.replyTo && { replyTo: message.replyTo };
    const entry = this.#append(message.chat, { type: 'user', id: message.id, text: message.text, ...replyTo }, (seq) => ({
      [clientKey(message.chat, message.id)]: { seq, person: message.person, pending },
      [pending]: { chat: message.chat, id: message.id },
    }));
    if (entry.type !== 'user') throw new Error('The log kept something else than what was appended.');
    return { message: { chat: message.chat, id: message.id, person: message.person, entry, taken: false }, fresh: true };
  }

  /** The gateway has it: it is not offered again. */
  taken(message: PageMessage): void {
    const key = clientKey(message.chat, message.id);
    const record = this.#client(key);
    if (!record?.pending) return;
    this.#store.put({ [key]: { seq: record.seq, person: record.person }, [record.pending]: undefined });
  }

  /** Messages that reached the log and not the gateway (a crash in between), oldest first. */
  pending(): readonly PageMessage[] {
    const keys = this.#store.list('pending/', { limit: 1000 }).map(([, value]) => stored<{ chat: string; id: string }>(value));
    return keys.map(({ chat, id }) => this.#message(chat, id)).filter((message) => message !== undefined);
  }

  /** Idempotent by `key`: the second append yields the first one's entry. */
  append(chat: string, body: EntryBody, key: string): { readonly entry: Entry; readonly fresh: boolean } {
    const sent = this.#store.get(`sent/${key}`);
    const known = sent === undefined ? undefined : this.#entry(chat, stored<number>(sent));
    if (known) return { entry: known, fresh: false };
    return { entry: this.#append(chat, body, (seq) => ({ [`sent/${key}`]: seq })), fresh: true };
  }

  /** Undefined when there is no such entry. */
  replace(chat: string, seq: number, body: EntryBody): Entry | undefined {
    const old = this.#entry(chat, seq);
    if (!old) return undefined;
    const record = this.#record(chat);
    const entry: Entry = { ...body, seq, version: record.version + 1, atMs: old.atMs };
    this.#store.put({
      [entryKey(chat, seq)]: plain(entry),
      [changeKey(chat, old.version)]: undefined,
      [changeKey(chat, entry.version)]: seq,
      [`chat/${chat}`]: plain({ ...record, version: entry.version }),
    });
    return entry;
  }

  /** Undefined when there is no card at that place. */
  ask(chat: string, seq: number): AskEntry | undefined {
    const entry = this.#entry(chat, seq);
    return entry?.type === 'ask' ? entry : undefined;
  }

  /** What a page that has `seen` of `epoch` lacks: the changes, or the newest entries when that is more than a page of them. */
  missed(chat: string, epoch: string, seen: number): Missed {
    const { version } = this.#record(chat);
    const facts = { epoch: this.epoch, version };
    if (epoch === this.epoch && seen > 0 && seen <= version) {
      const changes = this.#store.list(`change/${chat}/`, { after: changeKey(chat, seen), limit: PAGE_SIZE + 1 });
      if (changes.length <= PAGE_SIZE)
        return {
          ...facts,
          reset: false,
          entries: this.#entries(
            chat,
            changes.map(([, seq]) => stored<number>(seq)),
          ),
        };
    }
    const newest = this.#store.list(`log/${chat}/`, { limit: PAGE_SIZE, newest: true });
    return { ...facts, reset: true, entries: newest.map(([, value]) => stored<Entry>(value)) };
  }

  earlier(chat: string, before: number): readonly Entry[] {
    const first = Math.max(1, before - PAGE_SIZE);
    const found = this.#store.list(`log/${chat}/`, { after: entryKey(chat, first - 1), limit: Math.max(0, before - first) });
    return found.map(([, value]) => stored<Entry>(value));
  }

  #append(chat: string, body: EntryBody, extra: (seq: number) => Record<string, Json | undefined>): Entry {
    const record = this.#record(chat);
    const atMs = this.#now();
    const entry: Entry = { ...body, seq: record.seq + 1, version: record.version + 1, atMs };
    const title = record.title === '' && body.type === 'user' ? titleOf(body.text) : record.title;
    this.#store.put({
      [entryKey(chat, entry.seq)]: plain(entry),
      [changeKey(chat, entry.version)]: entry.seq,
      [`chat/${chat}`]: plain({ chat, title, updatedAtMs: atMs, seq: entry.seq, version: entry.version }),
      ...extra(entry.seq),
    });
    return entry;
  }

  #record(chat: string): ChatRecord {
    const value = this.#store.get(`chat/${chat}`);
    return value === undefined ? { chat, title: '', updatedAtMs: 0, seq: 0, version: 0 } : stored<ChatRecord>(value);
  }

  #entry(chat: string, seq: number): Entry | undefined {
    const value = this.#store.get(entryKey(chat, seq));
    return value === undefined ? undefined : stored<Entry>(value);
  }

  #entries(chat: string, seqs: readonly number[]): readonly Entry[] {
    return seqs.map((seq) => this.#entry(chat, seq)).filter((entry) => entry !== undefined);
  }

  #client(key: string): ClientRecord | undefined {
    const value = this.#store.get(key);
    return value === undefined ? undefined : stored<ClientRecord>(value);
  }

  #message(chat: string, id: string): PageMessage | undefined {
    const record = this.#client(clientKey(chat, id));
    const entry = record && this.#entry(chat, record.seq);
    if (!record || entry?.type !== 'user') return undefined;
    return { chat, id, person: record.person, entry, taken: record.pending === undefined };
  }
}

/** Only this file writes these keys, so what it reads back has the shape it wrote. */
function stored<T>(value: Json): T {
  return value as T;
}

/** Interfaces lack the index signature that `Json` asks for; entries are plain data all the same. */
function plain(value: Entry | ChatRecord): Json {
  return value as unknown as Json;
}
