import { and, asc, eq, sql } from 'drizzle-orm';
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
  /** In place of an earlier row of the same id. */
  put(person: PersonRow): void;
  remove(account: string, person: string): void;
  /** In the order in which they were let in. */
  all(): readonly PersonRow[];
  setRole(account: string, person: string, roles: { readonly role: Role; readonly groupRole: Role }): void;
}

export function createPeopleStore({ orm }: Database): PeopleStore {
  const known = sql`(select value from json_each(${sql.placeholder('ids')}))`;
  const find = orm
    .select()
    .from(people)
    .where(
      and(
        eq(people.account, sql.placeholder('account')),
        sql`(${people.person} in ${known} or exists (select 1 from json_each(${people.aliases}) alias where alias.value in ${known}))`,
      ),
    )
    .prepare();
  const same = (account: string, person: string) => and(eq(people.account, account), eq(people.person, person));
  return {
    find: (account, { id, aliases }) => find.get({ account, ids: JSON.stringify([id, ...aliases]) }),
    put: (person) => {
      orm
        .insert(people)
        .values(person)
        .onConflictDoUpdate({ target: [people.account, people.person], set: person })
        .run();
    },
    remove: (account, person) => {
      orm.delete(people).where(same(account, person)).run();
    },
    all: () => orm.select().from(people).orderBy(asc(people.approvedAt), asc(people.person)).all(),
    setRole: (account, person, roles) => {
      orm.update(people).set(roles).where(same(account, person)).run();
    },
  };
}
