/** What a failed call means for the one who made it. https://docs.discord.com/developers/topics/opcodes-and-status-codes */
import { DiscordAPIError, HTTPError, RateLimitError } from 'discord.js';
import { DeliveryError, type DeliveryFacts } from '../adapter.ts';

/** discord.js adds this to every pause that Discord asks for. */
export const OFFSET_MS = 50;
const DEFAULT_PENALTY_MS = 5000;
/** Too many refused requests: what stands in front of the API names no end of it. */
const BLOCKED_MS = 60_000;

/** Slow mode, and write limits of a channel or server: Discord wants a pause, but names none in its headers. */
const BUSY = [20016, 20022, 20028, 20029, 40062];
/** The API is overloaded; something in front of it refused the request. */
const PASSING = [130_000, 40_333];
/** Nothing was written to the wire. */
const NEVER_SENT = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT', 'EHOSTUNREACH', 'ENETUNREACH'];

export function deliveryError(error: unknown): DeliveryError {
  if (error instanceof DeliveryError) return error;
  if (error instanceof RateLimitError) {
    const retryAfterMs = error.retryAfter > 0 ? Math.max(0, Math.ceil(error.retryAfter - OFFSET_MS)) : BLOCKED_MS;
    return new DeliveryError('Discord: too many requests.', { kind: 'rate_limited', certain: true, retryAfterMs });
  }
  if (error instanceof DiscordAPIError) return new DeliveryError(`Discord: ${sentence(error.message)}`, factsOf(error));
  if (error instanceof HTTPError)
    return new DeliveryError(`Discord: the server failed (HTTP ${error.status}).`, { kind: 'transient', certain: false });
  return ofTransport(error);
}

/** 401 keeps the message: the account is stopped, and the text waits for a working token. */
function factsOf(error: DiscordAPIError): DeliveryFacts {
  const { status, code, rawError } = error;
  const number = Number(code);
  if (status === 429 || BUSY.includes(number)) return { kind: 'rate_limited', certain: true, retryAfterMs: pauseOf(rawError) };
  if (status === 401 || PASSING.includes(number)) return { kind: 'transient', certain: true };
  return { kind: 'rejected', certain: true };
}

function pauseOf(raw: object): number {
  const seconds = 'retry_after' in raw ? Number(raw.retry_after) : Number.NaN;
  return Number.isFinite(seconds) ? Math.ceil(seconds * 1000) : DEFAULT_PENALTY_MS;
}

function ofTransport(error: unknown): DeliveryError {
  const code = networkCode(error);
  if (error instanceof Error && error.name === 'AbortError')
    return new DeliveryError('Discord: no answer in time.', { kind: 'transient', certain: false });
  // discord.js forgets a token that was refused.
  if (error instanceof Error && /^Expected token/.test(error.message))
    return new DeliveryError('Discord: it has refused the bot token.', { kind: 'transient', certain: true });
  const detail = code === undefined ? '' : ` (${code})`;
  return new DeliveryError(`Discord: the request failed${detail}.`, { kind: 'transient', certain: NEVER_SENT.includes(code ?? '') });
}

function networkCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if ('code' in error && typeof error.code === 'string') return error.code;
  return networkCode(error.cause);
}

function sentence(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim().slice(0, 300);
  return /[.!?]$/.test(line) ? line : `${line}.`;
}

/** Discord's own number for what went wrong. */
export function isRefusal(error: unknown, ...codes: readonly number[]): boolean {
  return error instanceof DiscordAPIError && codes.includes(Number(error.code));
}

export const UNKNOWN_CHANNEL = 10_003;
export const UNKNOWN_MESSAGE = 10_008;
export const UNKNOWN_WEBHOOK = 10_015;
export const UNKNOWN_INTERACTION = 10_062;
export const INTERACTION_ANSWERED = 40_060;
export const MISSING_ACCESS = 50_001;
export const MISSING_PERMISSIONS = 50_013;
export const INVALID_WEBHOOK_TOKEN = 50_027;
export const THREAD_EXISTS = 160_004;
