/** The one message that says what a turn is doing, edited in place. */
import type { OutboundProgress } from '../../adapters/adapter.ts';
import type { AgentEvent } from '../../agent/events.ts';
import { type Call, editIntervalMs, hasPreviews } from './call.ts';
import { harmless } from './harmless.ts';
import type { LiveOptions } from './live-options.ts';
import { createSteps, type Steps } from './steps.ts';
import { createThrottle } from './throttle.ts';

const callDeadlineMs = 15_000;
/** The elapsed time is news too. */
const tickMs = 10_000;
const groupTickMs = 30_000;

export interface Bubble {
  handle(event: AgentEvent): void;
  /** What it shows at the end, when there is one; nothing is on its way any more. */
  settled(): Promise<OutboundProgress | undefined>;
}

/** What is shown beside the steps. */
interface Beside {
  readonly asks: Set<string>;
  notice: string | undefined;
  /** The model has begun to say something. */
  speaking: boolean;
}

export function createBubble(options: LiveOptions, call: Call, signal: AbortSignal): Bubble {
  const { account, target, startedAt, now, display, log } = options;
  const { adapter, platform } = account;
  const edit = adapter.edit?.bind(adapter);
  if (edit === undefined) return { handle: () => undefined, settled: async () => undefined };
  const steps = createSteps({ mode: () => display().progress, previewUnits: () => display().previewUnits });
  const beside: Beside = { asks: new Set(), notice: undefined, speaking: false };
  let ref = options.bubble.ref;
  /** Nobody can tell any more whether there is one, or it was deleted: a second one must not appear. */
  let lost = false;
  const content = (done: boolean): OutboundProgress => contentOf({ options, steps, beside, elapsedMs: now() - startedAt }, done);
  const show = async (): Promise<void> => {
    const patience = AbortSignal.timeout(callDeadlineMs); // not the turn's end: a bubble that was cut in mid-send could not be found again
    if (ref !== null) return edit(ref, content(false), patience);
    ref = await adapter.send(content(false), `${options.key}/bubble`, patience);
    options.bubble.opened(ref);
  };
  const update = async (): Promise<boolean> => {
    const { steps: lines } = steps.list();
    // Where the growing answer is a message too, both share the same slots, and it is what people want to see.
    if (beside.speaking && ref !== null && display().streaming && !hasPreviews(options)) return true;
    if (lost || (ref === null && lines.length === 0 && beside.notice === undefined)) return true;
    const result = await call('edit', show);
    lost = result === 'rejected' || (result === 'unknown' && ref === null);
    return result !== 'held';
  };
  const throttle = createThrottle({ intervalMs: editIntervalMs(options), work: update, log }, signal);
  const request = (): void => throttle.request(Math.max(0, startedAt + platform.progress.quietMs - now()));
  const tick = (): void => {
    if (ref !== null && beside.asks.size === 0 && display().progress !== 'off') request();
  };
  const ticks = setInterval(() => harmless(log, tick), target.chatType === 'dm' ? tickMs : groupTickMs);
  signal.addEventListener('abort', () => clearInterval(ticks), { once: true });
  return {
    handle: (event) => {
      const besideChanged = applyBeside(beside, event) && (display().progress !== 'off' || ref !== null);
      if (steps.apply(event) || besideChanged) request();
    },
    settled: async () => {
      await throttle.settled();
      return ref === null ? undefined : content(true);
    },
  };
}

interface Shown {
  readonly options: LiveOptions;
  readonly steps: Steps;
  readonly beside: Beside;
  readonly elapsedMs: number;
}

function contentOf({ options, steps, beside, elapsedMs }: Shown, done: boolean): OutboundProgress {
  const { chat, replyTo } = options.target;
  const { steps: lines, earlier } = steps.list();
  const now = done ? {} : { ...(beside.notice === undefined ? {} : { notice: beside.notice }), ...waiting(beside) };
  return {
    type: 'progress',
    chat,
    steps: lines,
    ...(earlier === 0 ? {} : { earlier }),
    ...now,
    elapsedMs,
    done,
    ...(replyTo === undefined ? {} : { replyTo }),
  };
}

function waiting({ asks }: Beside): { readonly waiting?: true } {
  return asks.size === 0 ? {} : { waiting: true };
}

/** True when the event changed something. A notice holds until the model or a tool is at work again. */
function applyBeside(beside: Beside, event: AgentEvent): boolean {
  switch (event.type) {
    case 'ask.opened':
      beside.asks.add(event.callId);
      return true;
    case 'ask.closed':
      return beside.asks.delete(event.callId);
    case 'notice': {
      if (event.code !== 'retrying') return false;
      beside.notice = event.text;
      return true;
    }
    case 'text.delta':
    case 'message':
    case 'tool.started': {
      const had = beside.notice !== undefined;
      beside.speaking = event.type === 'text.delta';
      beside.notice = undefined;
      return had;
    }
    default:
      return false;
  }
}
