import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { platforms } from '../../../adapters/index.ts';
import { agentSection, modelSection } from '../../../agent/models/config.ts';
import { withoutUnknownKeys } from '../../../gateway/config/known-keys.ts';
import { loadConfig, type Sections } from '../../../gateway/config/load.ts';
import { gatewaySections } from '../../../gateway/config/sections.ts';
import { configTemplate } from '../../../gateway/home.ts';
import { toolSections } from '../../../tools/index.ts';

/** Everything that a home is configured with, as the composition root puts it together. */
const sections: Sections = {
  model: modelSection,
  agent: agentSection,
  ...toolSections,
  ...gatewaySections,
  ...Object.fromEntries(platforms.map((platform) => [platform.name, platform])),
};

/** The keys directly below a section: an empty schema-shaped map reports whatever else is put there. */
function keysOf(name: string): readonly string[] {
  const found: string[] = [];
  const schema = sections[name]?.schema;
  if (schema !== undefined) withoutUnknownKeys(schema, { 'no such key': 1 }, (_, known) => found.push(...known));
  return found;
}

/** Every platform has these; they mean nothing for the page, whose only person has signed in. */
const untold: Readonly<Record<string, readonly string[]>> = { web: ['allowed_users', 'group_allowed_chats', 'pacing'] };

let home = '';
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'hermes-template-'));
});
afterEach(() => {
  rmSync(home, { recursive: true, force: true });
});

/** The template with each key of the section switched on, explanations left as they are. */
function switchedOn(name: string): string {
  const keys = new Set(keysOf(name));
  let inside = false;
  const lines = configTemplate({ [name]: sections[name] as Sections[string] }).split('\n');
  return lines
    .map((line) => {
      const [, indent = '', key = ''] = /^ {2}# ( *)([a-z_]+):/.exec(line) ?? [];
      inside = indent === '' ? keys.has(key) : inside;
      return key !== '' && inside ? line.replace('# ', '') : line;
    })
    .join('\n');
}

test.each(Object.keys(sections))('the commented keys of %s are known and hold values that are accepted', (name) => {
  const section = sections[name] as Sections[string];
  const yaml = switchedOn(name);
  writeFileSync(join(home, 'config.yaml'), yaml);
  const used = [...yaml.matchAll(/\$\{([A-Z_]+)\}/g)].map(([, variable]) => [String(variable), 'value-0123456789_abcdefghij']);
  const { warnings } = loadConfig({ [name]: { ...section, env: {} } }, { home, env: Object.fromEntries(used) });
  expect(warnings).toEqual([]);
  for (const key of keysOf(name).filter((known) => known !== 'enabled' && !untold[name]?.includes(known)))
    expect(yaml, key).toMatch(new RegExp(`^  ${key}:`, 'm'));
});

test.each(Object.keys(sections))('the variables and secrets of %s are keys that it has', (name) => {
  const section = sections[name] as Sections[string];
  for (const key of [...Object.values(section.env), ...section.secrets]) {
    const data = key.split('.').reduceRight<unknown>((inner, step) => ({ [step]: inner }), undefined);
    const unknown: string[] = [];
    withoutUnknownKeys(section.schema, data, (path) => unknown.push(path.join('.')));
    expect(unknown).toEqual([]);
  }
});
