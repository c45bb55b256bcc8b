/** Bolt's Web API client with our deadlines, one call at a time under the caller's signal, without retries of its own. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { LogLevel, webApi } from '@slack/bolt';
import { TransportError, transportError } from './errors.ts';

/** Real times; tests shorten them. All in ms. */
export interface Timing {
  /** Answer to an ordinary call. */
  readonly callMs: number;
  /** Answer to a check of the connection, and to what is only shown in passing. */
  readonly probeMs: number;
  readonly fileMs: number;
  /** From the first call for a socket to Slack's hello. */
  readonly helloMs: number;
  /** A third of it lies between two pings; without a pong for so long the socket is dead. Slack's default of 5 s tears down healthy ones. */
  readonly pingMs: number;
  readonly backoffFirstMs: number;
  /** While no connection comes about: short, so that a fault is over soon after it ends. */
  readonly backoffMaxMs: number;
  /** While connections come about and end at once: Slack counts how many are opened. */
  readonly flappingMaxMs: number;
  /** A connection that lived this long was of use: the next failure counts as the first. */
  readonly usefulMs: number;
  /** Between two looks whether messages come that nobody told us of. */
  readonly auditMs: number;
  /** For the name of somebody whom we do not know yet. */
  readonly nameMs: number;
  /** Between two attempts to store a click or a command, which Slack does not send again. */
  readonly storeRetryMs: number;
}

export const TIMING: Timing = {
  callMs: 30_000,
  probeMs: 12_000,
  fileMs: 300_000,
  helloMs: 12_000,
  pingMs: 30_000,
  backoffFirstMs: 1000,
  backoffMaxMs: 15_000,
  flappingMaxMs: 60_000,
  usefulMs: 120_000,
  auditMs: 30_000,
  nameMs: 800,
  storeRetryMs: 400,
};

export type Arguments = Readonly<Record<string, unknown>>;
export type Answer = Readonly<Record<string, unknown>>;

/** Calls a method of the Web API. Rejects with the client library's errors, or TransportError; see errors.ts. */
export type Call = (method: string, args: Arguments, signal: AbortSignal) => Promise<Answer>;

export interface Client {
  readonly call: Call;
  /** With a short deadline. */
  readonly probe: Call;
}

export function createClient({ token, root }: { readonly token: string; readonly root: string }, timing: Timing): Client {
  const api = (deadlineMs: number): Call => {
    const signals = new AsyncLocalStorage<AbortSignal>();
    const web = new webApi.WebClient(
      token,
      webOptions(
        root,
        boundedFetch(deadlineMs, () => signals.getStore()),
      ),
    );
    // The client has no signal of its own; its queue is not limited, so a call runs where it was made.
    return (method, args, signal) => signals.run(signal, async () => ({ ...(await web.apiCall(method, { ...args })) }));
  };
  return { call: api(timing.callMs), probe: api(timing.probeMs) };
}

/** Also for the client within the Socket Mode receiver. */
export function webOptions(root: string, fetch: NonNullable<webApi.WebClientOptions['fetch']>) {
  return {
    slackApiUrl: `${root}/`,
    allowAbsoluteUrls: false,
    // What is sent again is decided by the outbox: a retry here would post twice.
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    maxRequestConcurrency: Number.POSITIVE_INFINITY,
    logger: silentLogger,
    fetch,
  };
}

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

export function boundedFetch(deadlineMs: number, outer: () => AbortSignal | undefined): Fetch {
  return async (url, init) => {
    const cancel = outer();
    const deadline = AbortSignal.timeout(deadlineMs);
    const signal = cancel === undefined ? deadline : AbortSignal.any([cancel, deadline]);
    try {
      const response = await fetch(url, { ...init, signal });
      // Read here, where the deadline still holds and a break is told from a refusal.
      const body = await response.arrayBuffer();
      if (response.status === 429 && !response.headers.has('retry-after'))
        throw new TransportError('Slack asked for a pause without saying how long', { certain: true, status: 429 });
      return new Response(body, { status: response.status, statusText: response.statusText, headers: response.headers });
    } catch (error) {
      throw transportError(error, deadline.aborted);
    }
  };
}

/** What fails is told by those who called; the library's lines would repeat it, with addresses that carry secrets. */
export const silentLogger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  setLevel: () => undefined,
  getLevel: () => LogLevel.ERROR,
  setName: () => undefined,
};
