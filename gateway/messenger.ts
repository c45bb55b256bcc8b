/** Messages into chats that are not the session's own. Shaped like the port of the tool `send_message`. */
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import type { ChatRef, ChatType } from '../adapters/adapter.ts';
import type { AccountDirectory } from './accounts.ts';
import type { Media } from './media.ts';
import { nearest } from './nearest.ts';
import { noticePart, type Outbox } from './outbox.ts';
import { findDeliverables } from './presenter/deliverable.ts';
import { takeFile } from './presenter/files.ts';
import { type RoleFacts, roleOf, visitorOf } from './roles.ts';
import type { KnownChat } from './store/directory.ts';
import type { Store } from './store/index.ts';
import type { NewPart } from './store/outbox.ts';
import type { TurnRow } from './store/turns.ts';
import { accountKey, outboxLane } from './target.ts';
import { type Clock, pause } from './time.ts';

export interface Messenger {
  chats(session: SessionPlace): readonly KnownPlace[];
  find(target: string, session: SessionPlace): KnownPlace | string;
  send(message: { readonly target: string; readonly text: string }, session: SessionPlace, signal: AbortSignal): Promise<Sent>;
}

interface SessionPlace {
  readonly id: string;
  readonly workspace: string;
}

interface KnownPlace {
  readonly target: string;
  readonly name: string;
  readonly kind: ChatType;
  readonly isHere: boolean;
}

interface Sent {
  readonly state: 'delivered' | 'waiting' | 'failed';
  readonly problem?: string;
}

export interface MessengerOptions extends RoleFacts {
  readonly store: Store;
  readonly accounts: AccountDirectory;
  readonly outbox: Pick<Outbox, 'kick'>;
  readonly media: Media;
  readonly now: Clock;
}

/** So long a call waits for the platform's receipt. */
const patienceMs = 15_000;
const lookAgainMs = 100;

export function createMessenger(options: MessengerOptions): Messenger {
  const { store } = options;
  const turnOf = ({ id }: SessionPlace): TurnRow | undefined => {
    const key = store.sessions.get(id)?.key;
    return key === undefined ? undefined : store.turns.running(key);
  };
  const placesOf = (session: SessionPlace): readonly Place[] => {
    const turn = turnOf(session);
    return turn === undefined ? [] : places(options, turn);
  };
  return {
    chats: (session) => placesOf(session).map(shown),
    find: (target, session) => {
      const place = findPlace(options, target, placesOf(session));
      return typeof place === 'string' ? place : shown(place);
    },
    send: async ({ target, text }, session, signal) => {
      const [place, turn] = [findPlace(options, target, placesOf(session)), turnOf(session)];
      if (typeof place === 'string' || turn === undefined) throw new Error(typeof place === 'string' ? place : 'this conversation is over');
      const parts = await partsOf(options, { place, text, workspace: session.workspace, turn }, signal);
      return receiptsOf(options, enqueue(options, { place, text, parts }), signal);
    },
  };
}

interface Place extends KnownPlace {
  readonly chat: ChatRef;
  readonly chatType: ChatType;
}

function shown({ target, name, kind, isHere }: Place): KnownPlace {
  return { target, name, kind, isHere };
}

/** Owner and administrators write everywhere; everybody else where they have talked to us themselves. */
function places(options: MessengerOptions, turn: TurnRow): readonly Place[] {
  const own = [turn.requester.id, ...(turn.requester.aliases ?? [])];
  const isFree = roleOf(visitorOf(turn), options) !== 'user';
  const mine = ({ chat, person }: KnownChat): boolean => accountKey(chat) === accountKey(turn.target.chat) && own.includes(person);
  const byTarget = new Map<string, Place>();
  for (const known of options.store.directory.all()) {
    const { chat, chatType, name } = known;
    if (!(isFree || mine(known)) || options.accounts.get(accountKey(chat)) === undefined) continue;
    const target = targetOf(chat);
    if (byTarget.has(target)) continue;
    byTarget.set(target, { target, name, kind: chatType, chat, chatType, isHere: target === targetOf(turn.target.chat) });
  }
  return [...byTarget.values()];
}

/** `platform:[account/]chat[:thread]`. What could be mistaken in an id is escaped. */
function targetOf({ platform, account, chat, thread }: ChatRef): string {
  const escaped = (id: string): string => id.toWellFormed().replace(/[%:/#\s]/g, encodeURIComponent);
  const where = `${account === 'main' ? '' : `${escaped(account)}/`}${escaped(chat)}`;
  return `${platform}:${where}${thread === undefined ? '' : `:${escaped(thread)}`}`;
}

function findPlace(options: MessengerOptions, target: string, known: readonly Place[]): Place | string {
  const exact = known.find((place) => place.target === target) ?? homeOf(options, target, known);
  if (exact !== undefined) return exact;
  const wanted = target.toLowerCase();
  const named = known.filter((place) => namesOf(place).includes(wanted));
  if (named.length === 1 && named[0] !== undefined) return named[0];
  if (named.length > 1) return `Several chats are called ${target}: ${named.map((place) => place.target).join(', ')}. Name one of these.`;
  const near = nearest(
    target,
    known.flatMap((place) => [place.target, ...namesOf(place)]),
  );
  const hint =
    near === undefined
      ? 'action "list" shows those that are known; I know a chat once somebody has talked to me there'
      : `did you mean ${near}?`;
  return `There is no chat ${target} that could be written to from here; ${hint}.`;
}

/** "telegram:ann", "discord:#general". */
function namesOf({ chat, name }: Place): readonly string[] {
  const plain = name.toLowerCase().replace(/^#/, '');
  return plain === '' ? [] : [`${chat.platform}:${plain}`, `${chat.platform}:#${plain}`];
}

/** A platform alone stands for the chat that `/sethome` chose there. */
function homeOf({ store, accounts }: MessengerOptions, target: string, known: readonly Place[]): Place | undefined {
  const key = accounts.get(`${target}/main`)?.key;
  const home = key === undefined ? undefined : (store.meta.get(`home/${key}`) as { readonly chat: ChatRef } | undefined); // written by /sethome
  return home === undefined ? undefined : known.find((place) => place.target === targetOf(home.chat));
}

interface Message {
  readonly place: Place;
  readonly text: string;
  readonly workspace: string;
  readonly turn: TurnRow;
}

/** Throws with a sentence where a file cannot be sent: a message without what it speaks of is not what was meant. */
async function partsOf(
  { accounts, media }: MessengerOptions,
  { place, text, workspace, turn }: Message,
  signal: AbortSignal,
): Promise<readonly NewPart[]> {
  const platform = accounts.get(accountKey(place.chat))?.platform;
  if (platform === undefined) throw new Error(`${place.chat.platform} is switched off`);
  const { text: markdown, paths } = findDeliverables(text);
  const { chat, chatType } = place;
  const parts = (markdown === '' ? [] : platform.split(markdown)).map((part) => noticePart({ chat, chatType }, part));
  const store = media.directory(turn.id);
  const into = path.join(store, 'sent', randomUUID());
  for (const [index, wanted] of paths.entries()) {
    const request = {
      wanted,
      workspace,
      alsoFrom: [store],
      into: path.join(into, String(index)),
      limitBytes: platform.limits.uploadBytes ?? 0,
    };
    const file = await takeFile(request, signal);
    parts.push({ lane: outboxLane(chat), group: chatType !== 'dm', purpose: 'notice', payload: { type: 'file', chat, ...file } });
  }
  return parts;
}

interface Enqueued {
  readonly place: Place;
  readonly text: string;
  readonly parts: readonly NewPart[];
}

function enqueue({ store, outbox, now }: MessengerOptions, { place, text, parts }: Enqueued): readonly number[] {
  const ids = store.durable(() => {
    if (!place.isHere) store.directory.mirror(place.chat, text, now());
    return parts.map((part) => store.outbox.add(part));
  });
  outbox.kick(outboxLane(place.chat));
  return ids;
}

async function receiptsOf({ store }: MessengerOptions, ids: readonly number[], signal: AbortSignal): Promise<Sent> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const receipts = ids.map((id) => store.outbox.receipt(id));
    const failed = receipts.find((receipt) => receipt?.state === 'failed' || receipt?.state === 'unknown');
    if (failed !== undefined)
      return { state: 'failed', problem: failed.state === 'failed' ? 'the platform refused it' : 'it is not known whether it arrived' };
    if (receipts.every((receipt) => receipt?.state === 'sent')) return { state: 'delivered' };
    if (performance.now() > deadline || signal.aborted) return { state: 'waiting' };
    await pause(lookAgainMs, signal);
  }
}
