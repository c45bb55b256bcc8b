import type { ToolCall } from './message.ts';
import type { Risk } from './risk.ts';
import type { SessionRef } from './tool.ts';

export interface Verdict {
  readonly verdict: 'allow' | 'ask' | 'deny';
  /** One sentence that the model reads when the call does not run. */
  readonly reason: string;
}

/** Port: permission rules, modes and remembered approvals. Implemented by the gateway. */
export interface Policy {
  decide(call: ToolCall, risk: Risk, session: SessionRef): Verdict;
}
