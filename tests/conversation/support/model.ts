/** A model that does what the test says about what was said. */
import { randomUUID } from 'node:crypto';
import type { ModelEvent, ModelRequest } from '../../../agent/model.ts';
import { lastResults, lastText, never, type Reaction, type ScriptedModel, scriptedModel } from '../../gateway/support/model.ts';

/** `begins`: says that, then nothing until `rest` is there; without it, it would go on for ever. */
export type Act = Reaction | { readonly begins: string; readonly rest?: Promise<string> };

export interface Said {
  /** The newest message of the person. */
  readonly text: string;
  /** What came of the calls since then. */
  readonly results: readonly string[];
  readonly signal: AbortSignal;
}

export interface Actor extends ScriptedModel {
  /** What each request was about, the person's newest words. */
  heard(): readonly string[];
  /** How many streams were cut before they had ended. */
  cuts(): number;
}

export function actor(play: (said: Said) => Act | undefined): Actor {
  let cuts = 0;
  const requests: ModelRequest[] = [];
  return {
    ...scriptedModel(() => ''),
    requests,
    heard: () => requests.map(({ messages }) => lastText(messages)),
    cuts: () => cuts,
    async *stream(request, signal) {
      requests.push(request);
      const text = lastText(request.messages);
      try {
        yield* acted(play({ text, results: lastResults(request.messages), signal }) ?? `echo: ${text}`, signal);
      } finally {
        if (signal.aborted) cuts += 1;
      }
    },
  };
}

async function* acted(act: Act, signal: AbortSignal): AsyncGenerator<ModelEvent, void, undefined> {
  if (typeof act !== 'object' || !('begins' in act)) {
    yield* scriptedModel(() => act).stream({ system: '', messages: [], tools: [] }, signal);
    return;
  }
  yield { type: 'text.delta', text: act.begins };
  const rest = await Promise.race([act.rest ?? never(signal), never(signal)]);
  yield { type: 'text.delta', text: rest };
  yield { type: 'done', finish: 'stop' };
}

/** Several calls at once, each with an id of its own. */
export function callsOf(...wanted: readonly (readonly [name: string, args: unknown])[]): readonly ModelEvent[] {
  const events = wanted.map(
    ([name, args]): ModelEvent => ({ type: 'call', call: { id: callId(), name, arguments: JSON.stringify(args) } }),
  );
  return [...events, { type: 'done', finish: 'calls' }];
}

function callId(): string {
  return `call-${randomUUID().slice(0, 8)}`;
}
