import type { Message, ToolCall, ToolMessage } from './message.ts';

/**
 * Where a run is persisted. Synchronous, and called BEFORE the effect: when a method throws, what it announced does not happen.
 * Implemented by the gateway.
 */
export interface Journal {
  /** A user or assistant message is now part of the transcript. */
  message(message: Message): void;
  /** The call is about to run. */
  started(call: ToolCall): void;
  /** The call's one result. Results arrive in call order. */
  finished(call: ToolCall, result: ToolMessage): void;
}
