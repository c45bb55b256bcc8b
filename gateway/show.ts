/** Connects a turn with what people see of it before its answer: live progress, drafts, and what is said between two tools. */
import { backgroundOf } from './background.ts';
import { addParts, createTurnDrafts } from './drafts.ts';
import type { Said } from './journal.ts';
import { findDeliverables } from './presenter/deliverable.ts';
import { createLive, type Live } from './presenter/live.ts';
import { isSilence } from './silence.ts';
import type { TurnRow } from './store/turns.ts';
import { accountKey, outboxLane } from './target.ts';
import { textParts } from './turn-end.ts';
import type { TurnOptions } from './turn-options.ts';

/** Undefined where the platform is switched off. */
export function openLive(options: TurnOptions, turn: TurnRow): Live | undefined {
  const { accounts, store, settings, bubbles, log, now } = options;
  const { id, target, createdAt: startedAt } = turn;
  const account = accounts.get(accountKey(target.chat));
  if (account === undefined) return undefined;
  const run = backgroundOf(turn.lane);
  const display = () => {
    const { progress, streaming, everywhere } = settings().display(target.chat.platform);
    const chosen = store.chats.get(run?.chat ?? turn.lane).progress;
    // The answer of a background run is posted when it is whole: until then the chat belongs to the turns of the chat.
    return { progress: chosen ?? progress, streaming: streaming && run === undefined, previewUnits: everywhere.previewUnits };
  };
  let ref = turn.bubble;
  const bubble: Parameters<typeof createLive>[0]['bubble'] = {
    ref,
    opened: (opened) => {
      ref = opened;
      store.turns.setBubble(id, opened);
    },
    close: (last) => {
      if (ref !== null && last !== undefined) bubbles.close({ turnId: id, ref, group: target.chatType !== 'dm', last });
    },
  };
  const drafts = createTurnDrafts(options, id, target);
  return createLive({ account, target, key: `turn-${id}`, display, bubble, drafts, startedAt, log, now });
}

/** What is said between two tools is a message of its own, stored with the step that says it. */
export function sayBetween(options: TurnOptions, turn: TurnRow): Said {
  const { settings, outbox } = options;
  const { chat } = turn.target;
  return {
    storing: (message) => {
      if (message.role !== 'assistant' || message.calls.length === 0 || backgroundOf(turn.lane) !== undefined) return;
      const text = findDeliverables(message.text).text.trim(); // its files come with the answer
      if (text === '' || isSilence(text) || !settings().display(chat.platform).everywhere.interim) return;
      addParts(options, turn.id, textParts(options, turn.target, text));
    },
    stored: () => outbox.kick(outboxLane(chat)),
  };
}
