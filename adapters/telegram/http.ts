/**
 * The HTTP exchange below grammY's API client. Its own (node-fetch) never settles when an answer breaks off in its body and cannot tell
 * whether a request was written; both decide whether a message may be sent again.
 */
import http from 'node:http';
import https from 'node:https';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream';

export interface HttpTiming {
  /** Until the connection stands, TLS included. */
  readonly connectMs: number;
  /** Until the answer is complete. */
  readonly answerMs: number;
}

/** No answer of the Bot API came. The message never contains the address, which contains the token. */
export class TransportError extends Error {
  override readonly name = 'TransportError';
  /** Nothing of the request left this machine, or it was refused as a whole. */
  readonly certain: boolean;
  /** Status of an answer that was no JSON: a proxy's. */
  readonly status?: number;

  constructor(message: string, facts: { readonly certain: boolean; readonly status?: number }) {
    super(message);
    this.certain = facts.certain;
    if (facts.status !== undefined) this.status = facts.status;
  }
}

export interface HttpRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Readable;
  readonly signal: Cancel;
}

/** What the native and grammY's own AbortSignal have in common. */
interface Cancel {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

export interface HttpAnswer {
  json(): Promise<unknown>;
}

/** Servers drop idle connections without a word: ours are given up first, so that a send rarely meets a dead one. */
const IDLE_MS = 25_000;
const LARGEST_ANSWER_BYTES = 64_000_000;

export type Exchange = (url: string, request: HttpRequest) => Promise<HttpAnswer>;

/** Connections that are kept open, shared by all exchanges of an account: a send finds one that another call has opened. */
export interface Connections {
  readonly http: http.Agent;
  readonly https: https.Agent;
}

export function createConnections(): Connections {
  const options = { keepAlive: true, timeout: IDLE_MS };
  return { http: new http.Agent(options), https: new https.Agent(options) };
}

export function createExchange(timing: HttpTiming, agents: Connections): Exchange {
  return (url, request) => exchange(url, request, { timing, agents });
}

interface Wiring {
  readonly timing: HttpTiming;
  readonly agents: Connections;
}

function exchange(url: string, init: HttpRequest, { timing, agents }: Wiring): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const secure = url.startsWith('https:');
    const options = { method: init.method ?? 'GET', headers: init.headers ?? {}, agent: secure ? agents.https : agents.http };
    const request = secure ? https.request(url, options) : http.request(url, options);
    const progress = { written: false };
    const settle = settling(request, init.signal, { timing, progress });
    const fail = (error: Error): void => {
      settle();
      reject(error instanceof TransportError ? error : new TransportError(networkSentence(error), { certain: !progress.written }));
    };
    request.on('error', fail);
    request.on('response', (response) => {
      read(response).then((body) => {
        settle();
        resolve({ json: async () => parse(body, response.statusCode ?? 0) });
      }, fail);
    });
    send(request, init.body);
  });
}

/** Deadlines and the caller's signal; the answer is a function that takes them away. */
function settling(
  request: http.ClientRequest,
  signal: Cancel,
  { timing, progress }: { readonly timing: HttpTiming; readonly progress: { written: boolean } },
): () => void {
  const give = (sentence: string, certain: boolean) => () => void request.destroy(new TransportError(sentence, { certain }));
  const connecting = setTimeout(give('no connection to the Bot API within the time limit', true), timing.connectMs);
  const answering = setTimeout(() => give('the Bot API did not answer in time', !progress.written)(), timing.answerMs);
  const abort = (): void => give('cancelled', !progress.written)();
  const connected = (): void => {
    progress.written = true;
    clearTimeout(connecting);
  };
  request.on('socket', (socket) => {
    if (socket.connecting) socket.once('encrypted' in socket ? 'secureConnect' : 'connect', connected);
    else connected();
  });
  if (signal.aborted) abort();
  else signal.addEventListener('abort', abort);
  return () => {
    clearTimeout(connecting);
    clearTimeout(answering);
    signal.removeEventListener('abort', abort);
  };
}

function send(request: http.ClientRequest, body: HttpRequest['body']): void {
  if (body === undefined || typeof body === 'string') request.end(body);
  else pipeline(body, request, (error) => error && request.destroy(error));
}

async function read(response: http.IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > LARGEST_ANSWER_BYTES) throw new TransportError('the answer of the Bot API is too large', { certain: false });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function parse(body: Buffer, status: number): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    // A proxy that says 4xx did not pass the request on; what became of it behind a 5xx is anybody's guess.
    throw new TransportError(`HTTP ${status} without a Bot API answer`, { certain: status >= 400 && status < 500, status });
  }
}

function networkSentence(error: Error): string {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : 'unknown';
  return SENTENCES[code] ?? `the connection to the Bot API failed (${code})`;
}

const SENTENCES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the Bot API refused the connection',
  ECONNRESET: 'the connection to the Bot API was reset',
  ENOTFOUND: 'the name of the Bot API server could not be resolved',
  EAI_AGAIN: 'the name of the Bot API server could not be resolved at the moment',
  ENETUNREACH: 'the network is unreachable',
  EHOSTUNREACH: 'the Bot API server is unreachable',
  ETIMEDOUT: 'the connection to the Bot API timed out',
};
