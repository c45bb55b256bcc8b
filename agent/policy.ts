import type { ToolCall } from './message.ts';
import type { Risk } from './risk.ts';
import type { SessionRef } from './tool.ts';

export interface Verdict {
  readonly verdict: 'allow' | 'ask' | 'deny';
  /** One sentence that the model reads when the call does not run. */
  readonly reason: string;
  /** For the record: which rule or mode decided. Absent: the risk of the call itself did. */
  readonly by?: string;
  /** Those of the subjects for whose sake a person is asked; once refused they stay refused. Absent: those that the risk names. */
  readonly doubtful?: readonly string[];
}

/** Port: permission rules, modes and remembered approvals. Implemented by the gateway. */
export interface Policy {
  decide(call: ToolCall, risk: Risk, session: SessionRef): Verdict;
}
