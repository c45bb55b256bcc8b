/**
 * Delivery. A part is a row before it is sent and gets its receipt after; parts of one chat go out strictly in order.
 * What happens after a failure is decided by the DeliveryError alone.
 */
import { DeliveryError, type OutboundText } from '../adapters/adapter.ts';
import type { Account, AccountDirectory } from './accounts.ts';
import type { Log } from './log.ts';
import type { Store } from './store/index.ts';
import type { NewPart, OutboxPart } from './store/outbox.ts';
import { accountKey, outboxLane, type TurnTarget } from './target.ts';
import { type Clock, pause, within } from './time.ts';

/** Parts that could not be sent for this long are given up. */
const giveUpAfterMs = 24 * 3_600_000;
const firstRetryMs = 1000;
const longestRetryMs = 300_000;
/** For adapters that have none of their own: longer than the largest file takes. */
const sendDeadlineMs = 600_000;
/** What could not be written down is tried again after this. */
const storeRetryMs = 2000;
/**
 * Where the platform has no idempotency key, a send whose outcome the network left unknown is repeated at most once. One that a crash of
 * ours cut is repeated more often: most never reached the wire, and an answer must not be lost to two crashes in a row.
 */
const repeats = { network: 1, crash: 8 } as const;

export interface Outbox {
  /** Writes parts; part of the caller's transaction. Call `kick` once it is committed. */
  add(parts: readonly NewPart[]): void;
  /** Starts sending what waits in this lane. */
  kick(lane: string): void;
  /** At start: parts found on their way have an unknown outcome; all open lanes are taken up. */
  recover(): void;
  /** Waits until nothing is on its way or due, at most `ms`; then stops sending. */
  close(ms: number): Promise<void>;
}

export interface OutboxOptions {
  readonly store: Store;
  readonly accounts: AccountDirectory;
  readonly log: Log;
  readonly now: Clock;
}

export function createOutbox(options: OutboxOptions): Outbox {
  const { store } = options;
  /** First nobody waits for a time to come any more, then nothing is sent any more. */
  const closing = new AbortController();
  const stop = new AbortController();
  const ends = { waiting: closing.signal, sending: stop.signal };
  const working = new Map<string, Promise<void>>();
  const kick = (lane: string): void => {
    if (stop.signal.aborted || working.has(lane)) return;
    const work = drainLane(options, lane, ends)
      .catch((error: unknown) => {
        options.log.error({ lane, err: error }, 'an outbox lane failed in the gateway itself (is the disk full?); it is taken up again');
        return pause(storeRetryMs, closing.signal);
      })
      .finally(() => {
        working.delete(lane);
        if (!closing.signal.aborted && isDue(options, lane)) kick(lane);
      });
    working.set(lane, work);
  };
  return {
    add: (parts) => {
      for (const part of parts) store.outbox.add(part);
    },
    kick,
    recover: () => {
      for (const part of store.outbox.interrupted())
        afterUnknown(options, part, { cause: 'crash', why: 'the gateway stopped while this was being sent' })();
      for (const lane of store.outbox.lanes()) kick(lane);
    },
    close: async (ms) => {
      closing.abort();
      await within(ms, Promise.all(working.values()));
      stop.abort();
      await within(1000, Promise.all(working.values()));
    },
  };
}

function isDue({ store, accounts }: OutboxOptions, lane: string): boolean {
  try {
    const part = store.outbox.next(lane);
    const account = part === undefined ? undefined : accounts.get(accountKey(part.payload.chat));
    return account !== undefined && !account.isStopped();
  } catch {
    return true; // the lane itself meets the error and waits
  }
}

interface Ends {
  readonly waiting: AbortSignal;
  readonly sending: AbortSignal;
}

async function drainLane(options: OutboxOptions, lane: string, { waiting, sending }: Ends): Promise<void> {
  const { store, accounts, now } = options;
  for (;;) {
    const part = store.outbox.next(lane);
    if (part === undefined || sending.aborted) return;
    const account = accounts.get(accountKey(part.payload.chat));
    if (account === undefined || account.isStopped()) return; // the platform is switched off or its token refused: the row waits for the next start
    const wait = Math.max(part.notBefore - now(), account.penaltyMs(lane));
    if (wait > 0) {
      await pause(wait, waiting);
      if (waiting.aborted) return;
      continue;
    }
    await pause(account.pacer.reserve(lane, part.group), sending);
    const leave = await account.sends.enter();
    try {
      await pause(account.pacer.reserveCall(lane, part.group), sending);
      if (sending.aborted) return;
      if (account.penaltyMs(lane) > 0) continue; // it came while this part waited for its slot
      await deliver(options, { part, account }, sending);
    } finally {
      leave();
    }
  }
}

interface Delivery {
  readonly part: OutboxPart;
  readonly account: Account;
}

async function deliver(options: OutboxOptions, { part, account }: Delivery, signal: AbortSignal): Promise<void> {
  const { store } = options;
  store.outbox.sending(part.id);
  const late = new AbortController();
  const timer = setTimeout(() => late.abort('late'), sendDeadlineMs);
  let write: () => void;
  try {
    const sent = await account.adapter.send(part.payload, `${part.id}`, AbortSignal.any([signal, late.signal]));
    write = () => store.outbox.sent(part.id, sent.id);
  } catch (error) {
    if (signal.aborted) return; // stays "sending": the outcome is unknown, and the next start decides
    write = afterFailure(options, { part, account }, late.signal.aborted ? outOfTime(error) : error);
  } finally {
    clearTimeout(timer);
  }
  await record(options, write, signal);
}

function outOfTime(error: unknown): DeliveryError {
  return new DeliveryError('the platform did not answer in time', { kind: 'transient', certain: false, cause: error });
}

/** What became of a send reaches the disk before anything else happens in the lane: read again as unsent, the part would be sent again. */
async function record({ log }: OutboxOptions, write: () => void, signal: AbortSignal): Promise<void> {
  do {
    try {
      write();
      return;
    } catch (error) {
      log.error({ err: error }, 'what became of a sent part could not be stored (is the disk full?); trying again');
      await pause(storeRetryMs, signal);
    }
  } while (!signal.aborted); // once in any case: a receipt that comes during the stop is one
}

/** Decides once; what it returns writes the decision down and may be called again when that fails. */
function afterFailure(options: OutboxOptions, { part, account }: Delivery, error: unknown): () => void {
  if (!(error instanceof DeliveryError)) {
    options.log.error({ part: part.id, err: error }, 'sending failed in a way the adapter did not explain');
    return givenUp(options, part, { state: 'failed', why: 'an internal error' });
  }
  const facts = { part: part.id, kind: error.kind, certain: error.certain, detail: error.message };
  options.log.warn(facts, 'a part could not be sent');
  switch (error.kind) {
    case 'rate_limited':
      account.penalise(part.lane, error.retryAfterMs ?? firstRetryMs);
      return triedLater(options, part, error);
    case 'rejected':
      return triedPlain(options, part, error) ?? givenUp(options, part, { state: 'failed', why: error.message });
    case 'transient':
      if (error.certain || account.adapter.idempotent === true) return triedLater(options, part, error);
      return afterUnknown(options, part, { cause: 'network', why: error.message });
    default:
      return error.kind satisfies never;
  }
}

interface Unknown {
  readonly cause: keyof typeof repeats;
  readonly why: string;
}

/** The outcome is unknown: where the platform honours our key the send is repeated freely, elsewhere within limits, and counted. */
function afterUnknown(options: OutboxOptions, part: OutboxPart, { cause, why }: Unknown): () => void {
  const { store, accounts, now } = options;
  const unknowns = part.unknowns + 1;
  const free = accounts.get(accountKey(part.payload.chat))?.adapter.idempotent === true;
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
  if (!error.formatting || part.payload.type !== 'text' || part.payload.plain === true) return undefined;
  const payload: OutboundText = { ...part.payload, plain: true };
  const notBefore = now();
  return () => store.outbox.retry(part.id, { notBefore, unknowns: part.unknowns, payload, error: error.message });
}

interface End {
  readonly state: 'failed' | 'unknown';
  readonly why: string;
}

/** The person gets one short notice for a turn on the same chat (it waits there until the chat works again), and the next turn is told. */
function givenUp({ store }: OutboxOptions, part: OutboxPart, { state, why }: End): () => void {
  const { lane, group, turnId } = part;
  const tell = (): void => {
    if (turnId !== null && store.outbox.hasNotice(turnId)) return;
    store.outbox.add({ lane, group, purpose: 'notice', payload: notice(part, state), ...(turnId === null ? {} : { turnId }) });
    if (turnId !== null) store.sessions.setUndeliveredOfTurn(turnId, why);
  };
  return () =>
    store.durable(() => {
      store.outbox.giveUp(part.id, state, why);
      if (part.purpose === 'answer') tell();
    });
}

function notice({ payload }: OutboxPart, state: 'failed' | 'unknown'): OutboundText {
  const what = payload.type === 'file' ? `the file ${payload.name}` : 'a part of my last answer';
  const how = state === 'failed' ? `I could not deliver ${what}.` : `I cannot tell whether ${what} reached you.`;
  return { type: 'text', chat: payload.chat, markdown: `⚠️ ${how} Please ask again if you need it.`, plain: true };
}

/** A notice of the gateway itself, to wherever the target says. */
export function noticePart({ chat, chatType, replyTo }: TurnTarget, markdown: string): NewPart {
  const payload: OutboundText = { type: 'text', chat, markdown, ...(replyTo === undefined ? {} : { replyTo }) };
  return { lane: outboxLane(chat), group: chatType !== 'dm', purpose: 'notice', payload };
}
