import { z } from 'zod';
import type { Asks } from '../../agent/ask.ts';
import { nothingCut } from '../../agent/context/cut.ts';
import type { AgentEvent, Outcome } from '../../agent/events.ts';
import type { Journal } from '../../agent/journal.ts';
import { type AssistantMessage, type Message, type ToolCall, type ToolMessage, userText } from '../../agent/message.ts';
import type { Model, ModelEvent, ModelRequest } from '../../agent/model.ts';
import type { Policy } from '../../agent/policy.ts';
import type { Risk } from '../../agent/risk.ts';
import { type RunInput, type SystemPrompt, startRun } from '../../agent/run.ts';
import { defineTool, type Effect, type Tool, type ToolContext, type ToolOutput } from '../../agent/tool.ts';

export interface ScriptedAnswer {
  readonly text?: string;
  readonly calls?: readonly ToolCall[];
  readonly finish?: AssistantMessage['finish'];
  /** Thrown after the text. */
  readonly error?: Error;
}

export interface ScriptedModel extends Model {
  readonly requests: ModelRequest[];
}

type Script = readonly (ScriptedAnswer | ((request: ModelRequest) => ScriptedAnswer))[];

/** Gives the scripted answers one after the other; a request beyond the script is a bug of the test or of the loop. */
export function scriptedModel(script: Script, facts: { readonly windowTokens?: number; readonly vision?: boolean } = {}): ScriptedModel {
  const requests: ModelRequest[] = [];
  return {
    name: 'scripted',
    windowTokens: facts.windowTokens ?? 128_000,
    vision: facts.vision ?? true,
    requests,
    async *stream(request): AsyncGenerator<ModelEvent, void, undefined> {
      const entry = script[requests.length];
      requests.push(request);
      if (entry === undefined) throw new Error(`request ${requests.length} is not in the script`);
      const answer = typeof entry === 'function' ? entry(request) : entry;
      if (answer.text !== undefined) yield { type: 'text.delta', text: answer.text };
      if (answer.error !== undefined) throw answer.error;
      for (const call of answer.calls ?? []) yield { type: 'call', call };
      yield { type: 'usage', usage: { inputTokens: 10, outputTokens: 2 } };
      yield { type: 'done', finish: answer.finish ?? ((answer.calls?.length ?? 0) > 0 ? 'calls' : 'stop') };
    },
  };
}

export interface RecordingJournal extends Journal {
  /** "message", "started a", "finished a ok", in the order of the calls. */
  readonly entries: string[];
  readonly messages: Message[];
}

export function recordingJournal(): RecordingJournal {
  const entries: string[] = [];
  const messages: Message[] = [];
  return {
    entries,
    messages,
    message: (message) => {
      entries.push('message');
      messages.push(message);
    },
    started: (call) => {
      entries.push(`started ${call.id}`);
    },
    finished: (call, result) => {
      entries.push(`finished ${call.id} ${result.status}`);
      messages.push(result);
    },
  };
}

export const allowAll: Policy = { decide: () => ({ verdict: 'allow', reason: '' }) };

export function call(id: string, name: string, args: unknown = {}): ToolCall {
  return { id, name, arguments: typeof args === 'string' ? args : JSON.stringify(args) };
}

export function assistant(text: string, calls: readonly ToolCall[] = []): AssistantMessage {
  return { role: 'assistant', text, calls, finish: calls.length > 0 ? 'calls' : 'stop' };
}

export function result(callId: string, content = 'done', name = 'tool'): ToolMessage {
  return { role: 'tool', callId, name, status: 'ok', content };
}

export interface ToolFacts {
  readonly name: string;
  readonly effect?: Effect;
  readonly risk?: Risk;
  readonly run?: (args: { readonly value?: string | undefined }, ctx: ToolContext) => Promise<ToolOutput>;
}

export function testTool({ name, effect = 'write', risk, run }: ToolFacts): Tool {
  return defineTool({
    name,
    toolset: 'test',
    description: `does ${name}`,
    args: z.object({ value: z.string().optional() }),
    effect,
    preview: (args) => args.value ?? '',
    ...(risk === undefined ? {} : { risk: async () => risk }),
    run: run ?? (async (args) => ({ content: `${name} ${args.value ?? ''}`.trim() })),
  });
}

const nobody: Asks = {
  approve: async () => ({ approved: false, reason: 'Refused: nobody is there.' }),
  question: async () => ({ answered: false, reason: 'nobody is there' }),
};

export interface Ran {
  readonly outcome: Outcome;
  readonly events: readonly AgentEvent[];
  readonly journal: RecordingJournal;
}

/** Never changes, whatever is left out. */
export function fixedPrompt(text: string): SystemPrompt {
  const renew: SystemPrompt['renew'] = async (cutOf) => {
    cutOf(text);
    return text;
  };
  return { text, cut: nothingCut, renew };
}

export function runInput(overrides: Partial<RunInput> & Pick<RunInput, 'model'>): RunInput {
  return {
    session: { id: 'session', workspace: '/workspace' },
    system: fixedPrompt('You are a test.'),
    transcript: [userText('hello')],
    started: new Set(),
    tools: [],
    journal: recordingJournal(),
    policy: allowAll,
    asks: nobody,
    resultFiles: { keep: () => Promise.reject(new Error('no disk')) },
    interject: async () => [],
    limits: { maxSteps: 90 },
    ...overrides,
  };
}

/** Runs to the end and returns everything that was to be seen. */
export async function runToEnd(
  overrides: Partial<RunInput> & Pick<RunInput, 'model'>,
  signal: AbortSignal = new AbortController().signal,
): Promise<Ran> {
  const journal = recordingJournal();
  const run = startRun(runInput({ journal, ...overrides }), signal);
  const events: AgentEvent[] = [];
  for await (const event of run.events) events.push(event);
  return { outcome: await run.outcome, events, journal };
}

/** Texts of the results that the model was sent last. */
export function sentResults(model: ScriptedModel): string[] {
  return (model.requests.at(-1)?.messages ?? []).flatMap((message) => (message.role === 'tool' ? [message.content] : []));
}
