/**
 * The audit: rows that are only ever appended, each sealed by a hash over itself and the row before it, so that a row that is changed, taken
 * out, put in or moved shows. Ids are handed out without a gap and never twice, so that rows missing at the end show as well.
 */
import { desc, gte, lt, sql } from 'drizzle-orm';
import {
  type AuditEntry,
  type AuditReader,
  anchorKey,
  createAnchor,
  createAuditReader,
  createHighestId,
  hashOf,
  type Sealed,
} from './audit-rows.ts';
import { audit } from './audit-schema.ts';
import type { Database } from './database.ts';
import { createMetaStore } from './meta.ts';

export type NewAuditEntry = Omit<AuditEntry, 'id' | 'at' | 'hash'>;

export interface AuditStore extends AuditReader {
  /** Part of the caller's transaction, if there is one. */
  append(entry: NewAuditEntry): void;
  /** Forgets the rows from before then; the hash of the last of them is kept, so that the rest can still be checked. */
  prune(beforeMs: number): void;
}

export function createAuditStore(database: Database, now: () => number): AuditStore {
  const meta = createMetaStore(database);
  const anchor = createAnchor(database);
  const highestId = createHighestId(database);
  const { newest, insert } = prepare(database);
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
    ...createAuditReader(database),
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
  return {
    newest: orm.select({ id, hash }).from(audit).orderBy(desc(id)).limit(1).prepare(),
    insert: orm.insert(audit).values(values).prepare(),
  };
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
