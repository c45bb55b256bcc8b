/** Files that come with messages and files that answers deliver. Each turn has its own directory; nothing is fetched before authorisation. */
import { lstat, mkdir, open, rm } from 'node:fs/promises';
import path from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Attachment, InboundMessage } from '../adapters/adapter.ts';
import type { Part } from '../agent/message.ts';
import type { Account, AccountDirectory } from './accounts.ts';
import type { Log } from './log.ts';
import { accountKey } from './target.ts';

/** Larger images are kept as files, not shown to the model: providers refuse them. */
const imageLimitBytes = 4 * 1024 * 1024;
const imageTypes = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);
const fetchDeadlineMs = 120_000;
/** With the longest id before it and three bytes a character a name still fits the 255 bytes that file systems allow. */
const nameLimit = 60;

export interface Media {
  /** Fetches a message's attachments into the turn's directory. Never rejects for what a platform or a file does: each failure becomes a line of text. */
  collect(turnId: number, message: InboundMessage, signal: AbortSignal): Promise<readonly Part[]>;
  directory(turnId: number): string;
  remove(turnId: number): Promise<void>;
}

export interface MediaOptions {
  readonly root: string;
  readonly accounts: AccountDirectory;
  /** The model sees images. */
  readonly vision: () => boolean;
  readonly log: Log;
}

export function createMedia(options: MediaOptions): Media {
  const directory = (turnId: number) => path.join(options.root, String(turnId));
  return {
    directory,
    remove: (turnId) => rm(directory(turnId), { recursive: true, force: true }),
    collect: async (turnId, message, signal) => {
      if (message.attachments.length === 0) return [];
      const account = options.accounts.get(accountKey(message.chat));
      const into = directory(turnId);
      await makeDirectory(into);
      const parts: Part[] = [];
      for (const attachment of message.attachments) {
        const file = path.join(into, fileName(message, parts.length, attachment));
        parts.push(await collectOne({ attachment, file, account, options }, signal));
      }
      return parts;
    },
  };
}

/** Its name can be guessed: what somebody has put there beforehand, a link that leads elsewhere, is taken away. */
async function makeDirectory(into: string): Promise<void> {
  const facts = await lstat(into).catch(() => undefined);
  if (facts !== undefined && !facts.isDirectory()) await rm(into, { force: true });
  await mkdir(into, { recursive: true, mode: 0o700 });
}

interface Item {
  readonly attachment: Attachment;
  readonly file: string;
  readonly account: Account | undefined;
  readonly options: MediaOptions;
}

async function collectOne(item: Item, signal: AbortSignal): Promise<Part> {
  const { attachment, file, options } = item;
  const fetched = await fetchFile(item, signal);
  if ('problem' in fetched) return placeholder(attachment, undefined, fetched.problem);
  const { sizeBytes } = fetched;
  const why = whyNotSeen(attachment, sizeBytes, options.vision());
  if (why !== undefined) return placeholder({ ...attachment, sizeBytes }, file, why);
  return {
    type: 'image',
    path: file,
    mime: attachment.mime ?? 'image/jpeg',
    bytes: sizeBytes,
    note: describe({ ...attachment, sizeBytes }, file, 'an image'),
  };
}

function whyNotSeen(attachment: Attachment, sizeBytes: number, vision: boolean): string | undefined {
  if (sizeBytes === 0) return 'it is empty';
  if (attachment.kind === 'voice' || attachment.kind === 'audio') return 'speech is not transcribed by this gateway';
  if (attachment.kind !== 'image') return 'only its name and path are shown; read it with a tool if you need it';
  if (!vision) return 'the model does not see images';
  if (sizeBytes > imageLimitBytes) return `it is larger than the ${mebibytes(imageLimitBytes)} that a model accepts`;
  if (!imageTypes.has(attachment.mime ?? 'image/jpeg')) return `${attachment.mime} is no image type that a model accepts`;
  return undefined;
}

type Fetched = { readonly sizeBytes: number } | { readonly problem: string };

async function fetchFile({ attachment, file, account, options }: Item, signal: AbortSignal): Promise<Fetched> {
  if (account?.adapter.fetch === undefined) return { problem: 'this platform does not hand out files' };
  const limit = account.platform.limits.downloadBytes;
  if ((attachment.sizeBytes ?? 0) > limit) return { problem: `it is larger than the ${mebibytes(limit)} that can be fetched` };
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(fetchDeadlineMs)]);
  try {
    const source = await account.adapter.fetch(attachment, deadline);
    const counter = countBytes(limit);
    await rm(file, { force: true }); // half of it, from before a crash; or a link, which must not be written through
    await pipeline(source, counter.stream, (await open(file, 'wx', 0o600)).createWriteStream(), { signal: deadline });
    return { sizeBytes: counter.total() };
  } catch (error) {
    signal.throwIfAborted();
    options.log.warn({ account: account.key, kind: attachment.kind, err: error }, 'an attachment could not be fetched');
    await rm(file, { force: true }).catch(() => undefined); // half a file is no reason to fail the turn
    return { problem: 'it could not be fetched' };
  }
}

function countBytes(limit: number): { readonly stream: Transform; total(): number } {
  let total = 0;
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      total += chunk.length;
      done(total > limit ? new Error(`larger than ${limit} bytes`) : null, chunk);
    },
  });
  return { stream, total: () => total };
}

function placeholder(attachment: Attachment, file: string | undefined, why: string): Part {
  return { type: 'text', text: describe(attachment, file, why) };
}

function describe(attachment: Attachment, file: string | undefined, why: string): string {
  const size = attachment.sizeBytes === undefined ? '' : `, ${mebibytes(attachment.sizeBytes)}`;
  const name = attachment.name === undefined ? '' : ` "${oneLine(attachment.name)}"`;
  const where = file === undefined ? 'not stored' : `stored at ${file}`;
  return `[attachment: ${attachment.kind}${name}${size}, ${where}; ${why}]`;
}

/** Made of a number and harmless characters only: platform names are hostile input. */
function fileName(message: InboundMessage, index: number, { kind, name, mime }: Attachment): string {
  const safe = (name ?? '')
    .normalize('NFKC')
    .replace(/[^\p{L}\p{N}._-]+/gu, '_')
    .replace(/^\.+/, '')
    .slice(-nameLimit);
  const ending = safe === '' ? `${kind}${extension(kind, mime)}` : safe;
  return `${message.message.replace(/[^\w-]+/g, '_').slice(-40)}-${index + 1}-${ending}`;
}

function extension(kind: Attachment['kind'], mime: string | undefined): string {
  const subtype = /^[\w-]+\/([\w-]{1,10})$/.exec(mime ?? '')?.[1];
  if (subtype !== undefined) return `.${subtype}`;
  return kind === 'image' ? '.jpeg' : '';
}

function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}"]+/gu, ' ').slice(0, 200);
}

function mebibytes(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`;
  return bytes < 1024 * 1024 ? `${Math.round(bytes / 1024)} KB` : `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}
