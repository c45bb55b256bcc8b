/** What is stored and what a model is sent. Plain data: survives JSON. */

export interface TextPart {
  readonly type: 'text';
  readonly text: string;
}

/** An image on disk. It is read when a request is built; if it is gone by then, its `note` stands for it. */
export interface ImagePart {
  readonly type: 'image';
  readonly path: string;
  readonly mime: string;
  /** Its size. */
  readonly bytes?: number;
  /** One line that says what it is, for models that do not see. */
  readonly note: string;
}

export type Part = TextPart | ImagePart;

export interface ToolCall {
  /** The model's own id; unique within one assistant message. */
  readonly id: string;
  readonly name: string;
  /** Raw JSON as the model wrote it; may be invalid. */
  readonly arguments: string;
}

export interface UserMessage {
  readonly role: 'user';
  readonly content: readonly Part[];
  /** Said while the turn was at work: the model hears it after the results and goes on. */
  readonly interjected?: true;
  /** Said by the program, not by a person. It stays where it was said: what a model has read must not change behind it. */
  readonly note?: true;
}

export interface AssistantMessage {
  readonly role: 'assistant';
  readonly text: string;
  readonly calls: readonly ToolCall[];
  /** `length`: the model's output limit cut it. */
  readonly finish: 'stop' | 'calls' | 'length';
}

/**
 * Exactly one for each call, in call order.
 * `refused`: policy; `skipped`: never started; `interrupted`: cut while running; `unknown`: cut by a crash, outcome unknown.
 */
export type ToolStatus = 'ok' | 'error' | 'refused' | 'skipped' | 'interrupted' | 'unknown';

export interface ToolMessage {
  readonly role: 'tool';
  readonly callId: string;
  readonly name: string;
  readonly status: ToolStatus;
  readonly content: string;
  /** Of the program that the tool ran. */
  readonly exitCode?: number;
}

export type Message = UserMessage | AssistantMessage | ToolMessage;

/** What the program has to say to the model in the middle of a turn. */
export function noteText(text: string): UserMessage {
  return { ...userText(text), interjected: true, note: true };
}

export function userText(text: string): UserMessage {
  return { role: 'user', content: [{ type: 'text', text }] };
}
