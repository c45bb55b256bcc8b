import { and, asc, desc, eq, gt, lt, sql } from 'drizzle-orm';
import type { ChatRef, ChatType } from '../../adapters/adapter.ts';
import type { Database } from './database.ts';
import { knownChats, mirrors, mirrorsSeen } from './directory-schema.ts';

export interface KnownChat {
  readonly chat: ChatRef;
  readonly chatType: ChatType;
  readonly name: string;
  readonly person: string;
  readonly seenAt: number;
}

/** The chats that we have been talked to in. */
export interface DirectoryStore {
  /** Somebody talks to us there. */
  seen(known: KnownChat): void;
  /** Last used first; a chat stands once for each person. */
  all(): readonly KnownChat[];
  /** A session of another chat has sent this there. */
  mirror(chat: ChatRef, text: string, at: number): void;
  /** What the sessions of this key have not been told yet, oldest first; told with this. */
  takeMirrors(lane: string, chat: ChatRef, sinceMs: number): readonly string[];
  prune(beforeMs: number): void;
}

export function createDirectoryStore(database: Database): DirectoryStore {
  const { orm } = database;
  const place = sql.placeholder;
  const { put, unseen } = prepared(orm);
  const remember = orm
    .insert(mirrorsSeen)
    .values({ lane: place('lane'), id: place('id') })
    .onConflictDoUpdate({ target: mirrorsSeen.lane, set: { id: sql`excluded.id` } })
    .prepare();
  return {
    seen: ({ chat, ...rest }) => {
      put.run({ place: placeOf(chat), chat, ...rest });
    },
    all: () => orm.select().from(knownChats).orderBy(desc(knownChats.seenAt)).all(),
    mirror: (chat, text, at) => {
      orm
        .insert(mirrors)
        .values({ place: placeOf(chat), text, at })
        .run();
    },
    takeMirrors: (lane, chat, sinceMs) => {
      const rows = unseen.all({ lane, place: placeOf(chat), since: sinceMs });
      const last = rows.at(-1);
      if (last !== undefined) remember.run({ lane, id: last.id });
      return rows.map(({ text }) => text);
    },
    prune: (beforeMs) => {
      orm.delete(mirrors).where(lt(mirrors.at, beforeMs)).run();
    },
  };
}

function prepared(orm: Database['orm']) {
  const place = sql.placeholder;
  const values = { place: place('place'), person: place('person'), chat: place('chat'), chatType: place('chatType') };
  const told = sql`coalesce((select id from mirrors_seen where lane = ${place('lane')}), 0)`;
  return {
    put: orm
      .insert(knownChats)
      .values({ ...values, name: place('name'), seenAt: place('seenAt') })
      .onConflictDoUpdate({
        target: [knownChats.place, knownChats.person],
        set: { name: sql`case when excluded.name = '' then name else excluded.name end`, seenAt: sql`excluded.seen_at` },
      })
      .prepare(),
    unseen: orm
      .select({ id: mirrors.id, text: mirrors.text })
      .from(mirrors)
      .where(and(eq(mirrors.place, place('place')), gt(mirrors.id, told), gt(mirrors.at, sql`${place('since')}`)))
      .orderBy(asc(mirrors.id))
      .prepare(),
  };
}

/** Of whatever the ids hold, no two places have the same. */
function placeOf({ platform, account, chat, thread }: ChatRef): string {
  return JSON.stringify([platform, account, chat, ...(thread === undefined ? [] : [thread])]);
}
