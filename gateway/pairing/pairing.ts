/** A stranger gets a code; whoever the gateway belongs to lets them in with it, or with a button. */
import { randomBytes } from 'node:crypto';
import type { InboundMessage } from '../../adapters/adapter.ts';
import type { Audit } from '../audit.ts';
import { noticePart, type Outbox } from '../outbox.ts';
import type { Store } from '../store/index.ts';
import type { NewPart } from '../store/outbox.ts';
import type { PairingRequest } from '../store/pairing.ts';
import type { Role } from '../store/people-schema.ts';
import { accountKey, accountName, outboxLane } from '../target.ts';
import type { Clock } from '../time.ts';
import { newCode, opened, readCode, seal } from './codes.ts';
import { countFailure, forgive, lockedUntil } from './guesses.ts';

const requestMs = 3_600_000;
const betweenRequestsMs = 600_000;
/** After a no the person is not heard for so long. */
const refusedMs = 3_600_000;
const mostPending = 3;
/** What is no code is said to a person at most this often. */
const noticeMs = 3_600_000;

export interface Approver {
  /** For the record: "cli", "page", "telegram/main:42". */
  readonly id: string;
  readonly role?: Role;
}

/** `after`: once the caller's transaction is committed. */
export interface PairingResult {
  readonly done: boolean;
  /** One sentence for whoever decided. */
  readonly text: string;
  after(): void;
}

export interface Pairing {
  /** Part of the caller's transaction: what a stranger who wrote in a direct chat is told. Undefined: nothing. */
  knock(event: InboundMessage): Knock | undefined;
  /** Part of the caller's transaction. */
  approve(account: string, code: string, by: Approver): PairingResult;
  /** Part of the caller's transaction. False: there is no such request any more. */
  decide(request: string, letIn: boolean, by: Approver): boolean;
  pending(): readonly PairingRequest[];
  /** Part of the caller's transaction. Returns what was forgotten. */
  clear(account?: string): readonly PairingRequest[];
}

export interface Knock {
  readonly part: NewPart;
  /** Absent: no code could be given. */
  readonly request?: PairingRequest;
}

export interface PairingOptions {
  readonly store: Store;
  readonly outbox: Outbox;
  readonly audit: Pick<Audit, 'person'>;
  readonly now: Clock;
}

export function createPairing(options: PairingOptions): Pairing {
  const { store, now } = options;
  return {
    knock: (event) => knock(options, event),
    approve: (account, code, by) => approve(options, { account, code, by }),
    decide: (id, letIn, by) => {
      const request = store.pairing.pending(now()).find((each) => each.id === id);
      if (request === undefined) return false;
      if (letIn) admit(options, request, by);
      else refuse(options, request);
      return true;
    },
    pending: () => store.pairing.pending(now()),
    clear: (account) => {
      const pending = store.pairing.pending(now(), account);
      for (const { id } of pending) store.pairing.remove(id);
      return pending;
    },
  };
}

function knock({ store, now }: PairingOptions, { chat, sender }: InboundMessage): Knock | undefined {
  const account = accountKey(chat);
  const pending = store.pairing.pending(now(), account);
  const ids = [sender.id, ...sender.aliases];
  if (pending.some(({ person, aliases }) => [person, ...aliases].some((id) => ids.includes(id)))) return undefined;
  if (store.pairing.limit(account, sender.id).until > now() || lockedUntil(store, account, now()) !== undefined) return undefined;
  const isCrowded = pending.length >= mostPending;
  const waitMs = isCrowded ? noticeMs : betweenRequestsMs;
  store.pairing.setLimit({ account, person: sender.id }, { failures: 0, until: now() + waitMs });
  const target = { chat, chatType: 'dm' } as const;
  if (isCrowded) return { part: noticePart(target, crowded) };
  const code = newCode();
  const { id: person, aliases, name } = sender;
  const request: PairingRequest = {
    id: randomBytes(8).toString('hex'),
    account,
    person,
    aliases: [...aliases],
    name: name.slice(0, 200),
    chat,
    ...seal(code),
    createdAt: now(),
    expiresAt: now() + requestMs,
  };
  store.pairing.add(request);
  return { part: { ...noticePart(target, codeText(account, code)), purpose: 'code' }, request };
}

const crowded = 'Sorry, I only talk to people whom my owner has let in, and too many are waiting just now. Please try again in an hour.';

function codeText(account: string, code: string): string {
  return [
    '👋 Hello! I only talk to people whom my owner has let in.',
    `Your code is **${code}**. It is good for an hour.`,
    `Give it to my owner, who lets you in on my page or with \`hermes pairing approve ${accountName(account)} ${code}\`.`,
  ].join('\n\n');
}

interface Guess {
  readonly account: string;
  readonly code: string;
  readonly by: Approver;
}

/** The lock is looked at first: it holds for a right code too. */
function approve(options: PairingOptions, { account, code, by }: Guess): PairingResult {
  const { store, now } = options;
  const until = lockedUntil(store, account, now());
  if (until !== undefined) return failed(`Too many wrong codes: pairing on ${accountName(account)} is locked until ${timeOf(until)}.`);
  const read = readCode(code);
  const request = read === undefined ? undefined : opened(read, store.pairing.pending(now(), account));
  if (request === undefined) {
    countFailure(store, account, now());
    return failed(`This is no code that anybody on ${accountName(account)} was given within the last hour.`);
  }
  forgive(store, account);
  return admit(options, request, by);
}

function failed(text: string): PairingResult {
  return { done: false, text, after: () => undefined };
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString().slice(11, 16).concat(' UTC');
}

/** Greeted at once: nobody waits for a restart. */
function admit(
  { store, outbox, audit, now }: PairingOptions,
  request: PairingRequest,
  { id: approvedBy, role = 'user' }: Approver,
): PairingResult {
  const { id, account, person, aliases, name, chat } = request;
  store.pairing.remove(id);
  store.people.put({ account, person, aliases, name, role, groupRole: role, chat, approvedBy, approvedAt: now() });
  audit.person('pairing.approved', { account, person, name, role, by: approvedBy });
  outbox.add([noticePart({ chat, chatType: 'dm' }, '✅ My owner has let you in. What can I do for you?')]);
  const text = `${name === '' ? person : name} may now talk to me on ${accountName(account)}.`;
  return { done: true, text, after: () => outbox.kick(outboxLane(chat)) };
}

function refuse({ store, now }: PairingOptions, { id, account, person }: PairingRequest): void {
  store.pairing.remove(id);
  store.pairing.setLimit({ account, person }, { failures: 0, until: now() + refusedMs });
}
