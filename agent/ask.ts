/** Questions that a run puts to a person. */
import type { ToolCall } from './message.ts';
import type { Risk } from './risk.ts';

export interface ApprovalRequest {
  readonly call: ToolCall;
  /** What the tool receives: what is shown is what runs. */
  readonly args: unknown;
  /** One line that shows what the call is about. */
  readonly preview: string;
  readonly risk: Risk;
  /** What a person is asked for the sake of, where it is not the risk of the call itself: a permission rule. */
  readonly by?: string;
}

export interface Approval {
  readonly approved: boolean;
  /** When not approved: what the model reads. */
  readonly reason: string;
}

export interface Question {
  readonly question: string;
  /** At most 6; none: an open question. */
  readonly choices: readonly string[];
  /** Other text than a choice is an answer too. */
  readonly allowFreetext: boolean;
  /** Absent: the gateway's own patience. */
  readonly timeoutMs?: number;
}

export type QuestionAnswer =
  | { readonly answered: true; readonly text: string }
  /** `reason`: what the model reads. */
  | { readonly answered: false; readonly reason: string };

/**
 * Port: reaches a person. Implemented by the gateway, durably: asked again for the same call (after a restart) it goes on with the same
 * question, its old deadline and, if it was answered meanwhile, that answer. Both reject with the signal's reason only.
 */
export interface Asks {
  approve(request: ApprovalRequest, signal: AbortSignal): Promise<Approval>;
  /** `index` tells several questions of one call apart, from 0. */
  question(question: Question, from: { readonly callId: string; readonly index: number }, signal: AbortSignal): Promise<QuestionAnswer>;
}
