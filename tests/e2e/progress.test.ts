/** What people see on Telegram while a turn works: the real adapter and the whole daemon, a model that takes its time. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { telegramPlatform } from '../../adapters/telegram/platform.ts';
import type { Model } from '../../agent/model.ts';
import type { Daemon } from '../../gateway/daemon.ts';
import { type FakeCall, type FakeTelegram, startFakeTelegram } from '../fakes/telegram.ts';
import { testSettings } from '../gateway/support/settings.ts';
import { countedTool } from '../gateway/support/tools.ts';
import { startTestDaemon, telegramAccount } from '../support/daemon.ts';

/** Says what it is about to do, does it for 4 s, then speaks for 6 s. */
const slowModel: Model = {
  name: 'slow',
  windowTokens: 100_000,
  vision: false,
  async *stream({ messages }, signal) {
    if (messages.at(-1)?.role !== 'tool') {
      yield { type: 'text.delta', text: 'I look first.' };
      yield { type: 'call', call: { id: 'call-1', name: 'look', arguments: '{"n": 7}' } };
      yield { type: 'done', finish: 'calls' };
      return;
    }
    for (const word of ['Here', ' is', ' the', ' whole', ' answer.', ' It ends', ' here.']) {
      yield { type: 'text.delta', text: word };
      await sleep(800, undefined, { signal });
    }
    yield { type: 'done', finish: 'stop' };
  },
};

let telegram: FakeTelegram;
let daemon: Daemon;
let home: string;

beforeAll(async () => {
  telegram = await startFakeTelegram();
  home = mkdtempSync(path.join(tmpdir(), 'hermes-progress-'));
  const config = telegramAccount(telegram, { require_mention: false });
  const settings = testSettings({ model: slowModel, account: () => config });
  const look = countedTool('look', 'read', async () => {
    await sleep(4000);
    return { content: 'seen' };
  });
  ({ daemon } = await startTestDaemon({
    home,
    platforms: [{ platform: telegramPlatform, config }],
    settings: () => settings,
    tools: [look.tool],
  }));
});
afterAll(async () => {
  await daemon.stop();
  await telegram.close();
  rmSync(home, { recursive: true, force: true });
});

/** One turn in a chat; the calls that it made. */
async function turn(chatId: number): Promise<readonly FakeCall[]> {
  telegram.inject({ chatId, text: 'hello', fromId: 77 });
  const whole = (): boolean => telegram.messages(chatId).some(({ text }) => text.includes('It ends here.'));
  await telegram.waitFor(() => whole() && telegram.messages(chatId).length === 2, 20_000);
  return telegram.calls.filter((call) => call.chatId === chatId);
}

const answers = ['I look first.', 'Here is the whole answer. It ends here.'];
const texts = (chatId: number): readonly string[] => telegram.messages(chatId).map(({ text }) => text);
const methods = (calls: readonly FakeCall[]): readonly string[] =>
  calls.map(({ method }) => method).filter((method) => method !== 'sendChatAction');

describe.concurrent('a turn that takes its time', { timeout: 30_000 }, () => {
  it('shows a bubble and drafts in a private chat, and leaves what was said', async () => {
    const calls = await turn(77);
    expect(texts(77)).toEqual(answers);
    expect(methods(calls)).toContain('sendMessageDraft');
    expect(methods(calls)).toContain('deleteMessage');
    const bubble = calls.find(({ text }) => text?.includes('Working'));
    expect(bubble?.text).toContain('look: <code>look 7</code>');
    expect(methods(calls).filter((method) => method === 'sendMessage')).toHaveLength(3);
  });

  it('shows its answer by a message that is edited in a group', async () => {
    const calls = await turn(-77);
    expect(texts(-77)).toEqual(answers);
    expect(methods(calls)).not.toContain('sendMessageDraft');
    const streamed = calls.filter(({ text }) => text?.startsWith('Here'));
    expect(streamed.map(({ method }) => method)).toEqual(['sendMessage', 'editMessageText']);
    expect(streamed[0]?.text).not.toContain('here.');
  });
});
