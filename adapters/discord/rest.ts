/** Calls of Discord's HTTP API through discord.js, which keeps to the limits of each route. Retries are the outbox's business. */
import { REST, type RESTOptions, type RouteLike } from 'discord.js';
import { deliveryError, OFFSET_MS } from './errors.ts';

/** Real times; tests shorten them. All in ms. */
export interface Timing {
  /** Answer to an ordinary call. */
  readonly callMs: number;
  readonly fileMs: number;
  /** A longer pause for a route's limit is the caller's to wait out: the message is not on its way meanwhile. */
  readonly longestPauseMs: number;
  /** From the start of a connection to its READY or RESUMED. */
  readonly readyMs: number;
  /** Without any sign of life for so long a connection is given up; discord.js has noticed by then, if it does at all. */
  readonly silenceMs: number;
  /** After so long without an event Discord is asked for one. */
  readonly probeAfterMs: number;
  readonly probeMs: number;
  /** A connection that lasted so long was useful. */
  readonly usefulMs: number;
  readonly backoffFirstMs: number;
  readonly backoffMaxMs: number;
  readonly identifyGapMs: number;
  readonly identifyMaxMs: number;
  /** A deferred reply to a command that nobody gave is taken away after this. */
  readonly deferralMs: number;
  readonly farewellMs: number;
}

export const TIMING: Timing = {
  callMs: 20_000,
  fileMs: 300_000,
  longestPauseMs: 6000,
  readyMs: 15_000,
  silenceMs: 85_000,
  probeAfterMs: 50_000,
  probeMs: 15_000,
  usefulMs: 60_000,
  backoffFirstMs: 500,
  backoffMaxMs: 12_000,
  identifyGapMs: 5000,
  identifyMaxMs: 300_000,
  deferralMs: 15_000,
  farewellMs: 1500,
};

export interface Request {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly route: RouteLike;
  readonly body?: unknown;
  readonly query?: URLSearchParams;
  readonly file?: { readonly name: string; readonly data: Buffer; readonly contentType: string };
  /** Interactions authorise themselves by their token. */
  readonly auth?: false;
}

/** Rejects with DeliveryError, DiscordAPIError or what the client made of a failure; with the signal's reason as soon as it is aborted. */
export type Call = (request: Request, signal: AbortSignal) => Promise<unknown>;

export function restOptions(baseUrl: string, timing: Timing): Partial<RESTOptions> {
  return {
    api: `${baseUrl}/api`,
    version: '10',
    retries: 0,
    timeout: timing.fileMs,
    offset: OFFSET_MS,
    // Without a pause in its headers a 429 comes from what stands in front of the API, and discord.js would ask again at once, for ever.
    rejectOnRateLimit: ({ retryAfter, timeToReset }) => retryAfter <= 0 || Math.max(retryAfter, timeToReset) > timing.longestPauseMs,
  };
}

export function createCall(connection: { readonly token: string; readonly baseUrl: string }, timing: Timing): Call {
  const rest = new REST(restOptions(connection.baseUrl, timing));
  return async ({ method, route, body, query, file, auth }, signal) => {
    signal.throwIfAborted();
    // Each time, because discord.js forgets a token that was refused once.
    rest.setToken(connection.token);
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(file === undefined ? timing.callMs : timing.fileMs)]);
    const answer = rest.request({
      method: method as Parameters<REST['request']>[0]['method'],
      fullRoute: route,
      signal: deadline,
      ...(body === undefined ? {} : { body }),
      ...(query === undefined ? {} : { query }),
      ...(file === undefined ? {} : { files: [file] }),
      ...(auth === undefined ? {} : { auth }),
    });
    return await orAborted(answer, signal);
  };
}

/** discord.js waits out a route's pause without looking at the signal; the call itself is not made then. */
function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    const done = (): void => signal.removeEventListener('abort', abort);
    work.then(resolve, reject).finally(done);
  });
}

/** All failures leave as DeliveryError, a cancel as the signal's reason. */
export async function guarded<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  signal.throwIfAborted();
  try {
    return await work();
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw deliveryError(error);
  }
}
