import { afterEach, describe, expect, it, vi } from 'vitest';
import { withinGrace } from '../../agent/grace.ts';
import type { Model, ModelEvent } from '../../agent/model.ts';
import { startRun } from '../../agent/run.ts';
import type { ToolContext, ToolOutput } from '../../agent/tool.ts';
import { call, recordingJournal, runInput, runToEnd, scriptedModel, testTool } from './support.ts';

afterEach(() => {
  vi.useRealTimers();
});

const never = () => new Promise<never>(() => {});

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
}

/** Aborts as soon as the named tool runs; what it then does is up to `run`. */
function abortDuring(run: (ctx: ToolContext) => Promise<ToolOutput>, effect: 'read' | 'write' = 'write') {
  const controller = new AbortController();
  const tool = testTool({
    name: 'work',
    effect,
    run: async (_, ctx) => {
      setTimeout(() => controller.abort(new Error('stop')), 1);
      return run(ctx);
    },
  });
  const journal = recordingJournal();
  const calls = [call('a', 'work'), call('b', 'work'), call('c', 'work')];
  return { input: runInput({ model: scriptedModel([{ calls }]), tools: [tool], journal }), journal, controller };
}

describe('an abort', () => {
  it('while a tool runs interrupts it and skips the rest, each with its one result', async () => {
    const { input, journal, controller } = abortDuring((ctx) => untilAborted(ctx.signal));
    const outcome = await startRun(input, controller.signal).outcome;
    expect(outcome).toMatchObject({ status: 'aborted', steps: 1 });
    expect(journal.entries).toEqual(['message', 'started a', 'finished a interrupted', 'finished b skipped', 'finished c skipped']);
  });

  it('while tools run side by side interrupts all of them', async () => {
    const { input, journal, controller } = abortDuring((ctx) => untilAborted(ctx.signal), 'read');
    await startRun(input, controller.signal).outcome;
    expect(journal.entries.slice(-3)).toEqual(['finished a interrupted', 'finished b interrupted', 'finished c interrupted']);
  });

  it('keeps what the tool reported until then', async () => {
    const { input, journal, controller } = abortDuring(async (ctx) => {
      await untilAborted(ctx.signal).catch(() => undefined);
      return { content: '3 of 7 files' };
    });
    await startRun(input, controller.signal).outcome;
    expect(journal.messages[1]).toMatchObject({ status: 'interrupted', content: expect.stringMatching(/reported:\n3 of 7 files/) });
  });

  it('waits less than 5 s for a tool that ignores its signal', async () => {
    vi.useFakeTimers();
    const { input, journal, controller } = abortDuring(never);
    const { outcome } = startRun(input, controller.signal);
    let ended = false;
    void outcome.then(() => {
      ended = true;
    });
    await vi.advanceTimersByTimeAsync(4_000);
    expect(ended).toBe(false); // a tool that ends its processes is given time to do so
    await vi.advanceTimersByTimeAsync(1_000);
    expect(ended).toBe(true);
    expect(journal.entries).toEqual(['message', 'started a', 'finished a interrupted', 'finished b skipped', 'finished c skipped']);
  });

  it('while the risk of a call is judged skips it at once', async () => {
    const controller = new AbortController();
    const tool = { ...testTool({ name: 'work' }), risk: never };
    const journal = recordingJournal();
    const { outcome } = startRun(
      runInput({ model: scriptedModel([{ calls: [call('a', 'work')] }]), tools: [tool], journal }),
      controller.signal,
    );
    setTimeout(() => controller.abort(), 5);
    expect((await outcome).status).toBe('aborted');
    expect(journal.entries).toEqual(['message', 'finished a skipped']);
  });

  it('while the model answers keeps the text that was shown and writes nothing down', async () => {
    const controller = new AbortController();
    const model: Model = {
      name: 'slow',
      windowTokens: 1_000,
      vision: false,
      async *stream(_, signal): AsyncGenerator<ModelEvent, void, undefined> {
        yield { type: 'text.delta', text: 'I was about to' };
        setTimeout(() => controller.abort(new Error('stop')), 1);
        await untilAborted(signal);
      },
    };
    const { outcome, journal, events } = await runToEnd({ model }, controller.signal);
    expect(outcome).toMatchObject({ status: 'aborted', text: 'I was about to' });
    expect(journal.entries).toEqual([]);
    expect(events.at(-1)).toEqual({ type: 'finished', outcome });
  });

  it('before the start asks no model', async () => {
    const model = scriptedModel([]);
    const { outcome } = await runToEnd({ model }, AbortSignal.abort());
    expect(outcome.status).toBe('aborted');
    expect(model.requests).toEqual([]);
  });

  it('before the start of a resumed run still gives every open call its result', async () => {
    const { journal } = await runToEnd(
      {
        model: scriptedModel([]),
        tools: [testTool({ name: 'work' })],
        transcript: [{ role: 'assistant', text: '', calls: [call('a', 'work'), call('b', 'work')], finish: 'calls' }],
        started: new Set(['a']),
      },
      AbortSignal.abort(),
    );
    expect(journal.entries).toEqual(['finished a unknown', 'finished b skipped']);
  });
});

describe('waiting with a grace period', () => {
  it.each([
    { how: 'succeeds', start: async () => 'x' },
    { how: 'fails', start: () => Promise.reject(new Error('y')) },
  ])('leaves no listener on the signal behind when the work $how', async ({ start }) => {
    const { signal } = new AbortController();
    const add = vi.spyOn(signal, 'addEventListener');
    const remove = vi.spyOn(signal, 'removeEventListener');
    await withinGrace<string>(start(), 10, signal);
    expect(add).toHaveBeenCalledTimes(1);
    expect(remove.mock.calls[0]?.slice(0, 2)).toEqual(add.mock.calls[0]?.slice(0, 2));
  });
});
