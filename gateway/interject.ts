/** What was said to a turn at work (`steer`): taken from the lane's waiting messages into the transcript, together with the claim on them. */
import type { UserMessage } from '../agent/message.ts';
import { type MessageEntry, restWaitMs } from './batch.ts';
import { maySteer } from './roles.ts';
import { isShared } from './sessions.ts';
import type { InboxEntry } from './store/inbox.ts';
import type { TurnRow } from './store/turns.ts';
import { pause } from './time.ts';
import { type InputMessage, userMessage } from './turn-input.ts';
import type { TurnOptions } from './turn-options.ts';

/** How often it is looked whether the rest has come. */
const lookMs = 50;

/** What could not be taken, or comes from who is less here than whose turn it is, stays in the lane and becomes the next turn. */
export async function interject(options: TurnOptions, turn: TurnRow, signal: AbortSignal): Promise<readonly UserMessage[]> {
  const { store, media, keys } = options;
  const waiting = await complete(options, turn, signal);
  if (waiting.length === 0) return [];
  const messages: InputMessage[] = [];
  for (const { payload: message } of waiting) messages.push({ message, attachments: await media.collect(turn.id, message, signal) });
  signal.throwIfAborted();
  const shared = messages.some(({ message }) => isShared(message, keys));
  const said: UserMessage = { ...userMessage(messages, { shared }), interjected: true };
  store.quick(() => {
    store.inbox.claim(
      waiting.map(({ id }) => id),
      turn.id,
    );
    store.transcript.append(turn.sessionId, turn.id, said);
  });
  return [said];
}

/** What steers in this lane, once the rest of what was split has come or was waited for. */
async function complete(options: TurnOptions, turn: TurnRow, signal: AbortSignal): Promise<readonly MessageEntry[]> {
  const { store, now } = options;
  for (;;) {
    const waiting = store.inbox
      .pending(turn.lane)
      .filter(isSteering)
      .filter(({ payload }) => maySteer(payload, turn, options));
    const ms = restWaitMs(waiting, now());
    if (ms <= 0) return waiting;
    await pause(Math.min(ms, lookMs), signal);
    signal.throwIfAborted();
  }
}

function isSteering(entry: InboxEntry): entry is MessageEntry {
  return entry.mode === 'steer' && entry.payload.type === 'message';
}
