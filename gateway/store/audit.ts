/**
 * The audit: rows that are only ever appended, each sealed by a hash over itself and the row before it, so that a row that is changed, taken
 * out, put in or moved shows. Ids are handed out without a gap and never twice, so that rows missing at the end show as well.
 */
import { createHash } from 'node:crypto';
import { and, asc, desc, eq, gt, gte, lt, type SQL, sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Json } from '../../adapters/adapter.ts';
import { audit } from './audit-schema.ts';
import type { Database } from './database.ts';
import { createMetaStore } from './meta.ts';

export type AuditEntry = typeof audit.$inferSelect;
export type NewAuditEntry = Omit<AuditEntry, 'id' | 'at' | 'hash'>;

export interface AuditFilter {
  readonly sinceMs?: number | undefined;
  /** "123", "telegram:123" or "telegram:work:123". */
  readonly user?: string | undefined;
  readonly tool?: string | undefined;
  /** Older than this id: the `next` of the page before. */
  readonly before?: number | undefined;
  readonly limit: number;
}

/** Newest first. */
export interface AuditPage {
  readonly entries: readonly AuditEntry[];
  /** Where to go on; absent: there is no more. A page may be empty and still have one. */
  readonly next?: number;
}

interface Sealed {
  readonly id: number;
  readonly hash: string;
}

export type AuditProblem =
  /** This row, or the one before it, is not as it was written. */
  { readonly kind: 'changed'; readonly id: number } | { readonly kind: 'missing'; readonly from: number; readonly to: number };

export interface AuditCheck {
  readonly checked: number;
  /** The last one that is in order; also one that was forgotten by its age. Id 0: nothing was ever recorded. */
  readonly last: Sealed;
  /** False: go on behind `last`. */
  readonly done: boolean;
  readonly problem?: AuditProblem;
}

export interface AuditStore {
  /** Part of the caller's transaction, if there is one. */
  append(entry: NewAuditEntry): void;
  /** Looks at so many rows at most that nobody else waits for it. */
  read(filter: AuditFilter): AuditPage;
  /** The next rows behind one that was in order, or from the beginning. As `read`. */
  check(after?: number): AuditCheck;
  /** Forgets the rows from before then; the hash of the last of them is kept, so that the rest can still be checked. */
  prune(beforeMs: number): void;
}

const anchorKey = 'audit.anchor';
const nothing: Sealed = { id: 0, hash: '' };
const anchorSchema = z.object({ id: z.number(), hash: z.string() });

const mostScanned = 20_000;
const mostLength = 512 * 1024;
const mostChecked = 500;

export function createAuditStore(database: Database, now: () => number): AuditStore {
  const meta = createMetaStore(database);
  const anchor = (): Sealed => anchorSchema.safeParse(meta.get(anchorKey)).data ?? nothing;
  const { newest, insert, highestId } = prepare(database);
  const append = (entry: NewAuditEntry): void => {
    const last = newest.get() ?? anchor();
    const { event, account, person, tool, facts } = entry;
    const texts = {
      event: event.toWellFormed(),
      account: account.toWellFormed(),
      person: person.toWellFormed(),
      tool: tool.toWellFormed(),
    };
    const row = { id: Math.max(highestId(), last.id) + 1, at: now(), ...texts, facts };
    insert.run({ ...row, hash: hashOf(last.hash, row) });
  };
  return {
    append: (entry) => database.quick(() => append(entry)),
    read: (filter) => read(database, filter),
    check: (after) => check(database, { anchor: anchor(), after, highestId }),
    prune: (beforeMs) => {
      database.quick(() => {
        const last = removeBefore(database, beforeMs);
        if (last !== undefined) meta.set(anchorKey, { ...last });
      });
    },
  };
}

function prepare({ orm }: Database) {
  const { id, hash } = audit;
  const place = sql.placeholder;
  const values = {
    id: place('id'),
    at: place('at'),
    event: place('event'),
    account: place('account'),
    person: place('person'),
    tool: place('tool'),
    facts: place('facts'),
    hash: place('hash'),
  };
  const sequence = orm.select({ seq: sql<number>`seq` }).from(sql`sqlite_sequence`).where(sql`name = 'audit'`).prepare();
  return {
    newest: orm.select({ id, hash }).from(audit).orderBy(desc(id)).limit(1).prepare(),
    insert: orm.insert(audit).values(values).prepare(),
    /** Also of a row that is gone. */
    highestId: () => sequence.get()?.seq ?? 0,
  };
}

/** SHA-256 over the hash before and the row as JSON in one certain spelling. */
function hashOf(previous: string, { id, at, event, account, person, tool, facts }: Omit<AuditEntry, 'hash'>): string {
  const row = canonical([id, at, event, account, person, tool, facts]);
  return createHash('sha256').update(previous).update(row).digest('hex');
}

function canonical(value: Json): string {
  return JSON.stringify(value, (_key, inner: unknown) => {
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).sort(([left], [right]) => (left < right ? -1 : 1)));
  });
}

function read({ orm }: Database, { sinceMs, user, tool, before, limit }: AuditFilter): AuditPage {
  const inTime = sinceMs === undefined ? undefined : gte(audit.at, sinceMs);
  // One by one: SQLite finds only a single minimum or maximum without looking at every row.
  const ends = { first: sql<number | null>`min(${audit.id})`, last: sql<number | null>`max(${audit.id})` };
  const first = orm.select({ id: ends.first }).from(audit).where(inTime).get()?.id ?? 1;
  const last = orm.select({ id: ends.last }).from(audit).get()?.id ?? 0;
  const top = before ?? last + 1;
  const bottom = Math.max(first, top - mostScanned);
  const wanted = [lt(audit.id, top), gte(audit.id, bottom), inTime, user === undefined ? undefined : isUser(user)];
  const found = orm
    .select()
    .from(audit)
    .where(and(...wanted, tool === undefined ? undefined : eq(audit.tool, tool)))
    .orderBy(desc(audit.id))
    .limit(limit)
    .all();
  const entries = upTo(mostLength, found);
  const isCut = entries.length < found.length || found.length === limit;
  const next = isCut ? (entries.at(-1)?.id ?? bottom) : bottom;
  return next > first ? { entries, next } : { entries };
}

/** People write an account with colons. */
function isUser(user: string): SQL {
  const { account, person } = audit;
  const platform = sql`substr(${account}, 1, instr(${account}, '/') - 1)`;
  return sql`(${person} = ${user} or ${platform} || ':' || ${person} = ${user} or replace(${account}, '/', ':') || ':' || ${person} = ${user})`;
}

/** At least one: a row that is longer alone is a page of its own. */
function upTo(length: number, entries: readonly AuditEntry[]): readonly AuditEntry[] {
  let sum = 0;
  const fits = entries.findIndex(({ facts }) => {
    sum += JSON.stringify(facts).length;
    return sum > length;
  });
  return fits < 0 ? entries : entries.slice(0, Math.max(1, fits));
}

interface Checking {
  readonly anchor: Sealed;
  readonly after: number | undefined;
  highestId(): number;
}

function check({ orm }: Database, { anchor, after, highestId }: Checking): AuditCheck {
  let last = anchor;
  if (after !== undefined && after > anchor.id) {
    const known = orm.select({ id: audit.id, hash: audit.hash }).from(audit).where(eq(audit.id, after)).get();
    if (known === undefined) return { checked: 0, last, done: true, problem: { kind: 'missing', from: after, to: after } };
    last = known;
  }
  const rows = orm.select().from(audit).where(gt(audit.id, last.id)).orderBy(asc(audit.id)).limit(mostChecked).all();
  let checked = 0;
  for (const row of rows) {
    const problem = problemOf(last, row);
    if (problem !== undefined) return { checked, last: { id: last.id, hash: last.hash }, done: true, problem };
    checked += 1;
    last = row;
  }
  const end = { checked, last: { id: last.id, hash: last.hash } };
  if (rows.length === mostChecked) return { ...end, done: false };
  const highest = highestId();
  return { ...end, done: true, ...(highest > last.id ? { problem: { kind: 'missing', from: last.id + 1, to: highest } } : {}) };
}

function problemOf(last: Sealed, row: AuditEntry): AuditProblem | undefined {
  if (row.id !== last.id + 1) return { kind: 'missing', from: last.id + 1, to: row.id - 1 };
  return hashOf(last.hash, row) === row.hash ? undefined : { kind: 'changed', id: row.id };
}

/** From the beginning up to the first row that is younger, whatever the clock said in between. Returns the last one that went. */
function removeBefore({ orm }: Database, beforeMs: number): Sealed | undefined {
  const { id, hash, at } = audit;
  const kept = orm
    .select({ id: sql<number | null>`min(${id})` })
    .from(audit)
    .where(gte(at, beforeMs))
    .get();
  const old = kept?.id == null ? undefined : lt(id, kept.id);
  const last = orm.select({ id, hash }).from(audit).where(old).orderBy(desc(id)).limit(1).get();
  if (last !== undefined) orm.delete(audit).where(old).run();
  return last;
}
