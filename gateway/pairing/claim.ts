/** The very first owner: whoever writes the code that only somebody with the machine in hand has read. Never whoever writes first. */
import type { InboundMessage } from '../../adapters/adapter.ts';
import type { Audit } from '../audit.ts';
import { noticePart } from '../outbox.ts';
import type { Store } from '../store/index.ts';
import type { NewPart } from '../store/outbox.ts';
import { accountKey } from '../target.ts';
import type { Clock } from '../time.ts';
import { newCode, opened, readCode, type Sealed, seal } from './codes.ts';
import { countFailure, forgive, lockedUntil } from './guesses.ts';

export interface Claim {
  /** To be shown to whoever has the machine in hand; undefined once there is an owner. Another one at each start. */
  code(): string | undefined;
  /**
   * Part of the caller's transaction. What the new owner is told; `wrong`: a code, but not this one; undefined: nothing that is meant as one.
   * `stranger`: a wrong one counts as a guess; who may talk here writes words that look like a code.
   */
  attempt(event: InboundMessage, stranger: boolean): NewPart | 'wrong' | undefined;
}

export interface ClaimOptions {
  readonly store: Store;
  readonly audit: Pick<Audit, 'person'>;
  readonly now: Clock;
}

export function createClaim(options: ClaimOptions): Claim {
  const { store, now } = options;
  const code = newCode();
  const sealed: readonly Sealed[] = [seal(code)];
  const isOpen = (): boolean => !store.people.all().some(({ role }) => role === 'owner');
  return {
    code: () => (isOpen() ? code : undefined),
    attempt: (event, stranger) => {
      const guess = event.chatType === 'dm' && event.attachments.length === 0 ? readCode(event.text) : undefined;
      if (guess === undefined || !isOpen()) return undefined;
      const account = accountKey(event.chat);
      if (lockedUntil(store, account, now()) !== undefined) return 'wrong';
      if (opened(guess, sealed) === undefined) {
        if (stranger) countFailure(store, account, now());
        return 'wrong';
      }
      forgive(store, account);
      own(options, event);
      return noticePart({ chat: event.chat, chatType: 'dm' }, '👑 You are my owner now. Whoever else writes to me needs your word first.');
    },
  };
}

/** Part of the caller's transaction. */
function own({ store, audit, now }: ClaimOptions, { chat, sender }: InboundMessage): void {
  const { id: person, aliases, name } = sender;
  const account = accountKey(chat);
  store.people.put({ account, person, aliases, name, role: 'owner', groupRole: 'owner', chat, approvedBy: 'claim', approvedAt: now() });
  audit.person('owner.claimed', { account, person, name, role: 'owner', by: person });
}
