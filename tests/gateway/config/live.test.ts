import { mkdtempSync, renameSync, rmSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { agentSection, modelSection } from '../../../agent/models/config.ts';
import { type ConfigChange, createLiveConfig, derived, type LiveOptions } from '../../../gateway/config/live.ts';
import { loadConfig } from '../../../gateway/config/load.ts';
import { gatewaySections } from '../../../gateway/config/sections.ts';

const sections = { model: modelSection, agent: agentSection, ...gatewaySections };

let home = '';
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'hermes-live-'));
  writeFileSync(join(home, 'config.yaml'), 'display:\n  busy_input_mode: queue\n');
});
afterEach(() => {
  rmSync(home, { recursive: true });
});

const readHome = () => loadConfig(sections, { home, env: {} }).config;
type Config = ReturnType<typeof readHome>;

/** A live configuration of the home on a clock that the test moves; `look` lets enough time pass for the files to be looked at. */
function start(overrides: Partial<LiveOptions<Config>> = {}) {
  const told: string[] = [];
  const changes: ConfigChange<Config>[] = [];
  const clock = { now: Date.now(), loads: 0 };
  const live = createLiveConfig<Config>({
    files: [join(home, 'config.yaml'), join(home, '.env')],
    load: () => {
      clock.loads += 1;
      return readHome();
    },
    initial: readHome(),
    now: () => clock.now,
    onBroken: (sentence) => told.push(sentence),
    onChanged: (change) => changes.push(change),
    ...overrides,
  });
  const look = (afterMs = 250) => {
    clock.now += afterMs;
    return live.current();
  };
  return { live, look, told, changes, clock };
}

const write = (text: string, name = 'config.yaml') => writeFileSync(join(home, name), text);
const mode = (config: Config) => config.display.busy_input_mode;

describe('a file that changes', () => {
  test('holds as a whole from the next look', () => {
    const { live, look, changes } = start();
    expect(mode(live.current())).toBe('queue');
    write('display:\n  busy_input_mode: steer\nagent:\n  max_turns: 7\n');
    const after = look();
    expect([mode(after), after.agent.max_turns]).toEqual(['steer', 7]);
    expect(changes).toMatchObject([{ before: { display: { busy_input_mode: 'queue' } }, after, repaired: false }]);
    expect(() => Object.assign(after, { agent: {} })).toThrow(TypeError);
  });

  test('is looked at at most four times a second', () => {
    const { live, look } = start();
    const first = live.current();
    write('display:\n  busy_input_mode: steer\n');
    expect(look(249)).toBe(first);
    expect(mode(look(1))).toBe('steer');
  });

  test('between the start and the first look is not missed', () => {
    const initial = readHome();
    write('display:\n  busy_input_mode: steer\n');
    expect(mode(start({ initial }).live.current())).toBe('steer');
  });

  test('is .env as well, from the moment it exists', () => {
    const { look } = start();
    expect(mode(look())).toBe('queue');
    write('HERMES_GATEWAY_BUSY_INPUT_MODE=steer\n', '.env');
    expect(mode(look())).toBe('steer');
    unlinkSync(join(home, '.env'));
    look();
    expect(mode(look(1_000))).toBe('queue');
  });

  test('is read again for as long as its time stamp could hide another edit, and then rests', () => {
    const { look, clock } = start();
    look(60_000);
    write('display:\n  busy_input_mode: steer\n');
    clock.now = Date.now();
    const loads = [250, 250, 250, 60_000, 250, 60_000].map((afterMs) => {
      look(afterMs);
      return clock.loads;
    });
    const first = loads[0] ?? 0;
    expect(loads.map((count) => count - first)).toEqual([0, 1, 2, 3, 3, 3]);
  });

  test('by being replaced with one of the same size and time is read', () => {
    const { look } = start();
    const file = join(home, 'config.yaml');
    writeFileSync(`${file}.new`, 'display:\n  busy_input_mode: steer\n');
    for (const either of [file, `${file}.new`]) utimesSync(either, 1_000, 1_000);
    look(60_000);
    renameSync(`${file}.new`, file);
    expect(mode(look())).toBe('steer');
  });

  test('in its comments alone changes nothing, not even the object', () => {
    const { look, changes } = start();
    const before = look();
    write('# mine\ndisplay:\n  busy_input_mode: queue\n');
    expect(look()).toBe(before);
    expect(changes).toEqual([]);
  });
});

describe('a file that an editor has emptied or moved away', () => {
  test.each([
    ['emptied', () => write('')],
    ['moved away', () => renameSync(join(home, 'config.yaml'), join(home, 'config.yaml~'))],
  ])('(%s) is not taken for a configuration without anything', (_, half) => {
    const { look, changes } = start();
    look();
    half();
    expect(mode(look())).toBe('queue');
    expect(mode(look(749))).toBe('queue');
    write('display:\n  busy_input_mode: steer\n');
    expect(mode(look())).toBe('steer');
    expect(changes).toHaveLength(1);
  });

  test('and left so for a second counts', () => {
    const { look } = start();
    look();
    write('');
    expect(mode(look())).toBe('queue');
    expect(mode(look(1_000))).toBe('interrupt');
  });
});

describe('a broken file', () => {
  test('leaves the last good one in force, and is told once with key and line but without its directory', () => {
    const { look, told, changes } = start();
    const good = look();
    write('display:\n  busy_input_mode: qeue\n');
    for (const afterMs of [250, 250, 5_000, 5_000]) expect(look(afterMs)).toBe(good);
    expect(told).toEqual([
      'The configuration was changed and cannot be used. What held before stays in force until this is mended:\n' +
        '- config.yaml line 2: display.busy_input_mode: expected one of interrupt, queue, steer, but it is "qeue"; did you mean queue?',
    ]);
    expect(told.join()).not.toContain(home);
    expect(changes).toEqual([]);
  });

  test('that is broken otherwise after another edit is told again', () => {
    const { look, told } = start();
    write('display: [\n');
    look();
    write('display:\n  streaming: perhaps\n');
    look();
    expect(told).toHaveLength(2);
    expect(told[1]).toContain('display.streaming');
  });

  test('with many problems is told with the first ones', () => {
    const { look, told } = start();
    write(`agent:\n  personalities:\n${[1, 2, 3, 4, 5, 6, 7].map((name) => `    p${name}: [1]\n`).join('')}`);
    look();
    expect(told[0]?.split('\n')).toHaveLength(7);
    expect(told[0]).toMatch(/- and 2 more$/);
  });

  test('that is mended is taken up and told', () => {
    const { look, changes } = start();
    write('display:\n  busy_input_mode: qeue\n');
    look();
    write('display:\n  busy_input_mode: steer\n');
    expect(mode(look())).toBe('steer');
    expect(changes).toMatchObject([{ repaired: true, after: { display: { busy_input_mode: 'steer' } } }]);
    write('display:\n  busy_input_mode: interrupt\n');
    look();
    expect(changes[1]).toMatchObject({ repaired: false });
  });

  test('that is put back as it was is told to be in order', () => {
    const { look, told, changes } = start();
    const before = look();
    write('display: [\n');
    look();
    write('display:\n  busy_input_mode: queue\n');
    expect(look()).toBe(before);
    expect([told.length, changes]).toMatchObject([1, [{ repaired: true }]]);
    write('display: [\n');
    look();
    expect(told).toHaveLength(2);
  });

  test('may be told by something that asks for the configuration', () => {
    const seen: string[] = [];
    const { look } = start({ onBroken: () => seen.push(mode(look(0))) });
    write('display: [\n');
    look();
    expect(seen).toEqual(['queue']);
  });
});

test('a bug while loading is not taken for a broken file', () => {
  const bug = () => {
    throw new TypeError('a bug');
  };
  expect(() => start({ load: bug }).live.current()).toThrow('a bug');
});

test('what is made from the configuration is made once for each', () => {
  const { live, look } = start();
  const made = derived(live, (config) => ({ mode: mode(config) }));
  const first = made();
  look(60_000);
  expect(made()).toBe(first);
  write('display:\n  busy_input_mode: steer\n');
  look();
  expect(made()).toEqual({ mode: 'steer' });
});
