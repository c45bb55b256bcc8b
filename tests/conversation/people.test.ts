/** The owner decides on the page who may talk to the bot, with the whole gateway behind it and Telegram beside it. */
import { fileURLToPath } from 'node:url';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Platform } from '../../adapters/platform.ts';
import { telegramPlatform } from '../../adapters/telegram/platform.ts';
import { webPlatform } from '../../adapters/web/platform.ts';
import { type FakeTelegram, startFakeTelegram } from '../fakes/telegram.ts';
import { temporaryHome } from '../gateway/support/home.ts';
import { testSettings } from '../gateway/support/settings.ts';
import { chromiumPath, launch, needsChromium, signedIn } from '../page/browser.ts';
import { startTestDaemon, telegramAccount } from '../support/daemon.ts';
import { actor } from './support/model.ts';

const pageDirectory = fileURLToPath(new URL('../../dist/web', import.meta.url));
const OWNER = 11;
const STRANGER = 77;

interface Whole {
  readonly telegram: FakeTelegram;
  readonly page: Page;
}

async function open(browser: Browser): Promise<Whole> {
  const telegram = await startFakeTelegram();
  const config = telegramAccount(telegram, { allowed_users: [] });
  const web = webPlatform.schema.parse({ port: 0 });
  const settings = testSettings({
    model: actor(() => undefined),
    access: { unauthorized_dm_behavior: 'pair' },
    account: (key) => (key === 'web/main' ? web : config),
  });
  const { daemon } = await startTestDaemon({
    home: temporaryHome(),
    platforms: [
      { platform: telegramPlatform as Platform, config },
      { platform: webPlatform as Platform, config: web },
    ],
    settings: () => settings,
    http: { config: web, pageDirectory },
  });
  const link = daemon.link ?? '';
  const context = await browser.newContext({ locale: 'en-GB' });
  onTestFinished(async () => {
    await context.close();
    await daemon.stop();
    await telegram.close();
  });
  const { page, faults } = await signedIn(context, { url: new URL('/', link).href, link: () => link });
  onTestFinished(() => expect(faults).toEqual([]));
  return { telegram, page };
}

const panel = (page: Page): Locator => page.getByRole('dialog', { name: 'People' });
const texts = ({ telegram }: Whole, chatId: number): readonly string[] => telegram.messages(chatId).map(({ text }) => text);

/** What the chat shows once something in it fits. */
async function reads(whole: Whole, chatId: number, words: RegExp): Promise<string> {
  const find = (): string | undefined => texts(whole, chatId).find((text) => words.test(text));
  await whole.telegram.waitFor(() => find() !== undefined);
  return find() ?? '';
}

async function codeOf(whole: Whole): Promise<string> {
  whole.telegram.inject({ chatId: STRANGER, text: 'let me in' });
  return /Your code is ([A-Z2-9]{8})/.exec(await reads(whole, STRANGER, /Your code is/))?.[1] ?? '';
}

describe.skipIf(chromiumPath === undefined)(`people at the door, in a browser${needsChromium}`, { timeout: 40_000 }, () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  }, 60_000);
  afterAll(() => browser.close());

  it('become the owner by the code on the page, are let in by the code that they read out, greeted, heard, and not heard once revoked', async () => {
    const whole = await open(browser);
    const { page, telegram } = whole;
    await page.getByRole('button', { name: 'People: who may talk to Hermes' }).click();
    telegram.inject({ chatId: OWNER, text: await panel(page).locator('.claim-code').innerText() });
    await reads(whole, OWNER, /You are my owner now/);
    await panel(page).getByText('Become the owner').waitFor({ state: 'hidden' });

    const code = await codeOf(whole);
    await reads(whole, OWNER, /U77 \(id 77\) on Telegram wants to talk to me/);
    const field = panel(page).getByLabel('The code that U77 reads out to you');
    await field.fill(code.startsWith('A') ? 'BBBBBBBB' : 'AAAAAAAA');
    await field.press('Enter');
    await panel(page).getByRole('alert').getByText('This is no code that anybody on Telegram was given').waitFor();
    await field.fill(code.toLowerCase());
    await field.press('Enter');
    await panel(page).getByText('U77 may now talk to me on Telegram.').waitFor();
    await reads(whole, STRANGER, /My owner has let you in/);
    await reads(whole, OWNER, /No longer needed/);
    telegram.inject({ chatId: STRANGER, text: 'hello' });
    await reads(whole, STRANGER, /^echo: hello$/);

    await panel(page).getByRole('button', { name: 'Revoke U77' }).click();
    await panel(page).getByRole('button', { name: 'Revoke now U77' }).click();
    await panel(page).getByText('U77 may not talk to me on Telegram any more').waitFor();
    await panel(page).getByRole('list', { name: 'Let in' }).getByText('U77').first().waitFor({ state: 'detached' });
    telegram.inject({ chatId: STRANGER, text: 'still there?' });
    telegram.inject({ chatId: OWNER, text: 'and I?' });
    await reads(whole, OWNER, /^echo: and I\?$/);
    expect(texts(whole, STRANGER)).not.toContain('echo: still there?');
  });

  it('are asked about on the page while there is no owner elsewhere, with a button that lets them in', async () => {
    const whole = await open(browser);
    const { page } = whole;
    await codeOf(whole);
    const card = page.getByRole('article', { name: 'Question #1' });
    await card.getByText('U77 (id 77) on Telegram wants to talk to me').waitFor();
    await page.evaluate('dispatchEvent(new Event("focus"))');
    expect(await page.getByRole('button', { name: 'Stop' }).isVisible()).toBe(false);
    await card.getByRole('button', { name: 'Let in' }).click();
    await card.getByText('owner let them in.').waitFor();
    await reads(whole, STRANGER, /My owner has let you in/);
    expect(await page.locator('.waiting').isVisible()).toBe(false);
  });

  it('are named on the page, and not their owner, while the owner is asked about them elsewhere', async () => {
    const whole = await open(browser);
    const { page, telegram } = whole;
    await page.getByRole('button', { name: 'People: who may talk to Hermes' }).click();
    telegram.inject({ chatId: OWNER, text: await panel(page).locator('.claim-code').innerText() });
    await reads(whole, OWNER, /You are my owner now/);
    await page.keyboard.press('Escape');
    await codeOf(whole);
    await page.evaluate('dispatchEvent(new Event("focus"))');
    const waiting = page.locator('.waiting');
    await waiting.getByText('U77', { exact: true }).waitFor();
    expect(await waiting.innerText()).not.toContain(`U${OWNER}`);
    await waiting.getByRole('button', { name: 'Let in' }).click();
    await reads(whole, STRANGER, /My owner has let you in/);
    await reads(whole, OWNER, /The owner let them in/);
    await waiting.waitFor({ state: 'hidden' });
  });
});
