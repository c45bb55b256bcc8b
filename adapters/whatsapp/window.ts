/**
 * The receipt window. The client library acknowledges a message before it hands it over, and by then it cannot be decrypted a second
 * time: what a crash cuts in between is gone at WhatsApp. So each id is written down before the message is decrypted, and struck out with
 * the message in one transaction; what an earlier run left behind is asked for at the phone, which sends it again while it is online.
 */
import type { AccountStore, Json } from '../adapter.ts';
import { sleep } from '../shared/backoff.ts';
import { bareJid } from './jid.ts';
import type { Arrival, Line } from './line.ts';
import { messageKeySchema, type WireKey } from './wire.ts';

const PREFIX = 'window:';
/** More at once is a storm; then the oldest are what matters. */
const MOST_OPEN = 1000;
/** A phone answers few of these at a time. */
const MOST_ASKED = 50;
/** Older ones WhatsApp does not answer. https://github.com/WhiskeySockets/Baileys: PLACEHOLDER_MAX_AGE_SECONDS */
const OLDEST_MS = 14 * 24 * 3_600_000;

export interface ReceiptWindow {
  opened(arrival: Arrival): void;
  /** The entry that strikes the message out, for the transaction that stores it. */
  struck(key: WireKey): Readonly<Record<string, undefined>>;
  /** Asks for what an earlier run acknowledged and did not store. Once a run of the process. */
  recover(line: Line, signal: AbortSignal): Promise<Recovered>;
}

export interface Recovered {
  readonly asked: number;
  /** Too old to be asked for, or too many. */
  readonly lost: number;
}

export interface WindowParts {
  readonly store: AccountStore;
  readonly now: () => number;
  /** Between two questions. */
  readonly pauseMs: number;
}

export function createReceiptWindow({ store, now, pauseMs }: WindowParts): ReceiptWindow {
  // What lies there now is from an earlier run; what this run writes down is on its way.
  let left = store.list(PREFIX, { limit: MOST_OPEN }).map(([key]) => key);
  let open = left.length;
  return {
    opened(arrival) {
      if (open >= MOST_OPEN) return;
      open += 1;
      store.put({ [nameOf(arrival.key)]: { ...arrival, key: { ...arrival.key } } as unknown as Json });
    },
    struck(key) {
      const name = nameOf(key);
      if (store.get(name) === undefined) return {};
      open -= 1;
      return { [name]: undefined };
    },
    async recover(line, signal) {
      const names = left;
      left = [];
      let [asked, lost] = [0, 0];
      for (const name of names) {
        const arrival = arrivalOf(store.get(name));
        // It came again by itself meanwhile.
        if (arrival === undefined) continue;
        store.put({ [name]: undefined });
        open -= 1;
        if (asked >= MOST_ASKED || now() - arrival.sentAtSeconds * 1000 > OLDEST_MS) lost += 1;
        else {
          asked += 1;
          await line.resend(arrival);
          await sleep(pauseMs, signal);
        }
      }
      return { asked, lost };
    },
  };
}

function nameOf({ remoteJid, participant, id }: WireKey): string {
  return `${PREFIX}${bareJid(remoteJid)}:${bareJid(participant ?? '')}:${id}`;
}

function arrivalOf(kept: Json | undefined): Arrival | undefined {
  if (typeof kept !== 'object' || kept === null || !('key' in kept)) return undefined;
  const key = messageKeySchema.safeParse(kept['key']).data;
  if (key === undefined) return undefined;
  const { sentAtSeconds, name } = kept as { readonly sentAtSeconds?: unknown; readonly name?: unknown };
  return {
    key,
    sentAtSeconds: typeof sentAtSeconds === 'number' ? sentAtSeconds : 0,
    name: typeof name === 'string' ? name : undefined,
  };
}
