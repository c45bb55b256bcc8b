/** What providers refuse in the shape of a conversation, as one sentence in the words of the strictest of them. */
import type { ChatBody, ChatMessage } from './model-wire.ts';

function isEmpty(message: ChatMessage): boolean {
  if (typeof message.content === 'string') return message.content.trim() === '';
  return (message.content ?? []).every((part) => part.type === 'text' && (part.text ?? '').trim() === '');
}

function callProblem(message: ChatMessage): string | undefined {
  const seen = new Set<string>();
  for (const call of message.tool_calls ?? []) {
    if (seen.has(call.id)) return `tool_calls: ids must be unique, '${call.id}' repeats`;
    seen.add(call.id);
    if (!/^[A-Za-z0-9_-]{1,40}$/.test(call.id)) return `Invalid 'tool_calls[].id': '${call.id}'`;
    if (!/^[A-Za-z0-9_-]{1,64}$/.test(call.function.name)) return `Invalid 'tool_calls[].function.name': '${call.function.name}'`;
    try {
      const parsed: unknown = JSON.parse(call.function.arguments);
      if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
        return 'tool_use.input: Input should be a valid dictionary';
    } catch {
      return 'tool_calls[].function.arguments must be valid JSON';
    }
  }
  return undefined;
}

/** After the assistant message at `index`: exactly its results, in call order. */
function pairingProblem(messages: readonly ChatMessage[], index: number): string | undefined {
  const calls = messages[index]?.tool_calls ?? [];
  for (const [offset, call] of calls.entries()) {
    const result = messages[index + 1 + offset];
    if (result?.role !== 'tool' || result.tool_call_id !== call.id) {
      return `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. Missing: ${call.id}`;
    }
  }
  return undefined;
}

function orphanProblem(messages: readonly ChatMessage[], index: number): string | undefined {
  let at = index - 1;
  while (messages[at]?.role === 'tool') at -= 1;
  const calls = messages[at]?.tool_calls ?? [];
  if (calls.length >= index - at) return undefined;
  return "messages with role 'tool' must be a response to a preceding message with 'tool_calls'";
}

function messageProblem(messages: readonly ChatMessage[], index: number): string | undefined {
  const message = messages[index];
  if (message === undefined) return undefined;
  const previous = messages[index - 1]?.role;
  if (message.role === 'tool') return orphanProblem(messages, index);
  if (message.role === 'user' && previous === 'user') return 'roles must alternate: two user messages in a row';
  if (message.role === 'user' && previous === 'tool') return "Unexpected role 'user' after role 'tool'";
  if (message.role === 'user' && isEmpty(message)) return 'user messages must have non-empty content';
  if (message.role !== 'assistant') return undefined;
  if (previous === 'assistant') return 'roles must alternate: two assistant messages in a row';
  if ((message.tool_calls?.length ?? 0) === 0 && isEmpty(message)) return 'all messages must have non-empty content';
  return callProblem(message) ?? pairingProblem(messages, index);
}

export function structureProblem(body: ChatBody): string | undefined {
  const first = body.messages.findIndex((message) => message.role !== 'system');
  if (first === -1) return 'messages: at least one message is required';
  if (body.messages[first]?.role !== 'user') return 'messages: first message must use the "user" role';
  const last = body.messages.at(-1)?.role;
  if (last !== 'user' && last !== 'tool') return 'Expected last role User or Tool for serving';
  for (let index = first; index < body.messages.length; index += 1) {
    const problem = messageProblem(body.messages, index);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
