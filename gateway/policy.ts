/** Which calls of a turn run, which are asked about, which are refused. */
import { createHash } from 'node:crypto';
import type { ApprovalRequest } from '../agent/ask.ts';
import type { ToolCall } from '../agent/message.ts';
import type { Policy, Verdict } from '../agent/policy.ts';
import type { Risk } from '../agent/risk.ts';
import type { SessionRef } from '../agent/tool.ts';
import type { AskGate } from './asks/asks.ts';
import type { Settings } from './settings.ts';
import type { Store } from './store/index.ts';
import type { TurnRow } from './store/turns.ts';

export interface TurnPolicy extends Policy, AskGate {}

export interface PolicyOptions {
  readonly store: Store;
  readonly settings: () => Settings;
  /** Somebody can be asked: the chat is connected. */
  readonly reachable: () => boolean;
}

export function createPolicy(options: PolicyOptions, turn: TurnRow, session: SessionRef): TurnPolicy {
  const { store } = options;
  const refused = new Set(refusedBefore(store, turn.id));
  return {
    decide: (call, risk) => decide(options, { turn, session, refused }, { call, risk }),
    sessionKey: ({ call }: ApprovalRequest) => exactly(call, session),
    refused: (subjects) => {
      for (const subject of subjects) refused.add(subject);
    },
  };
}

/** A turn that goes on after a crash keeps its refusals. */
function refusedBefore(store: Store, turnId: number): readonly string[] {
  const asks = store.asks.ofTurn(turnId).filter(({ state, decision }) => state === 'expired' || decision?.choice === 'deny');
  return asks.flatMap(({ body }) => (body.kind === 'approval' ? body.subjects : []));
}

interface TurnFacts {
  readonly turn: TurnRow;
  readonly session: SessionRef;
  readonly refused: ReadonlySet<string>;
}

interface Judged {
  readonly call: ToolCall;
  readonly risk: Risk;
}

function decide({ store, settings, reachable }: PolicyOptions, { turn, session, refused }: TurnFacts, { call, risk }: Judged): Verdict {
  if (risk.level === 'hardline') return { verdict: 'deny', reason: `Refused: ${risk.why} This is never allowed, whoever asks for it.` };
  const again = risk.subjects.find((subject) => refused.has(subject));
  if (again !== undefined) return { verdict: 'deny', reason: refusedAgain(again) };
  if (risk.level === 'safe') return allow;
  if (settings().approvals.mode === 'off' || store.sessions.get(turn.sessionId)?.settings.yolo === true) return allow;
  if (store.approvals.has(keysOf({ call, risk }, { turn, session }))) return allow;
  return reachable() ? { verdict: 'ask', reason: risk.why } : { verdict: 'deny', reason: nobody(risk) };
}

const allow: Verdict = { verdict: 'allow', reason: '' };

function keysOf({ call, risk }: Judged, { turn, session }: Pick<TurnFacts, 'turn' | 'session'>) {
  const exact = { scope: turn.sessionId, key: exactly(call, session) };
  return risk.memory === undefined ? [exact] : [exact, { scope: 'always', key: risk.memory.key }];
}

/** This tool with these arguments, byte for byte, in this workspace. */
function exactly(call: ToolCall, { workspace }: SessionRef): string {
  return createHash('sha256')
    .update(JSON.stringify([call.name, call.arguments, workspace]))
    .digest('hex');
}

function refusedAgain(subject: string): string {
  return `Refused: it contains what was refused before in this turn (${subject}). Do not look for another way to the same effect; go on without it, or tell the person what you would need.`;
}

function nobody(risk: Risk): string {
  return `Refused: ${risk.why} It needs a person's approval, and nobody can be asked here. Do not try to get around it; do it another way or say what you would have run.`;
}
