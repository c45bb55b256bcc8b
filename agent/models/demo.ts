import type { Message, ToolCall, ToolMessage } from '../message.ts';
import type { Model, ModelEvent, ModelRequest } from '../model.ts';
import { demoCommands, findCommand } from './demo-commands.ts';
import { pause } from './pause.ts';

export interface DemoOptions {
  /** Between two chunks; none by default. */
  readonly chunkDelayMs?: number;
  readonly windowTokens?: number;
}

const chunkLength = 48;

/** Answers without a network and without a key: shows what the product does until a real model is set. Deterministic. */
export function createDemoModel(options: DemoOptions = {}): Model {
  return {
    name: 'demo',
    windowTokens: options.windowTokens ?? 128_000,
    vision: false,
    stream: (request, signal) => stream(request, options.chunkDelayMs ?? 0, signal),
  };
}

async function* stream(request: ModelRequest, delayMs: number, signal: AbortSignal): AsyncGenerator<ModelEvent, void, undefined> {
  signal.throwIfAborted();
  const { text, call } = reply(request);
  for (let at = 0; at < text.length; at += chunkLength) {
    if (delayMs > 0) await pause(delayMs, signal);
    yield { type: 'text.delta', text: text.slice(at, at + chunkLength) };
  }
  if (call !== undefined) yield { type: 'call', call };
  yield { type: 'done', finish: call === undefined ? 'stop' : 'calls' };
}

interface Reply {
  readonly text: string;
  readonly call?: ToolCall;
}

function reply(request: ModelRequest): Reply {
  const last = request.messages.at(-1);
  if (last?.role === 'tool') return { text: results(request.messages) };
  const said = newestText(request.messages);
  const available = demoCommands.filter((command) => request.tools.some((tool) => tool.name === command.tool));
  const found = findCommand(said);
  if (found === undefined) return { text: introduction(said, available) };
  if (!available.includes(found.command))
    return { text: `This chat has no tool for that ("${found.command.tool}" is not enabled).\n\n${help(available)}` };
  const id = `demo${String(request.messages.length).padStart(5, '0')}`;
  return { text: '', call: { id, name: found.command.tool, arguments: JSON.stringify(found.args) } };
}

/** The newest text of the person, without the lines and prefixes in brackets that the gateway adds ("[note: ...]", "[Ann] ..."). */
function newestText(messages: readonly Message[]): string {
  const last = messages.findLast((message) => message.role === 'user');
  const texts = (last?.content ?? []).flatMap((part) => (part.type === 'text' ? [withoutNotes(part.text)] : []));
  return texts.findLast((text) => text !== '') ?? '';
}

function withoutNotes(text: string): string {
  return text.replace(/^(?:\s*\[in reply to [^"]*"[\s\S]*?"\](?:\n|$)|\s*\[[^\]\n]*\](?:\s|$))+/, '').trim();
}

function results(messages: readonly Message[]): string {
  const from = messages.findLastIndex((message) => message.role !== 'tool') + 1;
  const shown = messages.slice(from).map((message) => (message.role === 'tool' ? resultText(message) : ''));
  return shown.join('\n\n');
}

/** What people said is no output of a program, and of a refusal only the first sentence is for people: the rest tells a model what to do. */
function resultText({ name, status, content }: ToolMessage): string {
  if (status === 'refused') return /^.*?\.(?=\s|$)/s.exec(content)?.[0] ?? content;
  if (name !== 'clarify' || status !== 'ok') return block(content);
  const answer = /^The person answered:\n([\s\S]*)$/.exec(content)?.[1];
  return answer === undefined ? 'You gave no answer, so I leave it at that.' : `You answered: ${answer}`;
}

/** A fence longer than any in the content. */
function block(content: string): string {
  const longest = Math.max(2, ...[...content.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${content.trimEnd()}\n${fence}`;
}

type Command = (typeof demoCommands)[number];

const setUp = [
  'To talk to a real model, put `OPENAI_API_KEY=...` into `~/.hermes/.env`, or describe one in `~/.hermes/config.yaml`:',
  '```yaml\nmodel:\n  default: gpt-5.4-mini\n  base_url: https://api.openai.com/v1\n```',
  'Any server that speaks OpenAI’s chat completions will do. It answers from your next message on.',
].join('\n\n');

function help(available: readonly Command[]): string {
  if (available.length === 0) return `I have no tools here, so all I can do is to say this.\n\n${setUp}`;
  return `What I understand:\n\n${available.map((command) => `- \`${command.usage}\` ${command.does}`).join('\n')}\n- \`help\` shows this`;
}

function introduction(said: string, available: readonly Command[]): string {
  if (/^(help|\?)$/i.test(said)) return `${help(available)}\n\n${setUp}`;
  const heard = said === '' ? '' : ` You said: “${said.length > 200 ? `${said.slice(0, 200)}…` : said}”.`;
  return `I am the built-in demo model, not an AI: I work offline and understand a few plain commands.${heard}\n\n${help(available)}\n\n${setUp}`;
}
