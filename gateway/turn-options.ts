import type { Tool } from '../agent/tool.ts';
import type { AccountDirectory } from './accounts.ts';
import type { AskDesk } from './asks/asks.ts';
import type { Audit } from './audit.ts';
import type { Children } from './children.ts';
import type { Log } from './log.ts';
import type { Media } from './media.ts';
import type { DraftOutbox } from './outbox.ts';
import type { Bubbles } from './presenter/bubbles.ts';
import type { PromptSources } from './prompt/sources.ts';
import type { Receipts } from './receipts.ts';
import type { WriteFile } from './result-files.ts';
import type { KeyRules, Sessions } from './sessions.ts';
import type { Settings } from './settings.ts';
import type { Store } from './store/index.ts';
import type { Clock } from './time.ts';

/** What every turn of the daemon works with. */
export interface TurnOptions {
  readonly store: Store;
  readonly sessions: Sessions;
  readonly accounts: AccountDirectory;
  readonly outbox: DraftOutbox;
  readonly bubbles: Bubbles;
  readonly media: Media;
  readonly desk: AskDesk;
  readonly audit: Audit;
  readonly receipts: Receipts;
  readonly children: Children;
  readonly tools: readonly Tool[];
  readonly writeFile: WriteFile;
  readonly prompts: PromptSources;
  readonly settings: () => Settings;
  readonly keys: KeyRules;
  readonly notifyReset: boolean;
  readonly log: Log;
  readonly now: Clock;
}
