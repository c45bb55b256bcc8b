import { executeCalls } from './execute.ts';
import { RunError } from './failure.ts';
import { type AssistantMessage, type Message, noteText, type ToolCall } from './message.ts';
import { askModel, type Conversation, type StepOptions } from './step.ts';
import { toolSpec } from './tool-spec.ts';

/** Runs to the final answer and returns its text. Throws ModelError, RunError, the signal's reason, or what the journal throws. */
export async function runLoop(conversation: Conversation, signal: AbortSignal): Promise<string> {
  const { messages, input } = conversation;
  await execute(conversation, { calls: openCalls(messages), started: input.started }, signal);
  for (;;) {
    const last = messages.at(-1);
    if (last?.role === 'assistant' && isFinal(last)) return finalText(last);
    signal.throwIfAborted();
    const message = await nextMessage(conversation, signal);
    record(conversation, message);
    await execute(conversation, { calls: message.calls, started: noneStarted }, signal);
  }
}

const noneStarted: ReadonlySet<string> = new Set();

/** Calls without a result of the assistant message that the transcript ends in. */
function openCalls(messages: readonly Message[]): readonly ToolCall[] {
  const at = messages.findLastIndex((message) => message.role !== 'tool');
  const last = messages[at];
  if (last?.role !== 'assistant') return [];
  const answered = new Set(messages.slice(at + 1).map((message) => (message.role === 'tool' ? message.callId : '')));
  return last.calls.filter((call) => !answered.has(call.id));
}

interface Calls {
  readonly calls: readonly ToolCall[];
  readonly started: ReadonlySet<string>;
}

async function execute({ input, emit, messages, results }: Conversation, { calls, started }: Calls, signal: AbortSignal): Promise<void> {
  if (calls.length === 0) return;
  const { session, tools, journal, policy, asks } = input;
  messages.push(...(await executeCalls(calls, { session, tools, journal, policy, asks, results, started, emit }, signal)));
  if (!signal.aborted) messages.push(...(await input.interject(signal)));
}

function isFinal(message: AssistantMessage): boolean {
  return message.calls.length === 0 && message.text.trim() !== '';
}

function finalText(message: AssistantMessage): string {
  return message.finish === 'length'
    ? `${message.text}\n\n(The answer ends here because it reached the model's output limit.)`
    : message.text;
}

function record({ input, messages, progress, emit }: Conversation, message: AssistantMessage): void {
  input.journal.message(message);
  messages.push(message);
  progress.text = '';
  progress.steps += 1;
  emit({ type: 'message', message });
}

function nextMessage(conversation: Conversation, signal: AbortSignal): Promise<AssistantMessage> {
  const { progress, input } = conversation;
  if (progress.steps >= input.limits.maxSteps) return lastMessage(conversation, signal);
  return answer(conversation, { tools: input.tools.map(toolSpec) }, signal);
}

/** The step limit: no tools any more, only a summary. */
async function lastMessage(conversation: Conversation, signal: AbortSignal): Promise<AssistantMessage> {
  const { limits, tools } = conversation.input;
  const { maxSteps } = limits;
  const note = `[You have reached the limit of ${maxSteps} steps for this turn. No tools are available any more. Sum up now for the user: what was done, what was found, and what is left to do.]`;
  tell(conversation, note);
  const message = await answer(conversation, { tools: tools.map(toolSpec), withoutCalls: true }, signal);
  if (message.text.trim() !== '') return { ...message, calls: [], finish: message.finish === 'length' ? 'length' : 'stop' };
  throw new RunError(
    'step_limit',
    `I stopped at the limit of ${maxSteps} steps without an answer. Ask me to go on, or ask for a smaller part.`,
  );
}

const nudge = '[Your last answer was empty. Answer the user now, or call a tool.]';

async function answer(conversation: Conversation, options: StepOptions, signal: AbortSignal): Promise<AssistantMessage> {
  const first = await askModel(conversation, options, signal);
  if (!isEmpty(first)) return first;
  tell(conversation, nudge);
  const second = await askModel(conversation, options, signal);
  if (!isEmpty(second)) return second;
  throw new RunError('empty_answer', 'The model gave an empty answer twice. Please ask again, or put it differently.');
}

/** It becomes part of the transcript: the next request begins with it, too. A turn that goes on after a crash was told already. */
function tell({ input, messages }: Conversation, text: string): void {
  const note = noteText(text);
  const isTold = messages
    .slice(-1)
    .some((last) => last.role === 'user' && last.note === true && JSON.stringify(last) === JSON.stringify(note));
  if (isTold) return;
  input.journal.message(note);
  messages.push(note);
}

function isEmpty(message: AssistantMessage): boolean {
  return message.calls.length === 0 && message.text.trim() === '';
}
