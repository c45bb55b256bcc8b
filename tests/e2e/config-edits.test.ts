/** The configuration is edited while the daemon runs. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { type FakeModel, startFakeModel } from '../fakes/model.ts';
import { type FakeTelegram, startFakeTelegram } from '../fakes/telegram.ts';
import { type GatewayProcess, startGateway } from '../support/gateway-process.ts';

let telegram: FakeTelegram;
let model: FakeModel;
let home: string;
let daemon: GatewayProcess;

beforeEach(async () => {
  telegram = await startFakeTelegram();
  model = await startFakeModel({ reply: (body) => ({ text: `answer of ${body.model}` }) });
  home = mkdtempSync(path.join(tmpdir(), 'hermes-edit-'));
  daemon = startGateway({ home, telegram, model: model.base });
  await telegram.waitFor(() => telegram.polls.length > 0 || !daemon.alive(), 20_000);
});

afterEach(async () => {
  await daemon.stop();
  await telegram.close();
  await model.close();
  rmSync(home, { recursive: true, force: true });
});

type Config = Record<string, Record<string, unknown>>;

/** The daemon looks at the files at most four times a second. */
async function edit(change: (config: Config) => void): Promise<void> {
  const file = path.join(home, 'config.yaml');
  const config = parse(readFileSync(file, 'utf8')) as Config;
  change(config);
  writeFileSync(file, stringify(config));
  await sleep(350);
}

async function answerTo(chatId: number, text: string): Promise<string> {
  const before = telegram.messages(chatId).length;
  telegram.inject({ chatId, text });
  await telegram.waitFor(() => telegram.messages(chatId).length > before, 10_000);
  return telegram.messages(chatId).at(-1)?.text ?? '';
}

/** What the owner reads on the page. */
function toldOwner(): readonly string[] {
  const db = new Sqlite(path.join(home, 'state.db'), { readonly: true });
  try {
    const rows = db.prepare("select json_extract(payload, '$.markdown') as text from outbox where lane = 'web/main/main'").all();
    return rows.map((row) => String((row as { readonly text: unknown }).text));
  } finally {
    db.close();
  }
}

test('the model, the allowlist and a repaired file hold from the next message; a broken file keeps the last good one and tells the owner', async () => {
  expect(await answerTo(7, 'one')).toMatch(/^answer of gpt/);
  await edit((config) => {
    config['model'] = { default: 'other-model' };
  });
  expect(await answerTo(7, 'two')).toBe('answer of other-model');
  await edit((config) => {
    config['telegram'] = { ...config['telegram'], allowed_users: ['8'] };
  });
  expect(await answerTo(7, 'three')).toMatch(/only talk to people/);
  expect(await answerTo(8, 'four')).toBe('answer of other-model');
  const good = readFileSync(path.join(home, 'config.yaml'), 'utf8');
  writeFileSync(path.join(home, 'config.yaml'), 'agent:\n  max_turns: many\n');
  await sleep(350);
  expect(await answerTo(8, 'five')).toBe('answer of other-model');
  expect(toldOwner().filter((text) => text.includes('max_turns'))).toHaveLength(1);
  writeFileSync(path.join(home, 'config.yaml'), good.replace('other-model', 'third-model'));
  await sleep(350);
  expect(await answerTo(8, 'six')).toBe('answer of third-model');
});
