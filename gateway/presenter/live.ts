/** What a person sees while a turn works: typing, the answer as it grows, one progress bubble. For showing only: failures are logged and forgotten. */
import { DeliveryError, type OutboundProgress, type ProgressStep, type SentRef } from '../../adapters/adapter.ts';
import type { AgentEvent } from '../../agent/events.ts';
import type { Account } from '../accounts.ts';
import type { Log } from '../log.ts';
import { outboxLane, type TurnTarget } from '../target.ts';
import { type Clock, pause } from '../time.ts';
import { createThrottle } from './throttle.ts';

const typingEveryMs = 4000;
/** An answer that takes less needs no typing, and the request to the model goes out first. */
const typingAfterMs = 50;
const callDeadlineMs = 15_000;
/** A bubble shows the newest steps only. */
const shownSteps = 12;

export interface Live {
  handle(event: AgentEvent): void;
  /**
   * Nothing is shown after this but the bubble's last state; kept as it is, it waits for the turn to go on. Resolves when that is done.
   */
  close(bubble: 'finish' | 'keep'): Promise<void>;
}

export interface LiveOptions {
  readonly account: Account;
  readonly target: TurnTarget;
  /** Names the answer for `Adapter.preview`. */
  readonly key: string;
  readonly bubble: SentRef | null;
  /** Called before the first edit, so that a restarted turn goes on with the same bubble. */
  readonly onBubble: (ref: SentRef) => void;
  readonly log: Log;
  readonly now: Clock;
}

export function createLive(options: LiveOptions): Live {
  const closing = new AbortController();
  const call = guarded(options);
  const typing = startTyping(options, call, closing.signal);
  const preview = createPreview(options, call, closing.signal);
  const bubble = createBubble(options, call, closing.signal);
  return {
    handle: (event) => {
      preview.handle(event);
      bubble.handle(event);
    },
    close: async (end) => {
      closing.abort('closed');
      clearInterval(typing);
      if (end === 'finish') await bubble.close();
    },
  };
}

/** False: held back. */
type Call = (work: () => Promise<unknown>, free?: true) => Promise<boolean>;

/** No call during a penalty, none that would take an answer's slot (typing is `free` of pacing), no failure that reaches the turn. */
function guarded({ account, target, log }: LiveOptions): Call {
  const lane = outboxLane(target.chat);
  return async (work, free) => {
    if (account.penaltyMs(lane) > 0) return false;
    if (free !== true && !account.pacer.tryReserve(lane, target.chatType !== 'dm')) return false;
    try {
      await work();
      return true;
    } catch (error) {
      const limited = error instanceof DeliveryError && error.kind === 'rate_limited';
      if (limited) account.penalise(lane, error.retryAfterMs ?? typingEveryMs);
      else log.debug({ lane, err: error }, 'showing progress failed');
      return !limited;
    }
  };
}

function startTyping({ account, target }: LiveOptions, call: Call, signal: AbortSignal): NodeJS.Timeout | undefined {
  const { adapter } = account;
  const type = adapter.typing?.bind(adapter);
  if (type === undefined) return undefined;
  const once = (): void => {
    if (!signal.aborted) void call(() => type(target.chat, signal), true);
  };
  void pause(typingAfterMs, signal).then(once);
  return setInterval(once, typingEveryMs);
}

function createPreview({ account, target, key }: LiveOptions, call: Call, signal: AbortSignal): { handle(event: AgentEvent): void } {
  const { adapter, platform } = account;
  const show = adapter.preview?.bind(adapter);
  if (show === undefined) return { handle: () => undefined };
  let text = '';
  let shown = '';
  const update = async (): Promise<boolean> => {
    if (text === shown) return true; // an empty one is shown only to take back what was shown
    return call(() => {
      shown = text;
      return show(target.chat, key, text, signal);
    });
  };
  const throttle = createThrottle(platform.progress.previewIntervalMs, update, signal);
  return {
    handle: (event) => {
      if (event.type === 'text.delta') text += event.text;
      else if (event.type === 'text.reset') text = '';
      else if (event.type === 'message') text = shown = '';
      else return;
      throttle.request();
    },
  };
}

interface Bubble {
  handle(event: AgentEvent): void;
  close(): Promise<void>;
}

function createBubble(options: LiveOptions, call: Call, signal: AbortSignal): Bubble {
  const { account, target, now } = options;
  const { adapter, platform } = account;
  const edit = adapter.edit?.bind(adapter);
  if (edit === undefined) return { handle: () => undefined, close: async () => undefined };
  const steps = new Map<string, ProgressStep>();
  const startedAt = now();
  let ref = options.bubble;
  const content = (done: boolean): OutboundProgress => ({
    type: 'progress',
    chat: target.chat,
    steps: [...steps.values()].slice(-shownSteps),
    elapsedMs: now() - startedAt,
    done,
    ...(target.replyTo === undefined ? {} : { replyTo: target.replyTo }),
  });
  const show = async (): Promise<void> => {
    const patience = AbortSignal.timeout(callDeadlineMs); // not the turn's end: a bubble that was cut in mid-send could not be found again
    if (ref !== null) return edit(ref, content(false), patience);
    ref = await adapter.send(content(false), `${options.key}/bubble`, patience);
    options.onBubble(ref);
  };
  const throttle = createThrottle(platform.progress.editIntervalMs, () => call(show), signal);
  const quiet = platform.progress.quietMs;
  return {
    handle: (event) => {
      if (!applyStep(steps, event)) return;
      throttle.request(Math.max(0, startedAt + quiet - now()));
    },
    close: async () => {
      await throttle.settled();
      const last = ref;
      if (last === null) return;
      const remove = adapter.delete?.bind(adapter);
      const patience = AbortSignal.timeout(callDeadlineMs);
      await call(() => (remove === undefined ? edit(last, content(true), patience) : remove(last, patience)), true);
    },
  };
}

/** True when the event changed what a bubble shows. */
function applyStep(steps: Map<string, ProgressStep>, event: AgentEvent): boolean {
  if (event.type === 'tool.started') {
    steps.set(event.callId, { tool: event.name, preview: event.preview, state: 'running' });
    return true;
  }
  if (event.type !== 'tool.finished') return false;
  const known = steps.get(event.callId);
  steps.set(event.callId, { tool: event.name, preview: known?.preview ?? '', state: event.status === 'ok' ? 'ok' : 'failed' });
  return true;
}
