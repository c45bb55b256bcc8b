import type { InboundCommand, InboundMessage } from '../../adapters/adapter.ts';
import type { Answers } from '../asks/answers.ts';
import type { Lanes } from '../lanes.ts';
import type { Processes } from '../processes.ts';
import type { Sessions } from '../sessions.ts';
import type { Settings } from '../settings.ts';
import type { Store } from '../store/index.ts';
import type { InboxMode } from '../store/schema.ts';
import type { TurnTarget } from '../target.ts';

/** What commands work with. */
export interface CommandPorts {
  readonly store: Store;
  readonly sessions: Sessions;
  readonly lanes: Lanes;
  readonly answers: Answers;
  readonly settings: () => Settings;
  readonly daemon: DaemonPort;
  /** What runs beyond the turn that started it. */
  readonly processes: Pick<Processes, 'running' | 'end'>;
}

export interface DaemonPort {
  readonly version: string;
  /** A few lines about the gateway and its connections. */
  status(): string;
  /** An account as people read of it. */
  label(account: string): string;
  /**
   * Part of the command's transaction: once that is committed the gateway starts again, and `target` hears of it afterwards. Absent where
   * nothing could start it.
   */
  restart?(by: { readonly target: TurnTarget; readonly lane: string }): void;
}

export interface CommandCall {
  /** Of its inbox row: what came before it has a smaller one. */
  readonly id: number;
  /** Session key of the chat it was given in. */
  readonly lane: string;
  readonly event: InboundMessage | InboundCommand;
  readonly args: string;
  /** ms since the epoch. */
  readonly now: number;
  readonly ports: CommandPorts;
}

export interface CommandResult {
  /** Markdown; empty: the command says nothing itself. */
  readonly reply: string;
  /** Something to say to the model, in this lane or another, instead of a command. */
  readonly say?: Say;
  /** Once the effect, the reply and the record that it ran are committed. */
  after?(): void;
}

export interface Say {
  readonly text: string;
  readonly lane?: string;
  readonly mode?: InboxMode;
}

export interface Command {
  readonly name: string;
  readonly aliases: readonly string[];
  /** As shown behind the name: "[n|all]"; empty without arguments. */
  readonly usage: string;
  readonly description: string;
  /** `admin`: only who administers the gateway, and not in a shared place. */
  readonly who: 'anyone' | 'admin';
  /** Works while the lane has something to do; else the person is told to wait or to stop it. */
  readonly whileBusy: boolean;
  /** Synchronous, inside one transaction with the record that it ran. */
  run(call: CommandCall): CommandResult;
}
