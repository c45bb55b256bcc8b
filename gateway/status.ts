/** What `hermes gateway status`, `/readyz` and the page tell about the daemon. */
import type { AdapterState, AskChoice, ChatType } from '../adapters/adapter.ts';
import type { Links } from './link-state.ts';
import type { PermissionsControl } from './permissions/control.ts';
import type { AuditStore } from './store/audit.ts';
import type { Role } from './store/people-schema.ts';

export interface AccountStatus {
  readonly platform: string;
  readonly account: string;
  readonly state: AdapterState | 'stopped';
  /** One human sentence without secrets. */
  readonly detail?: string;
  /** Last evidence of inbound progress, ms since the epoch. */
  readonly aliveAtMs?: number;
  readonly restarts: number;
}

export interface Status {
  readonly version: string;
  readonly pid: number;
  readonly startedAtMs: number;
  readonly home: string;
  readonly database: string;
  readonly model: { readonly name: string; readonly demo: boolean };
  readonly accounts: readonly AccountStatus[];
  readonly work: {
    readonly inboxPending: number;
    readonly turnsRunning: number;
    readonly outboxPending: number;
    readonly outboxUnknown: number;
  };
  /** Things the owner should know, one sentence each. */
  readonly notes: readonly string[];
}

/** A question that waits for a person, in whatever chat. */
export interface OpenAsk {
  readonly id: number;
  /** What people call it by in its chat. */
  readonly number: number;
  /** Its card is in one of the page's own chats. */
  readonly onPage: boolean;
  /** Where whoever it is about talks: elsewhere than its card is, where the owner is asked about a stranger. */
  readonly platform: string;
  readonly chat: string;
  readonly chatType: ChatType;
  /** Whose turn asks, or the stranger who wants to be let in, as people know them. */
  readonly person: string;
  readonly markdown: string;
  readonly choices: readonly AskChoice[];
  readonly deadlineAtMs: number;
}

export interface PeopleList {
  readonly people: readonly {
    readonly account: string;
    readonly person: string;
    readonly name: string;
    readonly role: Role;
    readonly groupRole: Role;
    readonly approvedAtMs: number;
  }[];
  /** Strangers who wait for a word of the owner. */
  readonly requests: readonly {
    readonly id: string;
    readonly account: string;
    readonly person: string;
    readonly name: string;
    readonly expiresAtMs: number;
  }[];
  /** With which the first owner shows on a chat platform who they are; absent once there is one. */
  readonly claimCode?: string;
}

/** `text`: one sentence for the owner; `done` is false when nothing was changed. */
export interface Done {
  readonly done: boolean;
  readonly text: string;
}

/** Who is let in. `account` is "<platform>/<account>". */
export interface PeopleControl {
  all(): PeopleList;
  approve(account: string, code: string, role?: Role): Done;
  /** Ends what is theirs, too. */
  revoke(account: string, person: string): Done;
  /** Forgets the requests; of one account, or all. */
  clear(account?: string): Done;
}

/** The control API: served behind the page's sign-in and on the Unix socket alike. */
export interface ControlHandlers {
  status(): Status;
  /** The store answers, and every account that is switched on shows evidence of inbound progress. */
  ready(): { readonly ready: boolean; readonly accounts: readonly AccountStatus[] };
  /** A fresh one-time link to the browser page; undefined when the page is off. */
  signInLink(): string | undefined;
  /** Drains and starts again. Absent where nothing could start it. */
  restart?(): void;
  /** Oldest first. */
  asks(): readonly OpenAsk[];
  /** The owner decides, from wherever. `text`: one sentence for the owner; `done` is false when nothing was changed. */
  answerAsk(id: number, choice: string): Done;
  /** How many strangers wait to be let in. Absent in safe mode. */
  strangers?(): number;
  /** Absent in safe mode. */
  readonly people?: PeopleControl;
  /** Absent in safe mode. */
  readonly permissions?: PermissionsControl;
  /** Who had what run. Absent where the store could not be opened. */
  readonly audit?: Pick<AuditStore, 'read' | 'check'>;
  /** Linking of accounts that are a person's phone. */
  readonly links?: Links;
}
