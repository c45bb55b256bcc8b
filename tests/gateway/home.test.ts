import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { loadConfig } from '../../gateway/config/load.ts';
import { gatewaySections } from '../../gateway/config/sections.ts';
import { HomeError, homeDirectory, prepareHome } from '../../gateway/home.ts';

const bot = {
  schema: z.object({ bot_token: z.string().default('none'), port: z.number().default(1) }),
  env: { BOT_TOKEN: 'bot_token', BOT_PORT: 'port' },
  secrets: ['bot_token'],
  template: '# Where it listens.\nport: 4242\n\n# bot_token: x\n',
};
const sections = { ...gatewaySections, bot };

let root = '';
let home = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'hermes-home-'));
  home = join(root, 'deep', 'home');
});
afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

function mode(...path: string[]): number {
  return statSync(join(home, ...path)).mode & 0o777;
}

describe('which directory', () => {
  test.each([
    [{}, join(homedir(), '.hermes')],
    [{ HERMES_HOME: '' }, join(homedir(), '.hermes')],
    [{ HERMES_HOME: '/srv/hermes/' }, '/srv/hermes'],
    [{ HERMES_HOME: '~/other' }, join(homedir(), 'other')],
    [{ HERMES_HOME: 'here' }, join(process.cwd(), 'here')],
  ])('%j means %s', (env, expected) => {
    expect(homeDirectory(env)).toBe(expected);
  });
});

describe('a first start', () => {
  test('makes the home for its owner alone', () => {
    expect(prepareHome(home, sections)).toEqual({ fresh: true, notes: [] });
    expect(readdirSync(home).sort()).toEqual(['.env', 'SOUL.md', 'config.yaml', 'logs', 'media', 'run', 'workspaces']);
    expect([mode(), mode('run'), mode('media'), mode('.env'), mode('config.yaml')]).toEqual([0o700, 0o700, 0o700, 0o600, 0o600]);
  });

  test('writes files that change nothing as they are', () => {
    prepareHome(home, sections);
    const { config, warnings } = loadConfig(sections, { home, env: {} });
    expect(warnings).toEqual([]);
    expect(config).toEqual(loadConfig(sections, { home: root, env: {} }).config);
  });

  test('names every key, so that removing the comment sign switches it on', () => {
    prepareHome(home, sections);
    const path = join(home, 'config.yaml');
    const text = readFileSync(path, 'utf8');
    for (const [name, section] of Object.entries(sections)) {
      expect(text).toContain(`\n${name}:\n`);
      for (const key of shapeKeys(section.schema)) expect(text).toMatch(new RegExp(`^  # ${key}:`, 'm'));
    }
    writeFileSync(path, text.replace('# port: 4242', 'port: 4242').replace('# at_hour: 4', 'at_hour: 6'));
    writeFileSync(join(home, '.env'), readFileSync(join(home, '.env'), 'utf8').replace('# BOT_TOKEN=', 'BOT_TOKEN=secret'));
    const { config } = loadConfig(sections, { home, env: {} });
    expect(config.bot).toEqual({ bot_token: 'secret', port: 4242 });
    expect(config.session_reset.at_hour).toBe(6);
  });
});

describe('a home that is there', () => {
  test('keeps its files, to the byte', () => {
    mkdirSync(home, { recursive: true });
    writeFileSync(join(home, 'config.yaml'), 'model: mine\n', { mode: 0o640 });
    writeFileSync(join(home, '.env'), 'A=1', { mode: 0o600 });
    writeFileSync(join(home, 'state.db'), 'not ours');
    expect(prepareHome(home, sections)).toEqual({ fresh: false, notes: [] });
    expect(readFileSync(join(home, 'config.yaml'), 'utf8')).toBe('model: mine\n');
    expect(readFileSync(join(home, '.env'), 'utf8')).toBe('A=1');
    expect(readFileSync(join(home, 'state.db'), 'utf8')).toBe('not ours');
    expect(mode('config.yaml')).toBe(0o640);
  });

  test('has its control directory closed to others', () => {
    mkdirSync(join(home, 'run'), { recursive: true });
    chmodSync(join(home, 'run'), 0o755);
    prepareHome(home, sections);
    expect(mode('run')).toBe(0o700);
  });

  test('with an .env that others may read brings a note and stays as it is', () => {
    mkdirSync(home, { recursive: true });
    writeFileSync(join(home, '.env'), 'A=1');
    chmodSync(join(home, '.env'), 0o644);
    expect(prepareHome(home, sections).notes).toEqual([expect.stringContaining(`chmod 600 ${join(home, '.env')}`)]);
    expect(mode('.env')).toBe(0o644);
  });
});

describe('a home that cannot be used', () => {
  const wrong = (path: string) => () => prepareHome(path, sections);

  test('is told in a sentence when a file is in its place or on the way to it', () => {
    writeFileSync(join(root, 'file'), '');
    expect(wrong(join(root, 'file'))).toThrow(HomeError);
    expect(wrong(join(root, 'file'))).toThrow(/file: something else is there that is not a directory\. .*HERMES_HOME/);
    expect(wrong(join(root, 'file', 'home'))).toThrow(/something on the way to it is not a directory/);
  });

  test('is told in a sentence when the file system makes nothing', () => {
    expect(wrong('/proc/hermes/home')).toThrow(/nothing can be made there|this user may not write there/);
  });

  test('is told in a sentence when this user may not write there', () => {
    mkdirSync(home, { recursive: true });
    chmodSync(root, 0o755);
    chmodSync(join(root, 'deep'), 0o755);
    chmodSync(home, 0o555);
    asOrdinaryUser(() => {
      expect(wrong(home)).toThrow(new RegExp(`${home}.*: this user may not write there`));
      expect(wrong(join(home, 'below'))).toThrow(/this user may not write there/);
    });
  });
});

function shapeKeys(schema: z.ZodType): string[] {
  return schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
}

/** Root may write everywhere, so as root the action runs as "nobody". */
function asOrdinaryUser(action: () => void): void {
  const root = process.geteuid?.() === 0;
  if (root) process.seteuid?.(65_534);
  try {
    action();
  } finally {
    if (root) process.seteuid?.(0);
  }
}
