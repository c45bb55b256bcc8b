/** Files that we send. https://docs.slack.dev/messaging/working-with-files#upload */
import { openAsBlob } from 'node:fs';
import { stat } from 'node:fs/promises';
import { DeliveryError, type OutboundFile } from '../adapter.ts';
import { rejected, unless } from './calls.ts';
import { boundedFetch, type Client, type Timing } from './client.ts';
import { deliveryError } from './errors.ts';
import { isSlackAddress } from './hosts.ts';
import { UPLOAD_LIMIT_BYTES } from './platform.ts';

export interface UploadLink {
  readonly client: Client;
  readonly timing: Timing;
  readonly root: string;
}

/** Slack does not tell which message a file is shown in, so the file itself is the reference. */
export function isFileId(id: string): boolean {
  return /^F[A-Z0-9]+$/.test(id);
}

/** Nothing is seen before the last step, so a failure up to there is certain. */
export async function uploadFile({ client, timing, root }: UploadLink, file: OutboundFile, signal: AbortSignal): Promise<string> {
  const length = await sizeOf(file);
  const { id, address } = await ticket(client, { filename: file.name, length }, signal).catch(unseen);
  if (!isSlackAddress(address, root)) throw rejected('the address for the upload is not one of Slack');
  const post = boundedFetch(timing.fileMs, () => signal);
  const headers = { 'content-type': 'application/octet-stream' };
  const body = await openAsBlob(file.path);
  const response = await post(address, { method: 'POST', headers, body, redirect: 'error' }).catch(unseen);
  if (!response.ok) throw new DeliveryError(`Slack: the upload failed with HTTP ${response.status}.`, { kind: 'transient', certain: true });
  const { chat, thread } = file.chat;
  const request = { files: [{ id, title: file.name }], channel_id: chat, ...(thread === undefined ? {} : { thread_ts: thread }) };
  await client.call('files.completeUploadExternal', request, signal);
  return id;
}

function unseen(error: unknown): never {
  const { kind, retryAfterMs, message } = deliveryError(error);
  throw new DeliveryError(message, { kind, certain: true, cause: error, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) });
}

async function ticket(
  client: Client,
  file: { filename: string; length: number },
  signal: AbortSignal,
): Promise<{ id: string; address: string }> {
  const { file_id: id, upload_url: address } = await client.call('files.getUploadURLExternal', file, signal);
  if (typeof id === 'string' && typeof address === 'string') return { id, address };
  throw new DeliveryError('Slack: there is no address for the upload.', { kind: 'transient', certain: true });
}

async function sizeOf({ path, name }: OutboundFile): Promise<number> {
  const { size } = await stat(path).catch(() => {
    throw rejected(`${name} is gone`);
  });
  if (size === 0) throw rejected(`${name} is empty`);
  if (size > UPLOAD_LIMIT_BYTES) throw rejected(`${name} is larger than the ${UPLOAD_LIMIT_BYTES / 1_000_000} MB that Slack takes`);
  return size;
}

export async function deleteFile(client: Client, id: string, signal: AbortSignal): Promise<void> {
  await client.call('files.delete', { file: id }, signal).catch(unless('file_not_found', 'file_deleted'));
}
