/** Which calls of a turn run, which are asked about, which are refused. */
import { createHash } from 'node:crypto';
import type { ApprovalRequest } from '../agent/ask.ts';
import type { ToolCall } from '../agent/message.ts';
import type { Policy, Verdict } from '../agent/policy.ts';
import type { Risk } from '../agent/risk.ts';
import type { SessionRef, Tool } from '../agent/tool.ts';
import type { AskGate } from './asks/asks.ts';
import { placeOf } from './permissions/place.ts';
import { type PermissionVerdict, permissionVerdict } from './permissions/verdict.ts';
import type { Settings } from './settings.ts';
import type { Store } from './store/index.ts';
import type { TurnRow } from './store/turns.ts';

export interface TurnPolicy extends Policy, AskGate {}

export interface PolicyOptions {
  readonly store: Store;
  readonly settings: () => Settings;
  /** Somebody can be asked: the chat is connected. */
  readonly reachable: () => boolean;
  readonly tools: readonly Pick<Tool, 'name' | 'toolset'>[];
}

export function createPolicy(options: PolicyOptions, turn: TurnRow, session: SessionRef): TurnPolicy {
  const { store } = options;
  const refused = new Set(refusedBefore(store, turn.id));
  const rules = rulesFor(options, turn, session);
  return {
    decide: (call, risk) => decide(options, { turn, session, refused, rules }, { call, risk }),
    sessionKey: ({ call, risk }: ApprovalRequest) => exactly({ call, risk }, session),
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

/** Those that hold now hold for the whole turn; who somebody is may change meanwhile. */
function rulesFor({ store, settings, tools }: PolicyOptions, turn: TurnRow, { workspace }: SessionRef) {
  const { permissions } = settings();
  return ({ call: { name: tool }, risk }: Judged): PermissionVerdict | undefined => {
    const toolset = tools.find(({ name }) => name === tool)?.toolset ?? '';
    const place = placeOf(turn, { store, settings });
    return permissionVerdict(permissions.judge({ tool, toolset, workspace, risk }, place), risk);
  };
}

interface TurnFacts {
  readonly turn: TurnRow;
  readonly session: SessionRef;
  readonly refused: ReadonlySet<string>;
  readonly rules: (judged: Judged) => PermissionVerdict | undefined;
}

interface Judged {
  readonly call: ToolCall;
  readonly risk: Risk;
}

/** What may never be done comes first, then what was refused in this turn, then the rules, then the risk of the call itself. */
function decide(options: PolicyOptions, { turn, session, refused, rules }: TurnFacts, { call, risk }: Judged): Verdict {
  if (risk.level === 'hardline') return { verdict: 'deny', reason: `Refused: ${risk.why} This is never allowed, whoever asks for it.` };
  const again = risk.subjects.find((subject) => refused.has(subject));
  if (again !== undefined) return { verdict: 'deny', reason: refusedAgain(again), by: 'refused before in this turn' };
  const ruled = rules({ call, risk });
  if (ruled !== undefined && ruled.verdict !== 'ask') return ruled;
  if (ruled === undefined && risk.level === 'safe') return allow;
  const mode = ruled === undefined ? unasked(options, turn) : undefined;
  if (mode !== undefined) return { ...allow, by: mode };
  if (options.store.approvals.has(keysOf({ call, risk }, { turn, session }))) return { ...allow, by: 'remembered approval' };
  const asked = ruled ?? { verdict: 'ask', reason: risk.why };
  return options.reachable() ? asked : { verdict: 'deny', reason: nobody(asked.reason), by: 'nobody could be asked' };
}

/** The mode in which nothing is asked, if it is. */
function unasked({ store, settings }: PolicyOptions, turn: TurnRow): string | undefined {
  if (settings().approvals.mode === 'off') return 'approvals.mode off';
  return store.sessions.get(turn.sessionId)?.settings.yolo === true ? '/yolo' : undefined;
}

const allow: Verdict = { verdict: 'allow', reason: '' };

function keysOf({ call, risk }: Judged, { turn, session }: Pick<TurnFacts, 'turn' | 'session'>) {
  const exact = { scope: turn.sessionId, key: exactly({ call, risk }, session) };
  return risk.memory === undefined ? [exact] : [exact, { scope: 'always', key: risk.memory.key }];
}

/** This tool with these arguments, byte for byte, in this workspace and situation. */
function exactly({ call, risk: { situation } }: Judged, { workspace }: SessionRef): string {
  const what = [call.name, call.arguments, workspace, ...(situation === undefined ? [] : [situation])];
  return createHash('sha256').update(JSON.stringify(what)).digest('hex');
}

function refusedAgain(subject: string): string {
  return `Refused: it contains what was refused before in this turn (${subject}). Do not look for another way to the same effect; go on without it, or tell the person what you would need.`;
}

function nobody(why: string): string {
  return `Refused: ${why} It needs a person's approval, and nobody can be asked here. Do not try to get around it; do it another way or say what you would have run.`;
}
