/**
 * The contract between the gateway and a chat platform. A platform knows its own network and this file; it has never heard of
 * sessions, agents or the database. Everything that crosses the line is plain data that survives JSON, because it will sit in a table.
 */
import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Linking } from './linking.ts';

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** Where a conversation takes place. All ids are opaque outside the adapter that made them. */
export interface ChatRef {
  readonly platform: string;
  /** Configured name of the bot account, `main` unless there are several. */
  readonly account: string;
  readonly chat: string;
  /** Forum topic, thread; absent for the chat itself. */
  readonly thread?: string;
}

export type ChatType = 'dm' | 'group' | 'channel';

export interface Sender {
  /** Immutable id. Only this (and `aliases`) may ever authorise; `name` is for showing. */
  readonly id: string;
  /** Other immutable ids of the same person (WhatsApp phone and LID). */
  readonly aliases: readonly string[];
  readonly name: string;
  readonly isBot: boolean;
  readonly roles: readonly string[];
}

export type AttachmentKind = 'image' | 'voice' | 'audio' | 'video' | 'sticker' | 'file';

/** A reference: nothing is fetched before the sender is authorised. `handle` is what the adapter needs to fetch it. */
export interface Attachment {
  readonly kind: AttachmentKind;
  readonly handle: Json;
  readonly name?: string;
  readonly mime?: string;
  readonly sizeBytes?: number;
}

/** The message that was replied to, as far as the platform tells. */
export interface Quoted {
  readonly message: string;
  readonly author: string;
  readonly fromBot: boolean;
  readonly text: string;
}

interface InboundBase {
  /** The platform's own event id. Dedupe key: (platform, account, event). */
  readonly event: string;
  readonly chat: ChatRef;
  readonly chatType: ChatType;
  readonly sender: Sender;
  /** What people call the group or channel, for showing; left out where the platform does not tell. */
  readonly chatName?: string;
  /** When the platform says it was sent, ms since the epoch. */
  readonly sentAtMs: number;
}

export interface InboundMessage extends InboundBase {
  readonly type: 'message';
  /** The platform's message id; the answer may quote it. */
  readonly message: string;
  readonly text: string;
  /** The bot was addressed (always true in a DM). Adapters drop group messages that do not address the bot where mention gating is on. */
  readonly mentioned: boolean;
  readonly replyTo?: Quoted;
  readonly attachments: readonly Attachment[];
  /** Items of one album carry the same id and become one turn. */
  readonly album?: string;
  /** Fetched from the platform's history after a gap: the person wrote it a while ago, and the model is told so. */
  readonly late?: true;
}

/** A command registered natively with the platform. Text that begins with "/" is an InboundMessage and is judged by the gateway. */
export interface InboundCommand extends InboundBase {
  readonly type: 'command';
  readonly name: string;
  readonly args: string;
  /** Opaque; goes back through `Adapter.respond`. */
  readonly interaction: Json;
}

/** A person decided on one of our cards: with a button, or with what stands for one on the platform. */
export interface InboundAnswer extends InboundBase {
  readonly type: 'answer';
  /** `OutboundAsk.token` and `AskChoice.id`, as far as the platform vouches for them. */
  readonly token: string;
  readonly choice: string;
  /** The message id of the card that was used: a copy of a card elsewhere decides nothing. */
  readonly message: string;
  /** Opaque; goes back through `Adapter.respond`. */
  readonly interaction: Json;
}

export type Inbound = InboundMessage | InboundAnswer | InboundCommand;

/** One line of work in a progress bubble. */
export interface ProgressStep {
  readonly tool: string;
  readonly preview: string;
  readonly state: 'running' | 'ok' | 'failed';
  /** How many calls of the tool this line stands for, where it is more than one. */
  readonly count?: number;
  /** What it was called with, cut to one line; where people want to see that. */
  readonly arguments?: string;
  /** What a tool says about its work while it runs. */
  readonly note?: string;
}

export interface OutboundText {
  readonly type: 'text';
  readonly chat: ChatRef;
  /** One part as `Platform.split` cut it: it fits one message. */
  readonly markdown: string;
  /** Send without formatting: set after the platform refused the formatted form. */
  readonly plain?: true;
  readonly replyTo?: string;
  /** A part of the reply to this native command (`InboundCommand.interaction`): sent as its reply for as long as the platform takes one, else as any text. */
  readonly interaction?: Json;
}

export interface OutboundProgress {
  readonly type: 'progress';
  readonly chat: ChatRef;
  readonly steps: readonly ProgressStep[];
  /** Calls before those, which are not listed any more. */
  readonly earlier?: number;
  /** What else takes time, one sentence. */
  readonly notice?: string;
  /** A person is asked, and the turn goes on when they have answered. */
  readonly waiting?: true;
  readonly elapsedMs: number;
  /** The turn is over; the bubble is not edited again. */
  readonly done: boolean;
  readonly replyTo?: string;
}

export interface OutboundFile {
  readonly type: 'file';
  readonly chat: ChatRef;
  /** A file of the gateway's own media store; stays until the send is settled. */
  readonly path: string;
  readonly name: string;
  readonly mime: string;
  readonly kind: AttachmentKind;
  readonly replyTo?: string;
}

export interface AskChoice {
  /** 1 to 12 characters of [a-z0-9]. */
  readonly id: string;
  /** A person reads it; at most 60 characters. */
  readonly label: string;
}

/** A card that asks a person to decide. Edited once it is decided. */
export interface OutboundAsk {
  readonly type: 'ask';
  readonly chat: ChatRef;
  /** 16 characters of [a-z0-9] that nobody can guess; comes back with a click. */
  readonly token: string;
  /** What people call it by in this chat: "#3". */
  readonly number: number;
  /** What is asked; fits one message together with its choices. */
  readonly markdown: string;
  /** At most 8, as buttons where the platform has them, else as a numbered list. None once it is closed. */
  readonly choices: readonly AskChoice[];
  /** How else to answer, one line. */
  readonly hint: string;
  /** Who decided what, one line; set once it is closed. */
  readonly closed?: string;
  /** No turn waits for the answer: what is at work goes on meanwhile, or nothing is. */
  readonly aside?: true;
  /** Send without formatting: set after the platform refused the formatted form. */
  readonly plain?: true;
  readonly replyTo?: string;
}

export type Outbound = OutboundText | OutboundProgress | OutboundFile | OutboundAsk;

/** A message on the platform, ours but for `Adapter.react`. `id` is opaque outside the adapter. */
export interface SentRef {
  readonly chat: ChatRef;
  readonly id: string;
}

/**
 * The only error a send, edit, delete or fetch may reject with (besides the signal's reason).
 * - `rate_limited`: nothing was sent; wait `retryAfterMs` to the letter.
 * - `transient`: try again later. `certain` tells whether it is sure that nothing was sent; if not, the outcome is unknown.
 * - `rejected`: this will never work as it is. `formatting` is set when the same text may work as plain text.
 */
export class DeliveryError extends Error {
  override readonly name = 'DeliveryError';
  readonly kind: 'rate_limited' | 'transient' | 'rejected';
  readonly certain: boolean;
  readonly retryAfterMs?: number;
  readonly formatting: boolean;

  constructor(message: string, facts: DeliveryFacts) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.kind = facts.kind;
    this.certain = facts.certain;
    this.formatting = facts.formatting ?? false;
    if (facts.retryAfterMs !== undefined) this.retryAfterMs = facts.retryAfterMs;
  }
}

export interface DeliveryFacts {
  readonly kind: DeliveryError['kind'];
  readonly certain: boolean;
  readonly retryAfterMs?: number;
  readonly formatting?: boolean;
  readonly cause?: unknown;
}

/** The account cannot work until a person acts (bad token). `Adapter.run` rejects with it; the gateway stops that account and alerts. */
export class FatalAdapterError extends Error {
  override readonly name = 'FatalAdapterError';
}

export type AdapterState = 'connecting' | 'connected' | 'degraded' | 'down';

/** Synchronous, durable key-value store of one account: watermarks, logs, auth state. Survives SIGKILL once a call returned. */
export interface AccountStore {
  get(key: string): Json | undefined;
  /** One transaction. `null` as a value is stored as null; `undefined` removes the key. */
  put(entries: Readonly<Record<string, Json | undefined>>): void;
  /** Entries whose key starts with `prefix` and is greater than `after`, in key order, at most `limit` (the last ones when `newest`). */
  list(
    prefix: string,
    options: { readonly after?: string; readonly limit: number; readonly newest?: boolean },
  ): readonly (readonly [string, Json])[];
}

/** How a connection does. */
export interface ConnectionReport {
  /** What the connection is doing. `detail` is one human sentence without secrets. */
  state(state: AdapterState, detail?: string): void;
  /** Evidence of inbound progress (a clean poll, an event, a pong of the application layer); health is measured from this. */
  alive(): void;
  readonly log: AdapterLog;
}

/** What the gateway gives to an adapter. */
export interface Host extends ConnectionReport {
  /** The configured name of this account: `ChatRef.account` of everything that it hands over. */
  readonly account: string;
  /**
   * Synchronous. When it returns, all events are on disk or knowingly refused and the platform may be acknowledged.
   * When it throws, none of them is: do not acknowledge. `keep` goes to the account's store in the same transaction (watermarks).
   */
  receive(events: readonly Inbound[], keep?: Readonly<Record<string, Json | undefined>>): void;
  /** What we sent as this message, for platforms that ask for it again. Undefined where it was never sent, or longer ago than is kept. */
  sent(ref: SentRef): Outbound | undefined;
  readonly store: AccountStore;
}

/** Structured log, one line an event. Never message text, never secrets. */
export interface AdapterLog {
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
}

/** What became of a person's message: taken up, answered, or failed. */
export type Receipt = 'seen' | 'done' | 'failed';

export interface Adapter {
  /** The whole connection in one promise: resolves after a clean stop, rejects to be restarted (or with FatalAdapterError to be stopped). */
  run(signal: AbortSignal): Promise<void>;
  /** `key` is the idempotency key, used where the platform has one. Rejects with DeliveryError. */
  send(message: Outbound, key: string, signal: AbortSignal): Promise<SentRef>;
  /** A send repeated with the same key yields the same message: outcomes that are unknown may be repeated freely. */
  readonly idempotent?: true;
  // Optional members are capabilities: presence is the flag.
  edit?(ref: SentRef, message: Outbound, signal: AbortSignal): Promise<void>;
  delete?(ref: SentRef, signal: AbortSignal): Promise<void>;
  /** Shows the answer as far as it has come (drafts, native streams). `key` names the answer. Never the final text. */
  preview?(chat: ChatRef, key: string, markdown: string, signal: AbortSignal): Promise<void>;
  /** Whether `preview` shows anything in this chat at the moment; absent: everywhere. */
  previews?(chat: ChatRef): boolean;
  typing?(chat: ChatRef, signal: AbortSignal): Promise<void>;
  /** Marks a person's message with what became of it, in place of an earlier mark. A courtesy: where it cannot be, nothing is lost. */
  react?(message: SentRef, receipt: Receipt, signal: AbortSignal): Promise<void>;
  /** `OutboundAsk.choices` become buttons. Without it they are a numbered list, and people answer in words. */
  readonly buttons?: true;
  /** The answer to a native command or a click: a toast, a deferred reply. At most 200 characters are shown. */
  respond?(interaction: Json, text: string, signal: AbortSignal): Promise<void>;
  /** Called after authorisation only. Rejects with DeliveryError (`rejected` when it is too large or gone). */
  fetch?(attachment: Attachment, signal: AbortSignal): Promise<Readable>;
  /** Webhooks and sockets of this platform. Everything below is behind the gateway's sign-in but for routes with `config: { access: "public" }`, which authenticate themselves. */
  routes?(app: FastifyInstance, verified: (request: FastifyRequest) => string): void;
  readonly linking?: Linking;
}
