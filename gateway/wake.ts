/** Turns that nobody wrote to: a session is told what happened beside it, where and for whom it was at work when that began. */
import type { InboundMessage } from '../adapters/adapter.ts';
import { marked } from '../agent/results.ts';
import { decide } from './access.ts';
import type { Lanes } from './lanes.ts';
import type { Log } from './log.ts';
import { noticePart, type Outbox } from './outbox.ts';
import type { Settings } from './settings.ts';
import type { Store } from './store/index.ts';
import type { SessionRow } from './store/sessions.ts';
import type { TurnRow } from './store/turns.ts';
import { accountKey, outboxLane, type TurnTarget } from './target.ts';
import type { Clock } from './time.ts';

export interface Wake {
  /** Names whoever is at work in the session at this moment. Undefined: nobody is. */
  origin(session: string): string | undefined;
  /** On disk when it returns; the turn comes when the session has nothing else to do. The same key wakes once. May throw: nothing is stored then. */
  wake(session: string, note: WakeNote, by: WakeCause): void;
  /** The session has heard of it otherwise. Nothing happens where it is too late. */
  withdraw(session: string, key: string): void;
}

export interface WakeNote {
  /** What happened, in the gateway's own words. */
  readonly text: string;
  /** What a program printed. */
  readonly output?: string;
}

export interface WakeCause {
  readonly key: string;
  /** As `origin` named them. */
  readonly origin: string | undefined;
}

export interface WakeOptions {
  readonly store: Store;
  readonly lanes: Pick<Lanes, 'kick'>;
  readonly outbox: Pick<Outbox, 'add' | 'kick'>;
  readonly settings: () => Settings;
  /** What programs print may hold what no model is to read. */
  readonly redact: (text: string) => string;
  readonly log: Log;
  readonly now: Clock;
}

/** More in an hour, and nobody can be sure that a session does not keep itself busy. */
const mostAnHour = 30;
const hourMs = 3_600_000;
const noticeUnits = 600;

export function createWake(options: WakeOptions): Wake {
  const { store } = options;
  const recent = new Map<string, readonly number[]>();
  return {
    origin: (id) => {
      const session = store.sessions.get(id);
      const turn = session === undefined ? undefined : store.turns.running(session.key);
      return turn?.sessionId === id ? String(turn.id) : undefined;
    },
    wake: (id, note, { key, origin }) => {
      const session = store.sessions.get(id);
      const turn = origin === undefined ? undefined : store.turns.get(Number(origin));
      if (session === undefined || turn === undefined) return options.log.info({ session: id }, 'nobody is there to be woken');
      const event = eventOf(options, turn, { key, text: options.redact(noteText(note)) });
      if (!isLetIn(options, event)) return options.log.info({ session: id }, 'who is to be woken may not talk to me any more');
      const isOpen = store.sessions.open(session.key)?.id === id;
      if (isOpen && isRare(recent, id, options.now())) wakeUp(options, session, event);
      else notify(options, event, { session, target: targetOf(turn), text: `${note.text}${isOpen ? held : ''}` });
    },
    withdraw: (id, key) => {
      const session = store.sessions.get(id);
      if (session === undefined) return;
      const waiting = store.inbox.pending(session.key).find(({ mode, payload }) => mode === 'wake' && payload.event === eventId(key));
      if (waiting !== undefined) store.inbox.settle(waiting.id, 'said');
    },
  };
}

const held = ' (I was woken so often in the last hour that I wait for a word of yours.)';

function isRare(recent: Map<string, readonly number[]>, session: string, now: number): boolean {
  const times = (recent.get(session) ?? []).filter((at) => now - at < hourMs);
  const rare = times.length < mostAnHour;
  recent.set(session, rare ? [...times, now] : times);
  return rare;
}

function wakeUp({ store, lanes, now }: WakeOptions, { id, key }: SessionRow, event: InboundMessage): void {
  const added = store.durable(() => {
    store.sessions.touch(id, now()); // no reset policy gives the note to a conversation that knows nothing of it
    return store.inbox.add({ event, lane: key, state: 'pending', mode: 'wake' });
  });
  if (added !== undefined) lanes.kick(key);
}

interface Told {
  readonly session: SessionRow;
  readonly target: TurnTarget;
  readonly text: string;
}

/** The conversation is over, or must not go on by itself: the person hears of it, no model does. */
function notify({ store, outbox }: WakeOptions, event: InboundMessage, { session, target, text }: Told): void {
  store.durable(() => {
    const id = store.inbox.add({ event, lane: session.key, state: 'command' });
    if (id === undefined) return;
    store.inbox.settle(id, 'said');
    outbox.add([noticePart(target, `⚙️ ${text.slice(0, noticeUnits).toWellFormed()}`)]);
  });
  outbox.kick(outboxLane(target.chat));
}

/** They may have lost their place since they began it. */
function isLetIn({ store, settings }: WakeOptions, event: InboundMessage): boolean {
  const config = settings().account(accountKey(event.chat));
  if (config === undefined) return false;
  const paired = store.people.find(accountKey(event.chat), event.sender) !== undefined;
  return decide(event, { account: config, everywhere: settings().access, paired }).decision === 'allow';
}

/** As if they had said it: as far as they are known from what began the turn. */
function eventOf(
  { store, now }: WakeOptions,
  turn: TurnRow,
  { key, text }: { readonly key: string; readonly text: string },
): InboundMessage {
  const { id, name, aliases = [] } = turn.requester;
  const said = store.inbox.ofTurn(turn.id).find(({ payload }) => payload.sender.id === id);
  const { chat, chatType } = turn.target;
  return {
    type: 'message',
    event: eventId(key),
    chat,
    chatType,
    sender: said?.payload.sender ?? { id, name, aliases, isBot: false, roles: [] },
    sentAtMs: now(),
    message: '',
    text,
    mentioned: true,
    attachments: [],
  };
}

function eventId(key: string): string {
  return `wake:${key}`;
}

function targetOf({ target: { chat, chatType } }: TurnRow): TurnTarget {
  return { chat, chatType };
}

function noteText({ text, output = '' }: WakeNote): string {
  const rule =
    'No person wrote this. Go on with what it was for, or tell the person what they should know; answer [SILENT] where there is nothing to say.';
  const printed = output.trim();
  const note = `[note: ${text} ${rule}]`;
  return printed === '' ? note : `${note}\n${marked('what the process printed')(printed)}`;
}
