/** The page in a real browser with the whole gateway behind it, and Telegram beside it: what the other tests here do over the page's socket. */
import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { AccountConfig, Platform } from '../../adapters/platform.ts';
import { telegramPlatform } from '../../adapters/telegram/platform.ts';
import { webPlatform } from '../../adapters/web/platform.ts';
import { type FakeTelegram, startFakeTelegram } from '../fakes/telegram.ts';
import { until } from '../gateway/support/gateway.ts';
import { temporaryHome } from '../gateway/support/home.ts';
import { testSettings } from '../gateway/support/settings.ts';
import { chromiumPath, launch, needsChromium, say, sees, signedIn } from '../page/browser.ts';
import { realTools, startTestDaemon, type TestDaemon, telegramAccount } from '../support/daemon.ts';
import { actor } from './support/model.ts';

const pageDirectory = fileURLToPath(new URL('../../dist/web', import.meta.url));

/** Runs what follows "run", tells a story without an end, echoes the rest. */
const model = () =>
  actor(({ text, results }) => {
    const [, command] = /^run (.+)$/.exec(text) ?? [];
    if (command !== undefined) return results.length > 0 ? 'done' : { call: 'terminal', args: { command } };
    return text.includes('story') ? { begins: 'Once upon a time' } : undefined;
  });

interface Whole {
  readonly telegram: FakeTelegram;
  readonly running: TestDaemon;
  readonly page: Page;
}

async function open(browser: Browser): Promise<Whole> {
  const telegram = await startFakeTelegram();
  const home = temporaryHome();
  const configs: Readonly<Record<string, AccountConfig>> = {
    'telegram/main': telegramAccount(telegram),
    'web/main': webPlatform.schema.parse({ port: 0 }),
  };
  const platforms = [telegramPlatform as Platform, webPlatform as Platform].map((platform) => {
    const config = configs[`${platform.name}/main`];
    if (config === undefined) throw new Error(`${platform.name} is not configured`);
    return { platform, config };
  });
  const played = model();
  const running = await startTestDaemon({
    home,
    platforms,
    settings: () => testSettings({ model: played, change: { display: { busyMode: 'interrupt' } }, account: (key) => configs[key] }),
    tools: realTools(home),
    http: { config: { ...webPlatform.schema.parse({}), port: 0 }, pageDirectory },
  });
  const link = running.daemon.link ?? '';
  const context = await browser.newContext({ locale: 'en-GB' });
  onTestFinished(async () => {
    await context.close();
    await running.daemon.stop();
    await telegram.close();
  });
  const { page, faults } = await signedIn(context, { url: new URL('/', link).href, link: () => link });
  onTestFinished(() => expect(faults).toEqual([]));
  return { telegram, running, page };
}

function somethingToLose({ running: { store } }: Whole, lane: string): string {
  const build = path.join(store.sessions.open(lane)?.workspace ?? '', 'build');
  mkdirSync(build);
  return build;
}

const card = (page: Page): Locator => page.getByRole('article', { name: 'Question #1' });

describe.skipIf(chromiumPath === undefined)(`a conversation in a browser${needsChromium}`, { timeout: 40_000 }, () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  }, 60_000);
  afterAll(() => browser.close());

  it('is talked, interrupted and stopped', async () => {
    const { page } = await open(browser);
    await say(page, 'hello');
    await sees(page, ['hello', 'echo: hello']);
    await say(page, 'a story');
    await sees(page, ['hello', 'echo: hello', 'a story', 'Once upon a time']);
    await say(page, 'another story');
    const cut = 'Once upon a time\n\n✂️ (interrupted)';
    await sees(page, ['hello', 'echo: hello', 'a story', 'another story', cut, 'Once upon a time']);
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByRole('log').getByText('🛑 Stopped.').waitFor();
    await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'hidden' });
    await say(page, 'still there?');
    await page.getByRole('log').getByText('echo: still there?').waitFor();
  });

  it('asks before it acts, and does what was clicked', async () => {
    const whole = await open(browser);
    const { page } = whole;
    await say(page, 'hello');
    await sees(page, ['hello', 'echo: hello']);
    const build = somethingToLose(whole, 'agent:main:web:dm:main');
    await say(page, 'run rm -r build');
    await card(page).getByRole('button', { name: '✅ Once' }).click();
    await card(page).getByText('owner allowed it once.').waitFor();
    await page.getByRole('log').getByText('done', { exact: true }).waitFor();
    expect(existsSync(build)).toBe(false);
  });

  it('shows the owner what waits on Telegram, and lets them decide it', async () => {
    const whole = await open(browser);
    const { page, telegram } = whole;
    telegram.inject({ chatId: 77, text: 'hello' });
    await telegram.waitFor(() => telegram.messages(77).length === 1);
    const build = somethingToLose(whole, 'agent:main:telegram:dm:77');
    telegram.inject({ chatId: 77, text: 'run rm -r build' });
    await telegram.waitFor(() => telegram.messages(77).some(({ buttons }) => buttons.length > 0));
    await page.evaluate('dispatchEvent(new Event("focus"))');
    const waiting = page.locator('.waiting');
    await waiting.getByText('U77').waitFor();
    await waiting.getByText('Telegram, direct message').waitFor();
    await waiting.getByRole('button', { name: '❌ No' }).click();
    await waiting.waitFor({ state: 'hidden' });
    await until(
      () => telegram.messages(77).some(({ text, buttons }) => buttons.length === 0 && text.includes('❌ The owner said no.')),
      () => 'the card is open',
    );
    expect(existsSync(build)).toBe(true);
  });
});
