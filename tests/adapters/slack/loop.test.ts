import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FatalAdapterError } from '../../../adapters/adapter.ts';
import { TIMING } from '../../../adapters/slack/client.ts';
import { createHealth, keepConnected } from '../../../adapters/slack/loop.ts';
import type { Ending } from '../../../adapters/slack/socket.ts';
import { createTestHost } from '../host.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Runs the loop over connections that each live as `connection` says. */
function run(connection: (attempt: number) => Promise<Ending>) {
  const host = createTestHost();
  const end = new AbortController();
  const attempts: number[] = [];
  const connect = (): Promise<Ending> => {
    attempts.push(Date.now());
    return connection(attempts.length);
  };
  const running = keepConnected({ timing: TIMING, report: host, health: createHealth(host) }, connect, end.signal);
  running.catch(() => undefined);
  return { host, attempts, running, stop: () => end.abort(new Error('enough')) };
}

describe('connecting again', () => {
  it('follows a capped, growing pause for a whole day of a server that accepts and closes at once', async () => {
    const { attempts, stop, host, running } = run(async () => {
      await wait(200);
      return 'lost';
    });
    await vi.advanceTimersByTimeAsync(DAY);
    const pauses = attempts.slice(1).map((at, index) => at - (attempts[index] ?? 0));
    expect(attempts.length).toBeLessThan(DAY / (TIMING.flappingMaxMs / 2) + 20);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(TIMING.flappingMaxMs + 1000);
    expect(Math.min(...pauses.slice(10))).toBeGreaterThanOrEqual(TIMING.flappingMaxMs / 2);
    expect(new Set(pauses.slice(10)).size).toBeGreaterThan(100);
    expect(host.states.at(-1)?.state).toBe('down');
    stop();
    await running;
  });

  it('does not take being sent away at once for a good end, either', async () => {
    const { attempts, stop } = run(async () => 'refresh');
    await vi.advanceTimersByTimeAsync(60 * MINUTE);
    expect(attempts.length).toBeLessThan(200);
    stop();
  });

  it('begins with short pauses again only after a connection was of use for some time', async () => {
    let livesMs = 0;
    const { attempts, stop } = run(async () => {
      await wait(livesMs);
      return 'lost';
    });
    await vi.advanceTimersByTimeAsync(30 * MINUTE);
    livesMs = TIMING.usefulMs + 1000;
    await vi.advanceTimersByTimeAsync(10 * MINUTE);
    livesMs = 0;
    const before = attempts.length;
    await vi.advanceTimersByTimeAsync(TIMING.usefulMs + 5000);
    expect(attempts.length - before).toBeGreaterThanOrEqual(3);
    stop();
  });

  it('is never far away while no connection comes about, so that it is back soon after', async () => {
    const { attempts, stop } = run(async () => {
      await wait(TIMING.probeMs);
      throw new Error('no answer');
    });
    await vi.advanceTimersByTimeAsync(6 * 60 * MINUTE);
    const gaps = attempts.slice(1).map((at, index) => at - (attempts[index] ?? 0));
    expect(Math.max(...gaps)).toBeLessThanOrEqual(30_000);
    expect(Math.min(...gaps.slice(10))).toBeGreaterThanOrEqual(TIMING.probeMs + TIMING.backoffMaxMs / 2);
    stop();
  });

  it('follows a refresh of a useful connection without a pause and without a word', async () => {
    const { attempts, stop, host } = run(async () => {
      await wait(10 * MINUTE);
      return 'refresh';
    });
    await vi.advanceTimersByTimeAsync(60 * MINUTE);
    expect(attempts).toHaveLength(7);
    expect(host.states).toEqual([]);
    stop();
  });

  it('ends for good with what only a person can mend', async () => {
    const { running, attempts } = run(async () => {
      throw new FatalAdapterError('the token is gone');
    });
    await expect(running).rejects.toThrow('the token is gone');
    expect(attempts).toHaveLength(1);
  });
});
