/** The cards on the platform: once a question is closed, its card says so. For showing only, but tried again until it is shown. */
import { DeliveryError } from '../../adapters/adapter.ts';
import type { AccountDirectory } from '../accounts.ts';
import type { Log } from '../log.ts';
import type { AskRow } from '../store/asks.ts';
import type { Store } from '../store/index.ts';
import { accountKey, outboxLane } from '../target.ts';
import { pause } from '../time.ts';
import { cardOf } from './text.ts';

const editDeadlineMs = 15_000;
const waitsMs = [0, 500, 2000, 10_000, 60_000, 300_000] as const;

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

async function closeCard(options: CardsOptions, askId: number, signal: AbortSignal): Promise<void> {
  for (const wait of waitsMs) {
    await pause(wait, signal);
    const ask = options.store.asks.get(askId);
    if (signal.aborted || ask === undefined) return;
    if (await isShown(options, ask, signal)) {
      options.store.asks.cardClosed(askId);
      return;
    }
  }
}

/** True when there is nothing more to do. */
async function isShown({ store, accounts }: CardsOptions, ask: AskRow, signal: AbortSignal): Promise<boolean> {
  if (store.outbox.replace(ask.cardId, cardOf(ask))) return true; // it was not sent yet and goes out as it is now
  const receipt = store.outbox.receipt(ask.cardId);
  if (receipt === undefined || receipt.state === 'failed') return true;
  const account = accounts.get(accountKey(ask.target.chat));
  if (receipt.sentId === null || account === undefined || account.penaltyMs(outboxLane(ask.target.chat)) > 0) return false;
  if (account.adapter.edit === undefined) return true;
  const ref = { chat: ask.target.chat, id: receipt.sentId };
  try {
    await account.adapter.edit(ref, cardOf(ask), AbortSignal.any([signal, AbortSignal.timeout(editDeadlineMs)]));
    return true;
  } catch (error) {
    return error instanceof DeliveryError && error.kind === 'rejected'; // the message was deleted, say
  }
}
