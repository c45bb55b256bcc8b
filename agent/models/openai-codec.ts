/** Between our messages and OpenAI's chat completions. Pure. */
import type OpenAI from 'openai';
import type { AssistantMessage, ImagePart, Message, Part, ToolCall } from '../message.ts';
import { ModelError, type ModelEvent, type ModelRequest } from '../model.ts';
import type { Shown } from './images.ts';

type Body = OpenAI.Chat.ChatCompletionCreateParamsStreaming;
type Wire = OpenAI.Chat.ChatCompletionMessageParam;
type Chunk = OpenAI.Chat.ChatCompletionChunk;
type Delta = Chunk['choices'][number]['delta'];

export function encodeRequest(model: string, request: ModelRequest, images: ReadonlyMap<ImagePart, Shown>): Body {
  const system: Wire[] = request.system === '' ? [] : [{ role: 'system', content: request.system }];
  const messages = [...system, ...request.messages.map((message) => encodeMessage(message, images))];
  const effort = request.reasoning ? { reasoning_effort: request.reasoning } : {}; // a model that does not reason refuses to hear of it
  const body: Body = { model, messages, stream: true, stream_options: { include_usage: true }, ...effort };
  if (request.tools.length === 0) return body;
  const tools = request.tools.map((spec) => ({ type: 'function' as const, function: { ...spec, parameters: { ...spec.parameters } } }));
  return { ...body, tools, ...(request.withoutCalls === true ? { tool_choice: 'none' } : {}) };
}

function encodeMessage(message: Message, images: ReadonlyMap<ImagePart, Shown>): Wire {
  switch (message.role) {
    case 'user':
      return { role: 'user', content: encodeParts(message.content, images) };
    case 'assistant':
      return encodeAssistant(message);
    case 'tool':
      return { role: 'tool', tool_call_id: message.callId, content: message.content };
  }
}

function encodeAssistant({ text, calls }: AssistantMessage): Wire {
  if (calls.length === 0) return { role: 'assistant', content: text };
  const toolCalls = calls.map((call) => ({
    id: call.id,
    type: 'function' as const,
    function: { name: call.name, arguments: call.arguments },
  }));
  return { role: 'assistant', content: text === '' ? null : text, tool_calls: toolCalls };
}

type WirePart = { type: 'text'; text: string } | { type: 'image_url'; image_url: { url: string } };

function encodePart(part: Part, images: ReadonlyMap<ImagePart, Shown>): WirePart {
  if (part.type === 'text') return { type: 'text', text: part.text };
  const shown = images.get(part) ?? { note: part.note };
  return 'note' in shown ? { type: 'text', text: shown.note } : { type: 'image_url', image_url: { url: shown.url } };
}

/** One string where there is only text: every server takes that, and not every server takes parts. */
function encodeParts(parts: readonly Part[], images: ReadonlyMap<ImagePart, Shown>): string | WirePart[] {
  const wire = parts.map((part) => encodePart(part, images));
  const texts = wire.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  return texts.length === wire.length ? texts.join('\n\n') : wire;
}

/** Puts one streamed answer together. */
export interface Assembly {
  /** The text that this chunk adds. Throws ModelError where the provider's filter ended the answer. */
  add(chunk: Chunk): string;
  /** The provider has said that the answer is complete. */
  isComplete(): boolean;
  /** Calls, usage, done. Throws ModelError `cut` when the answer is not complete. */
  end(): ModelEvent[];
}

interface Slot {
  readonly index: number;
  id: string;
  name: string;
  text: string;
}

export function createAssembly(): Assembly {
  const slots: Slot[] = [];
  let finish: string | undefined;
  let usage: Chunk['usage'];
  return {
    add(chunk) {
      usage = chunk.usage ?? usage;
      const choice = chunk.choices?.[0];
      if (choice === undefined) return '';
      finish = choice.finish_reason ?? finish;
      if (finish === 'content_filter') throw filtered();
      addCalls(slots, choice.delta);
      return (choice.delta?.content ?? '') + (choice.delta?.refusal ?? '');
    },
    isComplete: () => finish !== undefined,
    end() {
      if (finish === undefined) throw new ModelError('cut', 'The model provider ended the answer before it was complete.');
      const calls = slots.map(toCall);
      const counted = { inputTokens: usage?.prompt_tokens ?? 0, outputTokens: usage?.completion_tokens ?? 0 };
      return [
        ...calls.map((call): ModelEvent => ({ type: 'call', call })),
        ...(usage ? [{ type: 'usage' as const, usage: counted }] : []),
        { type: 'done', finish: finish === 'length' ? 'length' : calls.length > 0 ? 'calls' : 'stop' },
      ];
    },
  };
}

function filtered(): ModelError {
  return new ModelError(
    'content_policy',
    "The model provider's content filter ended the answer. Put it differently, or start afresh with /new.",
  );
}

function toCall({ id, name, text }: Slot): ToolCall {
  return { id, name, arguments: text };
}

/** Pieces belong together by index; some providers give every call index 0 and a new id instead. */
function addCalls(slots: Slot[], delta: Delta | undefined): void {
  for (const piece of delta?.tool_calls ?? []) {
    const index = piece.index ?? 0;
    let slot = slots.findLast((candidate) => candidate.index === index);
    const isOther = slot !== undefined && piece.id !== undefined && piece.id !== '' && slot.id !== '' && piece.id !== slot.id;
    if (slot === undefined || isOther) {
      slot = { index, id: '', name: '', text: '' };
      slots.push(slot);
    }
    slot.id ||= piece.id ?? '';
    slot.name ||= piece.function?.name ?? '';
    slot.text += argumentText(piece.function?.arguments);
  }
}

/** Ollama has sent objects here. */
function argumentText(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
