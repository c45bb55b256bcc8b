import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { userText } from '../../agent/message.ts';
import { type Model, ModelError, type ModelErrorKind, type ModelEvent } from '../../agent/model.ts';
import { type RetryOptions, withRetry } from '../../agent/models/retry.ts';
import { runToEnd } from './support.ts';

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

const request = { system: '', messages: [userText('hi')], tools: [] };

interface FlakyModel extends Model {
  readonly attemptsAtMs: number[];
}

/** Fails with these errors one after the other, each after "par", then answers. */
function flaky(...errors: readonly (ModelError | Error)[]): FlakyModel {
  const attemptsAtMs: number[] = [];
  return {
    name: 'flaky',
    windowTokens: 1_000,
    vision: true,
    attemptsAtMs,
    async *stream(): AsyncGenerator<ModelEvent, void, undefined> {
      const error = errors[attemptsAtMs.length];
      attemptsAtMs.push(performance.now());
      yield { type: 'text.delta', text: 'par' };
      if (error !== undefined) throw error;
      yield { type: 'done', finish: 'stop' };
    },
  };
}

const waits = ({ attemptsAtMs }: FlakyModel) => attemptsAtMs.slice(1).map((at, index) => Math.round(at - (attemptsAtMs[index] ?? 0)));

interface Collected {
  readonly events: readonly ModelEvent[];
  readonly error: unknown;
}

async function collect(
  model: Model,
  options: Partial<RetryOptions> = {},
  signal: AbortSignal = new AbortController().signal,
): Promise<Collected> {
  const events: ModelEvent[] = [];
  const run = async () => {
    for await (const event of withRetry(model, { maxRetries: 3, random: () => 1, ...options }).stream(request, signal)) events.push(event);
  };
  const ended = run().then(
    () => undefined,
    (error: unknown) => error,
  );
  await vi.runAllTimersAsync();
  return { events, error: await ended };
}

const overloaded = new ModelError('overloaded', 'Overloaded.');

describe('asking again', () => {
  it('waits 2, 4 and 8 s, says so before each wait, and then gives the answer', async () => {
    const model = flaky(overloaded, overloaded, overloaded);
    const { events, error } = await collect(model);
    expect(error).toBeUndefined();
    expect(waits(model)).toEqual([2_000, 4_000, 8_000]);
    expect(events.filter((event) => event.type === 'retry')).toEqual([
      { type: 'retry', error: overloaded, attempt: 1, waitMs: 2_000 },
      { type: 'retry', error: overloaded, attempt: 2, waitMs: 4_000 },
      { type: 'retry', error: overloaded, attempt: 3, waitMs: 8_000 },
    ]);
    expect(events.at(-1)).toEqual({ type: 'done', finish: 'stop' });
  });

  it('spreads the waits, so that many chats do not come back at once', async () => {
    const model = flaky(overloaded, overloaded);
    await collect(model, { random: () => 0 });
    expect(waits(model)).toEqual([1_000, 2_000]);
  });

  it('never waits longer than a minute by itself', async () => {
    const model = flaky(...Array(9).fill(overloaded));
    await collect(model, { maxRetries: 7, totalMs: 3_600_000 });
    expect(Math.max(...waits(model))).toBe(60_000);
  });

  it('gives up with the last error when the retries are used up', async () => {
    const model = flaky(...Array(9).fill(overloaded));
    const { error } = await collect(model);
    expect(error).toBe(overloaded);
    expect(model.attemptsAtMs).toHaveLength(4);
  });

  it('waits as long as the provider asks', async () => {
    const model = flaky(new ModelError('rate_limit', 'Slow down.', { retryAfterMs: 45_000 }));
    await collect(model);
    expect(waits(model)).toEqual([45_000]);
  });

  it('does not wait longer than two minutes, but says when to come back', async () => {
    const model = flaky(new ModelError('rate_limit', 'Slow down.', { retryAfterMs: 14 * 60_000 }));
    const { error, events } = await collect(model);
    expect(error).toMatchObject({ kind: 'rate_limit', message: 'Slow down. It asks to wait 14 minutes. Please try again then.' });
    expect(events.some((event) => event.type === 'retry')).toBe(false);
    expect(model.attemptsAtMs).toHaveLength(1);
  });

  it('begins no attempt after the total deadline', async () => {
    const model = flaky(...Array(30).fill(overloaded));
    await collect(model, { maxRetries: 29, totalMs: 100_000 });
    const [first = 0] = model.attemptsAtMs;
    expect((model.attemptsAtMs.at(-1) ?? 0) - first).toBeLessThanOrEqual(100_000);
    expect(model.attemptsAtMs.length).toBeLessThan(10);
  });

  it('gives up an attempt that is silent at the total deadline', async () => {
    const silent: Model = {
      ...flaky(),
      async *stream(_, signal): AsyncGenerator<ModelEvent, void, undefined> {
        await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
        yield { type: 'done', finish: 'stop' };
      },
    };
    const { error } = await collect(silent, { totalMs: 5_000 });
    expect(error).toMatchObject({ kind: 'timeout' });
  });

  it.each<ModelErrorKind>(['rate_limit', 'overloaded', 'server', 'timeout', 'cut', 'connection'])('helps against %s', async (kind) => {
    const model = flaky(new ModelError(kind, 'x'));
    await collect(model);
    expect(model.attemptsAtMs).toHaveLength(2);
  });

  it.each<ModelErrorKind>(['auth', 'billing', 'bad_request', 'content_policy', 'not_found', 'context_overflow', 'image'])(
    'is not done after %s',
    async (kind) => {
      const model = flaky(new ModelError(kind, 'x'));
      const { error } = await collect(model);
      expect(error).toMatchObject({ kind });
      expect(model.attemptsAtMs).toHaveLength(1);
    },
  );

  it('is not done after a bug', async () => {
    const model = flaky(new TypeError('bug'));
    expect((await collect(model)).error).toBeInstanceOf(TypeError);
    expect(model.attemptsAtMs).toHaveLength(1);
  });

  it('stops waiting when it is aborted', async () => {
    const controller = new AbortController();
    const model = flaky(new ModelError('rate_limit', 'x', { retryAfterMs: 100_000 }));
    setTimeout(() => controller.abort(new Error('stopped')), 3_000);
    const begunMs = performance.now();
    const { error } = await collect(model, {}, controller.signal);
    expect(error).toMatchObject({ message: 'stopped' });
    expect(performance.now() - begunMs).toBe(3_000);
    expect(model.attemptsAtMs).toHaveLength(1);
  });
});

it('a run shows a retry as a notice and voids what was shown before it', async () => {
  vi.useRealTimers();
  const model = withRetry(flaky(new ModelError('overloaded', 'The model provider is overloaded.', { retryAfterMs: 1 })), {
    maxRetries: 1,
    random: () => 0,
  });
  const { outcome, events } = await runToEnd({ model });
  expect(outcome).toMatchObject({ status: 'completed', text: 'par' });
  expect(events.slice(0, 4)).toEqual([
    { type: 'text.delta', text: 'par' },
    { type: 'text.reset' },
    { type: 'notice', code: 'retrying', text: 'The model provider is overloaded. Trying again in 1 s.' },
    { type: 'text.delta', text: 'par' },
  ]);
});
