import { ModelError, type ModelErrorKind } from '../model.ts';
import { retryAfterMs } from './retry-after.ts';
import { kindOfWords } from './wordings.ts';

/** What is known of a failed request; each provider fills in what it likes. */
export interface Failure {
  readonly status?: number;
  /** `code` and `type` of the error object, joined. */
  readonly code: string;
  readonly words: string;
  /** Of the network, not of the provider: ECONNRESET, UND_ERR_SOCKET ... */
  readonly network?: string;
  readonly retryAfterMs?: number;
}

/** Never throws. `model` names the model in sentences; `bodyBegun`: part of the answer had arrived. */
export function classify(error: unknown, context: { readonly model: string; readonly bodyBegun: boolean }): ModelError {
  if (error instanceof ModelError) return error;
  const failure = describe(error);
  const kind = kindOf(failure, context.bodyBegun);
  const facts = failure.retryAfterMs === undefined ? { cause: error } : { cause: error, retryAfterMs: failure.retryAfterMs };
  return new ModelError(kind, sentence(kind, failure, context.model), facts);
}

/** The openai client's errors, undici's, and error objects of a stream alike: only their properties are looked at. */
export function describe(error: unknown): Failure {
  const outer = fields(error);
  const inner = innerError(outer['error']);
  const code = [inner['code'], inner['type'], inner['status'], outer['code'], outer['type'], fields(inner['metadata'])['error_type']];
  const words = [outer['message'], inner['message'], fields(inner['metadata'])['raw']]
    .filter((text) => typeof text === 'string')
    .join('\n');
  const status = statusOf(outer, inner);
  const wait = retryAfterMs(outer['headers'], words);
  const network = networkCode(error);
  return {
    code: code.filter((part) => typeof part === 'string').join(' '),
    words,
    ...(status === undefined ? {} : { status }),
    ...(wait === undefined ? {} : { retryAfterMs: wait }),
    ...(network === undefined ? {} : { network }),
  };
}

/** Gemini sends a list with one error object in it; some wrap the object once more. */
function innerError(value: unknown): Record<string, unknown> {
  const object = fields(Array.isArray(value) ? value[0] : value);
  return 'error' in object ? fields(object['error']) : object;
}

function fields(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

/** Inside a stream the status is the error object's `code` (OpenRouter) or `status`. */
function statusOf(outer: Record<string, unknown>, inner: Record<string, unknown>): number | undefined {
  const candidates = [outer['status'], inner['code'], inner['status'], outer['code']].map(Number);
  return candidates.find((status) => Number.isInteger(status) && status >= 400 && status < 600);
}

const systemCode = /^(E[A-Z_]+|UND_ERR_[A-Z_]+|[A-Z_]*(CERT|SIGNATURE)[A-Z_]*)$/;

/** Node puts the code on the error or somewhere down its causes; the innermost one says what happened. */
function networkCode(error: unknown): string | undefined {
  const chain: Error[] = [];
  for (let current = error; current instanceof Error && chain.length < 5; current = current.cause) chain.push(current);
  const codes = chain.flatMap((link) => ('code' in link && typeof link.code === 'string' ? [link.code] : []));
  const code = codes.findLast((candidate) => systemCode.test(candidate));
  if (code !== undefined) return code;
  if (chain.some((link) => link.message === 'terminated' || link instanceof SyntaxError)) return 'terminated';
  const names = chain.map((link) => `${link.name} ${link.constructor.name}`).join(' ');
  if (names.includes('Timeout')) return 'ETIMEDOUT';
  return names.includes('APIConnectionError') ? 'ECONNECTION' : undefined;
}

const timeouts = new Set(['ETIMEDOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'UND_ERR_CONNECT_TIMEOUT']);

function kindOf(failure: Failure, bodyBegun: boolean): ModelErrorKind {
  const spoken = kindOfWords(failure);
  if (spoken !== undefined) return spoken;
  if (failure.status !== undefined) return kindOfStatus(failure.status);
  if (failure.network !== undefined && timeouts.has(failure.network)) return 'timeout';
  if (failure.network === undefined) return failure.words === '' ? 'connection' : 'server';
  return bodyBegun || failure.network === 'terminated' ? 'cut' : 'connection';
}

function kindOfStatus(status: number): ModelErrorKind {
  switch (status) {
    case 401:
    case 403:
      return 'auth';
    case 402:
      return 'billing';
    case 404:
      return 'not_found';
    case 408:
      return 'timeout';
    case 413:
      return 'context_overflow';
    case 429:
      return 'rate_limit';
    case 503:
    case 529:
      return 'overloaded';
    default:
      return status >= 500 || status === 409 || status === 425 ? 'server' : 'bad_request';
  }
}

const unreachable: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing answers at its address',
  ENOTFOUND: 'its name is not known',
  EAI_AGAIN: 'its name could not be looked up',
  ENETUNREACH: 'there is no network',
  EHOSTUNREACH: 'there is no way to its address',
};

function connectionSentence({ network = '' }: Failure): string {
  const reason =
    unreachable[network] ?? (network.includes('CERT') || network.includes('SIGNATURE') ? 'its certificate is not trusted' : undefined);
  if (reason === undefined) return 'The connection to the model provider broke before it answered.';
  return `The model provider cannot be reached: ${reason}. Check model.base_url and the network.`;
}

function sentence(kind: ModelErrorKind, failure: Failure, model: string): string {
  switch (kind) {
    case 'auth':
      return 'The model provider refused the API key. Check OPENAI_API_KEY in ~/.hermes/.env, or model.api_key in config.yaml.';
    case 'billing':
      return "The model provider's account has no credit left, or its spending limit is reached. Top it up, or set another model.";
    case 'rate_limit':
      return 'The model provider limits how often it may be asked just now.';
    case 'overloaded':
      return 'The model provider is overloaded.';
    case 'server':
      return `The model provider had an error of its own${failure.status === undefined ? '' : ` (${failure.status})`}.`;
    case 'timeout':
      return 'The model provider did not answer in time.';
    case 'cut':
      return 'The connection to the model provider broke in the middle of the answer.';
    case 'connection':
      return connectionSentence(failure);
    case 'context_overflow':
      return "This conversation is too long for the model's window. /new starts a fresh one.";
    case 'image':
      return 'The model provider does not accept an image of this conversation.';
    case 'not_found':
      return `The model provider does not know the model "${model}", or this key may not use it. Check model.default and model.base_url in config.yaml.`;
    case 'content_policy':
      return 'The model provider refused this under its content rules. Put it differently, or start afresh with /new.';
    case 'bad_request':
      return `The model provider did not accept the request${failure.status === undefined ? '' : ` (${failure.status})`}. If it happens again, /new starts a fresh conversation.`;
  }
}
