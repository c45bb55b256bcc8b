/** A yes, a no or a choice's number that is no answer: it names no card, so it decides none, and it is nothing to interrupt the work for either. */
import type { InboundMessage } from '../../adapters/adapter.ts';
import { type Answers, isRequester } from './answers.ts';
import { choicesOf } from './text.ts';

const loose = /^(?:y|yes|yep|yeah|ok|okay|sure|approved?|allow|once|session|always|n|no|nope|deny)[.!]*$/i;

const isNumber = /^[1-9]$/;

export interface LooseDecision {
  /** How to decide. */
  readonly text: string;
  /** The lane waits for just that. Else only a background run does, and the words may as well be meant for the conversation. */
  readonly isAll: boolean;
}

export interface Openings extends Pick<Answers, 'approvals'> {
  /** The chat shows choices as buttons. */
  readonly buttons: boolean;
}

/** Where approvals of this person are open; undefined for anything else, which is something to say. */
export function looseDecision(openings: Openings, lane: string, event: InboundMessage): LooseDecision | undefined {
  const words = event.text.trim();
  if (event.attachments.length > 0 || !(loose.test(words) || isNumber.test(words))) return undefined;
  const open = openings.approvals(event).filter((ask) => isRequester(ask, event.sender));
  if (isNumber.test(words) && !open.some(({ body }) => Number(words) <= choicesOf(body).length)) return undefined;
  const [first, ...others] = open.map(({ number }) => number);
  if (first === undefined) return undefined;
  const all = [first, ...others].map((number) => `#${number}`).join(', ');
  const { buttons } = openings;
  const text =
    others.length === 0
      ? `${buttons ? `Use the buttons on ${all}, reply to it` : `Reply to ${all} with your choice`}, or write /approve ${first} or /deny ${first}.`
      : `${all} are open: ${buttons ? 'use the buttons, reply to one' : 'reply to one with your choice'}, or write /approve or /deny and its number.`;
  return { text, isAll: open.some((ask) => ask.lane === lane) };
}
