import { existsSync } from 'node:fs';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { expect, vi } from 'vitest';
import type { EchoGateway } from './echo-gateway.ts';

const CANDIDATES = [process.env['CHROMIUM_PATH'], '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Undefined where no Chromium is installed: the tests that need it skip and say so. */
export const chromiumPath = CANDIDATES.find((path) => path !== undefined && existsSync(path));

export const needsChromium = chromiumPath === undefined ? ' (SKIPPED: needs Chromium; apt-get install chromium or set CHROMIUM_PATH)' : '';

export function launch(): Promise<Browser> {
  if (chromiumPath === undefined) throw new Error('There is no Chromium here.');
  // Chromium's own sandbox works for ordinary users only.
  return chromium.launch({ executablePath: chromiumPath, chromiumSandbox: process.getuid?.() !== 0 });
}

export interface Tab {
  readonly page: Page;
  /** Violations of the content security policy, uncaught errors, requests that left the gateway: there may be none. */
  readonly faults: readonly string[];
}

/** A running server with the page behind it. */
type Served = Pick<EchoGateway, 'url' | 'link'>;

export async function newTab(context: BrowserContext, gateway: Pick<Served, 'url'>): Promise<Tab> {
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(`error: ${error.message}`));
  page.on('console', (message) => {
    if (/content security policy|refused to/i.test(message.text())) faults.push(`policy: ${message.text()}`);
  });
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (!['data:', 'about:'].includes(url.protocol) && url.host !== new URL(gateway.url).host) faults.push(`request: ${request.url()}`);
  });
  return { page, faults };
}

/** Opens a fresh link, as a person does. */
export async function signedIn(context: BrowserContext, gateway: Served): Promise<Tab> {
  const tab = await newTab(context, gateway);
  await tab.page.goto(gateway.link());
  await connected(tab.page);
  return tab;
}

export async function connected(page: Page): Promise<void> {
  await page.waitForSelector('.state[data-state=connected]');
}

export async function say(page: Page, text: string): Promise<void> {
  await page.fill('#message', text);
  await page.press('#message', 'Enter');
}

/** What a reader sees of the conversation, in order. */
export function shown(page: Page): Promise<string[]> {
  return page.locator('.column > article .bubble').allInnerTexts();
}

export const SLOW = { timeout: 20_000, interval: 50 };

/** Waits until the conversation is this. */
export function sees(page: Page, texts: readonly unknown[]): Promise<void> {
  return vi.waitFor(async () => expect(await shown(page)).toEqual(texts), SLOW);
}
