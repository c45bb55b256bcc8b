/** A message comes while its lane is at work: interrupt, queue or steer, and one short word about it. */
import type { InboundMessage } from '../adapters/adapter.ts';
import type { Lanes } from './lanes.ts';
import { noticePart, type Outbox } from './outbox.ts';
import type { BusyMode, Settings } from './settings.ts';
import type { Store } from './store/index.ts';
import type { InboxMode } from './store/schema.ts';
import type { Clock } from './time.ts';

const ackEveryMs = 30_000;
/** Lanes whose last word is remembered; a forgotten one may get a second word early. */
const rememberedLanes = 10_000;

export interface Taken {
  readonly mode: InboxMode | null;
  /** Once committed. */
  after(): void;
}

export interface Busy {
  /** Part of the caller's transaction. */
  take(lane: string, event: InboundMessage): Taken;
}

export interface BusyOptions {
  readonly store: Store;
  readonly lanes: Lanes;
  readonly outbox: Outbox;
  readonly settings: () => Settings;
  readonly now: Clock;
}

const words: Readonly<Record<BusyMode | 'closing', string>> = {
  closing: '🔄 I am being stopped or restarted; I read this as soon as I am back.',
  interrupt: '⚡ I stop what I was doing and read this.',
  queue: '⏳ I am still at work; this comes next. (/stop ends what I am doing.)',
  steer: '↪️ I take this into account with my next step.',
};

const inboxModes: Readonly<Record<BusyMode, InboxMode>> = { interrupt: 'merge', queue: 'merge', steer: 'steer' };

export function createBusy(options: BusyOptions): Busy {
  const { store, lanes, outbox, settings, now } = options;
  const acks = new Map<string, number>();
  const acknowledge = (lane: string, event: InboundMessage, mode: BusyMode | 'closing'): void => {
    if (!settings().display(event.chat.platform).everywhere.busyAck || now() - (acks.get(lane) ?? 0) < ackEveryMs) return;
    if (acks.size >= rememberedLanes) acks.clear();
    acks.set(lane, now());
    outbox.add([noticePart({ chat: event.chat, chatType: event.chatType }, words[mode])]);
  };
  return {
    take: (lane, event) => {
      const kick = (): void => lanes.kick(lane);
      if (!lanes.isBusy(lane)) return { mode: null, after: kick };
      if (lanes.isClosing()) {
        acknowledge(lane, event, 'closing');
        return { mode: 'merge', after: kick };
      }
      const mode = store.chats.get(lane).busy ?? settings().display(event.chat.platform).busyMode;
      acknowledge(lane, event, mode);
      const cut = mode === 'interrupt' && store.turns.cut(lane, 'interrupt');
      return {
        mode: inboxModes[mode],
        after: () => {
          if (cut) lanes.cut(lane, 'interrupt');
          kick();
        },
      };
    },
  };
}
