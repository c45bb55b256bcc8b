/**
 * The fault matrix: Telegram and the model fail in every way that servers and networks fail, between the real clients and the whole daemon.
 * Every accepted message ends in its answer or one visible sentence, and the chat's next message is answered.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TIMING } from '../../adapters/telegram/client.ts';
import { connectTelegram } from '../../adapters/telegram/index.ts';
import { type TelegramConfig, telegramPlatform } from '../../adapters/telegram/platform.ts';
import { agentSection, modelSection } from '../../agent/models/config.ts';
import { createModel } from '../../agent/models/create.ts';
import type { Daemon } from '../../gateway/daemon.ts';
import type { Store } from '../../gateway/store/index.ts';
import { type FakeModel, lastUserText, type Fault as ModelFault, startFakeModel } from '../fakes/model.ts';
import { type FakeTelegram, startFakeTelegram, type Fault as TelegramFault } from '../fakes/telegram.ts';
import { testSettings } from '../gateway/support/settings.ts';
import { startTestDaemon, telegramAccount } from '../support/daemon.ts';

interface World {
  readonly telegram: FakeTelegram;
  readonly model: FakeModel;
  readonly store: Store;
  readonly daemon: Daemon;
  readonly home: string;
}

const timing = { ...TIMING, callMs: 1500, probeMs: 500, pollGraceMs: 500, backoffFirstMs: 50, backoffMaxMs: 200 };

async function startWorld(): Promise<World> {
  const telegram = await startFakeTelegram();
  const model = await startFakeModel({ reply: (body) => ({ text: `answer to ${lastUserText(body).split('\n').at(-1)}` }) });
  const home = mkdtempSync(path.join(tmpdir(), 'hermes-faults-'));
  const config = telegramAccount(telegram);
  const create = (
    own: TelegramConfig,
    host: Parameters<typeof connectTelegram>[0]['host'],
    menu: Parameters<typeof connectTelegram>[0]['menu'],
  ) => connectTelegram({ config: own, host, menu, timing });
  const platform = { ...telegramPlatform, load: async () => ({ create }) };
  const modelConfig = modelSection.schema.parse({ base_url: model.base, api_key: 'sk-test', timeout_seconds: 1 });
  const answers = createModel({ model: modelConfig, agent: agentSection.schema.parse({ api_max_retries: 1 }) });
  const settings = testSettings({ model: answers, maxSteps: 5, account: () => config });
  const { daemon, store } = await startTestDaemon({ home, platforms: [{ platform, config }], settings: () => settings, drainMs: 1000 });
  return { telegram, model, store, daemon, home };
}

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(async () => {
  await world.daemon.stop();
  await world.telegram.close();
  await world.model.close();
  rmSync(world.home, { recursive: true, force: true });
});

/** Without the bubble that says what takes so long. */
const texts = (chatId: number): string[] =>
  world.telegram
    .messages(chatId)
    .map((message) => message.text ?? '')
    .filter((text) => !text.startsWith('Working · '));
const isTo = (chatId: number) => (call: { readonly chatId: number | undefined }) => call.chatId === chatId;

/** What a message in a chat of its own ends in; afterwards the chat still works. */
async function exchange(chatId: number, fault: () => void): Promise<string[]> {
  fault();
  world.telegram.inject({ chatId, text: `question ${chatId}` });
  await world.telegram.waitFor(() => texts(chatId).length > 0, 15_000);
  const shown = texts(chatId);
  world.telegram.inject({ chatId, text: `again ${chatId}` });
  await world.telegram.waitFor(() => texts(chatId).some((text) => text.includes(`answer to again ${chatId}`)), 15_000);
  return shown;
}

function once(chatId: number, how: TelegramFault): void {
  let struck = false;
  world.telegram.fail('sendMessage', how, (call) => {
    if (struck || call.chatId !== chatId) return false;
    struck = true;
    return true;
  });
}

describe.concurrent('when Telegram fails to take an answer', () => {
  const cases: readonly [string, TelegramFault, RegExp][] = [
    ['refuses the formatting', { status: 400, description: "Bad Request: can't parse entities" }, /^answer to question/],
    ['refuses it for good (400)', { status: 400, description: 'Bad Request: something is wrong' }, /could not deliver/],
    ['says 401', { status: 401, description: 'Unauthorized' }, /answer to question|could not deliver/],
    ['says 403', { status: 403, description: 'Forbidden: bot was blocked by the user' }, /could not deliver/],
    ['says 404', { status: 404, description: 'Not Found' }, /could not deliver/],
    ['says 409', { status: 409, description: 'Conflict' }, /answer to question|could not deliver/],
    ['finds it too large', { status: 413, description: 'Request Entity Too Large' }, /could not deliver/],
    [
      'asks to wait (429)',
      { status: 429, description: 'Too Many Requests: retry after 1', parameters: { retry_after: 1 } },
      /^answer to question/,
    ],
    ['breaks (500)', { status: 500, description: 'Internal Server Error' }, /^answer to question/],
    ['is a broken proxy (502)', { status: 502, body: '<html>Bad Gateway</html>' }, /^answer to question/],
    ['never answers', 'hang', /^answer to question/],
    ['resets before the body', 'reset-before', /^answer to question/],
    ['resets after the body', 'reset-after', /^answer to question/],
    ['is cut while answering', 'cut', /^answer to question/],
  ];
  test.for(cases.map((row, index) => [...row, index] as const))(
    'and %s, the person sees the answer or one sentence',
    { timeout: 40_000 },
    async ([, how, shown, index]) => {
      const chatId = 5000 + index;
      const seen = await exchange(chatId, () => once(chatId, how));
      expect(seen[0]).toMatch(shown);
      const sends = world.telegram.calls
        .filter(isTo(chatId))
        .filter((call) => call.method === 'sendMessage' && call.text?.includes(`question ${chatId}`));
      expect(sends.length).toBeLessThanOrEqual(2); // an unknown outcome is repeated at most once
    },
  );
});

describe.concurrent('when the model fails', () => {
  const status = (code: number, error: object, headers: Record<string, string> = {}): ModelFault => ({
    type: 'status',
    status: code,
    body: { error },
    headers,
  });
  const lasting = 99;
  const cases: readonly [string, ModelFault, number, RegExp][] = [
    ['with 400', status(400, { message: 'bad request' }), lasting, /⚠️/],
    ['with 401', status(401, { message: 'Incorrect API key provided' }), lasting, /⚠️.*key/i],
    ['with 403', status(403, { message: 'forbidden' }), lasting, /⚠️/],
    ['with 404', status(404, { message: 'The model does not exist', code: 'model_not_found' }), lasting, /⚠️/],
    ['with 409', status(409, { message: 'conflict' }), lasting, /⚠️/],
    ['with 413', status(413, { message: 'too large' }), lasting, /⚠️/],
    ['once with 429 and a time', status(429, { message: 'rate limited' }, { 'retry-after': '1' }), 1, /^answer to question/],
    ['always with 429', status(429, { message: 'rate limited' }, { 'retry-after': '1' }), lasting, /⚠️/],
    ['with an exhausted quota', status(429, { message: 'You exceeded your current quota', code: 'insufficient_quota' }), lasting, /⚠️/],
    ['once with 500', status(500, { message: 'oops' }), 1, /^answer to question/],
    ['always with 500', status(500, { message: 'oops' }), lasting, /⚠️/],
    ['by hanging', { type: 'hang' }, lasting, /⚠️/],
    ['by stalling in mid-stream', { type: 'stall' }, lasting, /⚠️/],
    ['by a reset before the body', { type: 'reset' }, 1, /^answer to question/],
    ['by a reset in mid-stream', { type: 'reset_mid_stream' }, 1, /^answer to question/],
    ['by a stream that is cut', { type: 'cut' }, 1, /^answer to question/],
    ['by an error inside the stream', { type: 'stream_error', error: { message: 'overloaded', code: 529 } }, 1, /^answer to question/],
  ];
  test.for(cases.map((row, index) => [...row, index] as const))(
    '%s, the person sees the answer or one sentence',
    { timeout: 40_000 },
    async ([, fault, times, shown, index]) => {
      const chatId = 6000 + index;
      const seen = await exchange(chatId, () =>
        world.model.fail(fault, times, (body) => lastUserText(body).trim() === `question ${chatId}`),
      );
      expect(seen).toEqual([expect.stringMatching(shown)]);
      expect(seen[0]).not.toMatch(/sk-test|127\.0\.0\.1|\bat .*:\d+/);
    },
  );
});

describe('when Telegram fails to hand out updates', () => {
  const cases: readonly [string, TelegramFault, number][] = [
    ['409', { status: 409, description: 'Conflict: terminated by other getUpdates request' }, 3],
    ['429', { status: 429, description: 'Too Many Requests', parameters: { retry_after: 1 } }, 1],
    ['500', { status: 500, description: 'Internal Server Error' }, 2],
    ['a hang', 'hang', 1],
    ['a reset', 'reset-before', 2],
    ['an answer that is cut', 'cut', 1],
  ];
  test.for(cases)('%s delays a message and neither loses nor doubles it', { timeout: 30_000 }, async ([name, how, times]) => {
    const chatId = 7000 + cases.findIndex((row) => row[0] === name);
    world.telegram.fail('getUpdates', how, times);
    world.telegram.inject({ chatId, text: `question ${chatId}` });
    await world.telegram.waitFor(() => texts(chatId).length > 0, 20_000);
    await world.telegram.waitFor(() => world.telegram.waiting().length === 0, 10_000);
    expect(texts(chatId)).toEqual([`answer to question ${chatId}`]);
    expect(world.telegram.mostPolls()).toBe(1);
  });
});

test('afterwards the ledger shows one outcome for every message, and nothing is left open', async () => {
  await world.telegram.waitFor(() => world.store.outbox.count().pending === 0, 10_000);
  expect(world.store.inbox.countOpen()).toBe(0);
  expect(world.store.turns.runningLanes()).toEqual([]);
});
