/** Inline keyboards and the clicks on them, with the refusals of the real Bot API. https://core.telegram.org/bots/api#inlinekeyboardmarkup */
import { bad, nested, Refusal } from './telegram-refusal.ts';

export interface FakeButton {
  readonly text: string;
  readonly callback_data: string;
}

export type FakeKeyboard = readonly (readonly FakeButton[])[];

export interface FakeCallbackAnswer {
  readonly id: string;
  readonly text: string;
  readonly alert: boolean;
}

const BUTTONS_IN_ROW = 8;
const BUTTONS = 100;
const DATA_BYTES = 64;
const ANSWER_LIMIT = 200;
const TOO_OLD = 'Bad Request: query is too old and response timeout expired or query ID is invalid';

/** A message without `reply_markup` has no keyboard, and neither has one whose keyboard is empty. Other markup is not known here. */
export function keyboardOf(body: Readonly<Record<string, unknown>>): FakeKeyboard {
  const markup = nested(body['reply_markup']);
  if (markup === undefined) return [];
  const rows = markup['inline_keyboard'];
  if (!Array.isArray(rows) || !rows.every(Array.isArray)) return bad('object expected as reply markup');
  const keyboard = rows.map((row: unknown[]) => row.map(buttonOf)).filter((row) => row.length > 0);
  // Telegram leaves out what is too much. Nobody would see that a button is missing, so it is refused here.
  if (keyboard.some((row) => row.length > BUTTONS_IN_ROW) || keyboard.flat().length > BUTTONS) bad('reply markup is too long');
  return keyboard;
}

function buttonOf(value: unknown): FakeButton {
  const { text, callback_data: data } = nested(value) ?? {};
  if (typeof text !== 'string') return bad('can\'t parse inline keyboard button: Field "text" must be of type String');
  if (!text.isWellFormed()) bad('inline keyboard button text must be encoded in UTF-8');
  if (text.trim() === '') bad('inline keyboard button text must be non-empty');
  if (typeof data !== 'string' || data === '')
    return bad("can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard");
  if (Buffer.byteLength(data) > DATA_BYTES) bad('BUTTON_DATA_INVALID');
  return { text, callback_data: data };
}

export function createCallbacks() {
  /** Queries that may still be answered. */
  const open = new Set<string>();
  const answers: FakeCallbackAnswer[] = [];
  let next = 1;

  return {
    answers,
    /** What a client sends for a click on a button of `message`, a message as it goes over the wire. */
    query(message: Readonly<Record<string, unknown>>, data: string, fromId: number): Record<string, unknown> {
      const id = String(4_382_000_000_000_000 + next++);
      const from = { id: fromId, is_bot: false, first_name: `U${fromId}`, username: `user_${fromId}`, language_code: 'en' };
      return { callback_query: { id, from, message, chat_instance: '-8800000000000000001', data } };
    },
    /** A forged query has an id from Telegram too. */
    opened(id: string): void {
      open.add(id);
    },
    answer(body: Readonly<Record<string, unknown>>): true {
      const id = String(body['callback_query_id'] ?? '');
      const text = String(body['text'] ?? '');
      if (!open.has(id)) throw new Refusal(400, TOO_OLD);
      if (!text.isWellFormed()) bad('strings must be encoded in UTF-8');
      if (text.length > ANSWER_LIMIT) bad('MESSAGE_TOO_LONG');
      answers.push({ id, text, alert: String(body['show_alert']) === 'true' });
      return true;
    },
    /** So long ago that Telegram takes no answers any more. */
    forget(): void {
      open.clear();
    },
  };
}
