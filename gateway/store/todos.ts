import { sql } from 'drizzle-orm';
import type { Json } from '../../adapters/adapter.ts';
import type { Database } from './database.ts';

/** A session's list of what is to be done, as its tool wrote it. */
export interface TodoStore {
  read(session: string): Json | undefined;
  write(session: string, items: Json): void;
}

export function createTodoStore({ orm }: Database): TodoStore {
  return {
    read: (session) => {
      const row = orm.get<{ items: string }>(sql`select items from todos where session_id = ${session}`);
      return row === undefined ? undefined : (JSON.parse(row.items) as Json); // our own column
    },
    write: (session, items) => {
      orm.run(sql`insert into todos (session_id, items) values (${session}, ${JSON.stringify(items)})
        on conflict (session_id) do update set items = excluded.items`);
    },
  };
}
