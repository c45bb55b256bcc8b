import type { AssistantMessage, ToolStatus } from './message.ts';

export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

export type Outcome =
  | { readonly status: 'completed'; readonly text: string; readonly steps: number; readonly usage: Usage }
  | { readonly status: 'failed'; readonly error: RunFailure; readonly text: string; readonly steps: number; readonly usage: Usage }
  | { readonly status: 'aborted'; readonly text: string; readonly steps: number; readonly usage: Usage };

/** `message` is one human sentence without a stack, a secret or a path. */
export interface RunFailure {
  readonly kind: string;
  readonly message: string;
  /** For the log, never for a chat: what a provider or a bug said in its own words. */
  readonly detail?: string;
}

/** What happens in a run. For showing only: what is persisted goes through the journal. `finished` is always last and comes exactly once. */
export type AgentEvent =
  | { readonly type: 'text.delta'; readonly text: string }
  /** The text shown since the last `message` is void: the request is made again. */
  | { readonly type: 'text.reset' }
  | { readonly type: 'message'; readonly message: AssistantMessage }
  | {
      readonly type: 'tool.started';
      readonly callId: string;
      readonly name: string;
      readonly preview: string;
      /** As the model wrote them. */
      readonly arguments: string;
    }
  | { readonly type: 'tool.progress'; readonly callId: string; readonly note: string }
  | {
      readonly type: 'tool.finished';
      readonly callId: string;
      readonly name: string;
      readonly status: ToolStatus;
      readonly elapsedMs: number;
    }
  /** What happens in a child agent that this call has at work. Its `finished` is the last one. */
  | { readonly type: 'child.event'; readonly callId: string; readonly child: string; readonly event: AgentEvent }
  /** A person is being asked; until `ask.closed` no clock of the turn runs. */
  | { readonly type: 'ask.opened'; readonly callId: string }
  | { readonly type: 'ask.closed'; readonly callId: string }
  | { readonly type: 'usage'; readonly usage: Usage }
  | { readonly type: 'notice'; readonly code: NoticeCode; readonly text: string }
  | { readonly type: 'finished'; readonly outcome: Outcome };

/** `context_trimmed`: the oldest turns were left out of the request. `retrying`: the model is asked again after a wait. */
export type NoticeCode = 'context_trimmed' | 'retrying';
