/**
 * WhatsApp in memory, behind the narrow interface of adapters/whatsapp/line.ts: chats that outlast connections, messages that wait while
 * nobody is connected, changes and deletions as phones apply them, and faults on demand.
 */
import type {
  Arrival,
  Content,
  Line,
  LineClosed,
  LineEvent,
  LineOptions,
  OpenLine,
  OutgoingFile,
  RelayOptions,
} from '../../adapters/whatsapp/line.ts';
import { LineError } from '../../adapters/whatsapp/line.ts';

/** What WhatsApp takes in one text. */
const LONGEST_TEXT = 65_536;

export interface Shown {
  readonly id: string;
  readonly chat: string;
  text: string;
  content: Content;
  deleted: boolean;
  edits: number;
}

export interface Spoken {
  readonly id?: string;
  readonly chat?: string;
  readonly chatAlt?: string;
  readonly from?: string;
  readonly fromAlt?: string;
  readonly fromMe?: boolean;
  readonly message?: Content;
  readonly name?: string;
  readonly sentAtSeconds?: number;
  readonly stub?: number;
}

export type Fault = 'accept-then-drop' | 'hang' | { readonly refuse: number };

export const BOT = { phone: '4930111@s.whatsapp.net', lid: '7001@lid' };
export const ANN = '49151222@s.whatsapp.net';

export interface FakeWhatsApp {
  readonly open: OpenLine;
  /** As people see them, oldest first, whatever was deleted left out. */
  messages(chat?: string): readonly Shown[];
  /** Everything that was relayed, changes too. */
  readonly relayed: { readonly jid: string; readonly content: Content; readonly options: RelayOptions }[];
  readonly typed: string[];
  readonly read: string[];
  readonly resends: Arrival[];
  readonly uploads: OutgoingFile[];
  /** How many connections were opened, and which one is. */
  readonly opened: number;
  say(text: string, more?: Spoken): string;
  deliver(spoken: Spoken): string;
  /** Of an earlier process: it arrived and was acknowledged, and nobody took it. */
  arrive(spoken: Spoken): string;
  fail(fault: Fault): void;
  /** The next question for a message does not go out; false again when that has happened. */
  failResend: boolean;
  /** What the next connections do instead of opening. */
  onConnect: ((line: FakeLine) => void) | undefined;
  /** The newest connection. */
  readonly line: FakeLine | undefined;
}

export interface FakeLine {
  readonly options: LineOptions;
  emit(event: LineEvent): void;
  close(code: number | undefined, message?: string): void;
}

interface Waiting {
  readonly spoken: Spoken & { readonly id: string };
}

export function createFakeWhatsApp(): FakeWhatsApp {
  const shown: Shown[] = [];
  const faults: Fault[] = [];
  const waiting: Waiting[] = [];
  let count = 0;
  let current: (FakeLine & { isOpen: boolean }) | undefined;
  const hand = (spoken: Spoken & { readonly id: string }, offline: boolean): void => {
    current?.emit({ type: 'arriving', arrival: arrivalOf(spoken) });
    current?.emit({ type: 'messages', messages: [wireOf(spoken)], offline });
  };
  const fake: FakeWhatsApp = {
    relayed: [],
    typed: [],
    read: [],
    resends: [],
    uploads: [],
    failResend: false,
    onConnect: undefined,
    get opened() {
      return count;
    },
    get line() {
      return current;
    },
    messages: (chat) => shown.filter((one) => !one.deleted && (chat === undefined || one.chat === chat)),
    say: (text, more = {}) => fake.deliver({ message: { conversation: text }, ...more }),
    deliver(spoken) {
      const named = {
        id: `PERSON${String(waiting.length + shown.length).padStart(4, '0')}${Math.random().toString(16).slice(2, 8)}`,
        ...spoken,
      };
      if (current?.isOpen) hand(named, false);
      else waiting.push({ spoken: named });
      return named.id;
    },
    arrive(spoken) {
      const named = { id: 'LOST0001', ...spoken };
      current?.emit({ type: 'arriving', arrival: arrivalOf(named) });
      return named.id;
    },
    fail: (fault) => void faults.push(fault),
    open: async (options) => {
      count += 1;
      const closed = Promise.withResolvers<LineClosed>();
      const line = {
        options,
        isOpen: false,
        emit: options.event,
        close(code: number | undefined, message = 'closed by the test') {
          line.isOpen = false;
          closed.resolve({ code, message });
        },
      };
      current = line;
      queueMicrotask(() => {
        if (fake.onConnect !== undefined) fake.onConnect(line);
        else begin(line);
      });
      return lineOf({ line, closed: closed.promise });
    },
  };
  const begin = (line: FakeLine & { isOpen: boolean }): void => {
    line.isOpen = true;
    line.emit({ type: 'alive' });
    line.emit({ type: 'open' });
    for (const { spoken } of waiting.splice(0)) hand(spoken, true);
    line.emit({ type: 'caught-up' });
    line.emit({ type: 'alive' });
  };
  const lineOf = ({ line, closed }: { line: FakeLine & { isOpen: boolean }; closed: Promise<LineClosed> }): Line => ({
    closed,
    end: () => line.close(undefined, 'ended'),
    relay: (jid, content, options) => relay({ fake, shown, faults, line, closed }, { jid, content, options }),
    pair: async (digits) => `PAIR-${digits.slice(-4)}`,
    resend: async (arrival) => {
      if (!fake.failResend) return void fake.resends.push(arrival);
      fake.failResend = false;
      throw new LineError('gone', { kind: 'closed' });
    },
    media: {
      upload: async (file) => {
        fake.uploads.push(file);
        return {
          [`${file.type}Message`]: { mimetype: file.mime, fileName: file.name, directPath: '/up/1', mediaKey: Buffer.alloc(32, 7) },
        };
      },
      renew: async () => '/renewed',
    },
    presence: {
      typing: async (jid) => void fake.typed.push(jid),
      read: async ({ id }) => void fake.read.push(id),
    },
  });
  return fake;
}

interface Relaying {
  readonly fake: FakeWhatsApp;
  readonly shown: Shown[];
  readonly faults: Fault[];
  readonly line: FakeLine;
  readonly closed: Promise<LineClosed>;
}

async function relay({ fake, shown, faults, closed }: Relaying, one: FakeWhatsApp['relayed'][number]): Promise<void> {
  const fault = faults.shift();
  if (fault === 'hang') return new Promise(() => undefined);
  if (typeof fault === 'object') throw new LineError('refused', { kind: 'refused', code: fault.refuse });
  fake.relayed.push(one);
  apply(shown, one);
  if (fault === 'accept-then-drop') {
    fake.line?.close(428);
    await closed;
    throw new LineError('gone', { kind: 'closed' });
  }
}

/** As a phone does: the same id twice is one message, changes and deletions apply to what they name. */
function apply(shown: Shown[], { jid, content, options }: FakeWhatsApp['relayed'][number]): void {
  const change = content['protocolMessage'] as { key: { id: string }; type: number; editedMessage?: Content } | undefined;
  if (content['reactionMessage'] !== undefined) return;
  if (change !== undefined) {
    const target = shown.find(({ id, chat }) => id === change.key.id && chat === jid);
    if (target === undefined) return;
    if (change.type === 0 && options.edit === '7') target.deleted = true;
    if (change.type === 14 && options.edit === '1')
      Object.assign(target, { text: textOf(change.editedMessage ?? {}), edits: target.edits + 1 });
    return;
  }
  if (shown.some(({ id }) => id === options.id)) return;
  shown.push({ id: options.id, chat: jid, text: textOf(content), content, deleted: false, edits: 0 });
}

function textOf(content: Content): string {
  const extended = content['extendedTextMessage'] as { readonly text?: string } | undefined;
  const text = String(content['conversation'] ?? extended?.text ?? '');
  if (text.length > LONGEST_TEXT) throw new LineError('too long', { kind: 'refused', code: 413 });
  if (!text.isWellFormed()) throw new LineError('no UTF-8', { kind: 'refused', code: 400 });
  return text;
}

function arrivalOf({ id = '', chat = ANN, chatAlt, from, fromAlt, fromMe = false, name, sentAtSeconds }: Spoken): Arrival {
  return {
    key: {
      remoteJid: chat,
      id,
      fromMe,
      ...(chatAlt === undefined ? {} : { remoteJidAlt: chatAlt }),
      ...(from === undefined ? {} : { participant: from }),
      ...(fromAlt === undefined ? {} : { participantAlt: fromAlt }),
    },
    sentAtSeconds: sentAtSeconds ?? Math.floor(Date.now() / 1000),
    name,
  };
}

function wireOf(spoken: Spoken): unknown {
  const { key, sentAtSeconds } = arrivalOf(spoken);
  return {
    key,
    messageTimestamp: sentAtSeconds,
    pushName: spoken.name ?? 'Ann',
    message: spoken.stub === undefined ? (spoken.message ?? null) : null,
    ...(spoken.stub === undefined ? {} : { messageStubType: spoken.stub }),
  };
}
