import type { Message, ToolCall } from '../message.ts';
import { ModelError, type ToolSpec } from '../model.ts';
import { cutMiddle, head } from '../text.ts';
import type { RequestCut } from './cut.ts';
import { messagesTokens, messageTokensOf, textTokens, toolTokens } from './estimate.ts';

export interface FitInput {
  readonly system: string;
  readonly tools: readonly ToolSpec[];
  /** As `pairUp` returns them. */
  readonly messages: readonly Message[];
}

export interface Budget {
  /** More than this is never sent. */
  readonly highTokens: number;
  /** Once it must be cut, it is cut down to this, so that the next turns can append again. */
  readonly lowTokens: number;
}

export interface Fitted {
  readonly messages: readonly Message[];
  readonly cut: RequestCut;
  /** Estimate of the whole request. */
  readonly tokens: number;
}

/** The rest of the window is the answer's, and the estimate's error. */
const usedShare = 0.8;

export function budgetOf(windowTokens: number): Budget {
  return { highTokens: windowTokens * usedShare, lowTokens: windowTokens * 0.6 };
}

/** The window of a budget with so many tokens. */
export function windowFor(highTokens: number): number {
  return highTokens / usedShare;
}

/**
 * Leaves out the oldest whole turns until the request fits, then shortens the results and leaves out the oldest steps of what is left,
 * never the last user message. Pure. Throws ModelError `context_overflow` when that alone does not fit; it names the part that is too big.
 */
export function fitToWindow(input: FitInput, budget: Budget): Fitted {
  const fixed = fixedTokens(input);
  const room = { high: budget.highTokens - fixed, low: budget.lowTokens - fixed };
  const { start, total } = cutPoint(input.messages, room, 'user');
  const kept = input.messages.slice(start);
  if (total <= room.high) return { messages: kept, cut: { messages: start }, tokens: fixed + total };
  const { messages, ...cut } = shrink(input, kept, budget.highTokens);
  return { messages, cut: { messages: start, ...cut }, tokens: fixed + messagesTokens(messages) };
}

function fixedTokens(input: FitInput): number {
  return textTokens(input.system) + toolTokens(input.tools);
}

interface Cut {
  readonly start: number;
  /** Of everything from `start` on. */
  readonly total: number;
}

interface Room {
  readonly high: number;
  readonly low: number;
}

/**
 * Replays the conversation message by message and moves the cut only where it had to move then. So the cut is a function of what came
 * before it is needed: as long as no new cut is needed, the next request begins with the same messages.
 */
function cutPoint(messages: readonly Message[], room: Room, boundary: Message['role']): Cut {
  const tokens = messages.map(messageTokensOf);
  let start = 0;
  let total = 0;
  for (const [index, size] of tokens.entries()) {
    total += size;
    if (total <= room.high) continue;
    ({ start, total } = moveCut({ messages, tokens, boundary, start, end: index }, total, room.low));
  }
  return { start, total };
}

interface Span {
  readonly messages: readonly Message[];
  readonly tokens: readonly number[];
  /** Role that a cut may be in front of. */
  readonly boundary: Message['role'];
  readonly start: number;
  readonly end: number;
}

/** The first turn from which `total` is at most `low`, or the last turn that begins within the span. */
function moveCut(
  { messages, tokens, boundary, start, end }: Span,
  total: number,
  low: number,
): { readonly start: number; readonly total: number } {
  let best = { start, total };
  let left = total;
  for (let index = start + 1; index <= end && best.total > low; index += 1) {
    left -= tokens[index - 1] ?? 0;
    if (messages[index]?.role === boundary) best = { start: index, total: left };
  }
  return best;
}

/** Results and arguments longer than this are shortened: the first rung that is short enough holds for all, so that it changes seldom. */
const rungs = [20_000, 8_000, 3_000, 1_000, 300];

interface Shrunk extends Pick<RequestCut, 'resultLength' | 'steps'> {
  readonly messages: readonly Message[];
}

/** One turn that is too big by itself. */
function shrink(input: FitInput, kept: readonly Message[], highTokens: number): Shrunk {
  const question = kept.slice(0, kept[0]?.role === 'user' ? 1 : 0);
  const room = highTokens - fixedTokens(input);
  if (messagesTokens(question) > room) throw overflow(input, question, highTokens);
  let steps = kept.slice(question.length);
  for (const rung of rungs) {
    steps = kept.slice(question.length).map((message) => shorten(message, rung));
    if (messagesTokens(question) + messagesTokens(steps) <= room) return { messages: [...question, ...steps], resultLength: rung };
  }
  const newest = newestSteps(steps, room - messagesTokens(question));
  return { messages: [...question, ...newest], resultLength: Math.min(...rungs), steps: steps.length - newest.length };
}

function shorten(message: Message, length: number): Message {
  if (message.role === 'tool') return { ...message, content: cutMiddle(message.content, length) };
  if (message.role === 'user') return message;
  return { ...message, calls: message.calls.map((call) => shortenArguments(call, length)) };
}

function shortenArguments(call: ToolCall, length: number): ToolCall {
  if (call.arguments.length <= length) return call;
  const shortened = { left_out: `${call.arguments.length} characters of arguments`, beginning: head(call.arguments, length) };
  return { ...call, arguments: JSON.stringify(shortened) };
}

const mark = '(earlier steps of this turn are left out here)';

/** The newest whole steps (an assistant message with its results), again in big enough leaps, with a mark on the first. */
function newestSteps(steps: readonly Message[], tokens: number): Message[] {
  const high = tokens - textTokens(mark);
  const { start } = cutPoint(steps, { high, low: high * 0.75 }, 'assistant');
  const [first, ...rest] = steps.slice(start);
  if (first?.role !== 'assistant' || messagesTokens(steps.slice(start)) > high) return [];
  return [{ ...first, text: first.text === '' ? mark : `${mark}\n\n${first.text}` }, ...rest];
}

function overflow(input: FitInput, question: readonly Message[], highTokens: number): ModelError {
  const parts = [
    { name: 'the system prompt', tokens: textTokens(input.system) },
    { name: 'the tool descriptions', tokens: toolTokens(input.tools) },
    { name: 'the last message', tokens: messagesTokens(question) },
  ];
  const largest = parts.reduce((left, right) => (right.tokens > left.tokens ? right : left));
  const total = Math.ceil(parts.reduce((left, part) => left + part.tokens, 0));
  const sizes = `about ${total} tokens where ${Math.floor(highTokens)} fit, ${Math.ceil(largest.tokens)} of them for ${largest.name}`;
  const advice = 'Shorten that, or choose a model with a larger window (model.default and model.context_length in config.yaml)';
  return new ModelError(
    'context_overflow',
    `This does not fit into the model's window even without the earlier conversation: ${sizes}. ${advice}.`,
  );
}
