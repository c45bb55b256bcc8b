/** The audit's rows as they are read: a page for people, and slice by slice against the chain of hashes. */
import { createHash } from 'node:crypto';
import { and, asc, desc, eq, gt, gte, lt, type SQL, sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Json } from '../../adapters/adapter.ts';
import { audit } from './audit-schema.ts';
import type { Database } from './database.ts';
import { createMetaStore } from './meta.ts';

export type AuditEntry = typeof audit.$inferSelect;

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

export interface Sealed {
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

export interface AuditReader {
  /** Looks at so many rows at most that nobody else waits for it. */
  read(filter: AuditFilter): AuditPage;
  /** The next rows behind one that was in order, or from the beginning. As `read`. */
  check(after?: number): AuditCheck;
}

/** Of what was forgotten by its age, the last row. */
export const anchorKey = 'audit.anchor';
const nothing: Sealed = { id: 0, hash: '' };
const anchorSchema = z.object({ id: z.number(), hash: z.string() });

const mostScanned = 20_000;
const mostLength = 512 * 1024;
const mostChecked = 500;

type Rows = Pick<Database, 'orm'>;

export function createAuditReader(database: Rows): AuditReader {
  const anchor = createAnchor(database);
  const highestId = createHighestId(database);
  return {
    read: (filter) => read(database, filter),
    check: (after) => check(database, { anchor: anchor(), after, highestId }),
  };
}

export function createAnchor(database: Rows): () => Sealed {
  const meta = createMetaStore(database);
  return () => anchorSchema.safeParse(meta.get(anchorKey)).data ?? nothing;
}

/** Also of a row that is gone. */
export function createHighestId({ orm }: Rows): () => number {
  const sequence = orm.select({ seq: sql<number>`seq` }).from(sql`sqlite_sequence`).where(sql`name = 'audit'`).prepare();
  return () => sequence.get()?.seq ?? 0;
}

/** SHA-256 over the hash before and the row as JSON in one certain spelling. */
export function hashOf(previous: string, { id, at, event, account, person, tool, facts }: Omit<AuditEntry, 'hash'>): string {
  const row = canonical([id, at, event, account, person, tool, facts]);
  return createHash('sha256').update(previous).update(row).digest('hex');
}

function canonical(value: Json): string {
  return JSON.stringify(value, (_key, inner: unknown) => {
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).sort(([left], [right]) => (left < right ? -1 : 1)));
  });
}

/** As they stand in the file: somebody may have written what is no JSON, and the rest must still be read. */
const columns = {
  id: audit.id,
  at: audit.at,
  event: sql<string>`cast(${audit.event} as text)`,
  account: sql<string>`cast(${audit.account} as text)`,
  person: sql<string>`cast(${audit.person} as text)`,
  tool: sql<string>`cast(${audit.tool} as text)`,
  facts: sql<unknown>`${audit.facts}`,
  hash: sql<string>`cast(${audit.hash} as text)`,
};

function read({ orm }: Rows, { sinceMs, user, tool, before, limit }: AuditFilter): AuditPage {
  const inTime = sinceMs === undefined ? undefined : gte(audit.at, sinceMs);
  // One by one: SQLite finds only a single minimum or maximum without looking at every row.
  const ends = { first: sql<number | null>`min(${audit.id})`, last: sql<number | null>`max(${audit.id})` };
  const first = orm.select({ id: ends.first }).from(audit).where(inTime).get()?.id ?? 1;
  const last = orm.select({ id: ends.last }).from(audit).get()?.id ?? 0;
  const top = before ?? last + 1;
  const bottom = Math.max(first, top - mostScanned);
  const wanted = [lt(audit.id, top), gte(audit.id, bottom), inTime, user === undefined ? undefined : isUser(user)];
  const rows = orm
    .select(columns)
    .from(audit)
    .where(and(...wanted, tool === undefined ? undefined : eq(audit.tool, tool)))
    .orderBy(desc(audit.id))
    .limit(limit)
    .all();
  const found = rows.map((row) => ({ ...row, facts: factsOf(row.facts) ?? { unreadable: String(row.facts) } }));
  const entries = upTo(mostLength, found);
  const isCut = entries.length < found.length || found.length === limit;
  const next = isCut ? (entries.at(-1)?.id ?? bottom) : bottom;
  return next > first ? { entries, next } : { entries };
}

/** Undefined: none that we have written. */
function factsOf(stored: unknown): AuditEntry['facts'] | undefined {
  if (typeof stored !== 'string') return undefined;
  try {
    const facts: unknown = JSON.parse(stored);
    const isOurs = typeof facts === 'object' && facts !== null && !Array.isArray(facts) && JSON.stringify(facts) === stored;
    return isOurs ? (facts as AuditEntry['facts']) : undefined; // an object that JSON.parse has made
  } catch {
    return undefined;
  }
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

function check({ orm }: Rows, { anchor, after, highestId }: Checking): AuditCheck {
  let last = anchor;
  if (after !== undefined && after > anchor.id) {
    const known = orm.select({ id: audit.id, hash: audit.hash }).from(audit).where(eq(audit.id, after)).get();
    if (known === undefined) return { checked: 0, last, done: true, problem: { kind: 'missing', from: after, to: after } };
    last = known;
  }
  const { id, at, event, account, person, tool, hash } = audit;
  const fields = { id, at, event, account, person, tool, hash, facts: columns.facts };
  const rows = orm.select(fields).from(audit).where(gt(id, last.id)).orderBy(asc(id)).limit(mostChecked).all();
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

type StoredEntry = Omit<AuditEntry, 'facts'> & { readonly facts: unknown };

function problemOf(last: Sealed, { facts: stored, ...row }: StoredEntry): AuditProblem | undefined {
  if (row.id !== last.id + 1) return { kind: 'missing', from: last.id + 1, to: row.id - 1 };
  const facts = factsOf(stored);
  return facts !== undefined && hashOf(last.hash, { ...row, facts }) === row.hash ? undefined : { kind: 'changed', id: row.id };
}
