/**
 * One person, two addresses: WhatsApp calls a person by telephone number here and by LID there, and changes from one to the other between
 * two messages. Whoever was seen keeps the address that was seen first, for good: it names the session and the chat.
 */
import type { AccountStore, Json } from '../adapter.ts';
import { bareJid, isLid, isPhone, parseJid, personId } from './jid.ts';
import { keyName } from './keys.ts';

export interface Person {
  /** As in `allowed_users`. */
  readonly id: string;
  readonly aliases: readonly string[];
  /** Where to write to, always the same. */
  readonly jid: string;
}

export interface People {
  /** `other`: the same person's other address, where the message tells it. */
  join(jid: string, other?: string | null): Person;
  /** What `join` learnt and is not stored yet: to be stored with the message that it came with. */
  learnt(): Readonly<Record<string, Json>>;
  stored(): void;
}

const PREFIX = 'who:';

export function createPeople(store: AccountStore): People {
  const fresh = new Map<string, string>();
  const chosen = (jid: string | undefined): string | undefined => {
    if (jid === undefined) return undefined;
    const known = fresh.get(jid) ?? store.get(PREFIX + jid);
    return typeof known === 'string' ? known : undefined;
  };
  const choose = (jid: string | undefined, canonical: string): void => {
    if (jid !== undefined && chosen(jid) !== canonical) fresh.set(jid, canonical);
  };
  return {
    join(jid, other) {
      const { phone, lid } = bothForms(jid, other ?? undefined, store);
      // A number that was seen wins over a LID that was seen: it is what people write into the configuration.
      const canonical = chosen(phone) ?? chosen(lid) ?? phone ?? lid ?? bareJid(jid);
      choose(phone, canonical);
      choose(lid, canonical);
      const ids = [phone, lid].filter((form) => form !== undefined).map(personId);
      const id = personId(canonical);
      return { id, aliases: ids.filter((form) => form !== id), jid: canonical };
    },
    learnt: () => Object.fromEntries([...fresh].map(([jid, canonical]) => [PREFIX + jid, canonical])),
    stored: () => fresh.clear(),
  };
}

interface Forms {
  readonly phone: string | undefined;
  readonly lid: string | undefined;
}

/** The form that the message does not tell is looked up among the pairs that the client library has stored. */
function bothForms(jid: string, other: string | undefined, store: AccountStore): Forms {
  const known = [jid, other].filter((form) => form !== undefined);
  const phone = known.find(isPhone);
  const lid = known.find(isLid);
  return {
    phone: phone === undefined ? lid && pairedWith(store, `${userOf(lid)}_reverse`, 's.whatsapp.net') : bareJid(phone),
    lid: lid === undefined ? phone && pairedWith(store, userOf(phone), 'lid') : bareJid(lid),
  };
}

function userOf(jid: string): string {
  return parseJid(jid)?.user ?? '';
}

function pairedWith(store: AccountStore, key: string, server: string): string | undefined {
  const user = store.get(keyName('lid-mapping', key));
  return typeof user === 'string' && /^\d+$/.test(user) ? `${user}@${server}` : undefined;
}
