import type { Usage } from './events.ts';
import type { AssistantMessage, Message, ToolCall } from './message.ts';

/** A tool as a model sees it. */
export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** How much a model thinks before it answers, as OpenAI names the levels. Not every model knows every one. */
export const reasoningEfforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'] as const;
/** Empty: what the provider does when it is not told. */
export type ReasoningEffort = '' | (typeof reasoningEfforts)[number];

export interface ModelRequest {
  readonly system: string;
  readonly messages: readonly Message[];
  readonly tools: readonly ToolSpec[];
  /** No tool may be called now; they are named all the same, so that the request begins as the one before it. */
  readonly withoutCalls?: true;
  readonly reasoning?: ReasoningEffort;
}

export type ModelEvent =
  | { readonly type: 'text.delta'; readonly text: string }
  | { readonly type: 'call'; readonly call: ToolCall }
  | { readonly type: 'usage'; readonly usage: Usage }
  /** A new attempt: everything yielded before is void. `waitMs` is how long the model layer waits first. */
  | { readonly type: 'retry'; readonly error: ModelError; readonly attempt: number; readonly waitMs: number }
  /** Last, exactly once. */
  | { readonly type: 'done'; readonly finish: AssistantMessage['finish'] };

export interface Model {
  readonly name: string;
  /** Tokens that a request and its answer may have together. */
  readonly windowTokens: number;
  /** Sees images. */
  readonly vision: boolean;
  /** Throws ModelError, or the signal's reason. */
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
}

export type ModelErrorKind =
  | 'auth'
  | 'billing'
  | 'rate_limit'
  | 'overloaded'
  | 'server'
  | 'timeout'
  | 'cut'
  | 'connection'
  | 'context_overflow'
  | 'image'
  | 'not_found'
  | 'bad_request'
  | 'content_policy';

/** `message` is one human sentence without secrets; the provider's own words are in `cause`. */
export class ModelError extends Error {
  override readonly name = 'ModelError';
  readonly kind: ModelErrorKind;
  readonly retryAfterMs?: number;

  constructor(kind: ModelErrorKind, message: string, facts: { readonly retryAfterMs?: number; readonly cause?: unknown } = {}) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.kind = kind;
    if (facts.retryAfterMs !== undefined) this.retryAfterMs = facts.retryAfterMs;
  }
}
