/** The buttons of every platform that has some, over its real adapter and wire: who clicked is what the platform says, and nobody else decides. */
import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { platforms, webPlatform } from '../../adapters/index.ts';
import type { AccountConfig } from '../../adapters/platform.ts';
import type { ServerFrame } from '../../adapters/web/codec.ts';
import { createTestHost } from '../adapters/host.ts';
import { startFakeDiscord } from '../fakes/discord.ts';
import { APP_TOKEN, BOT_TOKEN, startFakeSlack } from '../fakes/slack.ts';
import { startFakeTelegram } from '../fakes/telegram.ts';
import { calls, riskyTool } from '../gateway/asks/support.ts';
import { pageDirectory } from '../gateway/http/fixture.ts';
import { until } from '../gateway/support/gateway.ts';
import { temporaryHome } from '../gateway/support/home.ts';
import { scriptedModel } from '../gateway/support/model.ts';
import { testSettings } from '../gateway/support/settings.ts';
import { cookieFor, PageClient } from '../page/page-client.ts';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';
import { noPacing } from '../support/gateway-process.ts';
import { stateOf } from './state.ts';

/** A platform's other side. Ann asks for something dangerous; Bob may talk to the bot too; Mallory may not. */
interface Stage {
  readonly config: object;
  readonly ann: string;
  readonly bob: string;
  readonly mallory: string;
  connected(daemon: TestDaemon): Promise<void>;
  say(text: string): void;
  /** What the buttons of the newest message say. */
  buttons(): readonly string[];
  /** Undefined: the platform lets nobody else come near the button. */
  readonly clickAs?: (person: string, label: string) => void;
  click(label: string): void;
  close(): Promise<void>;
}

const stages: Readonly<Record<string, () => Promise<Stage>>> = {
  telegram: async () => {
    const fake = await startFakeTelegram();
    const newest = () => fake.messages(501).at(-1);
    const clickAs = (person: string, label: string): void =>
      void fake.click({ chatId: 501, messageId: newest()?.id ?? 0 }, label, Number(person));
    return {
      config: { bot_token: fake.token, base_url: fake.root, poll_timeout_seconds: 1 },
      ann: '501',
      bob: '502',
      mallory: '503',
      connected: () => fake.waitFor(() => fake.polls.length > 0),
      say: (text) => void fake.inject({ chatId: 501, text }),
      buttons: () => (newest()?.buttons ?? []).flat().map(({ text }) => text),
      clickAs,
      click: (label) => clickAs('501', label),
      close: () => fake.close(),
    };
  },
  discord: async () => {
    const fake = await startFakeDiscord();
    const [ann, bob, mallory] = ['200000000000000007', '200000000000000008', '200000000000000009'] as const;
    for (const id of [ann, bob, mallory]) fake.addUser(id);
    const channel = fake.dm(ann);
    const newest = () => fake.messages(channel).at(-1);
    const clickAs = (user: string, label: string): void => void fake.click({ channel, message: newest()?.id ?? '', user }, label);
    return {
      config: { bot_token: fake.token, base_url: fake.root, cdn_url: fake.root },
      ...{ ann, bob, mallory },
      connected: ({ daemon }) => fake.waitFor(() => daemon.ready()),
      say: (text) => void fake.say({ channel, text }),
      buttons: () => (newest()?.buttons ?? []).map(({ label }) => label),
      clickAs,
      click: (label) => clickAs(ann, label),
      close: () => fake.close(),
    };
  },
  slack: async () => {
    const fake = await startFakeSlack();
    const where = { channel: 'D0DIRECT1', user: 'U0ANN' };
    const newest = () => fake.messages(where.channel).at(-1);
    const clickAs = (user: string, label: string): void => void fake.click({ channel: where.channel, ts: newest()?.ts ?? '' }, label, user);
    return {
      config: { bot_token: BOT_TOKEN, app_token: APP_TOKEN, base_url: fake.root },
      ann: 'U0ANN',
      bob: 'U0BOB',
      mallory: 'U0MALLORY',
      connected: ({ daemon }) => fake.waitFor(() => daemon.ready()),
      say: (text) => void fake.say(text, where),
      buttons: () => (newest()?.buttons ?? []).map(({ text }) => text),
      clickAs,
      click: (label) => clickAs('U0ANN', label),
      close: () => fake.close(),
    };
  },
  web: async () => {
    let page: PageClient | undefined;
    const cards = () => (page?.entries() ?? []).flatMap((entry) => (entry.type === 'ask' ? [entry] : []));
    return {
      config: { port: 0 },
      ann: 'owner',
      bob: '',
      mallory: '',
      connected: async ({ daemon }) => {
        const link = daemon.link ?? '';
        const gateway = { url: new URL('/', link).href, link: () => link };
        const cookie = await cookieFor(gateway);
        for (const wrong of ['', 'hermes_00000000=x']) {
          const stranger = new PageClient(gateway.url, wrong);
          await stranger.closed;
          expect(stranger.frames).toEqual([]);
        }
        page = await PageClient.open(gateway, cookie);
        page.send({ type: 'open', chat: 'main', epoch: '', seen: 0 });
        await page.until((frame): frame is ServerFrame => frame.type === 'opened');
      },
      say: (text) => page?.message(randomUUID(), text),
      buttons: () =>
        cards()
          .at(-1)
          ?.choices.map(({ label }) => label) ?? [],
      click: (label) => {
        const card = cards().at(-1);
        const choice = card?.choices.find((one) => one.label === label)?.id ?? '';
        page?.send({ type: 'answer', chat: 'main', id: randomUUID(), seq: card?.seq ?? 1, token: card?.token ?? '', choice });
      },
      close: async () => void (await page?.close()),
    };
  },
};

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function open(name: string) {
  const [platform, stage] = [platforms.find((one) => one.name === name), await stages[name]?.()];
  if (platform === undefined || stage === undefined) throw new Error(`there is no stage for ${name}`);
  const home = temporaryHome();
  const { tool, ran } = riskyTool();
  const allowed = { allowed_users: [stage.ann, stage.bob].filter((id) => id !== ''), pacing: noPacing };
  const config: AccountConfig = platform.schema.parse({ ...stage.config, ...allowed });
  const http = { config: { ...webPlatform.schema.parse({}), port: 0 }, pageDirectory: pageDirectory() };
  const started = await startTestDaemon({
    home,
    platforms: [{ platform, config }],
    settings: () => testSettings({ model: scriptedModel(calls), account: (key) => (key === `${name}/main` ? config : undefined) }),
    tools: [tool],
    ...(name === webPlatform.name ? { http } : {}),
  });
  closing.push(
    () => stage.close(),
    () => started.daemon.stop(),
  );
  await stage.connected(started);
  stage.say('remove build');
  await until(
    () => stage.buttons().length > 0,
    () => 'there is no card',
    15_000,
  );
  return { stage, home, ran, ...started };
}

describe('the inventory', () => {
  it('has a stage for every platform whose messages have buttons', async () => {
    const withButtons: string[] = [];
    for (const platform of platforms) {
      const { create } = await platform.load();
      const config = platform.schema.parse({ bot_token: '1:x', app_token: 'xapp-1', signing_secret: 'x', enabled: true });
      if (create(config, createTestHost(), []).buttons === true) withButtons.push(platform.name);
    }
    expect(withButtons.sort()).toEqual(Object.keys(stages).sort());
  });
});

describe.each(Object.keys(stages))('a card on %s', (name) => {
  it('is decided by nobody but the person who was asked', { timeout: 30_000 }, async () => {
    const { stage, home, ran, store, log } = await open(name);
    const labels = stage.buttons();
    expect(labels.length).toBeGreaterThan(1);
    const [ask] = store.asks.open();
    const heard = (): number => stateOf(home)['inbox']?.length ?? 0;
    const refused = (): number => log.lines.filter(({ message }) => message === 'a message was refused').length;
    for (const [index, label] of labels.entries()) {
      if (stage.clickAs === undefined) break;
      const before = heard();
      stage.clickAs(stage.bob, label);
      await until(
        () => heard() > before,
        () => 'the click did not come',
      );
      stage.clickAs(stage.mallory, label);
      await until(
        () => refused() > index,
        () => 'nobody was refused',
      );
    }
    expect([store.asks.open(), ran]).toEqual([[ask], []]);
    stage.click(labels.at(-1) ?? '');
    await until(
      () => store.asks.open().length === 0,
      () => 'it is open',
    );
    expect(store.asks.get(ask?.id ?? 0)?.decision).toMatchObject({ choice: 'deny', by: { id: stage.ann } });
    expect(ran).toEqual([]);
  });
});
