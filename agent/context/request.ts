import type { Message, Part } from '../message.ts';
import type { ModelRequest } from '../model.ts';
import { type Budget, type FitInput, fitToWindow } from './fit.ts';
import { alternate, pairUp } from './repair.ts';

export interface RequestInput extends FitInput {
  /** A passing note for the newest message of this one request; never stored, never in the system prompt (which providers cache). */
  readonly note?: string;
  readonly withoutImages: boolean;
}

export interface BuiltRequest {
  readonly request: ModelRequest;
  readonly tokens: number;
  /** Messages at the transcript's beginning. */
  readonly leftOut: number;
}

/** From the transcript (`messages`) to what is sent. Throws ModelError `context_overflow`. */
export function buildRequest(input: RequestInput, budget: Budget): BuiltRequest {
  const paired = pairUp(input.messages);
  const fitted = fitToWindow({ ...input, messages: input.withoutImages ? paired.map(withoutImages) : paired }, budget);
  const messages = alternate(fitted.messages);
  if (input.note !== undefined) messages.splice(-1, 1, ...messages.slice(-1).map((last) => noted(last, input.note ?? '')));
  return { request: { system: input.system, messages, tools: input.tools }, tokens: fitted.tokens, leftOut: fitted.leftOut };
}

/** On results it goes into the last one: not every provider takes a user message there. */
function noted(message: Message, note: string): Message {
  if (message.role === 'user') return { ...message, content: [...message.content, { type: 'text', text: note }] };
  return message.role === 'tool' ? { ...message, content: `${message.content}\n\n${note}` } : message;
}

function noteOf(part: Part): Part {
  return part.type === 'image' ? { type: 'text', text: part.note } : part;
}

function withoutImages(message: Message): Message {
  return message.role === 'user' ? { ...message, content: message.content.map(noteOf) } : message;
}
