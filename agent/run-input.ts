import type { Asks } from './ask.ts';
import type { RequestCut } from './context/cut.ts';
import type { Journal } from './journal.ts';
import type { Message, UserMessage } from './message.ts';
import type { Model, ReasoningEffort } from './model.ts';
import type { Policy } from './policy.ts';
import type { ResultFiles } from './results.ts';
import type { SessionRef, Tool } from './tool.ts';

/** How the requests of a session begin. It stays the same, byte for byte, for as long as they only grow: providers cache by prefix. */
export interface SystemPrompt {
  readonly text: string;
  /** What the session's requests leave out since it was built. */
  readonly cut: RequestCut;
  /** They begin otherwise from here on, so that the prompt may be built anew. `cutOf`: what is left out with such a prompt; may throw. */
  renew(cutOf: (text: string) => RequestCut): Promise<string>;
}

export interface RunInput {
  readonly session: SessionRef;
  readonly system: SystemPrompt;
  /** The stored transcript. Ends with the message to answer, or, after a crash, wherever the run was cut. */
  readonly transcript: readonly Message[];
  /** Ids of calls in the last assistant message that had started before a crash and have no result. */
  readonly started: ReadonlySet<string>;
  readonly model: Model;
  /** For every request of the run. */
  readonly reasoning?: ReasoningEffort;
  readonly tools: readonly Tool[];
  readonly journal: Journal;
  readonly policy: Policy;
  readonly asks: Asks;
  /** Where a result goes that is too long for the model. */
  readonly resultFiles: ResultFiles;
  /**
   * What the person said meanwhile and is to be heard now; asked for after each round of tool calls. What it returns is already part of the
   * stored transcript.
   */
  interject(signal: AbortSignal): Promise<readonly UserMessage[]>;
  readonly limits: { readonly maxSteps: number };
}
