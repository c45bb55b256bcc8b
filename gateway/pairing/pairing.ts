/** A stranger gets a code; whoever the gateway belongs to lets them in with it, or with a button. */
import { randomBytes } from 'node:crypto';
import type { InboundMessage } from '../../adapters/adapter.ts';
import type { AccountLabels } from '../account-label.ts';
import type { Audit } from '../audit.ts';
import { noticePart, type Outbox } from '../outbox.ts';
import type { Store } from '../store/index.ts';
import type { NewPart } from '../store/outbox.ts';
import type { PairingRequest } from '../store/pairing.ts';
import { higher, type Identity } from '../store/people.ts';
import type { Role } from '../store/people-schema.ts';
import { accountKey, accountName, outboxLane } from '../target.ts';
import type { Clock } from '../time.ts';
import { hasOwner } from './claim.ts';
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
  /** For the record: "owner" on the page and on the machine itself, else the id of who pressed the button. */
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
  /** Part of the caller's transaction. Returns what was forgotten: of one account, or all; of one person, or all of it. */
  clear(account?: string, who?: Identity): readonly PairingRequest[];
}

export interface Knock {
  readonly part: NewPart;
  /** Absent: no code could be given. */
  readonly request?: PairingRequest;
}

export interface PairingOptions {
  readonly store: Store;
  readonly outbox: Outbox;
  readonly audit: Pick<Audit, 'person' | 'guess'>;
  readonly labels: AccountLabels;
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
    clear: (account, who) => {
      const pending = store.pairing.pending(now(), account).filter((request) => who === undefined || isSame(request, who));
      for (const { id } of pending) store.pairing.remove(id);
      return pending;
    },
  };
}

function isSame({ person, aliases }: PairingRequest, who: Identity): boolean {
  const ids = idsOf(who);
  return [person, ...aliases].some((id) => ids.includes(id));
}

function idsOf({ id, aliases }: Identity): readonly string[] {
  return [id, ...aliases];
}

function knock(options: PairingOptions, { chat, sender }: InboundMessage): Knock | undefined {
  const { store, now } = options;
  const account = accountKey(chat);
  store.pairing.prune(now());
  const pending = store.pairing.pending(now(), account);
  if (pending.some((request) => isSame(request, sender)) || isUnheard(options, account, sender)) return undefined;
  const isCrowded = pending.length >= mostPending;
  holdBack(options, { account, who: sender, ms: isCrowded ? noticeMs : betweenRequestsMs });
  const target = { chat, chatType: 'dm' } as const;
  if (isCrowded) return { part: noticePart(target, crowded) };
  const code = newCode();
  const { id: person, aliases, name } = sender;
  const request: PairingRequest = {
    id: randomBytes(8).toString('hex'),
    account,
    person,
    aliases: [...aliases],
    name: name.slice(0, 200).toWellFormed(),
    chat,
    ...seal(code),
    createdAt: now(),
    expiresAt: now() + requestMs,
  };
  store.pairing.add(request);
  return { part: { ...noticePart(target, codeText(store, account, code)), purpose: 'code' }, request };
}

/** They were told something a while ago, or the account is locked. */
function isUnheard({ store, now }: PairingOptions, account: string, who: Identity): boolean {
  if (lockedUntil(store, { account }, now()) !== undefined) return true;
  return idsOf(who).some((person) => store.pairing.limit(account, person).until > now());
}

interface HoldBack {
  readonly account: string;
  readonly who: Identity;
  readonly ms: number;
}

/** By every id of theirs: nobody is somebody else with the next one. */
function holdBack({ store, now }: PairingOptions, { account, who, ms }: HoldBack): void {
  for (const person of idsOf(who)) store.pairing.setLimit({ account, person }, { failures: 0, until: now() + ms });
}

const crowded = 'Sorry, I only talk to people whom my owner has let in, and too many are waiting just now. Please try again in an hour.';

/** Whoever set the gateway up is a stranger to it, too, until they claim it. */
function codeText(store: Store, account: string, code: string): string {
  const owner =
    'Are you the one who has set me up? Then write me the owner’s code instead, which I printed when I started (`hermes pairing list` shows it, too): it makes you my owner.';
  return [
    '👋 Hello! I only talk to people whom my owner has let in.',
    `Your code is **${code}**. It is good for an hour.`,
    `Give it to my owner, who lets you in on my page or with \`hermes pairing approve ${accountName(account)} ${code}\`.`,
    ...(hasOwner(store) ? [] : [owner]),
  ].join('\n\n');
}

interface Guess {
  readonly account: string;
  readonly code: string;
  readonly by: Approver;
}

/** The lock is looked at first: it holds for a right code too. */
function approve(options: PairingOptions, { account, code, by }: Guess): PairingResult {
  const { store, audit, labels, now } = options;
  store.pairing.prune(now());
  if (!labels.isOn(account)) return failed(`${accountName(account)} is not switched on, so nobody waits there.`);
  const guess = { account, person: by.id, name: '', of: 'approve' } as const;
  const until = lockedUntil(store, { account }, now());
  if (until !== undefined) {
    audit.guess({ ...guess, why: 'locked' });
    return failed(`Too many wrong codes: pairing on ${labels.of(account)} is locked until ${timeOf(until)}.`);
  }
  const read = readCode(code);
  const request = read === undefined ? undefined : opened(read, store.pairing.pending(now(), account));
  if (request === undefined) {
    countFailure(store, { account }, now());
    audit.guess({ ...guess, why: 'wrong' });
    return failed(`This is no code that anybody on ${labels.of(account)} was given within the last hour.`);
  }
  forgive(store, { account });
  return admit(options, request, by);
}

function failed(text: string): PairingResult {
  return { done: false, text, after: () => undefined };
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString().slice(11, 16).concat(' UTC');
}

/** Greeted at once: nobody waits for a restart. Whoever is more by now stays that. */
function admit(
  { store, outbox, audit, labels, now }: PairingOptions,
  request: PairingRequest,
  { id: approvedBy, role: given = 'user' }: Approver,
): PairingResult {
  const { id, account, person, aliases, name, chat } = request;
  const known = store.people.find(account, { id: person, aliases });
  const role = higher(given, known?.role ?? 'user');
  const groupRole = higher(given, known?.groupRole ?? 'user');
  store.pairing.remove(id);
  store.people.put({ account, person, aliases, name, role, groupRole, chat, approvedBy, approvedAt: now() });
  audit.person('pairing.approved', { account, person, name, role, by: approvedBy });
  outbox.add([noticePart({ chat, chatType: 'dm' }, '✅ My owner has let you in. What can I do for you?')]);
  const text = `${name === '' ? person : name} may now talk to me on ${labels.of(account)}.`;
  return { done: true, text, after: () => outbox.kick(outboxLane(chat)) };
}

function refuse(options: PairingOptions, { id, account, person, aliases }: PairingRequest): void {
  options.store.pairing.remove(id);
  holdBack(options, { account, who: { id: person, aliases }, ms: refusedMs });
}
