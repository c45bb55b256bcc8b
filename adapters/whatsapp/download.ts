/**
 * Files that people sent. Called after authorisation only. WhatsApp keeps them encrypted; key and path come with the message, the host is
 * ours to choose. AES-256-CBC, then the first 10 bytes of an HMAC over all of it: what was tampered with fails at its end.
 */
import { createDecipheriv, createHmac, hkdfSync } from 'node:crypto';
import http from 'node:http';
import https from 'node:https';
import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import { type Attachment, DeliveryError } from '../adapter.ts';
import { NOT_CONNECTED } from './errors.ts';
import type { Line } from './line.ts';
import { messageKeySchema } from './wire.ts';

export interface DownloadParts {
  /** Where files lie, without a path. */
  readonly root: string;
  readonly limitBytes: number;
  readonly timeoutMs: number;
  readonly line: () => Line | undefined;
}

const handleSchema = z.object({
  type: z.enum(['image', 'video', 'audio', 'document', 'sticker']),
  path: z.string().startsWith('/'),
  mediaKey: z.base64(),
  key: messageKeySchema,
});

type Handle = z.infer<typeof handleSchema>;

const rejected = (sentence: string): DeliveryError => new DeliveryError(`WhatsApp: ${sentence}.`, { kind: 'rejected', certain: true });
const passing = (sentence: string): DeliveryError => new DeliveryError(`WhatsApp: ${sentence}.`, { kind: 'transient', certain: true });

export async function fetchFile(parts: DownloadParts, attachment: Attachment, signal: AbortSignal): Promise<Readable> {
  if ((attachment.sizeBytes ?? 0) > parts.limitBytes) throw tooLarge(parts.limitBytes);
  const handle = handleSchema.safeParse(attachment.handle).data;
  if (handle === undefined) throw rejected('the file has no address');
  try {
    const found = await open(parts, handle, signal);
    return found ?? (await open(parts, { ...handle, path: await renewed(parts, handle, signal) }, signal)) ?? gone();
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw error instanceof DeliveryError ? error : passing('the file could not be fetched');
  }
}

function gone(): never {
  throw rejected('the file is no longer available, and the phone did not upload it again');
}

function tooLarge(limitBytes: number): DeliveryError {
  return rejected(`the file is larger than the ${limitBytes / 1_000_000} MB that are fetched`);
}

/** WhatsApp forgets files after some weeks; the phone of who sent it may still have it. */
async function renewed({ line, timeoutMs }: DownloadParts, handle: Handle, signal: AbortSignal): Promise<string> {
  const present = line();
  if (present === undefined) throw new DeliveryError(NOT_CONNECTED, { kind: 'transient', certain: true });
  const { type, path, key } = handle;
  const renewing = present.media.renew(key, { type, path, mediaKey: Buffer.from(handle.mediaKey, 'base64') }).catch(gone);
  const enough = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  const late = Promise.withResolvers<never>();
  enough.addEventListener('abort', () => late.reject(passing('the phone did not answer')), { once: true });
  const fresh = await Promise.race([renewing, late.promise]);
  if (!/^\/(?!\/)/.test(fresh)) throw rejected('the phone named no address for the file');
  return fresh;
}

/** Undefined: WhatsApp has forgotten the file. The limit counts what really arrives: a size that was announced proves nothing. */
function open({ root, limitBytes, timeoutMs }: DownloadParts, handle: Handle, signal: AbortSignal): Promise<Readable | undefined> {
  return new Promise((resolve, reject) => {
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    const headers = { origin: 'https://web.whatsapp.com' };
    const request = (root.startsWith('https:') ? https : http).get(`${root}${handle.path}`, { signal: deadline, headers }, (response) => {
      const { statusCode = 0 } = response;
      if (statusCode === 200) {
        const clear = decrypting(handle, limitBytes);
        pipeline(response, clear, { signal: deadline }).catch(() => undefined);
        resolve(clear);
        return;
      }
      response.resume();
      if (statusCode === 404 || statusCode === 410) resolve(undefined);
      else reject(passing(`the file could not be fetched (HTTP ${statusCode})`));
    });
    request.on('error', () => reject(passing('the file could not be fetched')));
  });
}

const INFO: Readonly<Record<Handle['type'], string>> = {
  image: 'WhatsApp Image Keys',
  video: 'WhatsApp Video Keys',
  audio: 'WhatsApp Audio Keys',
  document: 'WhatsApp Document Keys',
  sticker: 'WhatsApp Image Keys',
};

const MAC_BYTES = 10;

function decrypting({ type, mediaKey }: Handle, limitBytes: number): Transform {
  const keys = Buffer.from(hkdfSync('sha256', Buffer.from(mediaKey, 'base64'), Buffer.alloc(0), INFO[type], 112));
  const [iv, cipherKey, macKey] = [keys.subarray(0, 16), keys.subarray(16, 48), keys.subarray(48, 80)];
  const decipher = createDecipheriv('aes-256-cbc', cipherKey, iv);
  const mac = createHmac('sha256', macKey).update(iv);
  let seen = 0;
  // The last bytes may be the code and no content: they are held back.
  let held = Buffer.alloc(0);
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      seen += chunk.length;
      if (seen > limitBytes + 1024) return done(tooLarge(limitBytes));
      const all = Buffer.concat([held, chunk]);
      const content = all.subarray(0, Math.max(0, all.length - MAC_BYTES));
      held = Buffer.from(all.subarray(content.length));
      mac.update(content);
      done(null, decipher.update(content));
    },
    flush(done) {
      if (!mac.digest().subarray(0, MAC_BYTES).equals(held)) return done(rejected('the file is damaged or was tampered with'));
      try {
        done(null, decipher.final());
      } catch {
        done(rejected('the file is damaged'));
      }
    },
  });
}
