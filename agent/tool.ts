import type { z } from 'zod';
import type { Question, QuestionAnswer } from './ask.ts';
import type { AgentEvent } from './events.ts';
import type { Risk } from './risk.ts';

/** Which conversation a call belongs to, as far as a tool may know. */
export interface SessionRef {
  readonly id: string;
  /** Absolute path of the session's working directory; it exists. */
  readonly workspace: string;
  /** For whom the call is made; absent where nobody in particular is (a session that several people share). */
  readonly person?: PersonRef;
  /** Absolute paths of directories with the files that came with its messages: its tools may read them, and nobody else's. */
  readonly media?: readonly string[];
}

export interface PersonRef {
  /** Names the person for good and is fit for a file name: the platform and the id that never changes, "telegram-123". */
  readonly key: string;
  /** The owner of this machine or an admin. */
  readonly trusted: boolean;
  /** Nobody else reads along. */
  readonly alone: boolean;
}

/** Decides parallelism and what happens to a started call after a crash: only `read` calls run side by side, and only they run again. */
export type Effect = 'read' | 'write' | 'external';

export interface ToolOutput {
  /** What the model reads. May be of any length: what exceeds a bound is kept in a file, and the model is told where. */
  readonly content: string;
  /** What a script that made the call receives, a JSON value, never cut. Absent: `content`, or `{ error: content }` of a call that failed. */
  readonly data?: unknown;
  /** From where `content` came that others can write to (an address, "a file that was sent"): the model is shown where it begins and ends. */
  readonly outside?: string;
  /** `true`: the tool's own failure; the model may correct itself. */
  readonly failed?: boolean;
  /** Of the program that was run; for the record. */
  readonly exitCode?: number;
}

export interface ToolContext {
  /** Aborted by an interrupt or by the tool's deadline; everything the call started must end. */
  readonly signal: AbortSignal;
  readonly session: SessionRef;
  /** One short line for the progress bubble. */
  progress(note: string): void;
  /** What happens in a child agent that the call has at work; `id` is the child's own. */
  child(id: string, event: AgentEvent): void;
  /** Asks the person. Rejects with the signal's reason only. */
  ask(question: Question): Promise<QuestionAnswer>;
}

export interface Tool<S extends z.ZodType = z.ZodType> {
  readonly name: string;
  readonly toolset: string;
  readonly description: string;
  readonly args: S;
  readonly effect: Effect;
  /** What it needs and does not have, one sentence that says what to do: the tool is not offered, and `/status` says this. */
  readonly missing?: string;
  /** A started call goes on after a crash by running again: it does nothing twice. */
  readonly resumable?: true;
  /** One short line that shows what the call is about (a command, a path). Must not throw. */
  preview(args: z.output<S>): string;
  /** What the call could do; absent means safe. May throw: the call is then refused. */
  risk?(args: z.output<S>, session: SessionRef, signal: AbortSignal): Promise<Risk>;
  /** May throw: becomes an error result that the model reads. */
  run(args: z.output<S>, ctx: ToolContext): Promise<ToolOutput>;
}

/** Checks that `args`, `preview`, `risk` and `run` of one tool agree, then forgets the schema's type so that tools sit in one list. */
export function defineTool<S extends z.ZodType>(tool: Tool<S>): Tool {
  return tool as unknown as Tool; // the one place where the argument type is erased; execute.ts parses by `args` before it calls
}
