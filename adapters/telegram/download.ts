/** Files that people sent. Called after authorisation only; the address is made from the configured root and never from a message. */
import http from 'node:http';
import https from 'node:https';
import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Attachment, DeliveryError } from '../adapter.ts';
import { type Client, grammySignal, type Timing } from './client.ts';
import { deliveryError, isRefusal } from './errors.ts';

export interface DownloadLink {
  readonly client: Client;
  readonly timing: Timing;
  readonly limitBytes: number;
}

const rejected = (sentence: string): DeliveryError => new DeliveryError(`Telegram: ${sentence}.`, { kind: 'rejected', certain: true });

export async function fetchFile(link: DownloadLink, attachment: Attachment, signal: AbortSignal): Promise<Readable> {
  if ((attachment.sizeBytes ?? 0) > link.limitBytes) throw tooLarge(link.limitBytes);
  try {
    const path = await filePath(link, attachment, signal);
    const address = `${link.client.fileRoot}/${path.split('/').map(encodeURIComponent).join('/')}`;
    return await open(address, link, signal);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (isRefusal(error, 400, /file is too big/i)) throw tooLarge(link.limitBytes);
    throw deliveryError(error);
  }
}

function tooLarge(limitBytes: number): DeliveryError {
  return rejected(`the file is larger than the ${limitBytes / 1_000_000} MB that bots may fetch`);
}

async function filePath({ client }: DownloadLink, { handle }: Attachment, signal: AbortSignal): Promise<string> {
  const id = typeof handle === 'object' && handle !== null && 'file_id' in handle ? handle['file_id'] : undefined;
  if (typeof id !== 'string') throw rejected('the file has no id');
  const { file_path: path } = await client.calls.getFile({ file_id: id }, grammySignal(signal));
  if (path === undefined) throw rejected('the file is not available');
  // A self-hosted server in local mode answers with a path on its own disk.
  if (path.startsWith('/') || path.split('/').includes('..'))
    throw rejected('the Bot API server serves files in local mode, which is not supported');
  return path;
}

/** The limit counts what really arrives: a size that was announced proves nothing. */
function open(address: string, { timing, limitBytes }: DownloadLink, signal: AbortSignal): Promise<Readable> {
  return new Promise((resolve, reject) => {
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(timing.fileMs)]);
    const fail = (): void => reject(new DeliveryError('Telegram: the file could not be fetched.', { kind: 'transient', certain: true }));
    const request = (address.startsWith('https:') ? https : http).get(address, { signal: deadline }, (response) => {
      if (response.statusCode !== 200) {
        response.resume();
        reject(statusError(response.statusCode ?? 0));
        return;
      }
      const limited = limiter(limitBytes);
      pipeline(response, limited, { signal: deadline }).catch(() => undefined); // whoever reads from it meets the error there
      resolve(limited);
    });
    request.on('error', fail);
  });
}

function statusError(status: number): DeliveryError {
  if (status === 404 || status === 400) return rejected('the file is no longer available');
  return new DeliveryError(`Telegram: the file could not be fetched (HTTP ${status}).`, { kind: 'transient', certain: true });
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
