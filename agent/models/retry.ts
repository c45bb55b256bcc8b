import { type Model, ModelError, type ModelErrorKind, type ModelEvent, type ModelRequest } from '../model.ts';
import { pause } from './pause.ts';

export interface RetryOptions {
  /** Attempts after the first one. */
  readonly maxRetries: number;
  /** No attempt begins, and none without a first byte goes on, later than this after the request. */
  readonly totalMs?: number;
  /** 0 to 1; for tests. */
  readonly random?: () => number;
}

const baseMs = 2_000;
const capMs = 60_000;
const longestWaitMs = 120_000;
const defaultTotalMs = 600_000;

const retried: Readonly<Record<ModelErrorKind, boolean>> = {
  rate_limit: true,
  overloaded: true,
  server: true,
  timeout: true,
  cut: true,
  connection: true,
  auth: false,
  billing: false,
  context_overflow: false,
  image: false,
  not_found: false,
  bad_request: false,
  content_policy: false,
};

/** A Model that asks again: after what the provider says, else after 2, 4, 8 ... s (up to 60 s) with jitter. */
export function withRetry(model: Model, options: RetryOptions): Model {
  return {
    name: model.name,
    windowTokens: model.windowTokens,
    vision: model.vision,
    stream: (request, signal) => attempts(model, request, { options, signal }),
  };
}

interface Attempting {
  readonly options: RetryOptions;
  readonly signal: AbortSignal;
}

async function* attempts(
  model: Model,
  request: ModelRequest,
  { options, signal }: Attempting,
): AsyncGenerator<ModelEvent, void, undefined> {
  const deadlineMs = performance.now() + (options.totalMs ?? defaultTotalMs);
  for (let attempt = 1; ; attempt += 1) {
    try {
      return yield* firstByteBy(deadlineMs, (attemptSignal) => model.stream(request, attemptSignal), signal);
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof ModelError) || !retried[error.kind]) throw error;
      const waitMs = waitAfter(error, attempt, options.random ?? Math.random);
      if (attempt > options.maxRetries) throw error;
      if (waitMs > longestWaitMs) throw tooLong(error, waitMs);
      if (performance.now() + waitMs > deadlineMs) throw error;
      yield { type: 'retry', error, attempt, waitMs };
      await pause(waitMs, signal);
    }
  }
}

/** An answer that has begun is bounded by the model's own silence limit alone: a slow model may write for a long time. */
async function* firstByteBy(
  deadlineMs: number,
  stream: (signal: AbortSignal) => AsyncIterable<ModelEvent>,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent, void, undefined> {
  const late = new AbortController();
  const abort = () => late.abort(new ModelError('timeout', 'The model provider did not answer in time.'));
  const timer = setTimeout(abort, Math.max(0, deadlineMs - performance.now()));
  try {
    for await (const event of stream(AbortSignal.any([signal, late.signal]))) {
      clearTimeout(timer);
      yield event;
    }
  } finally {
    clearTimeout(timer);
  }
}

/** Between half and the whole of the step; never before the provider wants it. */
function waitAfter(error: ModelError, attempt: number, random: () => number): number {
  const stepMs = Math.min(capMs, baseMs * 2 ** (attempt - 1));
  const ownMs = Math.round(stepMs * (0.5 + random() / 2));
  return error.retryAfterMs === undefined ? ownMs : Math.max(error.retryAfterMs, Math.min(ownMs, baseMs));
}

function tooLong(error: ModelError, waitMs: number): ModelError {
  return new ModelError(error.kind, `${error.message} It asks to wait ${duration(waitMs)}. Please try again then.`, {
    retryAfterMs: waitMs,
    cause: error.cause ?? error,
  });
}

function duration(ms: number): string {
  const minutes = Math.ceil(ms / 60_000);
  if (minutes < 120) return `${minutes} minutes`;
  const hours = Math.ceil(minutes / 60);
  return hours < 48 ? `${hours} hours` : `${Math.ceil(hours / 24)} days`;
}
