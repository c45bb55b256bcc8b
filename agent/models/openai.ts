import type OpenAI from 'openai';
import { type Model, ModelError, type ModelEvent, type ModelRequest } from '../model.ts';
import { drainingFetch } from './drain.ts';
import { createEffort } from './effort.ts';
import { classify } from './errors.ts';
import { createImageReader, type ImageReader } from './images.ts';
import { createAssembly, encodeRequest } from './openai-codec.ts';
import { createWatch } from './watch.ts';

export interface OpenAiOptions {
  readonly model: string;
  /** Servers of one's own often want no key. */
  readonly apiKey?: string;
  readonly baseUrl?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly windowTokens: number;
  readonly vision: boolean;
  /** Longest silence of the provider, before and within an answer. */
  readonly idleTimeoutMs: number;
}

const officialBaseUrl = 'https://api.openai.com/v1';
/** How long the usage, which comes after the end of the answer, is waited for. */
const usageWaitMs = 2_000;

interface Connection {
  readonly options: OpenAiOptions;
  readonly images: ImageReader;
  readonly withEffort: ReturnType<typeof createEffort>;
  client(): Promise<OpenAI>;
}

/** Chat completions of OpenAI and of everyone who speaks them. Makes one attempt a request; retrying is `withRetry`'s. */
export function createOpenAiModel(options: OpenAiOptions): Model {
  let client: Promise<OpenAI> | undefined;
  const connection: Connection = {
    options,
    images: createImageReader(),
    withEffort: createEffort(),
    client: () => {
      client ??= connect(options);
      return client;
    },
  };
  return {
    name: options.model,
    windowTokens: options.windowTokens,
    vision: options.vision,
    stream: (request, signal) => stream(connection, request, signal),
  };
}

/** Imported on first use: the package costs more to load than everything else that a start does together. */
async function connect(options: OpenAiOptions): Promise<OpenAI> {
  const { OpenAI: Client } = await import('openai');
  return new Client({
    apiKey: options.apiKey || 'none',
    // null: what the environment says is taken by our configuration or not at all
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    baseURL: options.baseUrl || officialBaseUrl,
    defaultHeaders: { ...options.headers },
    timeout: options.idleTimeoutMs + 1_000, // ours is shorter and says what happened
    maxRetries: 0,
    fetch: drainingFetch,
    logLevel: 'off',
  });
}

async function* stream(connection: Connection, request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent, void, undefined> {
  const { options } = connection;
  const assembly = createAssembly();
  const watch = createWatch(options.idleTimeoutMs, signal);
  let bodyBegun = false;
  try {
    for await (const chunk of await send(connection, request, watch.signal)) {
      bodyBegun = true;
      const text = assembly.add(chunk);
      if (text !== '') yield { type: 'text.delta', text };
      watch.touch(assembly.isComplete() ? usageWaitMs : options.idleTimeoutMs);
    }
    if (!assembly.isComplete()) watch.signal.throwIfAborted(); // the client ends an aborted stream without a word
  } catch (error) {
    signal.throwIfAborted();
    const cause = watch.signal.aborted ? watch.signal.reason : error;
    if (!assembly.isComplete() || error instanceof ModelError) throw classify(cause, { model: options.model, bodyBegun });
  } finally {
    watch.stop();
  }
  signal.throwIfAborted();
  yield* assembly.end();
}

async function send({ options, images, withEffort, client }: Connection, request: ModelRequest, signal: AbortSignal) {
  const [api, shown] = await Promise.all([client(), images.read(request.messages)]);
  signal.throwIfAborted();
  return withEffort(request, (asked) => api.chat.completions.create(encodeRequest(options.model, asked, shown), { signal }));
}
