/** What a platform's tests give to the contract: one account with its fake behind it, and what the fake cannot do. */
import type { Adapter, ChatRef } from '../../../adapters/adapter.ts';
import type { Platform } from '../../../adapters/platform.ts';
import type { TestHost } from '../host.ts';

/**
 * Somebody says something in a chat or thread. The result shows what stands of the bot's where that belongs to be answered, and there alone:
 * texts with the markup taken out, files by their names.
 */
type Speaker = (text: string) => () => readonly string[];

/** One account of a platform with its fake behind it, connected. */
export interface ContractRig {
  readonly adapter: Adapter;
  readonly host: TestHost;
  /** A direct chat in which a person and the bot talk. */
  readonly chat: ChatRef;
  /** The person writes. The platform's own id of the message. */
  say(text: string): string;
  /** The person replies to this message of the bot's. */
  reply(message: string, text: string): void;
  /** Several chats, and threads where the platform has them. */
  readonly places: readonly Speaker[];
  /** Events that the platform would deliver again, because nobody has acknowledged them. */
  unacknowledged(): number;
  /** The platform delivers all that the person has said so far once more, as if no acknowledgement had come through. */
  redeliver(): void;
  /** The platform tells the bot of the bot's own messages in `chat`, beyond what it does by itself. Left out where it never would. */
  echo?(): void;
  /** The bot's messages as people see them now, markup taken out, oldest first. Cards without their buttons. */
  visible(): readonly string[];
  /** The platform's id of the message that the bot's newest message answers. Left out where people cannot see such a thing. */
  answered?(): string | undefined;
  /** How many messages of the bot stand anywhere. */
  written(): number;
  /** What the buttons of the bot's newest message say. Needed, with `click`, where the adapter has buttons. */
  choices?(): readonly string[];
  /** The person clicks a button of the bot's newest message. */
  click?(label: string): void;
  /** The clicks so far are too old for the platform to show an answer to them. */
  outdateClicks?(): void;
  /** Waits until the predicate holds. */
  until(predicate: () => unknown): Promise<void>;
  /** Stops the connection; resolves when `run` has. */
  stop(): Promise<void>;
  /** Another adapter for the same account, connected: the same fake and what the stopped one has stored. */
  startAnew(): Promise<ContractRig>;
  /** Stops what is left; what `setup` made also takes the fake down. */
  close(): Promise<void>;
  /** Makes the next send fail in this way. A platform leaves out what it cannot do. */
  readonly faults: {
    /** The platform asks for a pause of 7 s. */
    rateLimit?(): void;
    refuseFormatting?(): void;
    refuseAsTooLong?(): void;
    blockBot?(): void;
    /** The message is accepted, then the connection breaks before the answer. */
    acceptThenDrop?(): void;
    serverError?(): void;
    /** Takes the call and never answers. */
    hang?(): void;
  };
}

export interface AdapterContract {
  readonly name: string;
  readonly platform: Pick<Platform, 'split' | 'limits'>;
  setup(): Promise<ContractRig>;
  /** The platform keeps an event until it is acknowledged and offers it again. False where backfill takes that part. */
  readonly redelivers: boolean;
}
