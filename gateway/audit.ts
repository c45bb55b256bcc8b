/** What is recorded for good: who had what run, when and where, who or what decided it, and what came of it. Never a secret. */
import { createTurnAudit, type TurnAudit } from './audit-turn.ts';
import type { Visitor } from './roles.ts';
import { createRedactor } from './secrets.ts';
import type { AskRow } from './store/asks.ts';
import type { NewAuditEntry } from './store/audit.ts';
import type { Store } from './store/index.ts';
import type { AskDecision } from './store/schema.ts';
import type { TurnRow } from './store/turns.ts';
import { accountKey } from './target.ts';
import type { Clock } from './time.ts';

/** Each method is part of the caller's transaction: what cannot be recorded does not happen. */
export interface Audit {
  /** For one process's work on a turn. */
  turn(turn: TurnRow): TurnAudit;
  askDecided(ask: AskRow, decision: AskDecision): void;
  person(event: 'pairing.approved' | 'pairing.revoked' | 'pairing.forgotten' | 'owner.claimed', person: AuditedPerson): void;
  /** A code that was none, or that nobody looked at any more. The code stays out: it may be almost right, or somebody else's. */
  guess(guess: AuditedGuess): void;
  /** `ran`: one that only administrators may use. `refused`: one that this person may not use here. `reply`: what they were told. */
  command(by: Visitor, command: AuditedCommand): void;
  /** By whoever has the machine or the page: "restart". */
  owner(act: string, facts?: { readonly [key: string]: string }): void;
}

export interface AuditedPerson {
  readonly account: string;
  readonly person: string;
  readonly name: string;
  /** What they are from now on; absent: nothing. */
  readonly role?: string;
  /** Who decided. */
  readonly by: string;
}

export interface AuditedGuess {
  readonly account: string;
  /** Who wrote it. */
  readonly person: string;
  readonly name: string;
  /** What it was to be: "approve" lets somebody in, "claim" makes them the owner. */
  readonly of: 'approve' | 'claim';
  readonly why: 'wrong' | 'locked';
}

export interface AuditedCommand {
  readonly name: string;
  readonly outcome: 'ran' | 'refused';
  readonly reply: string;
}

export interface AuditOptions {
  readonly store: Store;
  /** Values that are never recorded; asked each time, so that it may follow a changed configuration. */
  readonly secrets: () => readonly string[];
  readonly now: Clock;
}

type Recorder = (entry: NewAuditEntry) => void;

export function createAudit({ store, secrets, now }: AuditOptions): Audit {
  const redact = createRedactor(secrets, 'plain');
  // But the ids of accounts and people: the platform gives those, and without them nobody knows who it was.
  const record: Recorder = ({ tool, facts, ...ids }) =>
    store.audit.append({ ...ids, tool: inAnySpelling(tool, redact), facts: withoutSecrets(facts, redact) });
  return {
    turn: (turn) => createTurnAudit({ store, record, now }, turn),
    askDecided: (ask, decision) => askDecided(record, ask, decision),
    person: (event, { account, person, ...facts }) => record({ event, account, person, tool: '', facts }),
    guess: ({ account, person, name, of, why }) => record({ event: 'pairing.failed', account, person, tool: '', facts: { name, of, why } }),
    command: ({ chat, chatType, sender }, { name, outcome, reply }) => {
      const facts = { command: name, name: sender.name, chat: chat.chat, chatType, reply };
      record({ event: outcome === 'ran' ? 'command' : 'command.refused', account: accountKey(chat), person: sender.id, tool: '', facts });
    },
    owner: (act, facts = {}) => record({ event: 'owner', account: '', person: 'owner', tool: '', facts: { act, ...facts } }),
  };
}

/** The words of an answer are the person's own and stay out. */
function askDecided(record: Recorder, { id, turnId, callId, number, target, requester, body }: AskRow, { choice, by }: AskDecision): void {
  const asked = { ask: id, number, about: body.kind, chat: target.chat.chat, turn: turnId, call: callId, requester: requester.id };
  record({ event: 'ask.decided', account: accountKey(target.chat), person: by.id, tool: '', facts: { name: by.name, choice, ...asked } });
}

type Redact = (text: string) => string;

const longestReason = 1000;

function withoutSecrets(facts: NewAuditEntry['facts'], redact: Redact): NewAuditEntry['facts'] {
  return Object.fromEntries(
    Object.entries(facts).map(([key, value]) => {
      if (typeof value !== 'string') return [key, value];
      const clean = inAnySpelling(value, redact);
      return [key, key === 'reason' ? clean.slice(0, longestReason) : clean]; // cut last: of a secret that is cut nobody knows the rest
    }),
  );
}

/** JSON can write any letter as an escape: arguments of a call may say a secret that is not to be seen in them. */
function inAnySpelling(text: string, redact: Redact): string {
  const said = text.replaceAll(/\\u([0-9a-f]{4})/gi, (_, digits: string) => inJson(Number.parseInt(digits, 16))).replaceAll('\\/', '/');
  const clean = redact(said); // first: what is cut out of the other spelling would leave the rest
  return clean === said ? redact(text) : clean;
}

function inJson(unit: number): string {
  return JSON.stringify(String.fromCharCode(unit)).slice(1, -1);
}
