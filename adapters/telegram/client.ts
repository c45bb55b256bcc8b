/** grammY's API client over our own HTTP exchange, one for each kind of deadline. */
import { Api, type ApiClientOptions } from 'grammy';
import { type Connections, createConnections, createExchange, type HttpTiming } from './http.ts';

export type TelegramApi = Api['raw'];

/** Real times; tests shorten them. All in ms. */
export interface Timing {
  readonly connectMs: number;
  /** Answer to an ordinary call. */
  readonly callMs: number;
  /** Answer to a check of the connection: short, so that a fault is over soon after it ends. */
  readonly probeMs: number;
  /** What a long poll may take beyond the time that it asked for. */
  readonly pollGraceMs: number;
  readonly fileMs: number;
  readonly backoffFirstMs: number;
  readonly backoffMaxMs: number;
  /** Between two looks at the webhook. */
  readonly webhookCheckMs: number;
  /** For telling Telegram at shutdown what was received. */
  readonly farewellMs: number;
}

export const TIMING: Timing = {
  connectMs: 10_000,
  callMs: 30_000,
  probeMs: 12_000,
  pollGraceMs: 12_000,
  fileMs: 300_000,
  backoffFirstMs: 500,
  backoffMaxMs: 15_000,
  webhookCheckMs: 40_000,
  farewellMs: 1000,
};

export interface Client {
  readonly poll: TelegramApi;
  readonly probe: TelegramApi;
  readonly calls: TelegramApi;
  readonly files: TelegramApi;
  /** Root and token, for downloads: `${root}/file/bot${token}/${path}`. */
  readonly fileRoot: string;
}

export function createClient(config: { readonly token: string; readonly root: string; readonly pollMs: number }, timing: Timing): Client {
  const { connectMs } = timing;
  const connections = createConnections();
  const api = (answerMs: number): TelegramApi => createApi(config, { connectMs, answerMs }, connections);
  return {
    poll: api(config.pollMs + timing.pollGraceMs),
    probe: api(timing.probeMs),
    calls: api(timing.callMs),
    files: api(timing.fileMs),
    fileRoot: `${config.root}/file/bot${config.token}`,
  };
}

function createApi(
  { token, root }: { readonly token: string; readonly root: string },
  timing: HttpTiming,
  connections: Connections,
): TelegramApi {
  const options: ApiClientOptions = {
    apiRoot: root,
    // Ours fires first and knows whether anything was written.
    timeoutSeconds: (timing.answerMs + timing.connectMs) / 1000,
    // grammY declares node-fetch's type here, but uses no more of it than an Exchange has: url, method, headers, body, signal and json().
    fetch: createExchange(timing, connections) as unknown as NonNullable<ApiClientOptions['fetch']>,
  };
  return new Api(token, options).raw;
}

type GrammySignal = NonNullable<Parameters<TelegramApi['getMe']>[0]>;

/** grammY's types name the AbortSignal of a polyfill; the native one is what it is given everywhere. */
export function grammySignal(signal: AbortSignal): GrammySignal {
  return signal as unknown as GrammySignal;
}
