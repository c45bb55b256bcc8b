import { z } from 'zod';
import type { Risk } from '../../agent/risk.ts';
import { defineTool, type Tool, type ToolContext, type ToolOutput } from '../../agent/tool.ts';
import type { TerminalConfig } from './config.ts';
import { type Background, named, stateOf } from './processes/background.ts';
import { listed, type ProcessRegistry } from './processes/registry.ts';

export interface ProcessToolParts {
  readonly config: Pick<TerminalConfig, 'timeout' | 'max_timeout'>;
  readonly registry: ProcessRegistry;
  readonly now: () => number;
}

const actions = ['list', 'poll', 'log', 'wait', 'kill', 'write', 'submit', 'close'] as const;

const argsSchema = z.object({
  action: z
    .enum(actions)
    .describe(
      'list: all of this session. poll: state and new output. log: output by lines. wait: until it ends or timeout. kill. write: text as it is. submit: text and Enter. close: end of input.',
    ),
  session_id: z.string().optional().describe('Of the process, as terminal returned it ("proc_..."). For all but list.'),
  data: z.string().max(100_000).optional().describe('For write and submit.'),
  timeout: z.number().positive().optional().describe('Seconds, for wait.'),
  offset: z.number().int().min(0).optional().describe('First line, for log (0 is the oldest that is kept). Default: the last lines.'),
  limit: z.number().int().positive().max(2_000).optional().describe('Lines, for log; 200 by default.'),
});

type Args = z.output<typeof argsSchema>;

const DESCRIPTION =
  'Look after processes that terminal started with background: true: see what they print, wait for them, write to them, end them. Each session has its own.';

export function createProcessTool(parts: ProcessToolParts): Tool {
  return defineTool({
    name: 'process',
    toolset: 'terminal',
    description: DESCRIPTION,
    args: argsSchema,
    effect: 'external',
    preview: ({ action, session_id, data }) => [action, session_id, data].filter((word) => word !== undefined && word !== '').join(' '),
    risk: async (given, session) => riskOf(given, find(parts, given, session.id)),
    run: (given, ctx) => run(parts, given, ctx),
  });
}

/** Answers that do nothing but answer: yes, no, a number, Enter. A shell that reads them runs nothing by them. */
const HARMLESS = /^(?:y|n|yes|no|q|quit|exit|\d{1,6})?[\r\n]*$/iu;
/** Ctrl-C, Ctrl-D, Escape. */
const HARMLESS_KEYS = ['\u0003', '\u0004', '\u001b'];

/** What a program does with what is typed into it cannot be told: it may be a shell. */
function riskOf({ action, data = '' }: Args, process: Background | undefined): Risk {
  const typed = `${action} ${data}`;
  const touches = [{ kind: 'text' as const, name: typed }];
  if ((action !== 'write' && action !== 'submit') || process === undefined || HARMLESS.test(data) || HARMLESS_KEYS.includes(data))
    return { level: 'safe', why: '', subjects: [typed], touches };
  return { level: 'ask', why: `It types into ${named(process.record)}; what that makes it do is not known.`, subjects: [typed], touches };
}

function find({ registry }: ProcessToolParts, { session_id }: Args, session: string): Background | undefined {
  return registry.of(session).find(({ record }) => record.id === session_id);
}

async function run(parts: ProcessToolParts, given: Args, ctx: ToolContext): Promise<ToolOutput> {
  const { registry, now } = parts;
  const all = registry.of(ctx.session.id);
  if (given.action === 'list') return { content: listed(all, now()), data: { processes: all.map((process) => facts(process)) } };
  const process = find(parts, given, ctx.session.id);
  if (process === undefined)
    return { content: `There is no process "${given.session_id ?? ''}" here.\n${listed(all, now())}`, failed: true };
  switch (given.action) {
    case 'poll':
      return seen(parts, process, process.output.news().slice(-POLLED));
    case 'log':
      return log(parts, process, given);
    case 'wait':
      return wait(parts, { process, seconds: given.timeout ?? parts.config.timeout }, ctx.signal);
    case 'kill':
      return kill(parts, process);
    case 'write':
    case 'submit':
    case 'close':
      return typeInto(process, given);
    default:
      return given.action satisfies never;
  }
}

const POLLED = 10_000;
const LOG_LINES = 200;

function facts({ record, tree }: Background) {
  const status = record.end?.reason ?? 'running';
  return { session_id: record.id, command: record.command, status, pid: tree?.pid ?? null, exit_code: record.end?.code ?? null };
}

/** With the state that comes before it; whoever has seen an end is not woken for it. */
function seen({ registry, now }: ProcessToolParts, process: Background, output: string): ToolOutput {
  registry.seen(process);
  const state = `${named(process.record)} ${stateOf(process.record, now())}.`;
  const printed = output.trimEnd();
  return { content: `${state}\n${printed === '' ? '(no new output)' : printed}`, data: { ...facts(process), output } };
}

function log(parts: ProcessToolParts, process: Background, { offset, limit = LOG_LINES }: Args): ToolOutput {
  const lines = process.output.text().split('\n');
  if (lines.at(-1) === '') lines.pop();
  const from = Math.min(offset ?? Math.max(0, lines.length - limit), lines.length);
  const part = lines.slice(from, from + limit);
  const { content, data } = seen(parts, process, part.join('\n'));
  return { content: `${content}\n[lines ${from} to ${from + part.length} of ${lines.length} that are kept]`, data };
}

async function wait(
  parts: ProcessToolParts,
  { process, seconds }: { process: Background; seconds: number },
  signal: AbortSignal,
): Promise<ToolOutput> {
  const allowed = Math.min(seconds, parts.config.max_timeout);
  await parts.registry.wait(process, allowed * 1_000, signal);
  const { content, data } = seen(parts, process, process.output.news().slice(-POLLED));
  const waited = process.record.end === undefined && !signal.aborted ? `\n[it was waited for ${allowed} s; it goes on]` : '';
  return { content: `${content}${waited}`, data };
}

async function kill(parts: ProcessToolParts, process: Background): Promise<ToolOutput> {
  if (process.record.end === undefined) await parts.registry.kill(process, 'you');
  return seen(parts, process, process.output.news().slice(-POLLED));
}

function typeInto(process: Background, { action, data = '' }: Args): ToolOutput {
  const { record, tree, onTerminal } = process;
  const input = record.end === undefined ? tree?.input : undefined;
  if (input === undefined) return { content: `${named(record)} does not run: nobody reads what is written to it.`, failed: true };
  if (action === 'close') input.end();
  else input.write(action === 'submit' ? `${data}${onTerminal ? '\r' : '\n'}` : data);
  const done = action === 'close' ? 'Its input is closed.' : 'Written.';
  return { content: `${done} poll shows what it answers.`, data: { session_id: record.id, status: 'running' } };
}
