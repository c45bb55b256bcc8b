/** The cards on the platform: once a question is closed, its card says so. For showing only, but tried again until it is shown. */
import { type Adapter, DeliveryError } from '../../adapters/adapter.ts';
import type { AccountDirectory } from '../accounts.ts';
import type { Log } from '../log.ts';
import { settle } from '../presenter/settle.ts';
import type { AskRow } from '../store/asks.ts';
import type { Store } from '../store/index.ts';
import { accountKey, outboxLane } from '../target.ts';
import { cardOf } from './text.ts';

export interface Cards {
  /** Never rejects. */
  close(askId: number): void;
  /** At start: the cards of questions that were closed while nobody could show it. */
  recover(): void;
  stop(): void;
}

export interface CardsOptions {
  readonly store: Store;
  readonly accounts: AccountDirectory;
  readonly log: Log;
}

export function createCards(options: CardsOptions): Cards {
  const stop = new AbortController();
  const close = (askId: number): void => {
    closeCard(options, askId, stop.signal).catch((error: unknown) =>
      options.log.debug({ ask: askId, err: error }, 'a card stays as it is'),
    );
  };
  return {
    close,
    recover: () => {
      for (const ask of options.store.asks.staleCards()) close(ask.id);
    },
    stop: () => stop.abort(),
  };
}

async function closeCard({ store, accounts, log }: CardsOptions, askId: number, signal: AbortSignal): Promise<void> {
  const ask = store.asks.get(askId);
  if (ask === undefined) return;
  const { chat, chatType } = ask.target;
  const account = accounts.get(accountKey(chat));
  const look = (): 'done' | 'later' | 'now' => lookAt(store, ask);
  const isDone =
    account === undefined // the platform is switched off
      ? look() === 'done'
      : await settle(
          store,
          { account, log, lane: outboxLane(chat), group: chatType !== 'dm', slot: true, look, call: editor(store, ask, account.adapter) },
          signal,
        );
  if (isDone) store.asks.cardClosed(askId);
}

function lookAt(store: Store, ask: AskRow): 'done' | 'later' | 'now' {
  if (store.outbox.replace(ask.cardId, cardOf(ask))) return 'done'; // it was not sent yet and goes out as it is now
  const receipt = store.outbox.receipt(ask.cardId);
  if (receipt === undefined || receipt.state === 'failed' || receipt.state === 'unknown') return 'done';
  return receipt.sentId === null ? 'later' : 'now';
}

/** Without formatting once the platform has refused it. */
function editor(store: Store, ask: AskRow, adapter: Adapter): (signal: AbortSignal) => Promise<boolean> {
  let plain = false;
  return async (signal) => {
    const ref = { chat: ask.target.chat, id: store.outbox.receipt(ask.cardId)?.sentId ?? '' };
    try {
      await adapter.edit?.(ref, { ...cardOf(ask), ...(plain ? { plain } : {}) }, signal);
      return true;
    } catch (error) {
      if (plain || !(error instanceof DeliveryError) || !error.formatting) throw error;
      plain = true;
      return false;
    }
  };
}
