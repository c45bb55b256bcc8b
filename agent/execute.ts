import { type Resolved, resolveCall } from './arguments.ts';
import type { Asks, Question, QuestionAnswer } from './ask.ts';
import type { AgentEvent } from './events.ts';
import { type Settled, withinGrace } from './grace.ts';
import type { Journal } from './journal.ts';
import type { ToolCall, ToolMessage, ToolStatus } from './message.ts';
import type { Policy } from './policy.ts';
import type { Results } from './results.ts';
import type { Risk } from './risk.ts';
import type { SessionRef, Tool, ToolContext, ToolOutput } from './tool.ts';

/** What the calls of one assistant message are executed with. */
export interface Execution {
  readonly session: SessionRef;
  readonly tools: readonly Tool[];
  readonly journal: Journal;
  readonly policy: Policy;
  readonly asks: Asks;
  readonly results: Results;
  /** Ids of calls that had started before a crash. */
  readonly started: ReadonlySet<string>;
  emit(event: AgentEvent): void;
}

const maxParallel = 8;
/** A tool that ignores its signal is given up after this; the rest of the 5 s that a stop may take is for everybody else. */
const abortGraceMs = 4_500;

/**
 * Gives each call exactly one result, through the journal and in call order, also when aborted. Throws only what the journal throws;
 * nothing that was started is running then, or its 4.5 s of grace are over.
 */
export async function executeCalls(calls: readonly ToolCall[], execution: Execution, signal: AbortSignal): Promise<ToolMessage[]> {
  const results: ToolMessage[] = [];
  for (const group of groupCalls(calls, execution.tools)) results.push(...(await executeGroup(group, execution, signal)));
  return results;
}

interface Prepared {
  readonly call: ToolCall;
  readonly resolved: Resolved;
}

function isRead({ resolved }: Prepared): boolean {
  return !resolved.ok || resolved.tool.effect === 'read';
}

/** Runs of consecutive `read` calls side by side, every other call alone. A call that will not run has no effect and joins the reads. */
function groupCalls(calls: readonly ToolCall[], tools: readonly Tool[]): Prepared[][] {
  const groups: Prepared[][] = [];
  for (const call of calls) {
    const prepared = { call, resolved: resolveCall(call, tools) };
    const last = groups.at(-1);
    if (last?.every(isRead) && last.length < maxParallel && isRead(prepared)) last.push(prepared);
    else groups.push([prepared]);
  }
  return groups;
}

async function executeGroup(group: readonly Prepared[], execution: Execution, signal: AbortSignal): Promise<ToolMessage[]> {
  const broken = new AbortController();
  const anySignal = AbortSignal.any([signal, broken.signal]);
  const running = group.map((prepared) => executeOne(prepared, execution, anySignal));
  for (const call of running) call.catch(() => {}); // seen below, in call order
  const results: ToolMessage[] = [];
  try {
    for (const [index, { call }] of group.entries()) {
      const result = await running[index];
      if (result === undefined) continue;
      execution.journal.finished(call, result);
      results.push(result);
    }
    return results;
  } catch (error) {
    broken.abort(error);
    await Promise.allSettled(running);
    throw error;
  }
}

async function executeOne(prepared: Prepared, execution: Execution, signal: AbortSignal): Promise<ToolMessage> {
  const begunMs = performance.now();
  const { call } = prepared;
  const { content, outside, ...rest } = await resultOf(prepared, execution, signal);
  execution.emit({
    type: 'tool.finished',
    callId: call.id,
    name: call.name,
    status: rest.status,
    elapsedMs: Math.round(performance.now() - begunMs),
  });
  const shown = await execution.results.fit(call, outside === undefined ? { content } : { content, outside });
  return { role: 'tool', callId: call.id, name: call.name, ...rest, content: shown };
}

interface Result {
  readonly status: ToolStatus;
  readonly content: string;
  readonly outside?: string;
  readonly exitCode?: number;
}

const skipped: Result = { status: 'skipped', content: 'Not run: the turn was stopped before this call started.' };
const unknown: Result = {
  status: 'unknown',
  content:
    'Interrupted by a restart, outcome unknown: the call may have had its effect, in part or as a whole. Check before you repeat it.',
};

async function resultOf({ call, resolved }: Prepared, execution: Execution, signal: AbortSignal): Promise<Result> {
  const hadStarted = execution.started.has(call.id);
  if (hadStarted && !(resolved.ok && runsAgain(resolved.tool))) return unknown;
  if (signal.aborted) return skipped;
  if (!resolved.ok) return { status: 'error', content: resolved.problem };
  const refusal = await refusalOf(call, resolved, { execution, signal });
  if (signal.aborted) return skipped;
  if (refusal !== undefined) return { status: 'refused', content: refusal };
  if (!hadStarted) execution.journal.started(call);
  return runTool(call, resolved, { execution, signal });
}

/** A call of this tool that had started when the process ended is run again, instead of being reported as unknown. */
export function runsAgain(tool: Tool): boolean {
  return tool.effect === 'read' || tool.resumable === true;
}

interface Surroundings {
  readonly execution: Execution;
  readonly signal: AbortSignal;
}

type Runnable = Extract<Resolved, { readonly ok: true }>;

/** Why the call must not run; undefined when it may. */
async function refusalOf(call: ToolCall, { tool, args }: Runnable, { execution, signal }: Surroundings): Promise<string | undefined> {
  const judged = await withinGrace(riskOf(tool, args, { execution, signal }), 0, signal);
  if (judged.state === 'abandoned') return 'Not run: the turn was stopped.';
  if (judged.state === 'failed') return `Refused: what this call could do cannot be judged (${sentence(judged.error)}).`;
  const risk = judged.value;
  if (risk.level === 'hardline') return `Refused, always and by everyone's rules: ${risk.why} Do not look for a way around it.`;
  const { verdict, reason, by, doubtful } = execution.policy.decide(call, risk, execution.session);
  if (verdict === 'allow') return undefined;
  if (verdict === 'deny') return reason || `Refused: ${risk.why || 'this call is not allowed here.'}`;
  // What is approved is what runs: the arguments were parsed before and are not read again.
  const told = { ...risk, why: reason === '' ? risk.why : reason, ...(doubtful === undefined ? {} : { doubtful }) };
  const request = { call, args, preview: tool.preview(args), risk: told, ...(by === undefined ? {} : { by }) };
  const asked = await withinGrace(
    whileAsking(call.id, execution, () => execution.asks.approve(request, signal)),
    0,
    signal,
  );
  if (asked.state === 'done') return asked.value.approved ? undefined : asked.value.reason;
  if (asked.state === 'failed' && !signal.aborted) throw asked.error; // that it could not be asked is no answer
  return 'Refused: nobody could be asked.';
}

async function whileAsking<T>(callId: string, { emit }: Execution, ask: () => Promise<T>): Promise<T> {
  emit({ type: 'ask.opened', callId });
  try {
    return await ask();
  } finally {
    emit({ type: 'ask.closed', callId });
  }
}

const noRisk: Risk = { level: 'safe', why: '', subjects: [] };

async function riskOf(tool: Tool, args: unknown, { execution, signal }: Surroundings): Promise<Risk> {
  return (await tool.risk?.(args, execution.session, signal)) ?? noRisk;
}

async function runTool(call: ToolCall, { tool, args }: Runnable, { execution, signal }: Surroundings): Promise<Result> {
  let running = true;
  let asked = 0;
  const ask = (question: Question): Promise<QuestionAnswer> => {
    const from = { callId: call.id, index: asked };
    asked += 1;
    return whileAsking(call.id, execution, () => execution.asks.question(question, from, signal));
  };
  const ctx: ToolContext = {
    ask,
    signal,
    session: execution.session,
    progress: (note) => {
      if (running) execution.emit({ type: 'tool.progress', callId: call.id, note });
    },
    child: (child, event) => {
      if (running) execution.emit({ type: 'child.event', callId: call.id, child, event });
    },
  };
  const work = async () => {
    const { id: callId, name } = call;
    execution.emit({ type: 'tool.started', callId, name, preview: tool.preview(args), arguments: call.arguments });
    return tool.run(args, ctx);
  };
  const settled = await withinGrace(work(), abortGraceMs, signal);
  running = false;
  return signal.aborted ? interrupted(settled) : finished(settled);
}

function interrupted(settled: Settled<ToolOutput>): Result {
  const { content: said, outside } = settled.state === 'done' ? settled.value : { content: '' };
  const reported = said.trim();
  const content = 'Interrupted while it was running: it may have had its effect, in part or as a whole.';
  if (reported === '') return { status: 'interrupted', content };
  return {
    status: 'interrupted',
    content: `${content} Until then it reported:\n${reported}`,
    ...(outside === undefined ? {} : { outside }),
  };
}

function finished(settled: Settled<ToolOutput>): Result {
  if (settled.state === 'abandoned') return interrupted(settled);
  if (settled.state === 'failed') return { status: 'error', content: `The tool failed: ${sentence(settled.error)}` };
  const { content, failed, exitCode, outside } = settled.value;
  const status = failed === true ? 'error' : 'ok';
  const facts = { ...(exitCode === undefined ? {} : { exitCode }), ...(outside === undefined ? {} : { outside }) };
  return { status, content: content === '' ? '(no output)' : content, ...facts };
}

function sentence(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
