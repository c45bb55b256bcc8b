/**
 * Long polling. An update stays with Telegram until a getUpdates with a higher offset confirms it, and that is sent only after
 * `deliver` returned, i.e. after everything is on disk. https://core.telegram.org/bots/api#getupdates
 */
import type { Host } from '../adapter.ts';
import { sleep } from '../shared/backoff.ts';
import { type Client, grammySignal, type Timing } from './client.ts';
import { isRefusal } from './errors.ts';
import { type Health, keepGoing, StoreRefusedError } from './loop.ts';
import { WANTED_UPDATES } from './wire.ts';

export interface PollLink {
  readonly client: Client;
  readonly timing: Timing;
  readonly host: Host;
  readonly health: Health;
  readonly pollSeconds: number;
  /** Before the first poll; may be asked again after a failure. */
  prepare(signal: AbortSignal): Promise<void>;
  /** Synchronous; throws when the updates must be offered again. */
  deliver(updates: readonly { readonly update_id: number }[]): void;
}

/** The turns that just came in ask their models first: building the next poll costs a millisecond of the one thread that all share. */
const BREATH_MS = 5;

const UPDATES = { limit: 100, allowed_updates: WANTED_UPDATES };

export async function poll(link: PollLink, signal: AbortSignal): Promise<void> {
  const { client, health, pollSeconds } = link;
  const position: Position = { offset: undefined };
  let proven = false;
  await keepGoing(
    link,
    async (afterFailure) => {
      await link.prepare(signal);
      // The first poll and the one after a failure do not wait for messages: that the line stands is known at once.
      const timeout = proven && !afterFailure ? pollSeconds : 0;
      const api = timeout === 0 ? client.probe : client.poll;
      const request = { ...UPDATES, timeout, ...(position.offset === undefined ? {} : { offset: position.offset }) };
      const updates = await api.getUpdates(request, grammySignal(signal)).catch((error: unknown) => withoutWebhook(error, link, signal));
      accept(updates, link, position);
      proven = true;
      health.ok();
      if (updates.length > 0) await sleep(BREATH_MS, signal);
    },
    signal,
  );
  await confirm(link, position);
}

/** The offset is dropped once it is confirmed: ids may start anywhere after a quiet week, and an old offset would hide them. */
interface Position {
  offset: number | undefined;
}

function accept(updates: readonly { readonly update_id: number }[], link: PollLink, position: Position): void {
  if (updates.length === 0) {
    position.offset = undefined;
    return;
  }
  try {
    link.deliver(updates);
  } catch (error) {
    throw new StoreRefusedError('Incoming messages cannot be stored, so they wait at Telegram. The log says why.', { cause: error });
  }
  position.offset = Math.max(...updates.map(({ update_id: id }) => id)) + 1;
}

/** A webhook left by another program keeps getUpdates from working. */
async function withoutWebhook(error: unknown, { client, host }: PollLink, signal: AbortSignal): Promise<[]> {
  if (!isRefusal(error, 409, /webhook/i)) throw error;
  host.log.warn({}, 'a webhook was set for this bot and is removed, because this gateway polls');
  await client.probe.deleteWebhook({ drop_pending_updates: false }, grammySignal(signal));
  return [];
}

/** Tells Telegram what we have. Without it the next start gets the last batch again, which dedupe would catch. */
async function confirm({ client, timing }: PollLink, { offset }: Position): Promise<void> {
  if (offset === undefined) return;
  const request = { offset, limit: 1, timeout: 0 };
  await client.probe.getUpdates(request, grammySignal(AbortSignal.timeout(timing.farewellMs))).catch(() => undefined);
}
