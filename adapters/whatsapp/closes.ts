/**
 * What the end of a connection means. Pure. Codes: DisconnectReason of the client library, and of WhatsApp itself
 * https://github.com/tulir/whatsmeow/blob/main/types/events/events.go (ConnectFailureReason).
 */
import type { LineClosed } from './line.ts';

/**
 * - `restart`: at once; a part of linking a device.
 * - `retry`: soon, then less and less often.
 * - `slowly`: only an update or time will help.
 * - `replaced`: another program has this link; two would throw each other out for ever.
 * - `logged-out`: the link is gone, a person must make it again.
 * - `fatal`: the account cannot work until a person acts.
 * - `unlinked`: nobody scanned the code, or the phone refused.
 */
export type CloseAction = 'restart' | 'retry' | 'slowly' | 'replaced' | 'logged-out' | 'fatal' | 'unlinked';

export interface CloseVerdict {
  readonly action: CloseAction;
  /** For the owner: what happened, and what to do where there is something. */
  readonly sentence: string;
}

const LINK_AGAIN = 'Link it again: hermes whatsapp link, or the browser page.';

const TABLE: Readonly<Record<number, CloseVerdict>> = {
  401: { action: 'logged-out', sentence: `WhatsApp has logged this device out, perhaps from the phone. ${LINK_AGAIN}` },
  402: {
    action: 'slowly',
    sentence: 'WhatsApp has blocked this number for a while. The phone tells for how long; it is tried again now and then.',
  },
  403: {
    action: 'fatal',
    sentence:
      'WhatsApp refuses this number (403): it may be banned, or the phone is not registered any more. Open WhatsApp on the phone and see what it says, then restart the gateway.',
  },
  405: {
    action: 'slowly',
    sentence:
      'WhatsApp refuses this client as outdated (405). Upgrade the gateway, or set whatsapp.version to the present version of WhatsApp Web.',
  },
  406: { action: 'logged-out', sentence: `WhatsApp does not know this device any more (406). ${LINK_AGAIN}` },
  408: { action: 'retry', sentence: 'WhatsApp did not answer in time.' },
  409: {
    action: 'slowly',
    sentence: 'WhatsApp refuses how this client introduces itself (409). Upgrade the gateway, or set whatsapp.version.',
  },
  411: {
    action: 'fatal',
    sentence: 'WhatsApp on the phone is too old for linked devices (411). Update it, then restart the gateway.',
  },
  428: { action: 'retry', sentence: 'WhatsApp closed the connection.' },
  440: {
    action: 'replaced',
    sentence:
      'Another program uses the same WhatsApp link and took the connection over (440). Stop that program, or link this gateway anew; we stay away for a while, so that the two do not throw each other out.',
  },
  500: {
    action: 'retry',
    sentence: 'WhatsApp says that this session is damaged (500). If that goes on, remove the device on the phone and link it again.',
  },
  503: { action: 'retry', sentence: 'WhatsApp is not available at the moment (503).' },
  515: { action: 'restart', sentence: 'WhatsApp asked for a new connection.' },
};

export function closeVerdict({ code, message }: LineClosed, linked: boolean): CloseVerdict {
  const verdict = TABLE[code ?? 0] ?? { action: 'retry', sentence: `The connection to WhatsApp ended: ${message}.` };
  if (linked) return verdict;
  // Before a phone has confirmed us there is nothing to be logged out of, and codes that nobody scans run out.
  if (verdict.action === 'logged-out' || code === 408)
    return { action: 'unlinked', sentence: `The code was not used in time, or the phone refused it. ${LINK_AGAIN}` };
  return verdict;
}
