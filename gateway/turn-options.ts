import type { Model } from '../agent/model.ts';
import type { Tool } from '../agent/tool.ts';
import type { AccountDirectory } from './accounts.ts';
import type { Log } from './log.ts';
import type { Media } from './media.ts';
import type { Outbox } from './outbox.ts';
import type { KeyRules, Sessions } from './sessions.ts';
import type { Store } from './store/index.ts';
import type { Clock } from './time.ts';

/** What every turn of the daemon works with. */
export interface TurnOptions {
  readonly store: Store;
  readonly sessions: Sessions;
  readonly accounts: AccountDirectory;
  readonly outbox: Outbox;
  readonly media: Media;
  readonly agent: AgentOptions;
  readonly keys: KeyRules;
  readonly notifyReset: boolean;
  readonly log: Log;
  readonly now: Clock;
}

export interface AgentOptions {
  readonly model: Model;
  readonly tools: readonly Tool[];
  readonly maxSteps: number;
  /** The owner's own words for the system prompt. */
  readonly instructions: string | undefined;
}
