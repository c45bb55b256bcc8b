/** What a turn shows, between a store and the fake platform, without a run. */
import type { OutboundProgress, SentRef } from '../../../adapters/adapter.ts';
import type { AgentEvent } from '../../../agent/events.ts';
import { createAccounts } from '../../../gateway/accounts.ts';
import { createTurnDrafts } from '../../../gateway/drafts.ts';
import { createGuard } from '../../../gateway/guarded-adapter.ts';
import { createOutbox } from '../../../gateway/outbox.ts';
import { createBubbles } from '../../../gateway/presenter/bubbles.ts';
import { createLive, type Live } from '../../../gateway/presenter/live.ts';
import type { LiveDisplay } from '../../../gateway/presenter/live-options.ts';
import { createFakePlatform, type FakePlatformOptions } from '../../fakes/platform.ts';
import { temporaryHome, temporaryStore } from '../support/home.ts';
import { memoryLog } from '../support/log.ts';

export interface LiveOnOptions extends FakePlatformOptions {
  /** Of an earlier process. */
  readonly bubble?: SentRef | null;
  readonly group?: boolean;
  readonly display?: Partial<LiveDisplay>;
}

export async function liveOn(options: LiveOnOptions = {}) {
  const platform = createFakePlatform(options);
  const bubbles: SentRef[] = [];
  const log = memoryLog();
  const store = temporaryStore();
  const guard = createGuard({ redact: (text) => text, mediaRoot: temporaryHome() });
  const ports = { store, log, now: Date.now, receive: () => undefined, alert: () => undefined, guard };
  const accounts = createAccounts(ports);
  await accounts.add(platform, []);
  const account = accounts.get('fake/main');
  if (account === undefined) throw new Error('no account');
  const target = options.group
    ? ({ chat: { platform: 'fake', account: 'main', chat: 'group' }, chatType: 'group', replyTo: '7' } as const)
    : ({ chat: { platform: 'fake', account: 'main', chat: 'ann' }, chatType: 'dm' } as const);
  const outbox = createOutbox({ store, accounts, log, now: Date.now });
  const endings = createBubbles({ store, accounts, log, now: Date.now });
  const turn = store.turns.create({ sessionId: 's', lane: 'lane', target, requester: { id: 'ann', name: 'Ann' } });
  const display: { -readonly [K in keyof LiveDisplay]: LiveDisplay[K] } = {
    progress: 'all',
    streaming: true,
    previewUnits: 40,
    ...options.display,
  };
  const bubble = {
    ref: options.bubble ?? null,
    opened: (ref: SentRef) => void bubbles.push(ref),
    close: (last: OutboundProgress | undefined) => {
      const ref = bubbles.at(-1) ?? options.bubble;
      if (ref && last) endings.close({ turnId: turn.id, ref, group: options.group === true, last });
    },
  };
  const drafts = createTurnDrafts({ store, outbox }, turn.id, target);
  const open = () =>
    createLive({ account, target, key: 'turn-1', display: () => display, bubble, drafts, startedAt: Date.now(), log, now: Date.now });
  return { platform, account, accounts, bubbles, display, endings, log, open, outbox, store, target, turn };
}

/** As a turn ends: nothing new, and the bubble is taken away as soon as nothing else is in its way. */
export async function end(live: Live): Promise<void> {
  live.stop();
  await live.finish();
  await new Promise<void>((resolve) => process.nextTick(resolve));
}

export const begun = (callId: string, name = 'terminal', more: { readonly preview?: string; readonly args?: string } = {}): AgentEvent => ({
  type: 'tool.started',
  callId,
  name,
  preview: more.preview ?? `run ${callId}`,
  arguments: more.args ?? '{}',
});

export const over = (callId: string, name = 'terminal', status: 'ok' | 'error' | 'refused' | 'skipped' = 'ok'): AgentEvent => ({
  type: 'tool.finished',
  callId,
  name,
  status,
  elapsedMs: 1,
});
