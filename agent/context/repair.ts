import type { AssistantMessage, Message, Part, ToolCall, ToolMessage, UserMessage } from '../message.ts';

/**
 * The messages of a request, valid for every provider, from any transcript: each call has exactly one result, right after its message and
 * in call order; there are no orphaned results and no empty messages; roles alternate; it begins with a user message and ends with a user
 * message or a result; call ids, tool names and arguments are of a form that all accept. Pure: the transcript stays as it is, and equal
 * beginnings of transcripts give equal beginnings of requests, which providers cache.
 */
export function repair(transcript: readonly Message[]): Message[] {
  return alternate(pairUp(transcript));
}

/** The first half of `repair`: calls with their results, clean and complete. Any cut in front of a user message keeps it so. */
export function pairUp(transcript: readonly Message[]): Message[] {
  const ids = createIds();
  return transcript.flatMap((message, index): Message[] => {
    if (message.role === 'tool') return []; // comes in with its call; an orphan not at all
    if (message.role === 'user') return [cleanUser(message)];
    return pairAssistant(message, resultsAfter(transcript, index), ids);
  });
}

/** The second half of `repair`: roles alternate, from a user message to one that can be answered. */
export function alternate(messages: readonly Message[]): Message[] {
  const request: Message[] = [];
  for (const message of messages) {
    if (message.role === 'user') pushUser(request, message);
    else if (message.role === 'assistant') pushAssistant(request, message);
    else request.push(message);
  }
  if (request.length === 0 || request.at(-1)?.role === 'assistant') pushUser(request, placeholder('(continue)'));
  return request;
}

function placeholder(text: string): UserMessage {
  return { role: 'user', content: [{ type: 'text', text }] };
}

function cleanUser(message: UserMessage): UserMessage {
  const content = message.content.map(cleanPart).filter((part) => part.type === 'image' || part.text.trim() !== '');
  return content.length === 0 ? placeholder('(empty message)') : { ...message, content };
}

/** A part that needs no change stays the same object: what was read for an image is remembered by it. */
function cleanPart(part: Part): Part {
  if (part.type === 'text') return part.text.isWellFormed() ? part : { ...part, text: part.text.toWellFormed() };
  return part.note.isWellFormed() && part.note.trim() !== '' ? part : { ...part, note: part.note.trim().toWellFormed() || '(an image)' };
}

/**
 * A user message right after results was said meanwhile, or the turn was stopped there; right after another one it was said again, because there
 * was no answer, or by us. Providers want an answer in between, and what was sent before must stay as it was: nothing is merged into it.
 */
function pushUser(request: Message[], message: UserMessage): void {
  const last = request.at(-1);
  if (last?.role === 'tool') request.push(answer(message.interjected ? '(still at work)' : '(stopped before an answer)'));
  else if (last?.role === 'user') request.push(answer(message.interjected ? '(no answer)' : '(stopped before an answer)'));
  request.push(message);
}

function answer(text: string): AssistantMessage {
  return { role: 'assistant', text, calls: [], finish: 'stop' };
}

/** The results that belong to the assistant message at `index`: all up to the next assistant message. */
function resultsAfter(transcript: readonly Message[], index: number): ToolMessage[] {
  const results: ToolMessage[] = [];
  for (let at = index + 1; at < transcript.length; at += 1) {
    const message = transcript[at];
    if (message?.role === 'assistant') break;
    if (message?.role === 'tool') results.push(message);
  }
  return results;
}

function pairAssistant(message: AssistantMessage, results: ToolMessage[], ids: Ids): Message[] {
  const text = message.text.trim() === '' ? '' : message.text.toWellFormed();
  if (text === '' && message.calls.length === 0) return [];
  const calls = message.calls.map((call) => ({ call, clean: cleanCall(call, ids) }));
  const cleaned = { ...message, text, calls: calls.map(({ clean }) => clean) };
  return [cleaned, ...calls.map(({ call, clean }) => takeResult(results, call, clean))];
}

function pushAssistant(request: Message[], message: AssistantMessage): void {
  const last = request.at(-1);
  if (last === undefined) request.push(placeholder('(the conversation began earlier)'));
  if (last?.role === 'assistant') request.splice(-1, 1, { ...message, text: `${last.text}\n\n${message.text}`.trim() });
  else request.push(message);
}

/** The first result with the call's id, or one that says that there is none. */
function takeResult(results: ToolMessage[], call: ToolCall, clean: ToolCall): ToolMessage {
  const at = results.findIndex((result) => result.callId === call.id);
  const found = at === -1 ? undefined : results.splice(at, 1)[0];
  if (found === undefined) {
    return { role: 'tool', callId: clean.id, name: clean.name, status: 'unknown', content: '(no result: this call was interrupted)' };
  }
  const content = found.content.trim() === '' ? '(no output)' : found.content.toWellFormed();
  return { ...found, callId: clean.id, name: clean.name, content };
}

function cleanCall(call: ToolCall, ids: Ids): ToolCall {
  const name = call.name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 64);
  return { id: ids.next(call.id), name: name === '' ? 'unknown' : name, arguments: cleanArguments(call.arguments) };
}

/** A JSON object, whatever the model wrote: its own words stay readable in what was not one. */
function cleanArguments(text: string): string {
  if (text.trim() === '') return '{}';
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return text.toWellFormed();
  } catch {
    // not JSON: quoted below
  }
  return JSON.stringify({ invalid_arguments: text.slice(0, 2_000).toWellFormed() });
}

interface Ids {
  next(id: string): string;
}

/** Mistral takes exactly nine letters and digits, OpenAI at most 40 characters, Anthropic wants them unique in the whole request. */
function createIds(): Ids {
  const used = new Set<string>();
  return {
    next(id) {
      let candidate = /^[A-Za-z0-9]{9}$/.test(id) ? id : shortId(id);
      for (let attempt = 1; used.has(candidate); attempt += 1) candidate = shortId(`${id}#${attempt}`);
      used.add(candidate);
      return candidate;
    },
  };
}

/** Nine characters from two FNV-1a hashes: a function of the id alone, so that a request's beginning stays the same from turn to turn. */
function shortId(id: string): string {
  const digits = fnv(id, 0x811c9dc5).toString(36).padStart(7, '0') + fnv(id, 0x01000193).toString(36).padStart(7, '0');
  return digits.slice(2, 11);
}

function fnv(text: string, seed: number): number {
  let hash = seed;
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return hash >>> 0;
}
