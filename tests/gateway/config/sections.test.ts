import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { agentSection, modelSection } from '../../../agent/models/config.ts';
import { displayOn } from '../../../gateway/config/display.ts';
import { ConfigError, loadConfig } from '../../../gateway/config/load.ts';
import { gatewaySections } from '../../../gateway/config/sections.ts';
import { hermes, root, temporaryHome } from '../cli/hermes.ts';

const sections = { model: modelSection, agent: agentSection, ...gatewaySections };

let home = '';
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'hermes-sections-'));
});
afterEach(() => {
  rmSync(home, { recursive: true });
});

function load(yaml: string, env: Record<string, string> = {}) {
  writeFileSync(join(home, 'config.yaml'), yaml);
  return loadConfig(sections, { home, env });
}

function problems(yaml: string, env: Record<string, string> = {}): readonly string[] {
  try {
    load(yaml, env);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  throw new Error('the configuration was accepted');
}

test('what nobody wrote has the documented defaults', () => {
  const { display, approvals, auxiliary, agent, model } = load('').config;
  expect(display).toEqual({
    busy_input_mode: 'interrupt',
    busy_ack_enabled: true,
    tool_progress: 'new',
    tool_preview_length: 40,
    streaming: true,
    interim_assistant_messages: true,
    runtime_metadata_footer: false,
    platforms: {},
  });
  expect(approvals).toEqual({ mode: 'manual', gateway_timeout: 300 });
  expect(auxiliary).toEqual({ approval: { provider: 'auto', model: 'auto' } });
  expect(agent).toEqual({
    max_turns: 90,
    disabled_toolsets: [],
    api_max_retries: 3,
    reasoning_effort: '',
    personality: 'none',
    personalities: {},
    clarify_timeout: 600,
    gateway_timeout: 1800,
    gateway_timeout_warning: 900,
    turn_timeout: 14_400,
    restart_drain_timeout: 60,
  });
  expect(model.choices).toEqual([]);
});

describe('display', () => {
  test('the variable for the busy mode beats the file', () => {
    const { config } = load('display:\n  busy_input_mode: queue\n', { HERMES_GATEWAY_BUSY_INPUT_MODE: 'steer' });
    expect(config.display.busy_input_mode).toBe('steer');
    expect(problems('', { HERMES_GATEWAY_BUSY_INPUT_MODE: 'stear' })).toEqual([
      'HERMES_GATEWAY_BUSY_INPUT_MODE (environment, for display.busy_input_mode): expected one of interrupt, queue, steer, but it is "stear"; did you mean steer?',
    ]);
  });

  test.each([
    ['off', 'off'],
    ['false', 'off'],
    ['true', 'all'],
    ['""', 'new'],
    ['verbose', 'verbose'],
  ])('tool_progress: %s means %s', (written, mode) => {
    expect(load(`display:\n  tool_progress: ${written}\n`).config.display.tool_progress).toBe(mode);
  });

  test('a preview length of 0, which Hermes Agent writes out, is the default', () => {
    expect(load('display:\n  tool_preview_length: 0\n').config.display.tool_preview_length).toBe(40);
    expect(load('display:\n  tool_preview_length: 80\n').config.display.tool_preview_length).toBe(80);
  });

  test('a platform has its own choices, and the common ones where it has none', () => {
    const yaml = `display:
  tool_progress: all
  platforms:
    telegram: {tool_progress: off, streaming: false}
    slack: {busy_input_mode: queue, tool_progress: ""}
    web:
`;
    const { display } = load(yaml).config;
    expect(displayOn(display, 'telegram')).toEqual({ busyInputMode: 'interrupt', toolProgress: 'off', streaming: false });
    expect(displayOn(display, 'slack')).toEqual({ busyInputMode: 'queue', toolProgress: 'all', streaming: true });
    expect(displayOn(display, 'web')).toEqual({ busyInputMode: 'interrupt', toolProgress: 'all', streaming: true });
    expect(displayOn(display, 'discord')).toEqual(displayOn(display, 'web'));
  });

  test('a wrong choice of one platform is explained with its key and line', () => {
    expect(problems('display:\n  platforms:\n    telegram:\n      tool_progress: alll\n')).toEqual([
      'config.yaml line 4: display.platforms.telegram.tool_progress: expected one of off, new, all, verbose, but it is "alll"; did you mean all?',
    ]);
  });
});

test('the audit is kept for 90 days, or as long as is written; 0 is for ever', () => {
  const days = (yaml: string) => load(yaml).config.audit.retention_days;
  expect(days('')).toBe(90);
  expect(days('audit:\n  retention_days: 0\n')).toBe(0);
  for (const wrong of ['-1', 'x', '1.5']) expect(problems(`audit:\n  retention_days: ${wrong}\n`)).toHaveLength(1);
});

describe('approvals', () => {
  test.each([
    ['manual', 'manual'],
    ['ask', 'manual'],
    ['smart', 'smart'],
    ['off', 'off'],
    ['false', 'off'],
  ])('mode %s means %s', (written, mode) => {
    expect(load(`approvals:\n  mode: ${written}\n`).config.approvals.mode).toBe(mode);
  });

  test('a mistyped mode blocks instead of meaning something weaker', () => {
    expect(problems('approvals:\n  mode: of\n')).toEqual([
      'config.yaml line 2: approvals.mode: expected one of manual, ask, smart, off, but it is "of"; did you mean off?',
    ]);
    expect(problems('approvals:\n  mode: true\n')).toHaveLength(1);
    expect(problems('approvals:\n  gateway_timeout: 0\n')).toHaveLength(1);
  });

  test('the minute that homes of Hermes Agent give to their terminal is not the time for an answer in a chat', () => {
    const { config, warnings } = load('approvals:\n  mode: manual\n  timeout: 60\n');
    expect(config.approvals.gateway_timeout).toBe(300);
    expect(warnings).toEqual(['config.yaml: 1 key of Hermes Agent not used here yet: approvals.timeout']);
  });
});

describe('keys that are not known', () => {
  test('warn with the nearest one, at any depth', () => {
    const yaml = `display:
  busy_input_mod: queue
  platforms:
    telegram:
      streeming: false
agent:
  turn_timout: 5
auxiliary:
  aproval: {}
`;
    expect(load(yaml).warnings).toEqual([
      'config.yaml line 7: agent.turn_timout is not a known key and is ignored; did you mean turn_timeout?',
      'config.yaml line 2: display.busy_input_mod is not a known key and is ignored; did you mean busy_input_mode?',
      'config.yaml line 5: display.platforms.telegram.streeming is not a known key and is ignored; did you mean streaming?',
      'config.yaml line 9: auxiliary.aproval is not a known key and is ignored; did you mean approval?',
    ]);
  });

  test('are one line where Hermes Agent knows them, at any depth', () => {
    const yaml = `display:
  compact: false
  platforms:
    telegram: {show_reasoning: true}
auxiliary:
  vision: {model: x}
  approval: {base_url: "", timeout: 30}
`;
    expect(load(yaml).warnings).toEqual([
      'config.yaml: 5 keys of Hermes Agent not used here yet: display.compact, display.platforms.telegram.show_reasoning, auxiliary.vision, auxiliary.approval.base_url, auxiliary.approval.timeout',
    ]);
  });
});

test('a platform that is written wrong is named, and one that Hermes Agent has is not', async () => {
  const place = temporaryHome(
    'web:\n  enabled: false\ndisplay:\n  platforms:\n    telegrm: { streaming: false }\n    matrix: { tool_progress: off }\n',
  );
  onTestFinished(place.remove);
  const { code, out } = await hermes(['config', 'check'], { home: place.home, entry: join(root, 'gateway', 'main.ts') });
  expect({ code, out: out.split('\n').slice(0, -2) }).toEqual({
    code: 0,
    out: ['warning: config.yaml: display.platforms.telegrm is no platform and is ignored; did you mean telegram?'],
  });
});
