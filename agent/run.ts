import { createChannel } from './channel.ts';
import type { AgentEvent, Outcome } from './events.ts';
import { failureOf } from './failure.ts';
import { runLoop } from './loop.ts';
import type { RunInput } from './run-input.ts';
import { createConversation, createProgress } from './step.ts';

export type { RunInput, SystemPrompt } from './run-input.ts';

export interface Run {
  /** One consumer. Ends after `finished`. Never throws. */
  readonly events: AsyncIterable<AgentEvent>;
  /** Never rejects. */
  readonly outcome: Promise<Outcome>;
}

/** Starts at once; `signal` ends it as `aborted`, with every open call answered through the journal, within 5 s. */
export function startRun(input: RunInput, signal: AbortSignal): Run {
  const events = createChannel<AgentEvent>();
  const outcome = drive(input, events.push, signal).then((result) => {
    events.push({ type: 'finished', outcome: result });
    events.close();
    return result;
  });
  return { events, outcome };
}

/** The one place where the loop's throw becomes data. */
async function drive(input: RunInput, emit: (event: AgentEvent) => void, signal: AbortSignal): Promise<Outcome> {
  const progress = createProgress(input.transcript);
  try {
    const text = await runLoop(createConversation(input, emit, progress), signal);
    return { status: 'completed', text, steps: progress.steps, usage: progress.usage };
  } catch (error) {
    const facts = { text: progress.text, steps: progress.steps, usage: progress.usage };
    return signal.aborted ? { status: 'aborted', ...facts } : { status: 'failed', error: failureOf(error), ...facts };
  }
}
