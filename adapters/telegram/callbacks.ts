/** Answers to clicks. Until one comes the client shows that it waits. https://core.telegram.org/bots/api#answercallbackquery */
import { z } from 'zod';
import { type Adapter, DeliveryError } from '../adapter.ts';
import { type Client, grammySignal, type Timing } from './client.ts';
import { guarded } from './delivery.ts';
import { isRefusal } from './errors.ts';

/** A toast is gone after a moment; what takes longer to read is shown until it is closed. */
const TOAST_UNITS = 60;
const ANSWER_UNITS = 200;

const interactionSchema = z.object({ callback: z.string() });

export interface CallbackAnswers {
  readonly respond: NonNullable<Adapter['respond']>;
  /** Answers with nothing, now and without waiting for it. Never throws: what is missed is a mark that goes by itself. */
  dismiss(callback: string): void;
}

export function createCallbackAnswers(client: Client, timing: Timing): CallbackAnswers {
  const answer = async (callback: string, text: string, signal: AbortSignal): Promise<void> => {
    const shown = text === '' ? {} : { text, show_alert: text.length > TOAST_UNITS };
    await client.probe.answerCallbackQuery({ callback_query_id: callback, ...shown }, grammySignal(signal)).catch((error: unknown) => {
      // Telegram waits for some seconds only. The person has seen nothing, but the card says what became of it.
      if (!isRefusal(error, 400, /query is too old|query ID is invalid/i)) throw error;
    });
  };
  return {
    respond: (interaction, text, signal) =>
      guarded(signal, async () => {
        const parsed = interactionSchema.safeParse(interaction);
        if (!parsed.success)
          throw new DeliveryError('Telegram: there is no click to answer, because the reference to it is none of ours.', {
            kind: 'rejected',
            certain: true,
          });
        await answer(parsed.data.callback, shortened(text.toWellFormed()), signal);
      }),
    dismiss: (callback) => void answer(callback, '', AbortSignal.timeout(timing.probeMs)).catch(() => undefined),
  };
}

function shortened(text: string): string {
  if (text.length <= ANSWER_UNITS) return text;
  // Not half a character.
  return `${text.slice(0, ANSWER_UNITS - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
