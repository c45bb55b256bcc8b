/** The very first owner: whoever writes the code that only somebody with the machine in hand has read. Never whoever writes first. */
import type { InboundMessage } from '../../adapters/adapter.ts';
import type { Audit } from '../audit.ts';
import { noticePart } from '../outbox.ts';
import type { Store } from '../store/index.ts';
import type { NewPart } from '../store/outbox.ts';
import { accountKey } from '../target.ts';
import type { Clock } from '../time.ts';
import { newCode, opened, readCode, seal } from './codes.ts';
import { countFailure, forgive, type Guesser, lockedUntil } from './guesses.ts';

export interface Claim {
  /** To be shown to whoever has the machine in hand; undefined once there is an owner. Another one at each start, and after each use. */
  code(): string | undefined;
  /**
   * Part of the caller's transaction. What the new owner is told; undefined: this is no code, or not the right one. `stranger`: a wrong one
   * counts as a guess; who may talk here writes words that look like a code.
   */
  attempt(event: InboundMessage, stranger: boolean): NewPart | undefined;
}

export interface ClaimOptions {
  readonly store: Store;
  readonly audit: Pick<Audit, 'person' | 'guess'>;
  readonly now: Clock;
}

/** The hash of the code that was used last: written with the new owner, so that no crash lets it count twice. */
const usedKey = 'claim.used';

export function createClaim(options: ClaimOptions): Claim {
  const { store } = options;
  let present = created();
  const unused = (): Created => {
    if (store.meta.get(usedKey) === present.sealed.hash) present = created();
    return present;
  };
  return {
    code: () => (hasOwner(store) ? undefined : unused().code),
    attempt: (event, stranger) => {
      const guess = isDirect(event) ? readCode(event.text) : undefined;
      if (guess === undefined || hasOwner(store)) return undefined;
      return attempt(options, { event, stranger, guess, right: unused() });
    },
  };
}

export function hasOwner({ people }: Pick<Store, 'people'>): boolean {
  return people.all().some(({ role }) => role === 'owner');
}

interface Created {
  readonly code: string;
  readonly sealed: ReturnType<typeof seal>;
}

function created(): Created {
  const code = newCode();
  return { code, sealed: seal(code) };
}

function isDirect({ chatType, attachments, sender }: InboundMessage): boolean {
  return chatType === 'dm' && attachments.length === 0 && !sender.isBot;
}

interface Attempt {
  readonly event: InboundMessage;
  readonly stranger: boolean;
  readonly guess: string;
  readonly right: Created;
}

/** Counted for each person alone: no stranger may keep the one who holds the code from using it. */
function attempt(options: ClaimOptions, { event, stranger, guess, right }: Attempt): NewPart | undefined {
  const { store, now } = options;
  store.pairing.prune(now());
  const guessers = guessersOf(event);
  if (guessers.some((guesser) => lockedUntil(store, guesser, now()) !== undefined)) return undefined;
  if (opened(guess, [right.sealed]) === undefined) {
    if (stranger) countGuess(options, event, guessers);
    return undefined;
  }
  for (const guesser of guessers) forgive(store, guesser);
  store.meta.set(usedKey, right.sealed.hash);
  own(options, event);
  return noticePart({ chat: event.chat, chatType: 'dm' }, '👑 You are my owner now. Whoever else writes to me needs your word first.');
}

/** On record as often as it counts: whoever is locked out is not heard any more, and fills no disk. */
function countGuess({ store, audit, now }: ClaimOptions, { chat, sender }: InboundMessage, guessers: readonly Guesser[]): void {
  for (const guesser of guessers) countFailure(store, guesser, now());
  audit.guess({ account: accountKey(chat), person: sender.id, name: sender.name, of: 'claim', why: 'wrong' });
}

function guessersOf({ chat, sender }: InboundMessage): readonly Guesser[] {
  return [sender.id, ...sender.aliases].map((id) => ({ account: accountKey(chat), person: `claim/${id}` }));
}

/** Part of the caller's transaction. */
function own({ store, audit, now }: ClaimOptions, { chat, sender }: InboundMessage): void {
  const { id: person, aliases, name } = sender;
  const account = accountKey(chat);
  store.people.put({ account, person, aliases, name, role: 'owner', groupRole: 'owner', chat, approvedBy: 'claim', approvedAt: now() });
  audit.person('owner.claimed', { account, person, name, role: 'owner', by: person });
}
