/** Files that people sent. Called after authorisation only. The bot's token goes to Slack and to nobody else. */
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { z } from 'zod';
import { type Attachment, DeliveryError } from '../adapter.ts';
import { guarded, rejected } from './calls.ts';
import type { Client, Timing } from './client.ts';
import { isSlackAddress } from './hosts.ts';

export interface DownloadLink {
  readonly client: Client;
  readonly timing: Timing;
  readonly token: string;
  readonly root: string;
  readonly limitBytes: number;
}

const handleSchema = z.object({ file: z.string(), url: z.string().optional() });
const infoSchema = z.object({ file: z.object({ url_private_download: z.string().nullish(), url_private: z.string().nullish() }) });

export function fetchFile(link: DownloadLink, attachment: Attachment, signal: AbortSignal): Promise<Readable> {
  return guarded(signal, async () => {
    if ((attachment.sizeBytes ?? 0) > link.limitBytes) throw tooLarge(link.limitBytes);
    const address = await addressOf(link, attachment, signal);
    if (!isSlackAddress(address, link.root)) throw rejected('the file is not on a server of Slack, so it is not fetched with our token');
    return open(address, { ...link, mime: attachment.mime ?? '' }, signal);
  });
}

function tooLarge(limitBytes: number): DeliveryError {
  return rejected(`the file is larger than ${limitBytes / 1_000_000} MB`);
}

async function addressOf({ client }: DownloadLink, { handle }: Attachment, signal: AbortSignal): Promise<string> {
  const parsed = handleSchema.safeParse(handle);
  if (!parsed.success) throw rejected('the file has no id');
  if (parsed.data.url !== undefined) return parsed.data.url;
  const { file } = infoSchema.parse(await client.call('files.info', { file: parsed.data.file }, signal));
  const address = file.url_private_download ?? file.url_private;
  if (!address) throw rejected('the file is not available');
  return address;
}

/** The limit counts what really arrives: a size that was announced proves nothing. */
async function open(
  address: string,
  { token, timing, limitBytes, mime }: DownloadLink & { readonly mime: string },
  signal: AbortSignal,
): Promise<Readable> {
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(timing.fileMs)]);
  const broken = (): DeliveryError => new DeliveryError('Slack: the file could not be fetched.', { kind: 'transient', certain: true });
  // A redirect leads to a page for people to sign in.
  const request = { headers: { authorization: `Bearer ${token}` }, redirect: 'manual', signal: deadline } as const;
  const response = await fetch(address, request).catch(() => {
    throw broken();
  });
  const failure = failureOf(response, mime);
  if (failure !== undefined) {
    await response.body?.cancel();
    throw failure;
  }
  if (response.body === null) throw broken();
  const limited = limiter(limitBytes);
  // The two types name the same streams.
  pipeline(Readable.fromWeb(response.body as ReadableStream), limited, { signal: deadline }).catch(() => undefined);
  return limited;
}

function failureOf(response: Response, mime: string): DeliveryError | undefined {
  const { status } = response;
  const isPage = (response.headers.get('content-type') ?? '').startsWith('text/html') && !mime.includes('html');
  if ((status >= 300 && status < 400) || (status === 200 && isPage) || status === 401 || status === 403)
    return rejected('the bot may not fetch the file; the app needs the scope "files:read" and must be in the channel');
  if (status === 404 || status === 410) return rejected('the file is no longer available');
  if (status === 200) return undefined;
  return new DeliveryError(`Slack: the file could not be fetched (HTTP ${status}).`, { kind: 'transient', certain: true });
}

function limiter(limitBytes: number): Transform {
  let seen = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      seen += chunk.length;
      if (seen > limitBytes) done(tooLarge(limitBytes));
      else done(null, chunk);
    },
  });
}
