/**
 * One connection to WhatsApp, as narrow as we need it. `baileys.ts` makes it from the client library; nothing else in this folder knows
 * that library.
 */
import type { AdapterLog } from '../adapter.ts';
import type { MediaType } from './content.ts';
import type { KeyRing } from './keys.ts';
import type { WireKey } from './wire.ts';

/** A message as the protocol writes it (`proto.IMessage` of the client library). */
export type Content = Readonly<Record<string, unknown>>;

/** What a message says of itself before it is decrypted. */
export interface Arrival {
  readonly key: WireKey;
  readonly sentAtSeconds: number;
  readonly name: string | undefined;
}

export type LineEvent =
  /** Messages flow; who we are is in the credentials by now. */
  | { readonly type: 'open' }
  /** A code to be scanned; each takes the place of the one before. */
  | { readonly type: 'qr'; readonly qr: string; readonly livesMs: number }
  /** The phone has taken us as its device; WhatsApp ends the connection now and wants a new one. */
  | { readonly type: 'linked' }
  /** Something came from WhatsApp. */
  | { readonly type: 'alive' }
  /** What was sent while we were away has been handed over. */
  | { readonly type: 'caught-up' }
  /** A message is here and will be acknowledged by the client library. Before that: whoever hears this decides whether it is remembered. */
  | { readonly type: 'arriving'; readonly arrival: Arrival }
  /** `offline`: they waited at WhatsApp or on the phone. Not parsed. */
  | { readonly type: 'messages'; readonly messages: readonly unknown[]; readonly offline: boolean }
  /** WhatsApp keeps this account from beginning new chats, or stops doing so. */
  | { readonly type: 'restricted'; readonly active: boolean };

/** Why a connection ended. `code`: WhatsApp's or the client library's (libraries' DisconnectReason). */
export interface LineClosed {
  readonly code: number | undefined;
  readonly message: string;
}

export interface RelayOptions {
  readonly id: string;
  /** Changes (1) or takes back (7) an earlier message. */
  readonly edit?: '1' | '7';
}

export interface OutgoingFile {
  readonly path: string;
  readonly type: Exclude<MediaType, 'sticker'>;
  readonly mime: string;
  readonly name: string;
  readonly voice: boolean;
  readonly gif: boolean;
}

export interface Line {
  /** Resolves once, when the connection is over; never rejects. */
  readonly closed: Promise<LineClosed>;
  readonly media: LineMedia;
  readonly presence: LinePresence;
  /** Resolves when WhatsApp has taken the message. Rejects with LineError. */
  relay(jid: string, content: Content, options: RelayOptions): Promise<void>;
  /** A pairing code for the phone with this number; only while the device is not linked. */
  pair(digits: string): Promise<string>;
  /** Asks the phone for a message that we acknowledged and do not have. It comes as an event. Rejects when the question did not go out. */
  resend(arrival: Arrival): Promise<void>;
  end(): void;
}

interface LineMedia {
  /** Encrypts and uploads. */
  upload(file: OutgoingFile): Promise<Content>;
  /** Asks the phone to upload a file again that WhatsApp has forgotten; resolves with its new path. */
  renew(key: WireKey, media: { readonly type: MediaType; readonly mediaKey: Buffer; readonly path: string }): Promise<string>;
}

interface LinePresence {
  typing(jid: string): Promise<void>;
  read(key: WireKey): Promise<void>;
}

/**
 * - `closed`: no connection any more; whether the message went out is unknown.
 * - `silent`: WhatsApp has not said whether it took the message.
 * - `refused`: it did not take it, with its code.
 * - `failed`: it could not be made (no such group, no keys of the recipient).
 */
export class LineError extends Error {
  override readonly name = 'LineError';
  readonly kind: 'closed' | 'silent' | 'refused' | 'failed';
  readonly code: number | undefined;

  constructor(message: string, facts: { readonly kind: LineError['kind']; readonly code?: number; readonly cause?: unknown }) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.kind = facts.kind;
    this.code = facts.code;
  }
}

export interface LineOptions {
  readonly url: string;
  readonly version: readonly [number, number, number];
  readonly keys: KeyRing;
  readonly log: AdapterLog;
  readonly timing: LineTiming;
  readonly event: (event: LineEvent) => void;
  /** What we sent as this message, for a recipient who could not decrypt it. */
  readonly sent: (chat: string, id: string) => Content | undefined;
}

export interface LineTiming {
  /** For the socket and for each step of its handshake. */
  readonly connectMs: number;
  /** Answer to a question. */
  readonly queryMs: number;
  /** Until WhatsApp says that it took a message. */
  readonly takenMs: number;
  /** Between two signs of life that we ask for. */
  readonly keepAliveMs: number;
}

/** Rejects only when there is no client library to connect with. */
export type OpenLine = (options: LineOptions) => Promise<Line>;
