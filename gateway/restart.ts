/** A restart in the middle: who is at work hears of it before, whoever asked for it hears that it is done, once. */
import { z } from 'zod';
import type { Log } from './log.ts';
import { noticePart, type Outbox } from './outbox.ts';
import type { Store } from './store/index.ts';
import { outboxLane, type TurnTarget } from './target.ts';

export interface RestartDesk {
  /** Part of the caller's transaction: who is to be told afterwards. */
  remember(target: TurnTarget): void;
  isAsked(): boolean;
  /** Tells the chats of these lanes' turns, but not whoever asked: they have had an answer. Never throws. */
  announce(lanes: readonly string[]): void;
  /** At start. The notices and the end of the requests are one transaction. Never throws: what could not be stored is told at the next start. */
  confirm(): void;
}

export interface RestartDeskOptions {
  readonly store: Store;
  readonly outbox: Outbox;
  readonly log: Log;
}

const metaKey = 'restart.asked';
const targetSchema = z.object({
  chat: z.object({ platform: z.string(), account: z.string(), chat: z.string(), thread: z.string().exactOptional() }),
  chatType: z.enum(['dm', 'group', 'channel']),
});

export function createRestartDesk({ store, outbox, log }: RestartDeskOptions): RestartDesk {
  const asked = (): readonly TurnTarget[] => z.array(targetSchema).parse(store.meta.get(metaKey) ?? []);
  const tell = (targets: readonly TurnTarget[], markdown: string, also: () => void): void => {
    try {
      store.durable(() => {
        outbox.add(targets.map((target) => noticePart(target, markdown)));
        also();
      });
      for (const { chat } of targets) outbox.kick(outboxLane(chat));
    } catch (error) {
      log.error({ err: error }, 'who should hear of a restart could not be told (is the disk full?)');
    }
  };
  return {
    remember: ({ chat, chatType }) => {
      const others = asked().filter((other) => placeOf(other) !== placeOf({ chat }));
      store.meta.set(
        metaKey,
        [...others, { chat, chatType }].map((target) => ({ chat: { ...target.chat }, chatType: target.chatType })),
      );
    },
    isAsked: () => asked().length > 0,
    announce: (lanes) => {
      const targets = new Map(lanes.flatMap((lane) => store.turns.running(lane)?.target ?? []).map((target) => [placeOf(target), target]));
      for (const known of asked()) targets.delete(placeOf(known));
      tell([...targets.values()], '🔄 I am restarting and go on with this right after.', () => undefined);
    },
    confirm: () => {
      const targets = asked();
      if (targets.length > 0) tell(targets, '✅ Restarted.', () => store.meta.set(metaKey, []));
    },
  };
}

function placeOf({ chat }: Pick<TurnTarget, 'chat'>): string {
  return JSON.stringify([outboxLane(chat), chat.thread ?? '']);
}
