/**
 * The one fetcher for everything that follows an address which somebody else may have written. Each hop is parsed, resolved and checked
 * anew, and connected to at the checked addresses only. GET; http and https; no cookies, no credentials, no proxy of the environment.
 */
import type { IncomingMessage } from 'node:http';
import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { decoders, dial, type Ways } from './connect.ts';
import { type PermitOptions, permit, refusedByName } from './permit.ts';
import { parseTarget, type Target } from './target.ts';

export interface FetchRequest {
  /** Of the body as it is after decompression. */
  readonly limitBytes: number;
  /** For all of it: names, hops and body. */
  readonly timeoutMs: number;
  /** The header of that name; absent: anything. */
  readonly accept?: string;
  /** Absent: every type. Asked before the body is read; "" where the server does not say. */
  accepts?(mime: string): boolean;
  /** Absent: wherever a redirect leads to that may be fetched. */
  follows?(from: URL, to: URL): boolean;
}

interface Head {
  /** Where it came from in the end. */
  readonly url: URL;
  /** In small letters, without parameters. */
  readonly mime: string;
  /** As the server says; "" where it does not. */
  readonly charset: string;
}

export interface FetchProblem {
  readonly ok: false;
  /** `refused`: by us, and trying again is of no use. `moved`: it lies at `location`, which `follows` did not take. */
  readonly kind: 'refused' | 'failed' | 'moved';
  /** For the model: what happened and what to do. */
  readonly problem: string;
  readonly location?: string;
}

export type Opened = ({ readonly ok: true; readonly body: Readable } & Head) | FetchProblem;
export type Fetched = ({ readonly ok: true; readonly body: Buffer } & Head) | FetchProblem;

/** Rejects with the signal's reason only. */
export interface SafeFetch {
  /** Whoever reads the body meets there what goes wrong on the way, the size limit, too. It must be read or destroyed. */
  open(address: string, request: FetchRequest, signal: AbortSignal): Promise<Opened>;
  get(address: string, request: FetchRequest, signal: AbortSignal): Promise<Fetched>;
}

export interface SafeFetchOptions extends PermitOptions {
  readonly ways?: Ways;
}

const maxHops = 10;

export function createSafeFetch(options: SafeFetchOptions): SafeFetch {
  return {
    open: (address, request, signal) => timed(request, signal, (both) => openHop({ address, hop: 0, request, options }, both)),
    get: (address, request, signal) =>
      timed(request, signal, async (both) => {
        const opened = await openHop({ address, hop: 0, request, options }, both);
        return opened.ok ? { ...opened, body: await collect(opened.body) } : opened;
      }),
  };
}

async function timed<T>(request: FetchRequest, signal: AbortSignal, work: (both: AbortSignal) => Promise<T>): Promise<T | FetchProblem> {
  const deadline = AbortSignal.timeout(request.timeoutMs);
  try {
    return await work(AbortSignal.any([signal, deadline]));
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof TooLargeError) return refused(error.message);
    return failed(deadline.aborted ? tooLate(request) : reasonOf(error));
  }
}

interface Hop {
  readonly address: string;
  readonly from?: Target;
  readonly hop: number;
  readonly request: FetchRequest;
  readonly options: SafeFetchOptions;
}

async function openHop(hop: Hop, signal: AbortSignal): Promise<Opened> {
  const { request, options, from } = hop;
  const parsed = parseTarget(hop.address, from?.url);
  if (!parsed.ok) return refused(onTheWay(from, parsed.problem));
  const { target } = parsed;
  const isElsewhere = from !== undefined && request.follows?.(from.url, target.url) === false;
  const permitted = isElsewhere ? (refusedByName(target, options) ?? 'elsewhere') : await permit(target, options, signal);
  if (permitted === 'elsewhere') return moved(target);
  if (!permitted.ok) return { ok: false, kind: permitted.refused ? 'refused' : 'failed', problem: onTheWay(from, permitted.problem) };
  const { addresses } = permitted;
  const response = await dial({ target, addresses, accept: request.accept ?? '*/*', ways: options.ways ?? {} }, signal);
  const location = isRedirect(response.statusCode) ? response.headers.location : undefined;
  if (location === undefined) return answered(response, { target, request }, signal);
  response.destroy();
  if (hop.hop >= maxHops) return refused(`it redirects more than ${maxHops} times`);
  return openHop({ request, options, address: location, from: target, hop: hop.hop + 1 }, signal);
}

function isRedirect(status = 0): boolean {
  return [301, 302, 303, 307, 308].includes(status);
}

function onTheWay(from: Target | undefined, problem: string): string {
  return from === undefined ? problem : `it redirects to an address that is not fetched: ${problem}`;
}

function moved({ url }: Target): FetchProblem {
  return { ok: false, kind: 'moved', location: url.href, problem: `it has moved to ${url.href}; ask for that address if you need it` };
}

function answered(response: IncomingMessage, { target, request }: { target: Target; request: FetchRequest }, signal: AbortSignal): Opened {
  const head = headOf(response, target);
  const problem = whyNot(response, head, request);
  const through = decoders(response.headers['content-encoding']);
  if (problem === undefined && through !== undefined) {
    const body = limiter(request.limitBytes);
    pipeline([response, ...through, body], { signal }).catch(() => undefined); // whoever reads from it meets the error there
    return { ok: true, body, ...head };
  }
  response.destroy();
  return (
    problem ??
    failed(`it is sent in an encoding that is not understood (${plainWord(response.headers['content-encoding'] ?? '') || 'unknown'})`)
  );
}

function headOf({ headers }: IncomingMessage, { url }: Target): Head {
  const type = headers['content-type'] ?? '';
  const charset = /;\s*charset\s*=\s*"?([^\s";]+)/iu.exec(type)?.[1] ?? '';
  return { url, mime: plainWord((type.split(';')[0] ?? '').trim().toLowerCase()), charset: charset.toLowerCase() };
}

/** What a server writes into a header is for our sentences only where it says nothing else. */
function plainWord(text: string): string {
  return /^[\w.+-]{1,80}(?:\/[\w.+-]{1,80})?$/u.test(text) ? text : '';
}

function whyNot({ statusCode = 0, headers }: IncomingMessage, { mime }: Head, request: FetchRequest): FetchProblem | undefined {
  if (statusCode < 200 || statusCode > 299)
    return failed(statusSentence(statusCode, /^(?:\d{1,9}|[A-Z][a-z]{2}, [\w: ]{10,24} GMT)$/u.exec(headers['retry-after'] ?? '')?.[0]));
  if (request.accepts?.(mime) === false) return refused(`it is of a type that is not read (${mime === '' ? 'unknown' : mime})`);
  return Number(headers['content-length'] ?? 0) > request.limitBytes ? refused(tooLarge(request.limitBytes)) : undefined;
}

function statusSentence(status: number, retryAfter: string | undefined): string {
  const said = `the server answered HTTP ${status}`;
  if (status === 404 || status === 410) return `${said}: there is no such page`;
  if (status === 401 || status === 402 || status === 403) return `${said}: it does not give this page to programs; look for another source`;
  if (status === 429)
    return `${said}: too many requests${retryAfter === undefined ? '' : `; it wants a pause (retry-after: ${retryAfter})`}`;
  return status >= 500 ? `${said}: it has a problem of its own; try again later` : said;
}

class TooLargeError extends Error {
  override readonly name = 'TooLargeError';
}

function limiter(limitBytes: number): Transform {
  let seen = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      seen += chunk.length;
      if (seen > limitBytes) done(new TooLargeError(tooLarge(limitBytes)));
      else done(null, chunk);
    },
  });
}

async function collect(body: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of body) chunks.push(chunk as Buffer); // made of buffers by the limiter
  return Buffer.concat(chunks);
}

function tooLarge(limitBytes: number): string {
  return `it is larger than the ${Math.round(limitBytes / 1024 / 1024)} MiB that are fetched`;
}

function tooLate({ timeoutMs }: FetchRequest): string {
  return `it did not come within ${Math.round(timeoutMs / 1000)} s; try again later or look for another source`;
}

function refused(problem: string): FetchProblem {
  return { ok: false, kind: 'refused', problem };
}

function failed(problem: string): FetchProblem {
  return { ok: false, kind: 'failed', problem };
}

/** Several addresses that were tried side by side fail together. */
function reasonOf(error: unknown): string {
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
  if (!(first instanceof Error)) return 'it could not be fetched';
  const code = 'code' in first && typeof first.code === 'string' ? first.code : '';
  if (code.startsWith('ERR_TLS') || code.includes('CERT')) return `its certificate is not in order (${code})`;
  if (code.startsWith('Z_') || code.startsWith('ERR_BROTLI') || code.startsWith('ERR__')) return `what it sent is damaged (${code})`;
  return code === '' ? first.message : `it could not be fetched (${code})`;
}
