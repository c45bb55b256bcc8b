/** Which waiting messages make one turn. Pure: works on stored rows, so that a restart in mid-burst changes nothing. */
import type { InboundMessage } from '../adapters/adapter.ts';
import type { InboxEntry } from './store/inbox.ts';

/** A text this long was probably split by the sender's client; its continuation is waited for. UTF-16 units. */
const splitTextUnits = 4000;
const splitWaitMs = 1000;
const albumWaitMs = 800;

export interface MessageEntry extends InboxEntry {
  readonly payload: InboundMessage;
}

export type Batch = { readonly type: 'take'; readonly entries: readonly MessageEntry[] } | { readonly type: 'wait'; readonly ms: number };

/** The first batch of a lane. `waiting` must not be empty; oldest first. */
export function nextBatch(waiting: readonly [MessageEntry, ...MessageEntry[]], now: number): Batch {
  const [first, ...rest] = waiting;
  const entries = [first];
  let last = first;
  for (const entry of rest) {
    if (!continues(last, entry)) return { type: 'take', entries };
    entries.push(entry);
    last = entry;
  }
  const ms = waitMs(last, now);
  return ms > 0 ? { type: 'wait', ms } : { type: 'take', entries };
}

/** How long to wait, at most, until what these people have begun to say is complete. Oldest first. */
export function restWaitMs(entries: readonly MessageEntry[], now: number): number {
  const latest = new Map(entries.map((entry) => [entry.payload.sender.id, entry]));
  return Math.max(0, ...[...latest.values()].map((entry) => waitMs(entry, now)));
}

/** The rest of a text that was split, sent by the same person. */
export function isRest(first: MessageEntry, next: InboundMessage, now: number): boolean {
  const apart = Math.abs(now - first.receivedAt); // a clock that was set back makes nothing the rest of what came an hour ago
  return first.payload.sender.id === next.sender.id && isSplitText(first) && next.attachments.length === 0 && apart <= splitWaitMs;
}

function waitMs(last: MessageEntry, now: number): number {
  const wait = waitAfter(last);
  return Math.min(wait, last.receivedAt + wait - now); // never longer, even when the clock was set back
}

function continues(last: MessageEntry, next: MessageEntry): boolean {
  if (last.payload.sender.id !== next.payload.sender.id) return false;
  if (standsAlone(last) || standsAlone(next))
    return last.mode === 'queue' && next.mode === 'queue' && isRest(last, next.payload, next.receivedAt);
  if (waitedForTurn(last) && waitedForTurn(next)) return true;
  if (last.payload.album !== undefined) return last.payload.album === next.payload.album;
  return isRest(last, next.payload, next.receivedAt);
}

/** What came during a turn, and was not queued as a turn of its own, is one next turn. */
function waitedForTurn({ mode }: MessageEntry): boolean {
  return mode === 'merge' || mode === 'steer';
}

function standsAlone({ mode }: MessageEntry): boolean {
  return mode === 'queue' || mode === 'retry' || mode === 'wake';
}

function waitAfter(entry: MessageEntry): number {
  if (entry.payload.album !== undefined) return albumWaitMs;
  return isSplitText(entry) ? splitWaitMs : 0;
}

function isSplitText({ payload }: MessageEntry): boolean {
  return payload.attachments.length === 0 && payload.text.length >= splitTextUnits;
}
