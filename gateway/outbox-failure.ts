/**
 * What becomes of a part that could not be sent, or of which nobody can tell whether it was. Decided by the DeliveryError alone, once; what
 * these functions return writes the decision down and may be called again when that fails.
 */
import { DeliveryError, type OutboundAsk, type OutboundText } from '../adapters/adapter.ts';
import type { Account, AccountDirectory } from './accounts.ts';
import type { Log } from './log.ts';
import type { Store } from './store/index.ts';
import type { Draft, OutboxPart } from './store/outbox.ts';
import { accountKey } from './target.ts';
import type { Clock } from './time.ts';

/** Parts that could not be sent for this long are given up. */
const giveUpAfterMs = 24 * 3_600_000;
const firstRetryMs = 1000;
const longestRetryMs = 300_000;
/**
 * Where the platform has no idempotency key, a send whose outcome the network left unknown is repeated at most once. One that a crash of
 * ours cut is repeated more often: most never reached the wire, and an answer must not be lost to two crashes in a row.
 */
const repeats = { network: 1, crash: 8 } as const;

export interface OutboxOptions {
  readonly store: Store;
  readonly accounts: AccountDirectory;
  readonly log: Log;
  readonly now: Clock;
  /** A part that nobody will see any more, once that is stored; may be told again. */
  readonly onGivenUp?: (part: OutboxPart) => void;
}

export interface Delivery {
  readonly part: OutboxPart;
  readonly account: Account;
  /** The message that the part was to take the place of, by an edit. */
  readonly draft?: Draft | undefined;
}

export function afterFailure(options: OutboxOptions, delivery: Delivery, error: unknown): () => void {
  const { part, account, draft } = delivery;
  if (!(error instanceof DeliveryError)) {
    options.log.error({ part: part.id, err: error }, 'sending failed in a way the adapter did not explain');
    if (draft !== undefined) return sentAnew(options, { part, draft, why: 'an internal error' });
    return givenUp(options, part, { state: 'failed', why: 'an internal error' });
  }
  const facts = { part: part.id, kind: error.kind, certain: error.certain, detail: error.message };
  options.log.warn(facts, 'a part could not be sent');
  switch (error.kind) {
    case 'rate_limited':
      account.penalise(part.lane, error.retryAfterMs ?? firstRetryMs);
      return triedLater(options, part, error);
    case 'rejected':
      return triedPlain(options, part, error) ?? refused(options, delivery, error.message);
    case 'transient':
      // An edit may be repeated freely: the second one changes nothing.
      if (error.certain || account.adapter.idempotent === true || draft !== undefined) return triedLater(options, part, error);
      return afterUnknown(options, part, { cause: 'network', why: error.message });
    default:
      return error.kind satisfies never;
  }
}

function refused(options: OutboxOptions, { part, draft }: Delivery, why: string): () => void {
  return draft === undefined ? givenUp(options, part, { state: 'failed', why }) : sentAnew(options, { part, draft, why });
}

interface Anew {
  readonly part: OutboxPart;
  readonly draft: Draft;
  readonly why: string;
}

/** The message that was to be edited is gone, or cannot be edited any more: the part becomes a message of its own. */
function sentAnew({ store, now }: OutboxOptions, { part, draft, why }: Anew): () => void {
  const notBefore = now();
  return () =>
    store.durable(() => {
      store.outbox.giveUp(draft.id, 'failed', why);
      store.outbox.retry(part.id, { notBefore, unknowns: part.unknowns, error: why });
    });
}

/** A draft that was given up is none: what follows it is sent as a message of its own. */
export function draftOfPart(store: Store, { id, turnId, purpose, payload }: OutboxPart): Draft | undefined {
  if (purpose !== 'answer' || turnId === null || payload.type !== 'text') return undefined;
  return store.outbox.draftOf(turnId, id);
}

interface Unknown {
  readonly cause: keyof typeof repeats;
  readonly why: string;
}

/** The outcome is unknown: where the platform honours our key the send is repeated freely, elsewhere within limits, and counted. */
export function afterUnknown(options: OutboxOptions, part: OutboxPart, { cause, why }: Unknown): () => void {
  const { store, accounts, now } = options;
  const unknowns = part.unknowns + 1;
  const free = accounts.get(accountKey(part.payload.chat))?.adapter.idempotent === true || draftOfPart(store, part)?.state === 'sent';
  if (part.purpose === 'draft') return givenUp(options, part, { state: 'unknown', why });
  if (!free && unknowns > repeats[cause]) return givenUp(options, part, { state: 'unknown', why });
  const notBefore = now();
  return () => store.outbox.retry(part.id, { notBefore, unknowns, error: why });
}

function triedLater(options: OutboxOptions, part: OutboxPart, error: DeliveryError): () => void {
  const { store, now } = options;
  if (now() - part.createdAt > giveUpAfterMs) return givenUp(options, part, { state: 'failed', why: error.message });
  const backOffMs = Math.min(longestRetryMs, firstRetryMs * 2 ** Math.min(part.attempts, 16)) * (0.75 + Math.random() / 2);
  const notBefore = now() + (error.retryAfterMs ?? backOffMs);
  return () => store.outbox.retry(part.id, { notBefore, unknowns: part.unknowns, error: error.message });
}

/** Undefined where plain text is no way out. */
function triedPlain({ store, now }: OutboxOptions, part: OutboxPart, error: DeliveryError): (() => void) | undefined {
  if (!error.formatting || (part.payload.type !== 'text' && part.payload.type !== 'ask') || part.payload.plain === true) return undefined;
  const payload: OutboundText | OutboundAsk = { ...part.payload, plain: true };
  const notBefore = now();
  return () => store.outbox.retry(part.id, { notBefore, unknowns: part.unknowns, payload, error: error.message });
}

interface End {
  readonly state: 'failed' | 'unknown';
  readonly why: string;
}

/** The person gets one short notice for a turn on the same chat (it waits there until the chat works again), and the next turn is told. */
function givenUp({ store, onGivenUp }: OutboxOptions, part: OutboxPart, { state, why }: End): () => void {
  const { lane, group, turnId } = part;
  const tell = (): void => {
    if (turnId !== null && store.outbox.hasNotice(turnId)) return;
    store.outbox.add({ lane, group, purpose: 'notice', payload: notice(part, state), ...(turnId === null ? {} : { turnId }) });
    if (turnId !== null) store.sessions.setUndeliveredOfTurn(turnId, why);
  };
  return () => {
    store.durable(() => {
      store.outbox.giveUp(part.id, state, why);
      if (part.purpose === 'answer') tell();
    });
    onGivenUp?.(part);
  };
}

function notice({ payload }: OutboxPart, state: 'failed' | 'unknown'): OutboundText {
  const what = payload.type === 'file' ? `the file ${payload.name}` : 'a part of my last answer';
  const how = state === 'failed' ? `I could not deliver ${what}.` : `I cannot tell whether ${what} reached you.`;
  return { type: 'text', chat: payload.chat, markdown: `⚠️ ${how} Please ask again if you need it.`, plain: true };
}
