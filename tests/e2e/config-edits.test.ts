/** The configuration is edited while the daemon runs. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { lastUserText } from '../fakes/model.ts';
import { until } from '../gateway/support/gateway.ts';
import type { PageClient } from '../page/page-client.ts';
import { useFakes } from './fakes.ts';

const fakes = useFakes();

beforeEach(() => {
  fakes.model.reply((body) => (lastUserText(body) === 'hang' ? new Promise(() => undefined) : { text: `answer of ${body.model}` }));
});

type Config = Record<string, Record<string, unknown>>;

const file = (): string => path.join(fakes.home, 'config.yaml');

/** The daemon looks at the files at most four times a second. */
async function write(text: string): Promise<void> {
  writeFileSync(file(), text);
  await sleep(350);
}

function edit(change: (config: Config) => void): Promise<void> {
  const config = parse(readFileSync(file(), 'utf8')) as Config;
  change(config);
  return write(stringify(config));
}

async function answerTo(chat: number, text: string): Promise<string> {
  const before = fakes.texts(chat).length;
  fakes.telegram.inject({ chatId: chat, text });
  await fakes.telegram.waitFor(() => fakes.texts(chat).length > before, 10_000);
  return fakes.texts(chat).at(-1) ?? '';
}

/** What the owner reads on the page. */
const readOn = (page: PageClient): readonly string[] => page.entries().flatMap((entry) => (entry.type === 'text' ? [entry.markdown] : []));

async function answerOn(page: PageClient, text: string): Promise<string> {
  const before = readOn(page).length;
  page.message(crypto.randomUUID(), text);
  await until(
    () => readOn(page).length > before,
    () => `${text} is not answered`,
    10_000,
  );
  return readOn(page).at(-1) ?? '';
}

test('the model, the allowlist and a repaired file hold from the next message; a broken file keeps the last good one and tells the owner', async () => {
  await fakes.start();
  const page = await fakes.page();
  expect(await answerTo(7, 'one')).toMatch(/^answer of gpt/);
  await edit((config) => {
    config['model'] = { default: 'other-model' };
  });
  expect(await answerTo(7, 'two')).toBe('answer of other-model');
  expect(await answerOn(page, 'two')).toBe('answer of other-model');
  await edit((config) => {
    config['telegram'] = { ...config['telegram'], allowed_users: ['8'] };
  });
  expect(await answerTo(7, 'three')).toMatch(/only talk to people/);
  expect(await answerTo(8, 'four')).toBe('answer of other-model');
  const good = readFileSync(file(), 'utf8');
  await write('agent:\n  max_turns: many\n');
  expect(await answerTo(8, 'five')).toBe('answer of other-model');
  await until(
    () => readOn(page).some((text) => text.includes('max_turns')),
    () => 'the owner is not told',
  );
  await write(good.replace('other-model', 'third-model'));
  expect(await answerTo(8, 'six')).toBe('answer of third-model');
  expect(readOn(page).filter((text) => text.includes('max_turns'))).toHaveLength(1);
});

test('a message interrupts unless the configuration says otherwise, for all platforms or for one; the line under an answer comes and goes', async () => {
  await fakes.start();
  const page = await fakes.page();
  fakes.telegram.inject({ chatId: 7, text: 'hang' });
  await fakes.telegram.waitFor(() => fakes.model.requests.length === 1);
  expect(await answerTo(7, 'enough')).toBe('⚡ I stop what I was doing and read this.');
  await fakes.said(7, 'answer of');
  await edit((config) => {
    config['display'] = {
      runtime_metadata_footer: true,
      platforms: { telegram: { busy_input_mode: 'queue' }, web: { busy_input_mode: 'steer' } },
    };
  });
  expect(await answerTo(8, 'hello')).toMatch(/^answer of gpt.*\n\ngpt\S* · \d+ s · \d+ tokens in, \d+ out$/);
  fakes.telegram.inject({ chatId: 8, text: 'hang' });
  page.message(crypto.randomUUID(), 'hang');
  await fakes.telegram.waitFor(() => fakes.model.requests.length === 5);
  expect(await answerTo(8, 'take your time')).toMatch(/^⏳ I am still at work; this comes next/);
  expect(await answerOn(page, 'use the blue one')).toBe('↪️ I take this into account with my next step.');
});
