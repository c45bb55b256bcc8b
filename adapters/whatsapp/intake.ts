/** From messages to `host.receive`: what came together is one transaction, with everything that has to be remembered of it. */
import type { Host, Inbound, Json } from '../adapter.ts';
import type { MenuCommand } from '../platform.ts';
import { gateRules } from '../shared/gate.ts';
import type { Chats } from './chats.ts';
import { type CodecContext, decodeMessage, type Me } from './codec.ts';
import type { MessageIds } from './ids.ts';
import { isConversation } from './jid.ts';
import type { Arrival } from './line.ts';
import type { People } from './people.ts';
import type { WhatsAppConfig } from './platform.ts';
import type { StormWatch } from './storm.ts';
import type { ReceiptWindow } from './window.ts';
import { messageKeySchema } from './wire.ts';

/** What waited this long at WhatsApp was written a while ago, and the model is told so. */
const LATE_MS = 120_000;
/** WhatsApp does not offer a message again, so that what cannot be stored waits here. */
const MOST_WAITING = 2000;

type Entries = Record<string, Json | undefined>;

export interface Intake {
  arriving(arrival: Arrival): void;
  messages(messages: readonly unknown[], offline: boolean): void;
  /** Something could not be stored; it waits in memory. */
  isBehind(): boolean;
  /** Stores what could not be stored before. False when it still cannot. */
  again(): boolean;
}

export interface IntakeParts {
  readonly config: WhatsAppConfig;
  readonly host: Host;
  readonly menu: readonly MenuCommand[];
  readonly people: People;
  readonly chats: Chats;
  readonly ids: MessageIds;
  readonly window: ReceiptWindow;
  readonly storm: StormWatch;
  readonly me: () => Me | undefined;
  readonly prefixes: readonly string[];
  readonly now: () => number;
}

interface Waiting {
  events: Inbound[];
  keep: Entries;
}

export function createIntake(parts: IntakeParts): Intake {
  const { host, people } = parts;
  const context = codecContext(parts);
  const waiting: Waiting = { events: [], keep: {} };
  const isEmpty = (): boolean => waiting.events.length === 0 && Object.keys(waiting.keep).length === 0;
  const again = (): boolean => {
    if (isEmpty()) return true;
    const { events, keep } = waiting;
    try {
      if (events.length > 0) host.receive(events, { ...people.learnt(), ...keep });
      else host.store.put({ ...people.learnt(), ...keep });
    } catch (error) {
      host.log.warn({ waiting: events.length, err: error }, 'incoming WhatsApp messages cannot be stored and wait in memory');
      return false;
    }
    people.stored();
    Object.assign(waiting, { events: [], keep: {} });
    return true;
  };
  return {
    arriving: (arrival) => {
      // What is on disk may be offered again, and then it cannot be decrypted and nobody hears of it.
      if (isWatched(arrival, parts) && !parts.chats.hasHeard(arrival.key)) parts.window.opened(arrival);
    },
    messages(messages, offline) {
      const me = parts.me();
      if (me === undefined) return;
      const isFirst = isEmpty();
      for (const raw of messages) take({ parts, waiting, offline }, raw, { ...context, me });
      // Behind what waits already: whoever tries that again takes this along.
      if (isFirst) again();
    },
    isBehind: () => !isEmpty(),
    again,
  };
}

function codecContext({ config, host, menu, people, ids, prefixes }: IntakeParts): Omit<CodecContext, 'me'> {
  return {
    account: host.account,
    mode: config.mode,
    rules: gateRules(config),
    commands: menu.flatMap(({ name, aliases = [] }) => [name, ...aliases]),
    prefixes,
    isOurs: ids.isOurs,
    join: people.join,
  };
}

/** Only what could become a turn: a busy group that nobody speaks to the bot in costs no more than this. */
function isWatched({ key }: Arrival, { config }: IntakeParts): boolean {
  if (!isConversation(key.remoteJid) || config.ignored_chats.includes(key.remoteJid)) return false;
  return (key.fromMe === true) === (config.mode === 'self-chat');
}

interface Batch {
  readonly parts: IntakeParts;
  readonly waiting: Waiting;
  readonly offline: boolean;
}

function take({ parts, waiting, offline }: Batch, raw: unknown, context: CodecContext): void {
  const decoded = decodeMessage(raw, context);
  const key = messageKeySchema.safeParse((raw as { readonly key?: unknown } | null)?.key).data;
  // Not struck out: it is asked for when there is room again.
  if (decoded.type === 'message' && waiting.events.length >= MOST_WAITING) return;
  if (key !== undefined) Object.assign(waiting.keep, parts.window.struck(key));
  if (decoded.type === 'undecryptable') parts.storm.undecryptable();
  else if (decoded.type === 'message') {
    const late = offline && parts.now() - decoded.message.sentAtMs > LATE_MS;
    waiting.events.push(late ? { ...decoded.message, late: true } : decoded.message);
    Object.assign(waiting.keep, parts.chats.heard(decoded));
  } else if (decoded.why.startsWith('not as documented'))
    parts.host.log.warn({ id: key?.id }, `A WhatsApp message was skipped: ${decoded.why}`);
}
