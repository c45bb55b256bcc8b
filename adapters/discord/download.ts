/** Files that people sent. Called after authorisation only, and only from the hosts that Discord keeps files on. */
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Routes } from 'discord.js';
import { z } from 'zod';
import { type Attachment, DeliveryError } from '../adapter.ts';
import { isRefusal, UNKNOWN_CHANNEL, UNKNOWN_MESSAGE } from './errors.ts';
import { type Call, guarded, type Timing } from './rest.ts';
import { messageSchema } from './wire.ts';

export interface DownloadLink {
  readonly call: Call;
  readonly timing: Timing;
  readonly cdnUrl: string;
  readonly limitBytes: number;
}

const HOSTS = ['https://cdn.discordapp.com', 'https://media.discordapp.net'];

const handleSchema = z.union([
  z.object({ url: z.string(), id: z.string(), channel: z.string(), message: z.string() }),
  z.object({ sticker: z.string().regex(/^\d+\.(?:png|gif)$/) }),
]);
type Handle = z.infer<typeof handleSchema>;

const rejected = (sentence: string): DeliveryError => new DeliveryError(`Discord: ${sentence}.`, { kind: 'rejected', certain: true });

export function fetchFile(link: DownloadLink, attachment: Attachment, signal: AbortSignal): Promise<Readable> {
  return guarded(signal, async () => {
    if ((attachment.sizeBytes ?? 0) > link.limitBytes) throw tooLarge(link.limitBytes);
    const handle = handleSchema.safeParse(attachment.handle);
    if (!handle.success) throw rejected('the reference to the file is none of ours');
    const opened = await open(addressOf(handle.data, link), link, signal);
    if (opened !== 'expired') return opened;
    const renewed = await open(await renew(handle.data, link, signal), link, signal);
    if (renewed === 'expired') throw rejected('the file is no longer available');
    return renewed;
  });
}

function tooLarge(limitBytes: number): DeliveryError {
  return rejected(`the file is larger than the ${Math.round(limitBytes / 1024 / 1024)} MB that are fetched`);
}

function addressOf(handle: Handle, { cdnUrl }: DownloadLink): string {
  return 'sticker' in handle ? `${cdnUrl}/stickers/${handle.sticker}` : handle.url;
}

/** Addresses of files are good for a day; the message tells new ones. https://docs.discord.com/developers/reference#signed-attachment-cdn-urls */
async function renew(handle: Handle, { call }: DownloadLink, signal: AbortSignal): Promise<string> {
  if ('sticker' in handle) throw rejected('the sticker is no longer available');
  const found = await call({ method: 'GET', route: Routes.channelMessage(handle.channel, handle.message) }, signal).catch(
    (error: unknown) => {
      if (isRefusal(error, UNKNOWN_MESSAGE, UNKNOWN_CHANNEL)) throw rejected('the file was deleted');
      throw error;
    },
  );
  const parsed = messageSchema.safeParse(found);
  const files = parsed.success
    ? [parsed.data, ...(parsed.data.message_snapshots ?? []).map(({ message }) => message)].flatMap(({ attachments }) => attachments)
    : [];
  const file = files.find(({ id }) => id === handle.id);
  if (file === undefined) throw rejected('the file is no longer available');
  return file.url;
}

/** No redirects: a file never lies elsewhere, and who could make us go there could make us go anywhere. */
async function open(address: string, { timing, cdnUrl, limitBytes }: DownloadLink, signal: AbortSignal): Promise<Readable | 'expired'> {
  const origin = URL.canParse(address) ? new URL(address).origin : '';
  if (![...HOSTS, new URL(cdnUrl).origin].includes(origin)) throw rejected('the file lies on a host that is not one of its own');
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(timing.fileMs)]);
  const response = await fetch(address, { redirect: 'error', signal: deadline });
  if (response.status === 403 || response.status === 404) {
    await response.body?.cancel();
    return 'expired';
  }
  if (!response.ok || response.body === null) {
    await response.body?.cancel();
    throw new DeliveryError(`Discord: the file could not be fetched (HTTP ${response.status}).`, { kind: 'transient', certain: true });
  }
  const limited = limiter(limitBytes);
  pipeline(Readable.fromWeb(response.body as Parameters<typeof Readable.fromWeb>[0]), limited, { signal: deadline }).catch(() => undefined);
  return limited;
}

/** The limit counts what really arrives: a size that was announced proves nothing. */
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
