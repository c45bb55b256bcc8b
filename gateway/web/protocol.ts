/** The frames of `/ws`, as `adapters/web/codec.ts` defines them (tests/page/protocol.test.ts holds the two together). */

export interface ProgressStep {
  readonly tool: string;
  readonly preview: string;
  readonly state: 'running' | 'ok' | 'failed';
  /** Calls that this line stands for; 1 where it says nothing. */
  readonly count?: number;
  readonly arguments?: string;
  readonly note?: string;
}

interface EntryBase {
  readonly seq: number;
  readonly version: number;
  readonly atMs: number;
}

/** The card that a message replies to. `ask` is the number that people read. */
export interface AskRef {
  readonly seq: number;
  readonly ask: number;
}

export interface AskChoice {
  readonly id: string;
  readonly label: string;
}

export type UserEntry = EntryBase & { readonly type: 'user'; readonly id: string; readonly text: string; readonly replyTo?: AskRef };
export type TextEntry = EntryBase & { readonly type: 'text'; readonly markdown: string; readonly plain?: true };
export type ProgressEntry = EntryBase & {
  readonly type: 'progress';
  readonly steps: readonly ProgressStep[];
  /** Calls before those, which are not listed any more. */
  readonly earlier?: number;
  readonly notice?: string;
  /** A person is asked. */
  readonly waiting?: true;
  readonly elapsedMs: number;
  readonly done: boolean;
};
export type AskEntry = EntryBase & {
  readonly type: 'ask';
  readonly token: string;
  readonly number: number;
  readonly markdown: string;
  readonly choices: readonly AskChoice[];
  readonly hint: string;
  /** Who decided what; set once it is closed. */
  readonly closed?: string;
  /** No turn waits for the answer. */
  readonly aside?: true;
};
export type Entry = UserEntry | TextEntry | ProgressEntry | AskEntry;

export interface ChatSummary {
  readonly chat: string;
  readonly title: string;
  readonly updatedAtMs: number;
}

export interface MenuCommand {
  readonly name: string;
  readonly description: string;
  readonly aliases?: readonly string[];
}

export type ServerFrame =
  | { readonly type: 'welcome'; readonly epoch: string; readonly chats: readonly ChatSummary[]; readonly menu: readonly MenuCommand[] }
  | { readonly type: 'chats'; readonly chats: readonly ChatSummary[] }
  | {
      readonly type: 'opened';
      readonly chat: string;
      readonly epoch: string;
      readonly version: number;
      readonly reset: boolean;
      readonly entries: readonly Entry[];
    }
  | { readonly type: 'earlier'; readonly chat: string; readonly entries: readonly Entry[] }
  | { readonly type: 'entry'; readonly chat: string; readonly entry: Entry }
  | { readonly type: 'ack'; readonly id: string }
  | { readonly type: 'retry'; readonly id: string }
  | { readonly type: 'refused'; readonly id: string; readonly reason: string }
  | { readonly type: 'preview'; readonly chat: string; readonly key: string; readonly at: number; readonly text: string }
  | { readonly type: 'typing'; readonly chat: string }
  | { readonly type: 'toast'; readonly text: string }
  | { readonly type: 'pong' };

export type ClientFrame =
  | { readonly type: 'open'; readonly chat: string; readonly epoch: string; readonly seen: number }
  | { readonly type: 'earlier'; readonly chat: string; readonly before: number }
  | { readonly type: 'message'; readonly chat: string; readonly id: string; readonly text: string; readonly replyTo?: number }
  | {
      readonly type: 'answer';
      readonly chat: string;
      readonly id: string;
      readonly seq: number;
      readonly token: string;
      readonly choice: string;
    }
  | { readonly type: 'ping' };

/** What the gateway takes as the name of a chat. */
export function isChatId(chat: string): boolean {
  return /^(?:main|[a-z0-9]{12,32})$/.test(chat);
}
