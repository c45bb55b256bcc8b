import { isSameCut, type RequestCut } from './context/cut.ts';
import { type Budget, budgetOf, windowFor } from './context/fit.ts';
import { type BuiltRequest, buildRequest } from './context/request.ts';
import type { AgentEvent, Usage } from './events.ts';
import type { AssistantMessage, Message, ToolCall } from './message.ts';
import { ModelError, type ModelEvent, type ModelRequest, type ToolSpec } from './model.ts';
import { createResults, type Results } from './results.ts';
import type { RunInput } from './run-input.ts';

/** What a run knows and has shown so far. Mutable; one for each run. */
export interface Conversation {
  readonly input: RunInput;
  readonly emit: (event: AgentEvent) => void;
  readonly messages: Message[];
  /** Of all calls so far. */
  readonly callIds: Set<string>;
  readonly request: RequestState;
  readonly results: Results;
  readonly progress: Progress;
}

interface RequestState {
  system: string;
  /** Of the last request, or of the session's last one before. */
  cut: RequestCut;
  budget: Budget;
  /** What the budget was made from, where the provider takes less than the model's window. */
  windowTokens: number | undefined;
  /** One was refused. */
  imagesRefused: boolean;
  /** The person was told that something is left out. */
  noticed: boolean;
}

export interface Progress {
  /** Shown since the last complete message. */
  text: string;
  steps: number;
  usage: Usage;
}

/** Steps that were taken before a crash count. */
export function createProgress(transcript: readonly Message[]): Progress {
  const lastUser = transcript.findLastIndex((message) => message.role === 'user' && message.interjected !== true);
  const steps = transcript.slice(lastUser + 1).filter((message) => message.role === 'assistant').length;
  return { text: '', steps, usage: { inputTokens: 0, outputTokens: 0 } };
}

export function createConversation(input: RunInput, emit: (event: AgentEvent) => void, progress: Progress): Conversation {
  return {
    input,
    emit,
    messages: [...input.transcript],
    callIds: new Set(input.transcript.flatMap((message) => (message.role === 'assistant' ? message.calls.map((call) => call.id) : []))),
    request: requestState(input),
    results: createResults(input.resultFiles, input.transcript),
    progress,
  };
}

function requestState({ system: { text, cut }, model }: RunInput): RequestState {
  const budget = budgetOf(cut.windowTokens ?? model.windowTokens);
  return { system: text, cut, budget, windowTokens: cut.windowTokens, imagesRefused: cut.images === true, noticed: false };
}

export interface StepOptions {
  readonly tools: readonly ToolSpec[];
  readonly withoutCalls?: true;
}

/** One answer of the model. Asks again, once each, with a harder cut when the window was too small and without images when one was bad. */
export async function askModel(conversation: Conversation, options: StepOptions, signal: AbortSignal): Promise<AssistantMessage> {
  let built = await build(conversation, options);
  const recovered = new Set<string>();
  for (;;) {
    announceCut(conversation, built);
    try {
      return await receive(conversation, built.request, signal);
    } catch (error) {
      if (!(error instanceof ModelError) || recovered.has(error.kind)) throw error;
      recovered.add(error.kind);
      const next = await recover(conversation, options, { error, built });
      if (next === undefined) throw error;
      built = next;
    }
  }
}

/** Where more is left out than before, or less, the request begins anew: then the prompt may, too. */
async function build(conversation: Conversation, options: StepOptions): Promise<BuiltRequest> {
  const { input, request } = conversation;
  let built = buildWith(conversation, options, request.system);
  if (isSameCut(built.cut, request.cut)) return built;
  request.system = await input.system.renew((text) => {
    built = buildWith(conversation, options, text);
    return built.cut;
  });
  request.cut = built.cut;
  return built;
}

function buildWith({ input, messages, request }: Conversation, options: StepOptions, system: string): BuiltRequest {
  const { imagesRefused, windowTokens, budget } = request;
  const built = buildRequest({ ...options, system, messages, withoutImages: imagesRefused || !input.model.vision }, budget);
  const known = { ...(windowTokens === undefined ? {} : { windowTokens }), ...(imagesRefused ? { images: true as const } : {}) };
  const reasoning = input.reasoning === undefined ? {} : { reasoning: input.reasoning };
  return { ...built, cut: { ...built.cut, ...known }, request: { ...built.request, ...reasoning } };
}

interface Failed {
  readonly error: ModelError;
  readonly built: BuiltRequest;
}

/** A request that may succeed where this one failed; undefined where there is none. What was learned holds until the prompt's next declared break. */
async function recover(conversation: Conversation, options: StepOptions, { error, built }: Failed): Promise<BuiltRequest | undefined> {
  const { request, input } = conversation;
  if (error.kind === 'image' && input.model.vision && !request.imagesRefused) {
    request.imagesRefused = true;
    return build(conversation, options);
  }
  if (error.kind !== 'context_overflow') return undefined;
  request.imagesRefused = true;
  request.windowTokens = Math.ceil(windowFor(built.tokens / 2));
  request.budget = budgetOf(request.windowTokens);
  try {
    return await build(conversation, options);
  } catch (tooBig) {
    if (tooBig instanceof ModelError) return undefined; // the provider's error says it better than half of an estimate
    throw tooBig;
  }
}

/** At most once in a run. */
function announceCut({ request, emit }: Conversation, built: BuiltRequest): void {
  if (request.noticed || built.cut.messages === 0) return;
  request.noticed = true;
  const text =
    'This chat has become longer than the model can read at once: its oldest messages are no longer sent to the model. /new starts a fresh one.';
  emit({ type: 'notice', code: 'context_trimmed', text });
}

function resetText({ progress, emit }: Conversation): void {
  if (progress.text !== '') emit({ type: 'text.reset' });
  progress.text = '';
}

interface Draft {
  calls: ToolCall[];
  finish: AssistantMessage['finish'];
}

async function receive(conversation: Conversation, request: ModelRequest, signal: AbortSignal): Promise<AssistantMessage> {
  const draft: Draft = { calls: [], finish: 'stop' };
  resetText(conversation); // what an attempt that came to nothing has shown
  for await (const event of conversation.input.model.stream(request, signal)) apply(conversation, draft, event);
  signal.throwIfAborted();
  return { role: 'assistant', text: conversation.progress.text, calls: uniqueIds(draft.calls, conversation.callIds), finish: draft.finish };
}

function apply(conversation: Conversation, draft: Draft, event: ModelEvent): void {
  const { emit, progress } = conversation;
  switch (event.type) {
    case 'text.delta':
      progress.text += event.text;
      emit(event);
      break;
    case 'call':
      draft.calls.push(event.call);
      break;
    case 'usage':
      progress.usage = addUsage(progress.usage, event.usage);
      emit(event);
      break;
    case 'retry':
      draft.calls = [];
      resetText(conversation);
      emit({ type: 'notice', code: 'retrying', text: `${event.error.message} Trying again in ${seconds(event.waitMs)}.` });
      break;
    case 'done':
      draft.finish = event.finish;
  }
}

function seconds(ms: number): string {
  return ms < 1_000 ? 'a moment' : `${Math.round(ms / 1_000)} s`;
}

function addUsage(left: Usage, right: Usage): Usage {
  return { inputTokens: left.inputTokens + right.inputTokens, outputTokens: left.outputTokens + right.outputTokens };
}

/** Some models leave ids out or count them from 0 in each answer; a call's id is what it is persisted and found by in the whole session. */
function uniqueIds(calls: readonly ToolCall[], used: Set<string>): ToolCall[] {
  return calls.map((call) => {
    let id = call.id;
    for (let count = used.size; id === '' || used.has(id); count += 1) id = `${call.id || 'call'}_${count}`;
    used.add(id);
    return id === call.id ? call : { ...call, id };
  });
}
