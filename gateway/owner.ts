/** Where the owner reads: the browser page, whatever became of the other platforms. */
import type { SwitchedOn } from './accounts.ts';
import type { Log } from './log.ts';
import { noticePart, type Outbox } from './outbox.ts';
import type { OwnerPlace } from './pairing/offer.ts';
import { accountKey, outboxLane } from './target.ts';

interface OwnerFacts {
  readonly platforms: readonly SwitchedOn[];
  readonly log: Log;
}

const ownersChat = { platform: 'web', account: 'main', chat: 'main' };
/** Whoever signed in on the page. */
const pageOwner = { id: 'owner', name: 'The owner' };

/** Undefined: the page is off. */
export function pagePlace({ platforms }: Pick<OwnerFacts, 'platforms'>): OwnerPlace | undefined {
  if (!platforms.some(({ platform }) => platform.name === ownersChat.platform)) return undefined;
  return { target: { chat: ownersChat, chatType: 'dm' }, requester: pageOwner };
}

/** The owner reads it on the browser page, where that is on, whatever became of the other platforms. Never throws: it is called by what has just failed. */
export function alertOwner(
  { log, platforms }: OwnerFacts,
  outbox: Outbox,
  { account, sentence }: { readonly account: string; readonly sentence: string },
): void {
  log.error({ account }, sentence);
  if (account === accountKey(ownersChat) || pagePlace({ platforms }) === undefined) return;
  try {
    outbox.add([noticePart({ chat: ownersChat, chatType: 'dm' }, `⚠️ ${sentence}`)]);
    outbox.kick(outboxLane(ownersChat));
  } catch (error) {
    log.error({ err: error }, 'the owner could not be told (is the disk full?)');
  }
}
