import { describe, expect, it } from 'vitest';
import { createSteps } from '../../../gateway/presenter/steps.ts';
import type { ProgressMode } from '../../../gateway/settings.ts';
import { begun, over } from './support.ts';

function stepsIn(mode: ProgressMode, previewUnits = 40) {
  const chosen = { mode };
  return { chosen, steps: createSteps({ mode: () => chosen.mode, previewUnits: () => previewUnits }) };
}

const note = (callId: string, text: string) => ({ type: 'tool.progress', callId, note: text }) as const;

describe('what a bubble lists', () => {
  it('is nothing in mode off', () => {
    const { steps } = stepsIn('off');
    expect([steps.apply(begun('1')), steps.apply(note('1', 'half')), steps.apply(over('1'))]).toEqual([false, false, false]);
    expect(steps.list()).toEqual({ steps: [], earlier: 0 });
  });

  it('is a line for each change of the tool in mode new, with the newest preview and how often it ran', () => {
    const { steps } = stepsIn('new');
    for (const [id, name] of [
      ['1', 'look'],
      ['2', 'look'],
      ['3', 'write'],
      ['4', 'look'],
    ] as const) {
      steps.apply(begun(id, name));
      steps.apply(over(id, name));
    }
    expect(steps.list().steps).toEqual([
      { tool: 'look', preview: 'run 2', state: 'ok', count: 2 },
      { tool: 'write', preview: 'run 3', state: 'ok' },
      { tool: 'look', preview: 'run 4', state: 'ok' },
    ]);
  });

  it('runs in mode new for as long as one of its calls does', () => {
    const { steps } = stepsIn('new');
    steps.apply(begun('1'));
    steps.apply(begun('2'));
    steps.apply(over('2', 'terminal', 'error'));
    expect(steps.list().steps).toMatchObject([{ state: 'running', count: 2 }]);
    steps.apply(over('1'));
    expect(steps.list().steps).toMatchObject([{ state: 'ok' }]);
  });

  it('is a line for each call in mode all, without arguments', () => {
    const { steps } = stepsIn('all');
    steps.apply(begun('1', 'look', { args: '{"a":1}' }));
    steps.apply(begun('2', 'look', { args: '{"a":2}' }));
    expect(steps.list().steps).toEqual([
      { tool: 'look', preview: 'run 1', state: 'running' },
      { tool: 'look', preview: 'run 2', state: 'running' },
    ]);
  });

  it('is a line for each call in mode verbose, with arguments of one line and at most 200 characters', () => {
    const { steps } = stepsIn('verbose');
    steps.apply(begun('1', 'look', { args: '{"a":\n  1}' }));
    steps.apply(begun('2', 'look', { args: '👍🏽'.repeat(5000) }));
    const [first, second] = steps.list().steps.map(({ arguments: args }) => args ?? '');
    expect(first).toBe('{"a": 1}');
    expect([...new Intl.Segmenter().segment(second ?? '')]).toHaveLength(200);
    expect(second).toMatch(/^(?:👍🏽)+…$/u);
  });

  it('cuts a preview to the wanted length and to one line', () => {
    const { steps } = stepsIn('all', 10);
    steps.apply(begun('1', 'look', { preview: 'a\nb\tc' }));
    steps.apply(begun('2', 'look', { preview: '0123456789' }));
    steps.apply(begun('3', 'look', { preview: '01234567890' }));
    expect(steps.list().steps.map(({ preview }) => preview)).toEqual(['a b c', '0123456789', '012345678…']);
  });

  it('is the newest twelve lines, and how many calls came before those', () => {
    const { steps } = stepsIn('all');
    for (let call = 0; call < 40; call += 1) steps.apply(begun(`${call}`));
    const { steps: lines, earlier } = steps.list();
    expect([lines.length, earlier, lines.at(-1)?.preview]).toEqual([12, 28, 'run 39']);
    expect(steps.apply(over('0'))).toBe(false);
  });

  it('shows what a running tool says about itself until it is over, and no news in a repetition', () => {
    const { steps } = stepsIn('all');
    steps.apply(begun('1'));
    expect([steps.apply(note('1', '3/7 calls')), steps.apply(note('1', '3/7 calls'))]).toEqual([true, false]);
    expect(steps.list().steps).toMatchObject([{ note: '3/7 calls' }]);
    steps.apply(over('1'));
    expect(steps.list().steps[0]).not.toHaveProperty('note');
    expect(steps.apply(note('1', 'late'))).toBe(false);
  });

  it('tells of a refused call, and not of one that a stop left out', () => {
    const { steps } = stepsIn('all');
    expect(steps.apply(over('1', 'terminal', 'refused'))).toBe(true);
    expect(steps.apply(over('2', 'terminal', 'skipped'))).toBe(false);
    expect(steps.list().steps).toEqual([{ tool: 'terminal', preview: '', state: 'failed' }]);
  });

  it('changes with the mode in mid-turn', () => {
    const { chosen, steps } = stepsIn('off');
    steps.apply(begun('1'));
    chosen.mode = 'all';
    steps.apply(begun('2'));
    chosen.mode = 'off';
    steps.apply(begun('3'));
    expect(steps.apply(over('2'))).toBe(true);
    expect(steps.list().steps).toEqual([{ tool: 'terminal', preview: 'run 2', state: 'ok' }]);
  });
});
