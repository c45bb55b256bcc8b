/** The calls of a turn in the audit: each when it starts and when it has ended, or why it did not run, with who or what decided that. */
import type { Asks } from '../agent/ask.ts';
import type { ToolCall, ToolMessage } from '../agent/message.ts';
import type { Policy } from '../agent/policy.ts';
import type { NewAuditEntry } from './store/audit.ts';
import type { Store } from './store/index.ts';
import type { TurnRow } from './store/turns.ts';
import { accountKey } from './target.ts';
import type { Clock } from './time.ts';

export interface TurnAudit {
  /** The same policy; what it decides is remembered until the call is recorded. */
  policy(policy: Policy): Policy;
  asks(asks: Asks): Asks;
  /** Part of the caller's transaction, before the effect. */
  started(call: ToolCall): void;
  /** Part of the caller's transaction. `startedAt`: undefined for a call that never started. */
  finished(call: ToolCall, result: ToolMessage, startedAt: number | undefined): void;
}

export interface TurnAuditOptions {
  readonly store: Pick<Store, 'asks'>;
  record(entry: NewAuditEntry): void;
  readonly now: Clock;
}

/** A type, not an interface: it goes into the row as it is. */
type Decision = {
  /** A rule as it is written, a mode, "person", "automatic review"; "risk": that of the call itself. */
  readonly by: string;
  /** Which person, and what they chose. */
  readonly decider?: string;
  readonly choice?: string;
  /** What had it asked. */
  readonly askedBy?: string;
};

export function createTurnAudit({ store, record, now }: TurnAuditOptions, turn: TurnRow): TurnAudit {
  const decisions = new Map<string, Decision>();
  const { requester, target, id, sessionId: session } = turn;
  const { chat, thread } = target.chat;
  const where = { session, turn: id, chat, ...(thread === undefined ? {} : { thread }), chatType: target.chatType, name: requester.name };
  const entry = (event: string, { name: tool, id: call }: ToolCall, facts: { readonly [key: string]: string | number }): void =>
    record({ event, account: accountKey(target.chat), person: requester.id, tool, facts: { ...where, call, ...facts } });
  const decision = (call: ToolCall): Decision => decisions.get(call.id) ?? { by: 'risk' };
  return {
    policy: (policy) => ({
      decide: (call, ...rest) => {
        const verdict = policy.decide(call, ...rest);
        decisions.set(call.id, { by: verdict.by ?? 'risk' });
        return verdict;
      },
    }),
    asks: (asks) => ({
      ...asks,
      approve: async (request, signal) => {
        const approval = await asks.approve(request, signal);
        const { call } = request;
        decisions.set(call.id, { ...whoDecided(store, id, call), askedBy: decision(call).by });
        return approval;
      },
    }),
    started: (call) => entry('call.started', call, { arguments: call.arguments, ...decision(call) }),
    finished: (call, { status, content, exitCode }, startedAt) => {
      if (startedAt !== undefined) {
        const exit = exitCode === undefined ? {} : { exitCode };
        entry('call.finished', call, { status, ...exit, ...(status === 'unknown' ? {} : { durationMs: Math.max(0, now() - startedAt) }) });
      } else if (status === 'refused') {
        entry('call.refused', call, { arguments: call.arguments, reason: content, ...decision(call) });
      } else if (status === 'error') {
        // The only failure before a start: there is no such tool, or it does not take these arguments.
        entry('call.invalid', call, { arguments: call.arguments, reason: content, by: 'arguments' });
      }
      decisions.delete(call.id);
    },
  };
}

/** The row of the question is the truth, also when it was answered before a restart. A review that approves leaves none. */
function whoDecided({ asks }: Pick<Store, 'asks'>, turnId: number, { id: callId }: ToolCall): Decision {
  const ask = asks.find({ turnId, callId, n: 0 });
  if (ask === undefined) return { by: 'automatic review' };
  if (ask.decision === null) return { by: ask.state === 'expired' ? 'nobody answered in time' : 'nobody could be asked' };
  const { choice, by } = ask.decision;
  return by.id === 'review' ? { by: 'automatic review', choice } : { by: 'person', decider: by.id, choice };
}
