import type { Message, Part } from '../message.ts';
import type { ModelRequest } from '../model.ts';
import type { RequestCut } from './cut.ts';
import { type Budget, type FitInput, fitToWindow } from './fit.ts';
import { earlyImages, withoutEarlyImages } from './images.ts';
import { alternate, pairUp } from './repair.ts';

export interface RequestInput extends FitInput {
  readonly withoutImages: boolean;
  readonly withoutCalls?: true;
}

export interface BuiltRequest {
  readonly request: ModelRequest;
  readonly tokens: number;
  readonly cut: RequestCut;
}

/** From the transcript (`messages`) to what is sent. Throws ModelError `context_overflow`. */
export function buildRequest(input: RequestInput, budget: Budget): BuiltRequest {
  const paired = pairUp(input.messages);
  const early = input.withoutImages ? 0 : earlyImages(paired);
  const fitted = fitToWindow(
    { ...input, messages: input.withoutImages ? paired.map(withoutImages) : withoutEarlyImages(paired, early) },
    budget,
  );
  const calls = input.withoutCalls === true ? { withoutCalls: input.withoutCalls } : {};
  const request = { system: input.system, messages: alternate(fitted.messages), tools: input.tools, ...calls };
  return { request, tokens: fitted.tokens, cut: { ...fitted.cut, ...(early === 0 ? {} : { earlyImages: early }) } };
}

function noteOf(part: Part): Part {
  return part.type === 'image' ? { type: 'text', text: part.note } : part;
}

function withoutImages(message: Message): Message {
  return message.role === 'user' ? { ...message, content: message.content.map(noteOf) } : message;
}
