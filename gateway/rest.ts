/** The rest of a text that the sender's client has split: taken up as its beginning was, and never a message of its own that interrupts. */
import type { InboundMessage } from '../adapters/adapter.ts';
import { isRest, type MessageEntry } from './batch.ts';
import type { Lanes } from './lanes.ts';
import type { InboxEntry, StoredEntry } from './store/inbox.ts';
import type { Store } from './store/index.ts';
import type { InboxMode } from './store/schema.ts';
import { outboxLane } from './target.ts';

/** `later`: what its beginning becomes is decided once the command that it is has run. */
export type Rest = { readonly lane: string; readonly mode: InboxMode | null } | 'later';

/** Undefined: it is the rest of nothing, or of what waits for it in its lane anyway. */
export function restOf(
  { store, lanes }: { readonly store: Store; readonly lanes: Lanes },
  { id, lane, receivedAt }: InboxEntry,
  event: InboundMessage,
): Rest | undefined {
  const first = store.inbox
    .longBefore(id)
    .filter(isMessage)
    .find((entry) => isSamePlace(entry, event) && isRest(entry, event, receivedAt));
  if (first === undefined) return undefined;
  if (first.state === 'command') return 'later';
  if (first.outcome === 'said') return { lane, mode: lanes.isBusy(lane) ? 'steer' : null }; // for the run that was answered
  if (first.outcome === 'command') return { lane, mode: lanes.isBusy(lane) ? 'merge' : null };
  if (first.lane !== lane) return { lane: first.lane, mode: first.state === 'pending' ? null : 'steer' }; // a background run
  return first.mode === 'queue' || first.mode === 'steer' ? { lane, mode: first.mode } : undefined;
}

function isMessage(entry: StoredEntry): entry is StoredEntry & MessageEntry {
  return entry.payload.type === 'message';
}

function isSamePlace({ payload }: MessageEntry, { chat }: InboundMessage): boolean {
  return outboxLane(payload.chat) === outboxLane(chat) && payload.chat.thread === chat.thread;
}
