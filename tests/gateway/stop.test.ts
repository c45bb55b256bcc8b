/** `/stop` and `/status` in every state that a turn can be in. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Model } from '../../agent/model.ts';
import { ModelError } from '../../agent/model.ts';
import { withRetry } from '../../agent/models/retry.ts';
import { defineTool } from '../../agent/tool.ts';
import { marked } from '../../tools/shared/process/table.ts';
import { type Bench, createBench } from '../tools/support.ts';
import { riskyTool } from './asks/support.ts';
import { type Gateway, type GatewayOptions, startGateway, until } from './support/gateway.ts';
import { lastText, never, type Script, scriptedModel } from './support/model.ts';

let bench: Bench;
beforeEach(() => {
  bench = createBench();
});
afterEach(() => bench.close());

/** Begins on "go", answers everything else. */
function begin(reaction: ReturnType<Script>): Model {
  return scriptedModel((request) => (lastText(request.messages) === 'go' ? reaction : 'the next message works'));
}

function streaming(): Model {
  const base = begin('never');
  return {
    ...base,
    async *stream(request, signal) {
      if (lastText(request.messages) === 'go') {
        yield { type: 'text.delta', text: 'Once upon' };
        await never(signal);
      }
      yield* base.stream(request, signal);
    },
  };
}

/** Its risk takes for ever to judge. */
const slowToJudge = defineTool({
  name: 'slow',
  toolset: 'test',
  description: 'Slow.',
  args: z.object({}),
  effect: 'external',
  preview: () => '',
  risk: (_args, _session, signal) => never(signal),
  run: async () => ({ content: 'ran' }),
});

const grandchildren = `trap '' TERM; (setsid sh -c "trap '' TERM; sleep 300" &); (sleep 300 &) ; echo begun > begun; sleep 300`;

interface State {
  readonly options: () => GatewayOptions;
  readonly reached: (gateway: Gateway) => boolean;
}

const isRunning = ({ store }: Gateway): boolean => store.turns.runningLanes().length > 0;

const states: Readonly<Record<string, State>> = {
  'while the answer streams': {
    options: () => ({ model: streaming() }),
    reached: ({ platform }) => platform.calls.some(({ kind }) => kind === 'preview'),
  },
  'before a tool, while its risk is judged': {
    options: () => ({ model: begin({ call: 'slow' }), tools: [slowToJudge] }),
    reached: isRunning,
  },
  'inside a shell command with grandchildren that ignore TERM': {
    options: () => ({
      model: begin({ call: 'terminal', args: { command: grandchildren } }),
      tools: [bench.tool('terminal')],
      change: { approvals: { mode: 'off' } },
    }),
    reached: () => marked(bench.marker).length > 0,
  },
  'while the provider is waited for': {
    options: () => {
      const failing = begin(new ModelError('overloaded', 'The provider is busy.', { retryAfterMs: 60_000 }));
      return { model: withRetry(failing, { maxRetries: 3 }) };
    },
    reached: isRunning,
  },
  'while an approval is open': {
    options: () => ({ model: begin({ call: 'remove', args: { path: 'x' } }), tools: [riskyTool().tool] }),
    reached: ({ platform }) => platform.cards('ann').length > 0,
  },
};

describe.each(Object.entries(states))('%s', (_name, { options, reached }) => {
  it('/status answers, /stop ends everything, the transcript is valid and the next message works', async () => {
    const gateway = await startGateway(options());
    gateway.say('ann', 'go');
    await until(
      () => reached(gateway),
      () => 'the state is not reached',
    );
    await sleep(30);
    gateway.say('ann', '/status');
    expect((await gateway.answered('ann', 1))[0]).toContain('Hermes Gateway');
    gateway.say('ann', '/stop');
    expect((await gateway.answered('ann', 2))[1]).toBe('🛑 Stopped.');
    await until(
      () => !isRunning(gateway) && marked(bench.marker).length === 0,
      () => 'something is alive',
    );
    const session = gateway.store.sessions.open('agent:main:fake:dm:ann')?.id ?? '';
    const roles = gateway.store.transcript.read(session).map(({ role }) => role);
    expect(roles.filter((role) => role === 'tool')).toHaveLength(roles.includes('tool') ? 1 : 0);
    expect(roles.at(-1)).toBe('assistant');
    gateway.say('ann', 'and now?');
    await until(
      () => gateway.answers('ann').includes('the next message works'),
      () => gateway.answers('ann').join(),
    );
    expect(gateway.store.asks.open()).toEqual([]);
  });
});
