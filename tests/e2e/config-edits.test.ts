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

test('a message interrupts, on Telegram and on the page, unless the configuration says otherwise', async () => {
  await fakes.start();
  const page = await fakes.page();
  fakes.telegram.inject({ chatId: 7, text: 'hang' });
  page.message(crypto.randomUUID(), 'hang');
  await fakes.telegram.waitFor(() => fakes.model.requests.length === 2);
  const now = '⚡ I stop what I was doing and read this.';
  expect([await answerTo(7, 'enough'), await answerOn(page, 'enough')]).toEqual([now, now]);
  await fakes.said(7, 'answer of');
  await edit((config) => {
    config['display'] = { busy_input_mode: 'queue' };
  });
  fakes.telegram.inject({ chatId: 8, text: 'hang' });
  await fakes.telegram.waitFor(() => fakes.model.requests.length === 5);
  expect(await answerTo(8, 'take your time')).toMatch(/^⏳ I am still at work; this comes next/);
});

test('what is shown may differ by platform, the line under an answer comes and goes, and a personality of one’s own is known at once', async () => {
  await fakes.start();
  const page = await fakes.page();
  await edit((config) => {
    const platforms = {
      telegram: { busy_input_mode: 'queue', tool_progress: 'all' },
      web: { busy_input_mode: 'steer', tool_progress: 'off' },
    };
    config['display'] = { runtime_metadata_footer: true, platforms };
    config['agent'] = { personalities: { butler: 'You are a butler.' } };
  });
  expect(await answerTo(8, 'hello')).toMatch(/^answer of gpt.*\n\ngpt\S* · \d+ s · \d+ tokens in, \d+ out$/);
  expect([await answerTo(8, '/busy'), await answerOn(page, '/busy')]).toEqual([
    expect.stringMatching(/^In this chat: queue/),
    expect.stringMatching(/^In this chat: steer/),
  ]);
  expect([await answerTo(8, '/verbose ?'), await answerOn(page, '/verbose ?')]).toEqual([
    expect.stringContaining('It is all now'),
    expect.stringContaining('It is off now'),
  ]);
  expect(await answerTo(8, '/personality butler')).toContain('I talk as butler');
  await answerTo(8, 'hello');
  expect(JSON.stringify(fakes.model.requests.at(-1)?.messages[0])).toContain('You are a butler.');
});
