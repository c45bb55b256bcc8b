/** What a failed call means for the one who made it. */
import { DeliveryError, type DeliveryFacts } from '../adapter.ts';
import { LineError } from './line.ts';

/** WhatsApp names no pause with "rate-overlimit". */
const PENALTY_MS = 60_000;

export const NOT_CONNECTED = 'WhatsApp: not connected at the moment.';

interface Verdict {
  readonly sentence: string;
  readonly facts: DeliveryFacts;
}

const rejected = (sentence: string): Verdict => ({ sentence, facts: { kind: 'rejected', certain: true } });
const later = (sentence: string): Verdict => ({ sentence, facts: { kind: 'transient', certain: true } });
const slower = (): Verdict => ({
  sentence: 'too many messages',
  facts: { kind: 'rate_limited', certain: true, retryAfterMs: PENALTY_MS },
});

/**
 * Codes of a refusal. 463 is told by the client library (ACCOUNT_RESTRICTED): trying again makes the restriction worse. 479 is a session
 * that is out of date and is made anew with the next attempt.
 */
const REFUSALS: Readonly<Record<number, Verdict>> = {
  400: rejected('the message is not as WhatsApp wants it (400)'),
  401: rejected('this account may not write in this chat (401)'),
  403: rejected('this account may not write in this chat (403)'),
  404: rejected('this chat does not exist (404)'),
  406: rejected('WhatsApp does not accept this message (406)'),
  413: rejected('the message is too large (413)'),
  420: slower(),
  429: slower(),
  463: rejected('WhatsApp has restricted this account, so that it cannot write to this person now (463)'),
  479: later('the encryption session was out of date (479)'),
};

export function deliveryError(error: unknown): DeliveryError {
  if (error instanceof DeliveryError) return error;
  const { sentence, facts } = verdictOf(error);
  return new DeliveryError(`WhatsApp: ${sentence}.`, { ...facts, cause: error });
}

/** A repeated send is the same message, so that an unknown outcome costs nothing but the repetition. */
function verdictOf(error: unknown): Verdict {
  const unknown = (sentence: string): Verdict => ({ sentence, facts: { kind: 'transient', certain: false } });
  if (!(error instanceof LineError)) return unknown('the message could not be sent');
  const { kind, code, message } = error;
  if (kind === 'closed') return unknown('the connection ended before WhatsApp took the message');
  if (kind === 'silent') return unknown('WhatsApp did not say whether it took the message');
  const known = code === undefined ? undefined : REFUSALS[code];
  if (known !== undefined) return known;
  return kind === 'refused' ? later(`WhatsApp refused the message for now (${code ?? 'no code'})`) : unknown(message);
}
