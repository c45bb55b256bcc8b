/**
 * Delivery. A part is a row before it is sent and gets its receipt after; parts of one chat go out strictly in order.
 * A text of an answer takes the place of the turn's draft by an edit of it, where there is one.
 */
import { DeliveryError, type OutboundText } from '../adapters/adapter.ts';
import { afterFailure, afterUnknown, type Delivery, draftOfPart, type OutboxOptions } from './outbox-failure.ts';
import { removeMessage } from './presenter/call.ts';
import type { Draft, NewPart, OutboxPart } from './store/outbox.ts';
import { accountKey, outboxLane, type TurnTarget } from './target.ts';
import { pause, within } from './time.ts';

/** For adapters that have none of their own: longer than the largest file takes. */
const sendDeadlineMs = 600_000;
/** A part that waits for its next try may be due earlier: the account was down, and works again. */
const lookAgainMs = 2000;
/** What could not be written down is tried again after this. */
const storeRetryMs = 2000;
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

export interface DraftOutbox extends Outbox {
  /** Edits the draft of this id: what takes its place waits for the end of `work`, so that nothing old comes after it. */
  edit(draftId: number, work: () => Promise<void>): Promise<void>;
}

export function createOutbox(given: OutboxOptions): DraftOutbox {
  const options: Sending = { ...given, editing: new Map() };
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
    edit: (draftId, work) => editDraft(options, draftId, work),
    recover: () => {
      store.outbox.dropDrafts('the gateway stopped while this was being written');
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

interface Sending extends OutboxOptions {
  /** Edits of drafts that are on their way. */
  readonly editing: Map<number, Promise<void>>;
}

async function editDraft({ editing }: Sending, draftId: number, work: () => Promise<void>): Promise<void> {
  const done = work();
  editing.set(draftId, done);
  try {
    await done;
  } finally {
    editing.delete(draftId);
  }
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

async function drainLane(options: Sending, lane: string, { waiting, sending }: Ends): Promise<void> {
  const { store, accounts, now } = options;
  for (;;) {
    const part = store.outbox.next(lane);
    if (part === undefined || sending.aborted) return;
    const account = accounts.get(accountKey(part.payload.chat));
    if (account === undefined || account.isStopped()) return; // the platform is switched off or its token refused: the row waits for the next start
    const wait = Math.max(part.notBefore - now(), account.penaltyMs(lane));
    if (wait > 0) {
      await pause(Math.min(wait, lookAgainMs), waiting);
      if (waiting.aborted) return;
      continue;
    }
    const reserved = part.purpose === 'draft' && part.attempts === 0; // by who began it, so that it never takes an answer's slot
    if (!reserved) await pause(Math.ceil(account.pacer.reserve(lane, part.group)), sending); // timers cut fractions off, and would be early
    const leave = await account.sends.enter();
    try {
      if (!reserved) await pause(Math.ceil(account.pacer.reserveCall(lane, part.group)), sending);
      if (sending.aborted) return;
      if (account.penaltyMs(lane) > 0) continue; // it came while this part waited for its slot
      const current = store.outbox.next(lane); // it may have been given another content meanwhile, or been given up
      if (current !== undefined && current.notBefore <= now()) await deliver(options, { part: current, account }, sending);
    } finally {
      leave();
    }
  }
}

async function deliver(options: Sending, { part, account }: Delivery, signal: AbortSignal): Promise<void> {
  const { store } = options;
  store.outbox.sending(part.id);
  const draft = await settledDraft(options, part);
  const delivery = { part, account, draft: draft?.state === 'sent' ? draft : undefined };
  const late = new AbortController();
  const timer = setTimeout(() => late.abort('late'), sendDeadlineMs);
  let write: () => void;
  try {
    const sentId = await put(delivery, AbortSignal.any([signal, late.signal]));
    write = () => store.outbox.sent(part.id, sentId);
    if (draft !== undefined && delivery.draft === undefined) forget(options, { part, account, draft });
  } catch (error) {
    if (signal.aborted) return; // stays "sending": the outcome is unknown, and the next start decides
    write = afterFailure(options, delivery, late.signal.aborted ? outOfTime(error) : error);
  } finally {
    clearTimeout(timer);
  }
  await record(options, write, signal);
}

/** The same for every try of a part, and for no other part of this or another database. */
function keyOf({ id, createdAt }: OutboxPart): string {
  return `${createdAt.toString(36)}-${id}`;
}

/** The draft that this part takes the place of, once nobody edits it any more. */
async function settledDraft({ store, editing }: Sending, part: OutboxPart): Promise<Draft | undefined> {
  const draft = draftOfPart(store, part);
  if (draft === undefined) return undefined;
  await editing.get(draft.id)?.catch(() => undefined); // who edits it meets the error
  return draftOfPart(store, part);
}

async function put({ part, account, draft }: Delivery, signal: AbortSignal): Promise<string> {
  const { adapter } = account;
  const { payload } = part;
  if (draft?.sentId == null || adapter.edit === undefined) return (await adapter.send(payload, keyOf(part), signal)).id;
  await adapter.edit({ chat: payload.chat, id: draft.sentId }, payload, signal);
  return draft.sentId;
}

/** What was said until then is in the chat as a whole now. */
function forget({ log }: Sending, { part, account, draft }: Delivery): void {
  const target = { chat: part.payload.chat, chatType: part.group ? 'group' : 'dm' } as const;
  if (draft?.sentId != null) void removeMessage({ account, target, log }, draft.sentId);
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

/** A notice of the gateway itself, to wherever the target says. */
export function noticePart({ chat, chatType, replyTo }: TurnTarget, markdown: string): NewPart {
  const payload: OutboundText = { type: 'text', chat, markdown, ...(replyTo === undefined ? {} : { replyTo }) };
  return { lane: outboxLane(chat), group: chatType !== 'dm', purpose: 'notice', payload };
}
