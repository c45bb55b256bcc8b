/** What is known of chats and their messages: who has written, what a reply quotes, what we sent. Outlasts the process, for some days. */
import type { Host, InboundMessage, Json, Outbound, SentRef } from '../adapter.ts';
import { fromJson } from './bytes.ts';
import { bareJid, isGroup } from './jid.ts';
import type { Content } from './line.ts';
import { type Anchor, type Setting, textContent } from './outgoing.ts';
import { createRecent, type Recent } from './recent.ts';
import { messageKeySchema, type WireKey } from './wire.ts';

const DAY_MS = 24 * 3_600_000;
const MET = 'met:';
/** As much of a quoted message as phones show. */
const QUOTED_UNITS = 200;
/** Messages whose words are known. In memory alone: those of strangers are among them, and they are to be kept nowhere. */
const MOST_WORDS = 500;
/** What stands for words that are not known any more. */
const UNKNOWN_WORDS = '…';
/** Messages between two times that old ones are forgotten. */
const PRUNE_EVERY = 500;
/** Sent messages whose age is known; they are edited within minutes. */
const MOST_SENT = 500;

export interface Heard {
  readonly message: InboundMessage;
  readonly key: WireKey;
  readonly expiration: number;
}

export interface Chats {
  /** Somebody has written to us there. */
  knows(chat: string): boolean;
  /** Entries for the transaction that stores the message. */
  heard(heard: Heard): Readonly<Record<string, Json>>;
  setting(message: Outbound): Setting;
  /** This message is stored, and it is not long ago. */
  hasHeard(key: WireKey): boolean;
  /** Of a person's message, as far as it is remembered. */
  keyOf(ref: SentRef): WireKey | undefined;
  readonly ours: SentLog;
  prune(): void;
}

/** Messages of ours. */
interface SentLog {
  sent(id: string): void;
  /** When; undefined where it is not known any more. */
  sentAt(id: string): number | undefined;
  keepFile(id: string, content: Json): void;
  /** What we sent as this message. */
  contentOf(chat: string, id: string): Content | undefined;
}

export interface ChatsParts {
  readonly host: Host;
  readonly prefix: string;
  readonly now: () => number;
}

export function createChats({ host, prefix, now }: ChatsParts): Chats {
  const { store } = host;
  const heardBefore = createRecent({ store, prefix: 'heard:', now, maxAgeMs: 3 * DAY_MS });
  const files = createRecent({ store, prefix: 'file:', now, maxAgeMs: 3 * DAY_MS });
  const words = createWords();
  const setting = (message: Outbound): Setting => ({
    prefix,
    anchor: anchorOf(message, heardBefore.get(message.replyTo ?? ''), words.of(message.chat.chat, message.replyTo ?? '')),
    expiration: Number(store.get(MET + message.chat.chat) ?? 0),
  });
  let heardSince = 0;
  const prune = (): void => {
    heardSince = 0;
    heardBefore.prune();
    files.prune();
  };
  return {
    knows: (chat) => store.get(MET + chat) !== undefined,
    heard({ message, key, expiration }) {
      heardSince += 1;
      if (heardSince >= PRUNE_EVERY) prune();
      const { chat } = message.chat;
      words.keep(chat, message.message, message.text);
      const entry = heardBefore.entry(message.message, { chat, key: keyEntry(key) });
      return store.get(MET + chat) === expiration ? entry : { ...entry, [MET + chat]: expiration };
    },
    setting,
    hasHeard: (key) => {
      const stored = messageKeySchema.safeParse(heardBefore.get(key.id)?.['key']).data;
      return stored !== undefined && placeOf(stored) === placeOf(key);
    },
    keyOf: ({ chat, id }) => {
      const known = heardBefore.get(id);
      return known?.['chat'] === chat.chat ? messageKeySchema.safeParse(known['key']).data : undefined;
    },
    ours: sentLog({ host, setting, files, now }),
    prune,
  };
}

function keyEntry({ remoteJid, id, fromMe, participant }: WireKey): { readonly [key: string]: Json } {
  return { remoteJid, id, fromMe: fromMe === true, ...(participant ? { participant } : {}) };
}

/** People choose the ids of what they write: only together with the chat and the person they name one message. */
function placeOf({ remoteJid, participant }: WireKey): string {
  return `${bareJid(remoteJid)} ${bareJid(participant ?? '')}`;
}

interface Words {
  keep(chat: string, id: string, text: string): void;
  of(chat: string, id: string): string;
}

function createWords(): Words {
  const known = new Map<string, string>();
  return {
    keep(chat, id, text) {
      known.set(`${chat} ${id}`, text.slice(0, QUOTED_UNITS).toWellFormed());
      const [oldest] = known.keys();
      if (known.size > MOST_WORDS && oldest !== undefined) known.delete(oldest);
    },
    of: (chat, id) => known.get(`${chat} ${id}`) ?? UNKNOWN_WORDS,
  };
}

/** A message that is not remembered is answered without quoting it. */
function anchorOf(message: Outbound, known: { readonly [key: string]: Json } | undefined, text: string): Anchor | undefined {
  const key = messageKeySchema.safeParse(known?.['key']).data;
  if (message.replyTo === undefined || key === undefined || known?.['chat'] !== message.chat.chat) return undefined;
  const author = isGroup(key.remoteJid) ? key.participant : key.remoteJid;
  return author ? { message: message.replyTo, author, text } : undefined;
}

interface Sources {
  readonly host: Host;
  readonly setting: (message: Outbound) => Setting;
  readonly files: Recent;
  readonly now: () => number;
}

function sentLog({ host, setting, files, now }: Sources): SentLog {
  const times = new Map<string, number>();
  return {
    sent(id) {
      times.set(id, now());
      const [oldest] = times.keys();
      if (times.size > MOST_SENT && oldest !== undefined) times.delete(oldest);
    },
    sentAt: (id) => times.get(id),
    keepFile: (id, content) => host.store.put(files.entry(id, { content })),
    contentOf(chat, id) {
      const kept = files.get(id)?.['content'];
      if (kept !== undefined) return fromJson(kept) as Content;
      const message = host.sent({ chat: { platform: 'whatsapp', account: host.account, chat }, id });
      return message === undefined || message.type === 'file' ? undefined : textContent(message, setting(message));
    },
  };
}
