import type { Chats } from './chats.ts';
import type { Outbox, UnsentAnswer } from './outbox.ts';
import type { AskEntry } from './protocol.ts';
import type { Toast } from './views/toast.ts';

interface Click {
  readonly choice: string;
  readonly version: number;
}

export interface DecisionParts {
  readonly outbox: Outbox;
  readonly chats: Chats;
  readonly toast: Toast;
}

/**
 * Clicks on cards, from the button to their outcome: the card changes, a sentence comes, or the connection is made again and the log shows
 * the card as it is.
 */
export class Decisions {
  readonly #parts: DecisionParts;
  readonly #clicks = new Map<string, Click>();

  constructor(parts: DecisionParts) {
    this.#parts = parts;
  }

  choose(chat: string, { seq, version, token }: AskEntry, choice: string): void {
    this.#clicks.set(`${chat}/${seq}`, { choice, version });
    this.#parts.outbox.answer({ chat, seq, token, choice });
  }

  /** What was chosen on this card and has no outcome yet. */
  choiceOf(chat: string, { seq, version }: AskEntry): string | undefined {
    const click = this.#clicks.get(`${chat}/${seq}`);
    return this.#parts.outbox.choiceOf(chat, seq) ?? (click?.version === version ? click.choice : undefined);
  }

  /** It does not say about which card: whatever was clicked may be clicked again. */
  toasted(text: string): void {
    this.settle();
    this.#parts.toast.show(text);
  }

  /** A card that was closed meanwhile tells itself what was decided. */
  refused({ chat, seq }: UnsentAnswer, reason: string): void {
    this.#clicks.delete(`${chat}/${seq}`);
    const card = this.#parts.chats.conversation(chat).entries.get(seq);
    if (card?.type !== 'ask' || card.closed === undefined) this.#parts.toast.show(reason);
  }

  settle(): void {
    this.#clicks.clear();
  }
}
