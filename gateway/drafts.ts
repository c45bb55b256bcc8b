/**
 * Drafts: the unfinished answer as a message of its own, which is edited while it grows and becomes the answer in the end. A draft is an
 * outbox row like any other. The turn's next text of an answer stands right behind it and is delivered as an edit of it, or as a message of
 * its own where the draft is lost: see `OutboxReceipts.draftOf`.
 */
import type { OutboundText } from '../adapters/adapter.ts';
import type { AccountDirectory } from './accounts.ts';
import type { Log } from './log.ts';
import type { DraftOutbox, Outbox } from './outbox.ts';
import { isLost, removeMessage } from './presenter/call.ts';
import type { TurnDrafts } from './presenter/live-options.ts';
import type { Store } from './store/index.ts';
import type { Draft, NewPart } from './store/outbox.ts';
import { accountKey, outboxLane, type TurnTarget } from './target.ts';

interface DraftOptions {
  readonly store: Store;
  readonly outbox: Outbox;
}

export function createTurnDrafts(
  { store, outbox }: DraftOptions & { readonly outbox: DraftOutbox },
  turnId: number,
  target: TurnTarget,
): TurnDrafts {
  const { chat, chatType, replyTo } = target;
  const lane = outboxLane(chat);
  const payload = (markdown: string): OutboundText => ({ type: 'text', chat, markdown, ...(replyTo === undefined ? {} : { replyTo }) });
  return {
    open: () => store.outbox.draftOf(turnId),
    mustWait: () => store.outbox.next(lane) !== undefined,
    begin: (markdown) => {
      outbox.add([{ turnId, lane, group: chatType !== 'dm', purpose: 'draft', payload: payload(markdown) }]);
      outbox.kick(lane);
    },
    edit: (draft, markdown, send) =>
      outbox.edit(draft.id, async () => {
        try {
          await send({ chat, id: draft.sentId ?? '' }, payload(markdown));
        } catch (error) {
          if (isLost(error)) store.outbox.giveUp(draft.id, 'unknown', 'an edit of it was lost');
          throw error;
        }
      }),
  };
}

/**
 * Part of the caller's transaction: what a turn has to say. Returns the draft that is to be taken back afterwards, because nothing took its
 * place.
 */
export function addParts({ store, outbox }: DraftOptions, turnId: number, parts: readonly NewPart[]): Draft | undefined {
  const draft = store.outbox.draftOf(turnId);
  outbox.add(parts.map((part) => ({ ...part, turnId })));
  if (draft === undefined) return undefined;
  if (draft.state === 'pending') {
    store.outbox.giveUp(draft.id, 'failed', 'the whole answer is sent instead');
    return undefined;
  }
  const [first] = parts.filter(({ purpose }) => purpose === 'answer');
  return first?.payload.type === 'text' ? undefined : draft;
}

export interface TakeBackOptions {
  readonly accounts: AccountDirectory;
  readonly log: Log;
}

/** As far as the platform lets us, and once. Never rejects. */
export async function takeBack({ accounts, log }: TakeBackOptions, { sentId }: Draft, target: TurnTarget): Promise<void> {
  const account = accounts.get(accountKey(target.chat));
  if (account !== undefined && sentId !== null) await removeMessage({ account, target, log }, sentId);
}
