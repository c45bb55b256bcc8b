import { and, asc, eq, sql } from 'drizzle-orm';
import type { ChatRef } from '../../adapters/adapter.ts';
import type { Database } from './database.ts';
import { people, type Role } from './people-schema.ts';

export type PersonRow = typeof people.$inferSelect;

/** One identity: a platform may know somebody by several immutable ids. */
export interface Identity {
  readonly id: string;
  readonly aliases: readonly string[];
}

/** Who was let in by pairing. */
export interface PeopleStore {
  find(account: string, who: Identity): PersonRow | undefined;
  /**
   * As `find`; known from then on by every id that they came with, so that a later word about one of them is about all, and in the direct chat
   * that they wrote in. Part of the caller's transaction.
   */
  meet(account: string, who: Identity, direct?: ChatRef): PersonRow | undefined;
  /** In place of all rows of the same identity, whose ids it keeps. */
  put(person: PersonRow): void;
  remove(account: string, person: string): void;
  /** In the order in which they were let in. */
  all(): readonly PersonRow[];
}

/** From the least. */
const ranks: readonly Role[] = ['user', 'admin', 'owner'];

export function higher(one: Role, other: Role): Role {
  return ranks.indexOf(one) > ranks.indexOf(other) ? one : other;
}

export function createPeopleStore({ orm }: Database): PeopleStore {
  const rows = prepareRows(orm);
  const same = (account: string, ids: readonly string[]): readonly PersonRow[] => rows.all({ account, ids: JSON.stringify(ids) });
  const remove: PeopleStore['remove'] = (account, person) => {
    orm
      .delete(people)
      .where(and(eq(people.account, account), eq(people.person, person)))
      .run();
  };
  const put: PeopleStore['put'] = (person) => {
    const earlier = same(person.account, idsOf(person));
    for (const row of earlier) remove(row.account, row.person);
    const ids = new Set([...idsOf(person), ...earlier.flatMap(idsOf)]);
    ids.delete(person.person);
    orm
      .insert(people)
      .values({ ...person, aliases: [...ids] })
      .run();
  };
  return {
    find: (account, { id, aliases }) => same(account, [id, ...aliases])[0],
    meet: (account, { id, aliases }, direct) => {
      const ids = [id, ...aliases];
      const found = same(account, ids);
      const news = newsOf(found, ids, direct);
      if (news === undefined) return found[0];
      put(news);
      return same(account, ids)[0];
    },
    put,
    remove,
    all: () => orm.select().from(people).orderBy(asc(people.approvedAt), asc(people.person)).all(),
  };
}

/** Every row of somebody with one of these ids, the oldest first. */
function prepareRows(orm: Database['orm']) {
  const known = sql`(select value from json_each(${sql.placeholder('ids')}))`;
  const aliases = sql`json_each(${people.aliases})`;
  return orm
    .select()
    .from(people)
    .where(
      and(
        eq(people.account, sql.placeholder('account')),
        sql`(${people.person} in ${known} or exists (select 1 from ${aliases} alias where alias.value in ${known}))`,
      ),
    )
    .orderBy(asc(people.approvedAt), asc(people.person))
    .prepare();
}

/** What their one row is from now on; undefined: it is that already, or there is none. */
function newsOf(found: readonly PersonRow[], ids: readonly string[], direct: ChatRef | undefined): PersonRow | undefined {
  const [first, ...others] = found;
  if (first === undefined) return undefined;
  const isKnown = others.length === 0 && ids.every((id) => idsOf(first).includes(id));
  if (isKnown && (direct === undefined || direct.chat === first.chat.chat)) return undefined;
  const role = found.map((row) => row.role).reduce(higher);
  const groupRole = found.map((row) => row.groupRole).reduce(higher);
  const { platform, account, chat } = direct ?? first.chat;
  return {
    ...first,
    aliases: [...first.aliases, ...ids],
    role,
    groupRole,
    chat: direct === undefined ? first.chat : { platform, account, chat },
  };
}

function idsOf({ person, aliases }: Pick<PersonRow, 'person' | 'aliases'>): string[] {
  return [person, ...aliases];
}
