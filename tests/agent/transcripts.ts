/** Transcripts as crashes, stops, broken models and switches between providers leave them, for property tests. */
import fc from 'fast-check';
import type { AssistantMessage, Message, ToolCall, ToolMessage, UserMessage } from '../../agent/message.ts';

const text = fc.oneof(
  fc.constantFrom('', ' ', '\n', 'hello', 'weiter', '你好', '\ud800 lone', 'x'.repeat(500)),
  fc.string({ maxLength: 40, unit: 'binary' }),
);

/** Ids of several providers, repeated ones, empty ones and ones that no provider would take back. */
const id = fc.constantFrom('', 'call_0', 'call_1', 'a', 'b', 'toolu_01ABC', 'abcdefghi', 'x'.repeat(64), 'bad id!', '你');

const args = fc.oneof(
  fc.constantFrom('', '{}', '{"path":"a.txt"}', '{"path":', '[1]', '"text"', 'null', '{"a":"\ud800"}'),
  fc.jsonValue().map((value) => JSON.stringify(value)),
);

const toolCall: fc.Arbitrary<ToolCall> = fc.record({
  id,
  name: fc.constantFrom('terminal', 'read_file', '', 'functions.terminal', 'no such tool', 'n'.repeat(80)),
  arguments: args,
});

const user: fc.Arbitrary<UserMessage> = fc.record({
  role: fc.constant('user' as const),
  content: fc.array(
    fc.oneof(
      fc.record({ type: fc.constant('text' as const), text }),
      fc.record({ type: fc.constant('image' as const), path: fc.constant('/no/such.png'), mime: fc.constant('image/png'), note: text }),
    ),
    { maxLength: 3 },
  ),
});

const assistant: fc.Arbitrary<AssistantMessage> = fc.record({
  role: fc.constant('assistant' as const),
  text,
  calls: fc.array(toolCall, { maxLength: 4 }),
  finish: fc.constantFrom('stop' as const, 'calls' as const, 'length' as const),
});

const tool: fc.Arbitrary<ToolMessage> = fc.record({
  role: fc.constant('tool' as const),
  callId: id,
  name: fc.constant('terminal'),
  status: fc.constantFrom('ok' as const, 'error' as const, 'interrupted' as const, 'unknown' as const),
  content: text,
});

/** Anything in any order. */
export const chaos: fc.Arbitrary<Message[]> = fc.array(fc.oneof(user, assistant, tool), { maxLength: 30 });

function withResults(message: AssistantMessage, keep: readonly boolean[], content: string): Message[] {
  const results = message.calls.map((call): Message => ({ role: 'tool', callId: call.id, name: call.name, status: 'ok', content }));
  return [message, ...results.filter((_, index) => keep[index % Math.max(1, keep.length)] !== false)];
}

const step = fc
  .tuple(assistant, fc.array(fc.boolean(), { maxLength: 4 }), text)
  .map(([message, keep, content]) => withResults(message, keep, content));

/** Turns as the loop writes them, with results missing here and there and the end cut anywhere: a crash at any record. */
export const cutTurns: fc.Arbitrary<Message[]> = fc
  .tuple(fc.array(fc.tuple(user, fc.array(step, { maxLength: 4 })), { maxLength: 8 }), fc.nat({ max: 200 }))
  .map(([turns, end]) => turns.flatMap(([question, steps]) => [question, ...steps.flat()]).slice(0, end));

export const transcript = fc.oneof(chaos, cutTurns);
