/** A yes or a no that is no answer: it names no card, so it decides none, and it is nothing to interrupt the work for either. */
import type { InboundMessage } from '../../adapters/adapter.ts';
import type { Answers } from './answers.ts';

const loose = /^(?:y|yes|yep|yeah|ok|okay|sure|approved?|allow|once|session|always|n|no|nope|deny)[.!]*$/i;

export interface LooseDecision {
  /** How to decide. */
  readonly text: string;
  /** The lane waits for just that. Else only a background run does, and the words may as well be meant for the conversation. */
  readonly isAll: boolean;
}

/** Where approvals of this person are open; undefined for anything else, which is something to say. */
export function looseDecision(answers: Answers, lane: string, event: InboundMessage): LooseDecision | undefined {
  if (event.attachments.length > 0 || !loose.test(event.text.trim())) return undefined;
  const open = answers.approvals(event);
  const [first, ...others] = open.map(({ number }) => number);
  if (first === undefined) return undefined;
  const all = [first, ...others].map((number) => `#${number}`).join(', ');
  const text =
    others.length === 0
      ? `Use the buttons on ${all}, reply to it, or write /approve ${first} or /deny ${first}.`
      : `${all} are open: use the buttons, reply to one, or write /approve or /deny and its number.`;
  return { text, isAll: open.some((ask) => ask.lane === lane) };
}
