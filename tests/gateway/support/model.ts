import type { Message, ToolCall } from '../../../agent/message.ts';
import type { Model, ModelEvent, ModelRequest } from '../../../agent/model.ts';

/** What the model does with a request. A string is an answer, a call a tool call; a function may look at the request or wait. */
export type Reaction = string | Error | { readonly call: string; readonly args?: unknown } | readonly ModelEvent[];
export type Script = (request: ModelRequest, signal: AbortSignal) => Reaction | Promise<Reaction>;

export interface ScriptedModel extends Model {
  /** Every request that was made. */
  readonly requests: readonly ModelRequest[];
}

export function scriptedModel(script: Script, facts: { readonly vision?: boolean } = {}): ScriptedModel {
  const requests: ModelRequest[] = [];
  return {
    name: 'scripted',
    windowTokens: 100_000,
    vision: facts.vision ?? false,
    requests,
    async *stream(request, signal) {
      requests.push(request);
      signal.throwIfAborted();
      const reaction = await script(request, signal);
      signal.throwIfAborted();
      if (reaction instanceof Error) throw reaction;
      yield* eventsOf(reaction, requests.length);
    },
  };
}

function eventsOf(reaction: Exclude<Reaction, Error>, number: number): readonly ModelEvent[] {
  if (typeof reaction === 'string') {
    return [
      { type: 'text.delta', text: reaction },
      { type: 'done', finish: 'stop' },
    ];
  }
  if (!('call' in reaction)) return reaction;
  const call: ToolCall = { id: `call-${number}`, name: reaction.call, arguments: JSON.stringify(reaction.args ?? {}) };
  return [
    { type: 'call', call },
    { type: 'done', finish: 'calls' },
  ];
}

/** Answers "echo: " and the last user message; asks no tool. */
export const echo: Script = (request) => `echo: ${lastText(request.messages)}`;

/** The text of the newest user message. */
export function lastText(messages: readonly Message[]): string {
  const last = messages.findLast((message) => message.role === 'user');
  if (last?.role !== 'user') return '';
  return last.content.map((part) => (part.type === 'text' ? part.text : part.note)).join('\n');
}

/** The results that follow the newest user message. */
export function lastResults(messages: readonly Message[]): readonly string[] {
  const from = messages.findLastIndex((message) => message.role === 'user');
  return messages.slice(from + 1).flatMap((message) => (message.role === 'tool' ? [`${message.status}: ${message.content}`] : []));
}

/** Resolves when the signal fires. */
export function never(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
