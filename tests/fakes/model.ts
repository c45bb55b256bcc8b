/**
 * A language model server that speaks OpenAI's chat completions to the real client. It refuses what the real ones refuse (unpaired calls,
 * empty assistant messages) and fails on request in every way that providers and networks fail.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { structureProblem } from './model-rules.ts';
import { type ChatBody, lastUserText } from './model-wire.ts';

export { type ChatBody, lastUserText } from './model-wire.ts';

export interface ScriptedCall {
  readonly name: string;
  /** An object, or raw text to send arguments that are not JSON. */
  readonly args: unknown;
  readonly id?: string;
}

export interface Reply {
  readonly text?: string;
  readonly calls?: readonly ScriptedCall[];
  /** Instead of `stop` or `tool_calls`. */
  readonly finish?: string;
}

export type Fault =
  | { readonly type: 'status'; readonly status: number; readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> }
  /** The request is read and never answered. */
  | { readonly type: 'hang' }
  /** Headers and one piece of text, then silence. */
  | { readonly type: 'stall' }
  /** The connection is reset before any byte of the answer. */
  | { readonly type: 'reset' }
  /** The connection is reset after one piece of text. */
  | { readonly type: 'reset_mid_stream' }
  /** The stream ends in order, without finish_reason and [DONE]. */
  | { readonly type: 'cut' }
  /** OpenRouter's way: an error object inside a stream that began well. */
  | { readonly type: 'stream_error'; readonly error: unknown }
  /** The whole answer, one character each `intervalMs`. */
  | { readonly type: 'drip'; readonly intervalMs: number };

export type ReplyFunction = (body: ChatBody) => Reply | Promise<Reply>;

export interface FakeModel {
  /** For `OPENAI_BASE_URL`; ends in /v1. */
  readonly base: string;
  /** Bodies seen, in order of arrival, refused ones included. */
  readonly requests: ChatBody[];
  /** Authorization and other headers of the same requests. */
  readonly headers: IncomingMessage['headers'][];
  /** Connections that were ever opened. */
  connections(): number;
  /** What the server answers from now on; without it: `echo: <last user text>`. */
  reply(answer: ReplyFunction): void;
  /** The next `times` requests (that match) fail this way. */
  fail(fault: Fault, times?: number, when?: (body: ChatBody) => boolean): void;
  setDelay(delayMs: number): void;
  close(): Promise<void>;
}

export interface FakeModelOptions {
  readonly port?: number;
  readonly delayMs?: number;
  readonly reply?: ReplyFunction;
}

interface PendingFault {
  readonly fault: Fault;
  left: number;
  readonly when: (body: ChatBody) => boolean;
}

interface State {
  delayMs: number;
  answer: ReplyFunction;
  count: number;
  readonly faults: PendingFault[];
}

const usage = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 };

export async function startFakeModel(options: FakeModelOptions = {}): Promise<FakeModel> {
  const state: State = {
    delayMs: options.delayMs ?? 0,
    answer: options.reply ?? ((body) => ({ text: `echo: ${lastUserText(body)}` })),
    count: 0,
    faults: [],
  };
  const requests: ChatBody[] = [];
  const headers: IncomingMessage['headers'][] = [];
  let opened = 0;
  const server = createServer((request, response) => {
    readBody(request).then(
      (text) => {
        const body = parseChat(request, response, text);
        if (body === undefined) return;
        requests.push(body);
        headers.push(request.headers);
        serve(body, state, response).catch((error: unknown) => response.destroy(error instanceof Error ? error : new Error(String(error))));
      },
      () => response.destroy(),
    );
  });
  server.keepAliveTimeout = 60_000;
  server.on('connection', (socket: Socket) => {
    opened += 1;
    socket.setNoDelay(true);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    base: `http://127.0.0.1:${port}/v1`,
    requests,
    headers,
    connections: () => opened,
    reply: (answer) => {
      state.answer = answer;
    },
    fail: (fault, times = 1, when = () => true) => {
      state.faults.push({ fault, left: times, when });
    },
    setDelay: (delayMs) => {
      state.delayMs = delayMs;
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function sendJson(response: ServerResponse, status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): void {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(text);
}

function badRequest(message: string) {
  return { error: { message, type: 'invalid_request_error', param: null, code: null } };
}

function parseChat(request: IncomingMessage, response: ServerResponse, text: string): ChatBody | undefined {
  const path = (request.url ?? '').split('?')[0] ?? '';
  if (request.method !== 'POST' || !path.endsWith('/chat/completions')) {
    sendJson(response, 404, badRequest(`no such route: ${request.method} ${path}`));
    return undefined;
  }
  try {
    return JSON.parse(text) as ChatBody;
  } catch {
    sendJson(response, 400, badRequest('We could not parse the JSON body of your request.'));
    return undefined;
  }
}

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

function takeFault(state: State, body: ChatBody): Fault | undefined {
  const pending = state.faults.find((candidate) => candidate.left > 0 && candidate.when(body));
  if (pending === undefined) return undefined;
  pending.left -= 1;
  return pending.fault;
}

async function serve(body: ChatBody, state: State, response: ServerResponse): Promise<void> {
  state.count += 1;
  const id = `chatcmpl-${state.count}`;
  const fault = takeFault(state, body);
  if (fault !== undefined && fault.type !== 'drip') return fail(fault, id, response);
  const problem = structureProblem(body);
  if (problem !== undefined) return sendJson(response, 400, badRequest(problem));
  const reply = await state.answer(body);
  if (state.delayMs > 0) await sleep(state.delayMs);
  if (body.stream !== true) return sendJson(response, 200, completion(id, body, reply));
  await streamReply(response, { id, body, reply, dripMs: fault?.type === 'drip' ? fault.intervalMs : undefined });
}

async function fail(fault: Exclude<Fault, { type: 'drip' }>, id: string, response: ServerResponse): Promise<void> {
  if (fault.type === 'status') {
    return sendJson(response, fault.status, fault.body ?? { error: { message: `status ${fault.status}` } }, fault.headers);
  }
  if (fault.type === 'hang') return;
  if (fault.type === 'reset') {
    response.socket?.resetAndDestroy();
    return;
  }
  openStream(response);
  response.write(chunk(id, { role: 'assistant', content: 'half an ' }, null));
  await sleep(20); // the client reads the first piece before the connection goes
  if (fault.type === 'reset_mid_stream') response.socket?.resetAndDestroy();
  if (fault.type === 'cut') response.end();
  if (fault.type === 'stream_error') response.end(`data: ${JSON.stringify({ id, error: fault.error, choices: [] })}\n\n`);
}

function openStream(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
}

function chunk(id: string, delta: unknown, finish: string | null): string {
  return `data: ${JSON.stringify({ id, object: 'chat.completion.chunk', model: 'fake', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
}

function wireCalls(id: string, reply: Reply) {
  return (reply.calls ?? []).map((call, index) => ({
    id: call.id ?? `call_${id}_${index}`,
    type: 'function',
    function: { name: call.name, arguments: typeof call.args === 'string' ? call.args : JSON.stringify(call.args) },
  }));
}

function finishOf(reply: Reply): string {
  return reply.finish ?? ((reply.calls?.length ?? 0) > 0 ? 'tool_calls' : 'stop');
}

function completion(id: string, body: ChatBody, reply: Reply) {
  const calls = wireCalls(id, reply);
  const message = { role: 'assistant', content: reply.text ?? null, ...(calls.length > 0 ? { tool_calls: calls } : {}) };
  return { id, object: 'chat.completion', model: body.model, choices: [{ index: 0, message, finish_reason: finishOf(reply) }], usage };
}

interface Streaming {
  readonly id: string;
  readonly body: ChatBody;
  readonly reply: Reply;
  readonly dripMs: number | undefined;
}

/** Arguments arrive in two pieces, as real providers send them. */
function callChunks(id: string, reply: Reply): string[] {
  return wireCalls(id, reply).flatMap((call, index) => {
    const half = Math.ceil(call.function.arguments.length / 2);
    const head = { ...call, index, function: { name: call.function.name, arguments: call.function.arguments.slice(0, half) } };
    const tail = { index, function: { arguments: call.function.arguments.slice(half) } };
    return [chunk(id, { tool_calls: [head] }, null), chunk(id, { tool_calls: [tail] }, null)];
  });
}

function pieces(text: string, count: number): string[] {
  const size = Math.max(1, Math.ceil(text.length / count));
  return Array.from({ length: Math.ceil(text.length / size) }, (_, index) => text.slice(index * size, (index + 1) * size));
}

async function streamReply(response: ServerResponse, { id, body, reply, dripMs }: Streaming): Promise<void> {
  openStream(response);
  const text = reply.text ?? '';
  const parts = pieces(text, dripMs === undefined ? 4 : text.length).map((piece) => chunk(id, { content: piece }, null));
  const tail = [...callChunks(id, reply), chunk(id, {}, finishOf(reply))];
  if (body.stream_options?.include_usage)
    tail.push(`data: ${JSON.stringify({ id, object: 'chat.completion.chunk', choices: [], usage })}\n\n`);
  tail.push('data: [DONE]\n\n');
  if (dripMs === undefined) {
    response.write([chunk(id, { role: 'assistant', content: '' }, null), ...parts, ...tail].join(''));
    setTimeout(() => response.end(), 2); // as real servers do: the end of the body is a packet of its own
    return;
  }
  for (const part of parts) {
    response.write(part);
    await sleep(dripMs);
    if (response.destroyed) return;
  }
  response.end(tail.join(''));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const fake = await startFakeModel({ port: Number(process.argv[2] ?? 0), delayMs: Number(process.argv[3] ?? 0) });
  console.log(fake.base);
}
