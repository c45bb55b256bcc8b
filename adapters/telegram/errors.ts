/** What a failed call means for the one who made it. https://core.telegram.org/bots/api#making-requests */
import { GrammyError, HttpError } from 'grammy';
import { DeliveryError, type DeliveryFacts } from '../adapter.ts';
import { TransportError } from './http.ts';

const FORMATTING = /can't parse (?:entities|message text|caption)|unsupported start tag|ENTITY_|entity/i;
const DEFAULT_PENALTY_MS = 5000;

/**
 * - 500 with a Bot API envelope is documented as "unsuccessful": nothing was sent. 502 to 504 come from what stands in front of it and
 *   say nothing about the message, so their outcome is unknown.
 * - 401 keeps the message: the account is stopped, and the text waits for a working token.
 */
export function deliveryError(error: unknown): DeliveryError {
  if (error instanceof DeliveryError) return error;
  if (error instanceof GrammyError) return ofAnswer(error);
  const cause = error instanceof HttpError ? error.error : error;
  if (cause instanceof TransportError) return ofTransport(cause);
  const detail = cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : '';
  return new DeliveryError(`Telegram: the request failed${detail}.`, { kind: 'transient', certain: false });
}

function ofAnswer(error: GrammyError): DeliveryError {
  const sentence = `Telegram: ${error.description.replace(/^(?:Bad Request|Forbidden): /, '')}.`;
  return new DeliveryError(sentence, factsOf(error));
}

function factsOf({ error_code: code, description, parameters }: GrammyError): DeliveryFacts {
  if (code === 429) {
    const retryAfterMs = parameters.retry_after === undefined ? DEFAULT_PENALTY_MS : parameters.retry_after * 1000;
    return { kind: 'rate_limited', certain: true, retryAfterMs };
  }
  if (code === 401 || code === 409) return { kind: 'transient', certain: true };
  if (code >= 500) return { kind: 'transient', certain: code === 500 };
  return { kind: 'rejected', certain: true, formatting: code === 400 && FORMATTING.test(description) };
}

function ofTransport({ message, certain, status }: TransportError): DeliveryError {
  const sentence = `Telegram: ${message}.`;
  if (status === 429) return new DeliveryError(sentence, { kind: 'rate_limited', certain: true, retryAfterMs: DEFAULT_PENALTY_MS });
  if (status === 413) return new DeliveryError(sentence, { kind: 'rejected', certain: true });
  return new DeliveryError(sentence, { kind: 'transient', certain });
}

/** The answer's code, or undefined when there was none. */
export function errorCode(error: unknown): number | undefined {
  return error instanceof GrammyError ? error.error_code : undefined;
}

export function isRefusal(error: unknown, code: number, description: RegExp): boolean {
  return error instanceof GrammyError && error.error_code === code && description.test(error.description);
}

/** Where the chat went, when it became a supergroup. */
export function migratedTo(error: unknown): number | undefined {
  return error instanceof GrammyError ? error.parameters.migrate_to_chat_id : undefined;
}

export function retryAfterMs(error: unknown): number | undefined {
  const seconds = error instanceof GrammyError && error.error_code === 429 ? error.parameters.retry_after : undefined;
  return seconds === undefined ? undefined : seconds * 1000;
}
