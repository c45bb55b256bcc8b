/** What the crash test needs of a platform's fake, which outlives the daemon. */

export interface AcceptedSend {
  readonly text: string;
  /** Index of the chat, from 0. */
  readonly chat: number;
  /** When the platform accepted it, ms since the epoch. */
  readonly t: number;
}

export interface CrashPlatform {
  /** The daemon's configuration and environment for it. */
  readonly config: Readonly<Record<string, object>>;
  readonly env: Readonly<Record<string, string>>;
  /** There are no more chats than these. */
  readonly mostChats?: number;
  /** What was written before the first contact with a chat is nowhere to be found: the test begins with one. */
  readonly needsGreeting?: true;
  /** What a kill caught between the client's receipt and our store comes again later, behind what was written after it. */
  readonly comesLate?: true;
  /** Before the first start. */
  prepare?(home: string): void;
  /** A person writes in the chat with this index. */
  say(text: string, chat: number): void;
  /** Messages of the bot that the platform accepted, in order; one that it knew again by its key counts once. */
  sends(): readonly AcceptedSend[];
  /** Grows whenever the daemon shows that it is connected (a poll, a heartbeat). */
  contacts(): number;
  close(): Promise<void>;
}

export type StartCrashPlatform = (replyDelayMs: number) => Promise<CrashPlatform>;
