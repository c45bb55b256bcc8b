import { beforeEach, expect, test, vi } from 'vitest';
import { createGate } from '../../gateway/gate.ts';

beforeEach(() => {
  vi.useFakeTimers();
  return () => vi.useRealTimers();
});

test('only so many are inside at a time, and they come in the order of asking', async () => {
  const gate = createGate(2, 1000);
  const entered: number[] = [];
  const leaves: (() => void)[] = [];
  for (let visitor = 0; visitor < 5; visitor += 1) {
    void gate.enter().then((leave) => {
      entered.push(visitor);
      leaves.push(leave);
    });
  }
  await vi.advanceTimersByTimeAsync(0);
  expect(entered).toEqual([0, 1]);
  leaves[1]?.();
  leaves[1]?.(); // a place is given back once
  await vi.advanceTimersByTimeAsync(0);
  expect(entered).toEqual([0, 1, 2]);
});

test('one that takes long holds nobody back for longer than the patience, and gives no place back twice', async () => {
  const gate = createGate(1, 1000);
  const slow = await gate.enter();
  let second: (() => void) | undefined;
  void gate.enter().then((leave) => {
    second = leave;
  });
  await vi.advanceTimersByTimeAsync(999);
  expect(second).toBeUndefined();
  await vi.advanceTimersByTimeAsync(1);
  expect(second).toBeDefined();
  slow();
  let third = false;
  void gate.enter().then(() => {
    third = true;
  });
  await vi.advanceTimersByTimeAsync(0);
  expect(third).toBe(false);
  second?.();
  await vi.advanceTimersByTimeAsync(0);
  expect(third).toBe(true);
});
