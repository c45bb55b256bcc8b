import type { Message, Part } from '../message.ts';
import type { ToolSpec } from '../model.ts';

const imageTokens = 1_600;
/** Role, separators and ids that every provider adds to a message. */
const messageTokens = 4;

/**
 * ASCII counts a quarter of a token a character, everything else a third of a token a UTF-8 byte (so that a CJK character is one token).
 * How many bytes are not ASCII follows from the two lengths within a bound, without looking at the characters; the bound errs upwards.
 */
export function textTokens(text: string): number {
  const bytes = Buffer.byteLength(text);
  const wide = Math.min(bytes, 2 * (bytes - text.length));
  return (bytes - wide) / 4 + wide / 3;
}

function partTokens(part: Part): number {
  return part.type === 'image' ? imageTokens : textTokens(part.text);
}

function sum<T>(items: readonly T[], tokens: (item: T) => number): number {
  let total = 0;
  for (const item of items) total += tokens(item);
  return total;
}

export function messageTokensOf(message: Message): number {
  switch (message.role) {
    case 'user':
      return messageTokens + sum(message.content, partTokens);
    case 'assistant':
      return (
        messageTokens + textTokens(message.text) + sum(message.calls, (call) => messageTokens + textTokens(call.name + call.arguments))
      );
    case 'tool':
      return messageTokens + textTokens(message.content);
  }
}

export function toolTokens(tools: readonly ToolSpec[]): number {
  return tools.length === 0 ? 0 : textTokens(JSON.stringify(tools));
}

export function messagesTokens(messages: readonly Message[]): number {
  return sum(messages, messageTokensOf);
}
