/** What showing a turn needs from outside. */
import type { OutboundProgress, OutboundText, SentRef } from '../../adapters/adapter.ts';
import type { Account } from '../accounts.ts';
import type { Log } from '../log.ts';
import type { DisplaySettings } from '../settings.ts';
import type { Draft } from '../store/outbox.ts';
import type { TurnTarget } from '../target.ts';
import type { Clock } from '../time.ts';

export interface LiveDisplay extends Pick<DisplaySettings, 'progress' | 'streaming'> {
  readonly previewUnits: number;
}

export interface LiveBubble {
  /** Of the same turn in an earlier process. */
  readonly ref: SentRef | null;
  /** Called before the first edit, so that a restarted turn goes on with the same bubble. */
  opened(ref: SentRef): void;
  close(last: OutboundProgress | undefined): void;
}

/** The drafts of one turn, for the one who shows it. */
export interface TurnDrafts {
  /** The one that nothing has taken the place of. */
  open(): Draft | undefined;
  /** Something else is on its way to the chat. */
  mustWait(): boolean;
  begin(markdown: string): void;
  edit(draft: Draft, markdown: string, send: (ref: SentRef, message: OutboundText) => Promise<void>): Promise<void>;
}

export interface LiveOptions {
  readonly account: Account;
  readonly target: TurnTarget;
  /** Names the answer for `Adapter.preview`. */
  readonly key: string;
  /** Read anew at each event. */
  readonly display: () => LiveDisplay;
  readonly bubble: LiveBubble;
  readonly drafts: TurnDrafts;
  /** When the turn began, in whatever process. */
  readonly startedAt: number;
  readonly log: Log;
  readonly now: Clock;
}
