/** A message comes while its lane is at work: interrupt, queue or steer, and one short word about it. */
import type { InboundMessage } from '../adapters/adapter.ts';
import { offerInterrupt } from './asks/offer.ts';
import { insteadOfInterrupt } from './asks/spare.ts';
import type { Children } from './children.ts';
import type { Lanes } from './lanes.ts';
import { noticePart, type Outbox } from './outbox.ts';
import { maySteer } from './roles.ts';
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
  readonly children: Pick<Children, 'running'>;
  readonly settings: () => Settings;
  readonly now: Clock;
}

/** `children`: an interrupt that waits, because it would throw away what others have done. */
type Ack = BusyMode | 'closing' | 'children';

const words: Readonly<Record<Exclude<Ack, 'children'>, string>> = {
  closing: '🔄 I am being stopped or restarted; I read this as soon as I am back.',
  interrupt: '⚡ I stop what I was doing and read this.',
  queue: '⏳ I am still at work; this comes next. (/stop ends what I am doing.)',
  steer: '↪️ I take this into account with my next step.',
};

const inboxModes: Readonly<Record<BusyMode, InboxMode>> = { interrupt: 'merge', queue: 'merge', steer: 'steer' };

function childrenWords(count: number): string {
  const agents = count === 1 ? 'An agent is' : `${count} agents are`;
  return `⏳ ${agents} at work for me, so I read this when that is done. (/stop ends it.)`;
}

export function createBusy(options: BusyOptions): Busy {
  const { store, lanes, outbox, children, settings, now } = options;
  const acks = new Map<string, number>();
  const acknowledge = (lane: string, event: InboundMessage, ack: Ack): void => {
    if (!settings().display(event.chat.platform).everywhere.busyAck || now() - (acks.get(lane) ?? 0) < ackEveryMs) return;
    if (acks.size >= rememberedLanes) acks.clear();
    acks.set(lane, now());
    const target = { chat: event.chat, chatType: event.chatType };
    if (ack !== 'children') outbox.add([noticePart(target, words[ack])]);
    else offerInterrupt(options, lane, { target, by: event.sender, markdown: childrenWords(children.running(lane)) });
  };
  return {
    take: (lane, event) => {
      const kick = (): void => lanes.kick(lane);
      if (!lanes.isBusy(lane)) return { mode: null, after: kick };
      if (lanes.isClosing()) {
        acknowledge(lane, event, 'closing');
        return { mode: 'merge', after: kick };
      }
      const wanted = store.chats.get(lane).busy ?? settings().display(event.chat.platform).busyMode;
      const spares = wanted === 'interrupt' && children.running(lane) > 0;
      const chosen = spares ? 'queue' : ((wanted === 'interrupt' ? insteadOfInterrupt(store, lane, event) : undefined) ?? wanted);
      const turn = chosen === 'steer' ? store.turns.running(lane) : undefined;
      const mode = turn === undefined || maySteer(event, turn, options) ? chosen : 'queue';
      acknowledge(lane, event, spares ? 'children' : mode);
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
