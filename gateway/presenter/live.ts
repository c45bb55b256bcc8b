/** What a person sees while a turn works: typing, the answer as it grows, one progress bubble. For showing only: failures are logged and forgotten. */
import type { AgentEvent } from '../../agent/events.ts';
import { outboxLane } from '../target.ts';
import { pause } from '../time.ts';
import { createBubble } from './bubble.ts';
import { type Call, createCall } from './call.ts';
import { harmless, harmlessly } from './harmless.ts';
import type { LiveOptions } from './live-options.ts';
import { createStream } from './stream.ts';

const typingEveryMs = 4000;
/** An answer that takes less needs no typing, and the request to the model goes out first. */
const typingAfterMs = 50;

export interface Live {
  /** Never throws. */
  handle(event: AgentEvent): void;
  /** Nothing new is shown after this. What there is waits for the turn to go on, or for `finish`. */
  stop(): void;
  /** After `stop`, once the answer is on its way: the bubble is taken away or folded, and so is a preview of silence. Never rejects. */
  finish(): Promise<void>;
}

export function createLive(options: LiveOptions): Live {
  const { log } = options;
  const closing = new AbortController();
  const call = createCall(options);
  const typing = createTyping(options, call, closing.signal);
  const stream = createStream(options, call, closing.signal);
  const bubble = createBubble(options, call, closing.signal);
  return {
    handle: (event) => {
      for (const part of [typing, stream, bubble]) harmless(log, () => part.handle(event));
    },
    stop: () => closing.abort('closed'),
    finish: async () => {
      await harmlessly(log, async () => options.bubble.close(await bubble.settled()));
      await harmlessly(log, stream.finish);
    },
  };
}

/** Not while a person is asked: the turn waits for them then, and not they for it. */
function createTyping({ account, target }: LiveOptions, call: Call, signal: AbortSignal): { handle(event: AgentEvent): void } {
  const { adapter } = account;
  const type = adapter.typing?.bind(adapter);
  if (type === undefined) return { handle: () => undefined };
  const asks = new Set<string>();
  const place = `typing ${outboxLane(target.chat)} ${target.chat.thread ?? ''}`; // however many turns are at work there
  const once = (): void => {
    if (signal.aborted || asks.size > 0 || !account.pacer.apart(place, typingEveryMs - 2 * typingAfterMs)) return;
    void call('free', () => type(target.chat, signal));
  };
  void pause(typingAfterMs, signal).then(once);
  const timer = setInterval(once, typingEveryMs);
  signal.addEventListener('abort', () => clearInterval(timer), { once: true });
  return {
    handle: (event) => {
      if (event.type === 'ask.opened') asks.add(event.callId);
      else if (event.type === 'ask.closed' && asks.delete(event.callId)) once();
    },
  };
}
