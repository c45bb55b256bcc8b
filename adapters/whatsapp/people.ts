/**
 * One person, two addresses: WhatsApp calls a person by telephone number here and by LID there, and changes from one to the other between
 * two messages. Whoever was seen keeps the address that was seen first, as long as it is still theirs: it names the session and the chat.
 */
import type { AccountStore, Json } from '../adapter.ts';
import { bareJid, isLid, isPhone, parseJid, personId } from './jid.ts';
import { keyName } from './keys.ts';

export interface Person {
  /** As in `allowed_users`. */
  readonly id: string;
  readonly aliases: readonly string[];
  /** Where to write to, the same as long as it is theirs. */
  readonly jid: string;
}

export interface People {
  /** Where to write to whoever has this address; nothing is learnt by asking. */
  addressOf(jid: string): string;
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
  // A number that was seen wins over a LID that was seen: it is what people write into the configuration.
  const canonicalOf = ({ phone, lid }: Forms): string | undefined =>
    [chosen(phone), chosen(lid)].find((known) => known !== undefined && fits(known, { phone, lid })) ?? phone ?? lid;
  return {
    addressOf: (jid) => canonicalOf(bothForms(jid, undefined, store)) ?? bareJid(jid),
    join(jid, other) {
      const { phone, lid } = bothForms(jid, other ?? undefined, store);
      const canonical = canonicalOf({ phone, lid }) ?? bareJid(jid);
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

/** Numbers change hands: an address that was chosen for a number or a LID is not that of somebody who has another one now. */
function fits(canonical: string, { phone, lid }: Forms): boolean {
  const present = isPhone(canonical) ? phone : lid;
  return present === undefined || present === canonical;
}

/** The form that the message does not tell is looked up among the pairs that the client library has stored. */
function bothForms(jid: string, other: string | undefined, store: AccountStore): Forms {
  const known = [jid, other].filter((form) => form !== undefined);
  const phone = known.find(isPhone);
  const lid = known.find(isLid);
  return {
    phone: phone === undefined ? lid && phoneOf(store, userOf(lid)) : bareJid(phone),
    lid: lid === undefined ? phone && lidOf(store, userOf(phone)) : bareJid(lid),
  };
}

function userOf(jid: string): string {
  return parseJid(jid)?.user ?? '';
}

/** A pair counts unless the library has learnt otherwise of the other half since. */
function phoneOf(store: AccountStore, lid: string): string | undefined {
  const phone = mapped(store, `${lid}_reverse`);
  if (phone === undefined || (mapped(store, phone) ?? lid) !== lid) return undefined;
  return `${phone}@s.whatsapp.net`;
}

function lidOf(store: AccountStore, phone: string): string | undefined {
  const lid = mapped(store, phone);
  if (lid === undefined || (mapped(store, `${lid}_reverse`) ?? phone) !== phone) return undefined;
  return `${lid}@lid`;
}

function mapped(store: AccountStore, key: string): string | undefined {
  const user = store.get(keyName('lid-mapping', key));
  return typeof user === 'string' && /^\d+$/.test(user) ? user : undefined;
}
