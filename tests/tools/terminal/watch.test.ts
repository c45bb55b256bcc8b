import { describe, expect, it } from 'vitest';
import { createGlobalLimit, createWatch } from '../../../tools/terminal/processes/watch.ts';

const line = (text: string) => Buffer.from(`${text}\n`);

describe('watching the output of a process', () => {
  it('finds texts in whole lines, also where they came in pieces and with colours', () => {
    const watch = createWatch(['ready'], () => 0);
    expect(watch.push(Buffer.from('\u001b[1mrea'))).toBeUndefined();
    const match = { pattern: 'ready', lines: ['ready now'], untold: 0 };
    expect(watch.push(Buffer.from('\u001b[0mdy now\nmore'))).toEqual({ type: 'match', match });
  });

  it('takes what was begun for a line at the end', () => {
    const watch = createWatch(['READY'], () => 0);
    expect(watch.push(Buffer.from('Password: READY'))).toBeUndefined();
    expect(watch.rest()).toMatchObject({ type: 'match', match: { lines: ['Password: READY'] } });
    expect(watch.rest()).toBeUndefined();
  });

  it('tells at most once in 15 s, and how much it did not tell', () => {
    let now = 0;
    const watch = createWatch(['x'], () => now);
    expect(watch.push(line('x1'))?.type).toBe('match');
    now = 14_999;
    expect(watch.push(line('x2'))).toBeUndefined();
    now = 15_000;
    expect(watch.push(line('x3'))).toEqual({ type: 'match', match: { pattern: 'x', lines: ['x3'], untold: 1 } });
  });

  it('gives up after three windows in a row with more than that, and says so once', () => {
    let now = 0;
    const watch = createWatch(['x'], () => now);
    const seen: string[] = [];
    for (let window = 0; window < 5; window += 1) {
      for (let index = 0; index < 3; index += 1) seen.push(watch.push(line('x'))?.type ?? '-');
      now += 15_000;
    }
    expect(seen.join(' ')).toBe('match - - match - - match too often - - - - - - -');
  });

  it('forgives a busy window after a quiet one', () => {
    let now = 0;
    const watch = createWatch(['x'], () => now);
    for (let window = 0; window < 8; window += 1) {
      expect(watch.push(line('x'))?.type).toBe('match');
      if (window % 2 === 0) expect(watch.push(line('x'))).toBeUndefined();
      now += 15_000;
    }
  });

  it('lets 15 in 10 s through over all processes, then none for 30 s', () => {
    let now = 0;
    const may = createGlobalLimit(() => now);
    expect(Array.from({ length: 15 }, may).every(Boolean)).toBe(true);
    expect(may()).toBe(false);
    now = 29_999;
    expect(may()).toBe(false);
    now = 30_000;
    expect(may()).toBe(true);
  });
});
