/**
 * The receipt window. The client library acknowledges a message before it hands it over, and by then it cannot be decrypted a second
 * time: what a crash cuts in between is gone at WhatsApp. So each id is written down before the message is decrypted, and struck out with
 * the message in one transaction; what an earlier connection left behind is asked for at the phone, which sends it again while it is online.
 */
import type { AccountStore, Json } from '../adapter.ts';
import { sleep } from '../shared/backoff.ts';
import { bareJid } from './jid.ts';
import type { Arrival, Line } from './line.ts';
import { messageKeySchema, type WireKey } from './wire.ts';

const PREFIX = 'window:';
/** More at once is a storm; what is written down already is what matters. */
const MOST_OPEN = 1000;
/** A phone answers few of these at a time: the rest waits for the next connection. */
const MOST_ASKED = 50;
/** Older ones WhatsApp does not answer. https://github.com/WhiskeySockets/Baileys: PLACEHOLDER_MAX_AGE_SECONDS */
const OLDEST_MS = 14 * 24 * 3_600_000;

export interface ReceiptWindow {
  /** A connection begins: what is open now came over an earlier one. */
  begun(): void;
  opened(arrival: Arrival): void;
  /** The entry that strikes the message out, for the transaction that stores it. */
  struck(key: WireKey): Readonly<Record<string, undefined>>;
  /** Asks for what an earlier connection acknowledged and nobody stored. Ends early with the signal; never rejects. */
  recover(line: Pick<Line, 'resend'>, signal: AbortSignal): Promise<Recovered>;
}

export interface Recovered {
  readonly asked: number;
  /** Too old to be asked for. */
  readonly lost: number;
  /** Not asked for yet; the next connection is. */
  readonly left: number;
}

export interface WindowParts {
  readonly store: AccountStore;
  readonly now: () => number;
  /** Between two questions. */
  readonly pauseMs: number;
}

export function createReceiptWindow(parts: WindowParts): ReceiptWindow {
  const { store } = parts;
  const open = new Set(store.list(PREFIX, { limit: MOST_OPEN }).map(([name]) => name));
  let earlier: readonly string[] = [];
  return {
    begun() {
      earlier = [...open];
    },
    opened(arrival) {
      const name = nameOf(arrival.key);
      if (open.has(name) || open.size >= MOST_OPEN) return;
      store.put({ [name]: { ...arrival, key: { ...arrival.key } } as unknown as Json });
      open.add(name);
    },
    struck(key) {
      const name = nameOf(key);
      return open.delete(name) ? { [name]: undefined } : {};
    },
    async recover(line, signal) {
      const names = earlier;
      earlier = [];
      return ask({ ...parts, open, line }, names, signal);
    },
  };
}

interface Asking extends WindowParts {
  readonly open: Set<string>;
  readonly line: Pick<Line, 'resend'>;
}

/** Each is struck out once it was asked for: a phone that does not have it would be asked for ever. */
async function ask({ store, now, pauseMs, open, line }: Asking, names: readonly string[], signal: AbortSignal): Promise<Recovered> {
  let [asked, lost, left] = [0, 0, 0];
  const strike = (name: string): void => {
    store.put({ [name]: undefined });
    open.delete(name);
  };
  for (const name of names) {
    const arrival = arrivalOf(store.get(name));
    // It came again by itself meanwhile.
    if (!open.has(name) || arrival === undefined) continue;
    if (now() - arrival.sentAtSeconds * 1000 > OLDEST_MS) {
      strike(name);
      lost += 1;
    } else if (signal.aborted || asked >= MOST_ASKED) left += 1;
    else if (await wasAsked(line, arrival)) {
      strike(name);
      asked += 1;
      await sleep(pauseMs, signal).catch(() => undefined);
    } else left += 1;
  }
  return { asked, lost, left };
}

function wasAsked(line: Pick<Line, 'resend'>, arrival: Arrival): Promise<boolean> {
  return line.resend(arrival).then(
    () => true,
    () => false,
  );
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
