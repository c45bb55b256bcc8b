/**
 * Asking, from a button on Telegram to the command that runs: the real adapter, the whole daemon, the real tools and the offline demo, which
 * asks when it is told to.
 */
import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type TelegramConfig, telegramPlatform } from '../../adapters/telegram/platform.ts';
import { createDemoModel } from '../../agent/models/demo.ts';
import { type Daemon, startDaemon } from '../../gateway/daemon.ts';
import { openStore, type Store } from '../../gateway/store/index.ts';
import { createTools } from '../../tools/index.ts';
import { type FakeMessage, type FakeTelegram, startFakeTelegram } from '../fakes/telegram.ts';
import { migrations } from '../gateway/support/home.ts';
import { memoryLog } from '../gateway/support/log.ts';
import { testSettings } from '../gateway/support/settings.ts';
import { noPacing } from '../support/gateway-process.ts';

interface World {
  readonly telegram: FakeTelegram;
  readonly store: Store;
  readonly daemon: Daemon;
  readonly home: string;
}

async function startWorld(): Promise<World> {
  const telegram = await startFakeTelegram();
  const home = realpathSync(mkdtempSync(path.join(tmpdir(), 'hermes-asks-')));
  const store = openStore({ home, migrations, now: Date.now });
  const config: TelegramConfig = telegramPlatform.schema.parse({
    bot_token: telegram.token,
    base_url: telegram.root,
    allowed_users: ['*'],
    poll_timeout_seconds: 1,
    pacing: noPacing,
  });
  const settings = testSettings({ model: createDemoModel(), account: () => config });
  const daemon = await startDaemon({
    version: '0.0.0-test',
    home,
    store,
    tools: createTools({
      terminal: { timeout: 60, max_timeout: 600, env_passthrough: [], process_namespace: 'auto' },
      environment: { PATH: process.env['PATH'], HOME: home, LANG: 'C.UTF-8' },
      home,
      protectedPaths: [],
      marker: path.basename(home),
    }),
    settings: () => settings,
    platforms: [{ platform: telegramPlatform, config }],
    rules: {
      keys: { group_sessions_per_user: true, thread_sessions_per_user: false },
      reset: { mode: 'none', at_hour: 4, idle_minutes: 1440, notify: true },
      drainMs: 0,
    },
    http: undefined,
    notes: [],
    controlSocket: path.join(home, 'control.sock'),
    log: memoryLog(),
    now: Date.now,
  });
  return { telegram, store, daemon, home };
}

let world: World;
/** Each test has a chat of its own, whose only person has the same id; a negative one is a group. */
let chatId = 8000;
let clicks = 0;

beforeAll(async () => {
  world = await startWorld();
});
afterAll(async () => {
  await world.daemon.stop();
  await world.telegram.close();
  rmSync(world.home, { recursive: true, force: true });
});
beforeEach(() => {
  chatId = Math.abs(chatId) + 1;
  clicks = world.telegram.callbackAnswers.length;
});

const say = (text: string, extra: Readonly<Record<string, unknown>> = {}, fromId = Math.abs(chatId)): void =>
  void world.telegram.inject({ chatId, text, extra, fromId });
const shown = (): readonly FakeMessage[] => world.telegram.messages(chatId);
const texts = (): readonly string[] => shown().map(({ text }) => text);
const labels = ({ buttons }: FakeMessage): readonly string[] => buttons.flat().map(({ text }) => text);

async function card(): Promise<FakeMessage> {
  await world.telegram.waitFor(() => shown().some(({ buttons }) => buttons.length > 0));
  const found = shown().findLast(({ buttons }) => buttons.length > 0);
  if (found === undefined) throw new Error('there is no card');
  return found;
}

/** What the card says once it has no buttons. */
async function closed({ id }: FakeMessage): Promise<string> {
  const now = (): FakeMessage | undefined => shown().find((message) => message.id === id);
  await world.telegram.waitFor(() => now()?.buttons.length === 0);
  return now()?.text ?? '';
}

const click = ({ id }: FakeMessage, button: string, fromId?: number): void =>
  void world.telegram.click({ chatId, messageId: id }, button, fromId);

/** A reply to a message of the bot. */
function reply({ id, text: quoted }: FakeMessage, text: string): void {
  const { botId, username } = world.telegram;
  const from = { id: botId, is_bot: true, first_name: 'Hermes', username };
  say(text, { reply_to_message: { message_id: id, date: 1, chat: { id: chatId, type: 'private' }, from, text: quoted } });
}

/** What a modified client can send. */
function clickRaw({ data, message }: { readonly data: string; readonly message: number }): void {
  const from = { id: chatId, is_bot: false, first_name: `U${chatId}` };
  const chat = { id: chatId, type: 'private', first_name: `U${chatId}` };
  const shownThere = { message_id: message, date: 1, chat, text: 'card' };
  world.telegram.inject({ callback_query: { id: `raw-${randomUUID()}`, from, message: shownThere, chat_instance: '1', data } });
}

const asksOpen = (): number => world.store.asks.open().filter(({ target }) => target.chat.chat === String(chatId)).length;

/** The toasts since the test began, once there are so many; each click gets one, if only an empty one. */
async function toasts(count: number): Promise<readonly string[]> {
  await world.telegram.waitFor(() => world.telegram.callbackAnswers.length >= clicks + count);
  return world.telegram.callbackAnswers.slice(clicks).map(({ text }) => text);
}

async function sees(words: string | RegExp): Promise<void> {
  const has = (text: string): boolean => (typeof words === 'string' ? text.includes(words) : words.test(text));
  await world.telegram.waitFor(() => texts().some(has));
}

/** Where the command of this chat would act; there is something to lose. */
async function workspaceWithBuild(): Promise<string> {
  say('run mkdir build && touch build/lost && pwd');
  await sees(/workspaces\/.*exit code 0/s);
  const directory =
    texts()
      .join('\n')
      .match(/\S*\/workspaces\/\S+/)?.[0] ?? '';
  expect(readdirSync(path.join(directory, 'build'))).toEqual(['lost']);
  return path.join(directory, 'build');
}

describe('a dangerous command on Telegram', () => {
  it('waits for a click on its card, then runs; the card says who allowed it and has no buttons', async () => {
    const build = await workspaceWithBuild();
    say('run rm -r build');
    const asked = await card();
    expect(asked.text).toMatch(/^#1 May I run this\? \(terminal\)\nrm -r build\nIt deletes directories/);
    expect(labels(asked)).toEqual(expect.arrayContaining(['✅ Once', '✅ This session', '❌ No']));
    expect(existsSync(build)).toBe(true);
    click(asked, '✅ Once');
    await sees(/^\(no output\)\n\n\[exit code 0/);
    expect(existsSync(build)).toBe(false);
    expect(await closed(asked)).toContain(`✅ U${chatId} allowed it once.`);
    expect(await toasts(1)).toEqual(['']);
  });

  it('does not run after a no, which the agent is told', async () => {
    const build = await workspaceWithBuild();
    say('remove build');
    const asked = await card();
    click(asked, '❌ No');
    await sees(`Refused: U${chatId} said no.`);
    expect(existsSync(build)).toBe(true);
    expect(await closed(asked)).toContain(`❌ U${chatId} said no.`);
    expect(await toasts(1)).toEqual(['']);
  });

  it('is decided with a reply to its card, and not by loose words', async () => {
    const build = await workspaceWithBuild();
    say('run rm -r build');
    const asked = await card();
    say('yes');
    await sees('Use the buttons on #1');
    expect([asksOpen(), existsSync(build)]).toEqual([1, true]);
    reply(asked, 'yes');
    expect(await closed(asked)).toContain('allowed it once');
    await sees(/^\(no output\)\n\n\[exit code 0/);
    expect(existsSync(build)).toBe(false);
  });

  it('is not decided by a click that nobody could make with this card', async () => {
    const build = await workspaceWithBuild();
    say('run rm -r build');
    const asked = await card();
    const data = asked.buttons.flat()[0]?.callback_data ?? '';
    const forged = data.replace(/^./, (first) => (first === 'a' ? 'b' : 'a'));
    clickRaw({ data: forged, message: asked.id });
    clickRaw({ data, message: asked.id + 100 });
    clickRaw({ data: 'once', message: asked.id });
    click(asked, '✅ Once', 999);
    const told = [
      'I do not know this question any more.',
      'This is a copy of the card. Please use the card itself.',
      expect.any(String),
      `Only U${chatId} may answer this.`,
    ];
    expect(await toasts(4)).toEqual(expect.arrayContaining(told));
    expect(asksOpen()).toBe(1);
    expect(existsSync(build)).toBe(true);
    click(asked, '❌ No');
    await closed(asked);
    clickRaw({ data, message: asked.id });
    expect((await toasts(6)).at(-1)).toBe(`Too late: U${chatId} has decided already.`);
    expect(existsSync(build)).toBe(true);
  });

  it('is not decided by another person of the group', async () => {
    chatId = -chatId;
    const mention = `@${world.telegram.username}`;
    const entities = [{ type: 'mention', offset: 0, length: mention.length }];
    say(`${mention} run rm -r nothing-here`, { entities }, 501);
    const asked = await card();
    click(asked, '✅ Once', 502);
    expect(await toasts(1)).toEqual(['Only U501 may answer this.']);
    expect(asksOpen()).toBe(1);
    click(asked, '✅ Once', 501);
    expect(await closed(asked)).toContain('✅ U501 allowed it once.');
    await sees('exit code 1');
  });
});

describe('a question on Telegram', () => {
  it('is answered with a click, and the agent goes on with the answer', async () => {
    say('ask me something');
    const asked = await card();
    expect(labels(asked)).toEqual(['Red', 'Green', 'Blue']);
    click(asked, 'Green');
    await sees('You answered: Green');
    expect(await closed(asked)).toBe(`#1 Which colour do you like best?\n\n💬 U${chatId}: Green`);
    expect(await toasts(1)).toEqual(['']);
  });

  it.each([
    ['a number', '3', 'Blue'],
    ['other words', 'none of *them*', 'none of *them*'],
  ])('is answered with %s', async (_how, said, understood) => {
    say('ask me something');
    await card();
    say(said);
    await sees('You answered:');
    expect(texts().join('\n')).toContain(`You answered: ${understood.replaceAll('*', '')}`);
    expect(texts().filter((text) => text.includes('demo model'))).toEqual([]);
  });
});
