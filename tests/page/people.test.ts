import type { Locator, Page, Route } from 'playwright-core';
import { describe, expect, it, vi } from 'vitest';
import type { PeopleControl, PeopleList } from '../../gateway/status.ts';
import { useBench } from './bench.ts';
import { chromiumPath, connected, needsChromium, SLOW, say, sees } from './browser.ts';

type Known = PeopleList['people'][number];
type Waits = PeopleList['requests'][number];

const ann: Known = {
  account: 'telegram/main',
  person: '77',
  name: 'Ann',
  role: 'user',
  groupRole: 'user',
  approvedAtMs: Date.UTC(2026, 0, 2),
};
const boss: Known = { ...ann, account: 'whatsapp/work', person: '4915@lid', name: 'The Boss', role: 'owner', groupRole: 'admin' };
const bob = (): Waits => ({ id: 'b', account: 'telegram/main', person: '88', name: 'Bob', expiresAtMs: Date.now() + 1_830_000 });
const HOSTILE = '<img src=x onerror="window.taken = 1">\u202ebob';
const LOCKED = 'Too many wrong codes: pairing on Telegram is locked until 14:05 UTC.';

/** The daemon's side, as far as the page sees it: one code lets in whoever waits first. */
class Desk implements PeopleControl {
  list: PeopleList;
  code = 'ABCDEFGH';
  readonly calls: (readonly unknown[])[] = [];

  constructor(list: Partial<PeopleList>) {
    this.list = { people: [], requests: [], ...list };
  }

  /** How often somebody looked. */
  looks = 0;

  all(): PeopleList {
    this.looks += 1;
    return this.list;
  }

  approve(...[account, code, role = 'user']: Parameters<PeopleControl['approve']>) {
    this.calls.push(['approve', account, code, role]);
    const [first, ...requests] = this.list.requests;
    if (code !== this.code || first === undefined) return { done: false, text: LOCKED };
    const { person, name } = first;
    this.list = { people: [...this.list.people, { ...ann, account, person, name, role, groupRole: role }], requests };
    return { done: true, text: `${name} may now talk to me on Telegram.` };
  }

  revoke(account: string, person: string) {
    this.calls.push(['revoke', account, person]);
    const left = this.list.people.filter((known) => known.person !== person);
    if (left.length === this.list.people.length) return { done: false, text: 'Nobody with that id was let in.' };
    this.list = { ...this.list, people: left };
    return { done: true, text: 'They may not talk to me any more.' };
  }

  clear(account?: string) {
    this.calls.push(['clear', account]);
    this.list = { ...this.list, requests: [] };
    return { done: true, text: '1 request is forgotten.' };
  }
}

const panel = (page: Page): Locator => page.getByRole('dialog', { name: 'People' });
const opener = (page: Page): Locator => page.getByRole('button', { name: 'People: who may talk to Hermes' });
const press = (page: Page, name: string): Promise<void> => panel(page).getByRole('button', { name, exact: true }).click();
const focused = (page: Page): Promise<unknown> => page.evaluate('document.activeElement.ariaLabel || document.activeElement.innerText');
const look = (page: Page): Promise<unknown> => page.evaluate('document.dispatchEvent(new Event("visibilitychange"))');

async function textOf(page: Page): Promise<string> {
  return (await panel(page).innerText()).replaceAll(/\s+/g, ' ');
}

describe.skipIf(chromiumPath === undefined)(`the people on the page, in a browser${needsChromium}`, { timeout: 40_000 }, () => {
  const bench = useBench();

  async function open(list: Partial<PeopleList>): Promise<{ readonly page: Page; readonly desk: Desk }> {
    const desk = new Desk(list);
    bench.gateway.people = desk;
    const page = await bench.open();
    await opener(page).click();
    await panel(page).getByRole('heading', { name: 'Waiting to be let in' }).waitFor();
    return { page, desk };
  }

  it('shows the code that makes the first owner and what to do with it, until there is one', async () => {
    const { page, desk } = await open({ claimCode: 'WXYZ2345' });
    const text = await textOf(page);
    for (const part of ['Become the owner', 'Write this code to the bot in a direct message', 'WXYZ2345', 'Nobody waits.', 'Nobody yet.'])
      expect(text).toContain(part);
    desk.list = { people: [boss], requests: [] };
    await look(page);
    await panel(page).getByText('The Boss').first().waitFor();
    expect(await textOf(page)).not.toContain('WXYZ2345');
    expect(await textOf(page)).not.toContain('Become the owner');
  });

  it('shows who waits and who is let in: name, platform in words, id, role, and until or since when', async () => {
    const { page } = await open({ people: [ann, boss], requests: [bob()] });
    const text = await textOf(page);
    for (const part of [
      'Bob 30 min left',
      'Telegram, id 88',
      'Ann User',
      'Telegram, id 77, since 2 Jan 2026',
      'The Boss Owner, in groups Admin',
    ])
      expect(text).toContain(part);
    expect(text).toContain('WhatsApp (work), id 4915@lid');
  });

  it('lets in whose code is typed, says so, and lists them', async () => {
    const { page, desk } = await open({ requests: [bob()] });
    await panel(page).getByLabel('The code that Bob reads out to you').fill(' ABCDEFGH ');
    await page.keyboard.press('Enter');
    await panel(page).getByText('Bob may now talk to me on Telegram.').waitFor();
    expect(desk.calls).toEqual([['approve', 'telegram/main', 'ABCDEFGH', 'user']]);
    await panel(page).getByRole('list', { name: 'Let in' }).getByText('Bob').first().waitFor();
    expect(await panel(page).getByLabel('The code that').count()).toBe(0);
    expect(await focused(page)).toBe('Let in');
  });

  it('lets in as more than a user when that is chosen', async () => {
    const { page, desk } = await open({ requests: [bob()] });
    await panel(page).getByLabel('Let in as').selectOption('as admin');
    await panel(page).getByLabel('The code that').fill('ABCDEFGH');
    await press(page, 'Approve');
    await panel(page).getByText('may now talk').waitFor();
    expect(desk.calls).toEqual([['approve', 'telegram/main', 'ABCDEFGH', 'admin']]);
  });

  it('says in the words of the gateway why a code does not do, and keeps it for mending', async () => {
    const { page, desk } = await open({ requests: [bob()] });
    const field = panel(page).getByLabel('The code that');
    await field.fill('ABCDEFGX');
    await press(page, 'Approve');
    await panel(page).getByRole('alert').getByText(LOCKED).waitFor();
    expect([await field.inputValue(), await field.getAttribute('aria-invalid')]).toEqual(['ABCDEFGX', 'true']);
    expect(await page.evaluate('document.activeElement.id')).toBe(await field.getAttribute('id'));
    await field.fill('  ');
    await press(page, 'Approve');
    expect(desk.calls).toHaveLength(1);
  });

  it('asks for one code for all who wait on an account, because a code does not say whose it is', async () => {
    const requests = [bob(), { ...bob(), id: 'c', person: '99', name: '' }, { ...bob(), id: 'd', account: 'slack/main', name: 'Cy' }];
    const { page } = await open({ requests });
    expect(await panel(page).locator('label').allInnerTexts()).toEqual([
      'The code that one of them reads out to you',
      'The code that Cy reads out to you',
    ]);
    expect(await textOf(page)).toContain('99 30 min left Telegram, id 99');
  });

  it('revokes only whom it was asked twice about, and never by a double click', async () => {
    const { page, desk } = await open({ people: [ann, boss] });
    await panel(page).getByRole('button', { name: 'Revoke Ann' }).dblclick();
    await press(page, 'Keep Ann');
    expect(desk.calls).toEqual([]);
    await press(page, 'Revoke Ann');
    await panel(page).getByText('Whatever is at work for them ends now').first().waitFor();
    await press(page, 'Revoke now Ann');
    await panel(page).getByText('They may not talk to me any more.').waitFor();
    expect(desk.calls).toEqual([['revoke', 'telegram/main', '77']]);
    await panel(page).getByText('Ann', { exact: true }).waitFor({ state: 'detached' });
    await panel(page).getByRole('button', { name: 'Revoke The Boss' }).click();
    await panel(page).getByText('The bot then has no owner').waitFor();
  });

  it('says why somebody could not be revoked, and asks no more', async () => {
    const { page, desk } = await open({ people: [ann] });
    await press(page, 'Revoke Ann');
    desk.revoke = () => ({ done: false, text: 'Nobody with that id was let in.' });
    await press(page, 'Revoke now Ann');
    await panel(page).getByText('Nobody with that id was let in.').waitFor();
    await panel(page).getByRole('button', { name: 'Revoke Ann', exact: true }).waitFor();
    expect(await panel(page).getByRole('button', { name: 'Revoke now' }).count()).toBe(0);
    expect(await focused(page)).toBe('Revoke Ann');
  });

  it('forgets requests', async () => {
    const { page, desk } = await open({ requests: [bob()] });
    await press(page, 'Forget requests');
    await panel(page).getByText('1 request is forgotten.').waitFor();
    await panel(page).getByText('Nobody waits.').waitFor();
    expect(desk.calls).toEqual([['clear', undefined]]);
    expect(await focused(page)).toBe('Let in');
    expect(await panel(page).getByRole('button', { name: 'Forget requests' }).count()).toBe(0);
  });

  it('keeps up with what changes, without touching what is typed or asked', async () => {
    const { page, desk } = await open({ people: [ann], requests: [bob()] });
    await press(page, 'Revoke Ann');
    await panel(page).getByLabel('The code that').fill('ABCD');
    desk.list = { people: [ann, boss], requests: [bob(), { ...bob(), id: 'c', name: 'Cy' }] };
    // By itself: nobody told it to look.
    await panel(page).getByText('Cy').waitFor();
    await panel(page).getByText('The Boss').first().waitFor();
    expect(await panel(page).getByLabel('The code that').inputValue()).toBe('ABCD');
    expect(await page.evaluate('document.activeElement.tagName')).toBe('INPUT');
    expect(await panel(page).getByRole('button', { name: 'Keep Ann' }).isVisible()).toBe(true);
  });

  it('does not show again who was revoked when an older list comes late', async () => {
    const { page } = await open({ people: [ann] });
    const late = Promise.withResolvers<void>();
    const taken = Promise.withResolvers<void>();
    const hold = async (route: Route): Promise<void> => {
      const response = await route.fetch();
      taken.resolve();
      await late.promise;
      await route.fulfill({ response });
    };
    await page.route('**/api/people', hold, { times: 1 });
    await look(page);
    await taken.promise;
    await press(page, 'Revoke Ann');
    await press(page, 'Revoke now Ann');
    await panel(page).getByText('Nobody yet.').waitFor();
    const arrived = page.waitForEvent('requestfinished');
    late.resolve();
    await arrived;
    await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))');
    expect(await panel(page).getByText('Nobody yet.').isVisible()).toBe(true);
  });

  it('says that the gateway does not answer, keeps what it knew, and looks again', async () => {
    const { page } = await open({ people: [ann] });
    await bench.gateway.stop();
    await look(page);
    await panel(page).getByRole('alert').getByText('does not answer now').waitFor();
    expect(await textOf(page)).toContain('Ann User');
    await bench.gateway.start();
    await vi.waitFor(async () => expect(await textOf(page)).not.toContain('does not answer'), SLOW);
    await connected(page);
  });

  it('is text, whatever strangers call themselves', async () => {
    const { page } = await open({
      people: [{ ...ann, name: HOSTILE, person: HOSTILE }],
      requests: [{ ...bob(), name: HOSTILE, person: HOSTILE }],
    });
    expect(await panel(page).locator('img').count()).toBe(0);
    expect(await page.evaluate('window.taken')).toBeUndefined();
    expect(await panel(page).locator('.person-where bdi').count()).toBe(2);
  });

  it('is worked by keyboard, and gives the focus back to where it came from', async () => {
    const { page } = await open({ people: [ann], requests: [bob()] });
    await page.keyboard.press('Escape');
    await panel(page).waitFor({ state: 'hidden' });
    await opener(page).press('Enter');
    await panel(page).getByText('Ann').first().waitFor();
    expect(await focused(page)).toBe('Close');
    const seen: unknown[] = [];
    for (let stop = 0; stop < 5; stop++) {
      await page.keyboard.press('Tab');
      expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).toBe('solid');
      seen.push(await page.evaluate('document.activeElement.ariaLabel || document.activeElement.innerText || document.activeElement.id'));
    }
    expect(seen).toEqual(['code-telegram/main', 'Let in as', 'Approve', 'Forget requests', 'Revoke Ann']);
    await page.keyboard.press('Enter');
    expect(await focused(page)).toBe('Keep Ann');
    await page.keyboard.press('Enter');
    expect(await focused(page)).toBe('Revoke Ann');
    await page.keyboard.press('Escape');
    await panel(page).waitFor({ state: 'hidden' });
    expect(await focused(page)).toBe('People: who may talk to Hermes');
  });

  it.each([390, 768, 1440])(
    'fits %i px: nothing is wider than the panel, fields do not zoom, and what was said is in sight',
    async (width) => {
      await bench.context.close();
      bench.context = await bench.browser.newContext({ viewport: { width, height: 700 }, locale: 'en-GB' });
      const desk = new Desk({
        people: [
          { ...ann, name: 'x'.repeat(200), person: 'y'.repeat(80) },
          ...Array.from({ length: 12 }, (_, index) => ({ ...ann, person: `${index}` })),
        ],
        requests: [bob()],
        claimCode: 'WXYZ2345',
      });
      bench.gateway.people = desk;
      const page = await bench.open();
      if (width < 760) await page.getByRole('button', { name: 'Chats' }).click();
      await opener(page).click();
      await panel(page).getByText('Bob').first().waitFor();
      expect(await panel(page).evaluate((dialog) => dialog.scrollWidth - dialog.clientWidth)).toBe(0);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
      expect(await page.evaluate('getComputedStyle(document.querySelector(".dialog input")).fontSize')).toBe('16px');
      await press(page, 'Forget requests');
      const said = panel(page).getByText('1 request is forgotten.');
      await said.waitFor();
      const box = await said.boundingBox();
      expect((box?.y ?? 999) + (box?.height ?? 0)).toBeLessThan(700);
    },
  );

  it('is not in the way once it is closed, and looks no more', async () => {
    const { page, desk } = await open({ people: [ann] });
    const closed = page.evaluate('new Promise((done) => document.querySelector(".dialog-people").addEventListener("close", () => done()))');
    await press(page, 'Close');
    await closed;
    const { looks } = desk;
    await look(page);
    await say(page, 'hello');
    await sees(page, ['hello', 'You said: hello']);
    expect(await panel(page).isVisible()).toBe(false);
    expect(desk.looks).toBe(looks);
  });

  it('is told of who waits without being opened: how many, and none when nobody does', async () => {
    const desk = new Desk({ requests: [bob()] });
    bench.gateway.people = desk;
    bench.gateway.strangers = 2;
    const page = await bench.open();
    const badge = page.locator('.tool-count');
    await badge.getByText('2').waitFor();
    expect(await opener(page).getAttribute('aria-describedby')).toBe(await badge.getAttribute('id'));
    expect(await badge.textContent()).toBe('2 strangers wait to be let in');
    expect(desk.looks).toBe(0);
    await opener(page).click();
    await panel(page).getByText('Bob').first().waitFor();
    expect(await badge.textContent()).toBe('1 stranger waits to be let in');
    bench.gateway.strangers = 0;
    await press(page, 'Forget requests');
    await panel(page).getByText('Nobody waits.').waitFor();
    await badge.waitFor({ state: 'hidden' });
    expect(await badge.textContent()).toBe('');
  });

  it('is closed by a click beside it, and not where a selection in it ends there', async () => {
    const { page } = await open({ requests: [bob()] });
    const field = await panel(page).getByLabel('The code that').boundingBox();
    await page.mouse.move((field?.x ?? 0) + 20, (field?.y ?? 0) + 10);
    await page.mouse.down();
    await page.mouse.move(5, 5);
    await page.mouse.up();
    expect(await panel(page).isVisible()).toBe(true);
    await page.mouse.click(5, 5);
    await panel(page).waitFor({ state: 'hidden' });
  });

  it('begins anew when it is opened again: nothing is typed or asked, and nothing old is said', async () => {
    const { page } = await open({ people: [ann], requests: [bob()] });
    await panel(page).getByLabel('The code that').fill('ABCD');
    await press(page, 'Approve');
    await panel(page).getByRole('alert').getByText(LOCKED).waitFor();
    await press(page, 'Revoke Ann');
    await press(page, 'Close');
    await opener(page).click();
    await panel(page).getByText('Ann').first().waitFor();
    expect(await panel(page).getByLabel('The code that').inputValue()).toBe('');
    expect(await panel(page).getByRole('button', { name: 'Revoke now' }).count()).toBe(0);
    expect(await textOf(page)).not.toContain(LOCKED);
  });

  it('keeps the way out in sight, however far one has scrolled', async () => {
    const people = Array.from({ length: 30 }, (_, index) => ({ ...ann, person: `${index}` }));
    const { page } = await open({ people });
    await panel(page).evaluate((dialog) => dialog.scrollTo(0, dialog.scrollHeight));
    const [around, close] = [await panel(page).boundingBox(), await panel(page).getByRole('button', { name: 'Close' }).boundingBox()];
    expect(close?.y).toBeGreaterThanOrEqual(around?.y ?? 999);
  });
});
