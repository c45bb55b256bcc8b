/** What was said to a turn at work (`steer`): taken from the lane's waiting messages into the transcript, together with the claim on them. */
import type { UserMessage } from '../agent/message.ts';
import type { MessageEntry } from './batch.ts';
import { isShared } from './sessions.ts';
import type { InboxEntry } from './store/inbox.ts';
import type { TurnRow } from './store/turns.ts';
import { type InputMessage, userMessage } from './turn-input.ts';
import type { TurnOptions } from './turn-options.ts';

/** What could not be taken stays in the lane and becomes the next turn. */
export async function interject(options: TurnOptions, turn: TurnRow, signal: AbortSignal): Promise<readonly UserMessage[]> {
  const { store, media, keys } = options;
  const waiting = store.inbox.pending(turn.lane).filter(isSteering);
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

function isSteering(entry: InboxEntry): entry is MessageEntry {
  return entry.mode === 'steer' && entry.payload.type === 'message';
}
