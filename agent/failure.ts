import type { RunFailure } from './events.ts';
import { ModelError } from './model.ts';

/** The run cannot go on, for a reason of its own. `message` is one sentence for a person. */
export class RunError extends Error {
  override readonly name = 'RunError';
  readonly kind: 'empty_answer' | 'step_limit';

  constructor(kind: RunError['kind'], message: string) {
    super(message);
    this.kind = kind;
  }
}

export function failureOf(error: unknown): RunFailure {
  if (error instanceof RunError) return { kind: error.kind, message: error.message };
  if (error instanceof ModelError) return withDetail({ kind: error.kind, message: error.message }, error.cause);
  return withDetail({ kind: 'internal', message: 'Something went wrong inside the gateway; the log says more. Please try again.' }, error);
}

function withDetail(failure: RunFailure, cause: unknown): RunFailure {
  if (cause === undefined) return failure;
  const detail = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
  return { ...failure, detail };
}
