import { afterEach, describe, expect, it } from 'vitest';
import { FatalAdapterError, type Json } from '../../../adapters/adapter.ts';
import { type FakeTelegram, startFakeTelegram } from '../../fakes/telegram.ts';
import { type RigOptions, startRig, type TelegramRig } from './rig.ts';

const rigs: TelegramRig[] = [];
const fakes: FakeTelegram[] = [];
afterEach(async () => {
  for (const rig of rigs.splice(0)) await rig.close();
  for (const fake of fakes.splice(0)) await fake.close();
});

async function start(options: RigOptions = {}): Promise<TelegramRig> {
  const rig = await startRig(options);
  rigs.push(rig);
  return rig;
}

const CONFLICT = {
  status: 409,
  description: 'Conflict: terminated by other getUpdates request; make sure that only one bot instance is running',
};
const texts = ({ host }: TelegramRig): string[] => host.received.map((event) => (event.type === 'message' ? event.text : ''));
const lastState = ({ host }: TelegramRig) => host.states.at(-1);

describe('polling Telegram', () => {
  it('asks who it is before the very first poll, and polls at once on a warm start', async () => {
    const kept = new Map<string, Json>();
    const cold = await start({ kept });
    await cold.fake.waitFor(() => cold.host.alives > 0);
    const asked = cold.fake.calls.find(({ method }) => method === 'getMe');
    expect(asked?.t).toBeLessThan(cold.fake.polls[0]?.t ?? 0);
    await cold.stop();

    const warm = await start({ kept, before: (fake) => fake.fail('getMe', 'hang') });
    await warm.fake.waitFor(() => warm.host.alives > 0);
    warm.fake.inject({ chatId: 5, text: 'hi' });
    await warm.fake.waitFor(() => warm.host.received.length === 1);
  });

  it('says so when it could not ask again who it is', async () => {
    const kept = new Map<string, Json>();
    const cold = await start({ kept });
    await cold.fake.waitFor(() => cold.host.alives > 0);
    await cold.stop();
    const warm = await start({ kept, before: (fake) => fake.fail('getMe', { status: 500, description: 'Internal' }) });
    await warm.fake.waitFor(() => warm.host.logged.some((line) => line.startsWith('Who the bot is could not be asked again')));
    expect(lastState(warm)).toMatchObject({ state: 'connected' });
  });

  it('forgets who it was when the token is of another bot', async () => {
    const kept = new Map<string, Json>([['me', { id: 1, username: 'old_bot' }]]);
    const rig = await start({ kept });
    await rig.fake.waitFor(() => rig.host.alives > 0);
    expect(kept.get('me')).toEqual({ id: rig.fake.botId, username: rig.fake.username });
  });

  it('does not wait in its first poll, so that the line is proven at once', async () => {
    const rig = await start({ config: { poll_timeout_seconds: 50 } });
    await rig.fake.waitFor(() => rig.fake.openPolls() === 1);
    expect(rig.fake.polls.map(({ timeout }) => timeout)).toEqual([0, 50]);
    expect(lastState(rig)).toMatchObject({ state: 'connected' });
  });

  it('hands over what waited before the start in one batch', async () => {
    const rig = await start({ before: (fake) => void fake.injectMany([1, 2, 3].map((chatId) => ({ chatId, text: `from ${chatId}` }))) });
    await rig.fake.waitFor(() => rig.host.received.length === 3);
    expect(rig.host.offers.length).toBe(1);
    expect(texts(rig)).toEqual(['from 1', 'from 2', 'from 3']);
  });

  it('does not hide updates behind an old offset when their numbering starts again', async () => {
    const rig = await start();
    rig.fake.inject(textUpdate(900_000, 'before the quiet week'));
    await rig.fake.waitFor(() => rig.host.received.length === 1);
    await rig.fake.waitFor(() => rig.fake.polls.at(-1)?.offset === 0, 4000);
    rig.fake.inject(textUpdate(17, 'after it'));
    await rig.fake.waitFor(() => rig.host.received.length === 2);
    expect(texts(rig).at(-1)).toBe('after it');
  });

  it('skips an update that it cannot read and takes the ones around it', async () => {
    const rig = await start();
    rig.fake.injectMany([{ chatId: 5, text: 'one' }, { message: { message_id: 'broken' } }, { chatId: 5, text: 'two' }]);
    await rig.fake.waitFor(() => rig.host.received.length === 2);
    await rig.fake.waitFor(() => rig.fake.waiting().length === 0);
    expect(rig.host.logged.join()).toContain('not as documented');
  });

  it('says that messages wait when they cannot be stored, and takes them in order later', async () => {
    const rig = await start();
    await rig.fake.waitFor(() => rig.host.alives > 0);
    rig.host.refusal = new Error('disk full');
    rig.fake.inject({ chatId: 5, text: 'one' });
    await rig.fake.waitFor(() => rig.host.offers.length >= 3);
    rig.fake.inject({ chatId: 5, text: 'two' });
    expect(lastState(rig)).toMatchObject({
      state: expect.stringMatching(/degraded|down/),
      detail: expect.stringContaining('wait at Telegram'),
    });
    rig.host.refusal = undefined;
    await rig.fake.waitFor(() => rig.host.received.length === 2);
    expect(texts(rig)).toEqual(['one', 'two']);
    await rig.fake.waitFor(() => lastState(rig)?.state === 'connected');
  });

  it('tells Telegram at a stop what it has, so that nothing comes twice', async () => {
    const rig = await start();
    await rig.fake.waitFor(() => rig.fake.openPolls() === 1);
    // The stop comes before the next poll could confirm anything.
    let stopped: Promise<void> | undefined;
    const { receive } = rig.host;
    rig.host.receive = (events) => {
      receive(events);
      stopped = rig.stop();
    };
    rig.fake.inject({ chatId: 5, text: 'last words' });
    await rig.fake.waitFor(() => stopped !== undefined);
    await stopped;
    expect(rig.fake.waiting()).toEqual([]);
  });

  it('does not confirm at a stop what was never stored', async () => {
    const rig = await start();
    rig.host.refusal = new Error('disk full');
    rig.fake.inject({ chatId: 5, text: 'keep me' });
    await rig.fake.waitFor(() => rig.host.offers.length > 0);
    await rig.stop();
    expect(rig.fake.waiting().length).toBe(1);
  });

  it('removes a webhook that another program left', async () => {
    const rig = await start({ before: (fake) => fake.setWebhook('https://elsewhere.example.org') });
    await rig.fake.waitFor(() => lastState(rig)?.state === 'connected');
    expect(rig.fake.webhook().url).toBe('');
    expect(rig.fake.calls.find(({ method }) => method === 'deleteWebhook')?.body).toEqual({ drop_pending_updates: false });
  });
});

describe('a Telegram connection in trouble', () => {
  it.each([
    ['a revoked token', 'getMe', { status: 401, description: 'Unauthorized' }],
    ['a token that is none', 'getMe', { status: 404, description: 'Not Found' }],
    ['a token that was revoked while it polled', 'getUpdates', { status: 401, description: 'Unauthorized' }],
  ] as const)('stops for good and says what to do: %s', async (_title, method, how) => {
    const rig = await start({ before: (fake) => fake.fail(method, how) });
    const error: unknown = await rig.running.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(FatalAdapterError);
    expect(String(error)).toContain('@BotFather');
    expect(String(error)).not.toContain(rig.fake.token);
  });

  it('backs off from another poller, says so, and recovers alone', async () => {
    let other = true;
    const rig = await start({ before: (fake) => fake.fail('getUpdates', CONFLICT, () => other) });
    await rig.fake.waitFor(() => lastState(rig)?.state === 'down');
    expect(lastState(rig)?.detail).toContain('Another program');
    expect(rig.host.alives).toBe(0);
    const before = rig.fake.polls.length;
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(rig.fake.polls.length - before).toBeLessThan(10);
    other = false;
    await rig.fake.waitFor(() => lastState(rig)?.state === 'connected');
    expect(rig.fake.mostPolls()).toBe(1);
  });

  it('notices a second poller on the same token that comes and goes', async () => {
    const rig = await start();
    await rig.fake.waitFor(() => rig.fake.openPolls() === 1);
    const intruder = await fetch(`${rig.fake.root}/bot${rig.fake.token}/getUpdates?timeout=0`);
    expect(intruder.status).toBe(200);
    await rig.fake.waitFor(() => lastState(rig)?.state === 'degraded');
    await rig.fake.waitFor(() => lastState(rig)?.state === 'connected');
  });

  it('notices a black hole by its deadline and is back after it ends, without a restart', async () => {
    const rig = await start();
    await rig.fake.waitFor(() => rig.fake.openPolls() === 1);
    let hole = true;
    rig.fake.fail('*', 'hang', () => hole);
    rig.fake.inject({ chatId: 5, text: 'shakes the poll loose' });
    await rig.fake.waitFor(() => lastState(rig)?.state === 'degraded');
    expect(lastState(rig)?.detail).toContain('did not answer in time');
    hole = false;
    rig.fake.inject({ chatId: 5, text: 'after' });
    await rig.fake.waitFor(() => texts(rig).includes('after'));
    expect(rig.fake.mostPolls()).toBe(1);
  });

  it('has real deadlines that find a black hole within 90 s and end it within 30 s', async () => {
    const { TIMING } = await import('../../../adapters/telegram/client.ts');
    const longestPollMs = 50_000;
    expect(longestPollMs + TIMING.pollGraceMs).toBeLessThanOrEqual(90_000);
    expect(TIMING.probeMs + TIMING.backoffMaxMs).toBeLessThanOrEqual(30_000);
  });

  it('waits as long as Telegram asks for', async () => {
    const rig = await start({
      before: (fake) =>
        fake.fail('getUpdates', { status: 429, description: 'Too Many Requests: retry after 1', parameters: { retry_after: 1 } }),
    });
    await rig.fake.waitFor(() => rig.fake.polls.length >= 2);
    const [first, second] = rig.fake.polls;
    expect((second?.t ?? 0) - (first?.t ?? 0)).toBeGreaterThanOrEqual(990);
  });

  it('survives a server that is not there yet', async () => {
    const fake = await startFakeTelegram();
    const port = Number(new URL(fake.root).port);
    await fake.close();
    const rig = await start({ on: fake });
    await expect.poll(() => lastState(rig)?.detail).toContain('refused the connection');
    const revived = await startFakeTelegram({ port });
    fakes.push(revived);
    revived.inject({ chatId: 5, text: 'finally' });
    await expect.poll(() => texts(rig)).toEqual(['finally']);
    await rig.stop();
  });

  it('has exactly one poller through a hundred broken connections, and loses nothing', async () => {
    const rig = await start({ timing: { backoffFirstMs: 1, backoffMaxMs: 3 } });
    await rig.fake.waitFor(() => rig.fake.openPolls() === 1);
    const kinds = ['reset-before', 'reset-after', 'cut', { status: 502, body: '<html>Bad Gateway</html>' }] as const;
    for (let round = 0; round < 25; round += 1) for (const how of kinds) rig.fake.fail('getUpdates', how);
    for (let index = 0; index < 20; index += 1) rig.fake.inject({ chatId: 5, text: `n${index}` });
    await rig.fake.waitFor(() => rig.fake.polls.length > 100 && rig.fake.waiting().length === 0, 10_000);
    await rig.fake.waitFor(() => rig.fake.openPolls() === 1);
    // Dedupe is the host's: what matters here is that each arrived, in order.
    expect([...new Set(texts(rig))]).toEqual(Array.from({ length: 20 }, (_unused, index) => `n${index}`));
    expect(rig.fake.mostPolls()).toBe(1);
  });

  it('never writes its token anywhere', async () => {
    const rig = await start();
    await rig.fake.waitFor(() => rig.host.alives > 0);
    for (const how of ['reset-before', 'cut', { status: 500, description: 'x' }, { status: 502, body: 'x' }, CONFLICT] as const)
      rig.fake.fail('getUpdates', how);
    rig.fake.inject({ chatId: 5, text: 'x' });
    await rig.fake.waitFor(() => rig.host.logged.length >= 5);
    const secret = rig.fake.token.split(':')[1] ?? '';
    expect(JSON.stringify([rig.host.logged, rig.host.states])).not.toContain(secret);
  });
});

describe('the command menu', () => {
  const menu = [
    { name: 'stop', description: 'Stop the turn' },
    { name: 'reload-mcp', description: 'x'.repeat(300) },
    { name: 'größe', description: 'not allowed' },
  ];

  it('is set after the first poll, in names that Telegram accepts', async () => {
    const rig = await start({ menu });
    await rig.fake.waitFor(() => rig.fake.commands().length > 0);
    expect(rig.fake.commands()).toEqual([
      { command: 'stop', description: 'Stop the turn' },
      { command: 'reload_mcp', description: 'x'.repeat(256) },
    ]);
    const set = rig.fake.calls.find(({ method }) => method === 'setMyCommands');
    expect(set?.t).toBeGreaterThan(rig.fake.polls[0]?.t ?? Number.POSITIVE_INFINITY);
  });

  it('is set again only when it changed, or could not be set before', async () => {
    const kept = new Map<string, Json>();
    const counts: number[] = [];
    for (const [given, fault] of [
      [menu, true],
      [menu, false],
      [menu, false],
      [menu.slice(1), false],
    ] as const) {
      const rig = await start({ menu: given, kept, before: (fake) => fault && fake.fail('setMyCommands', { status: 500 }) });
      await rig.fake.waitFor(() => rig.host.alives > 0);
      await new Promise((resolve) => setTimeout(resolve, 100));
      counts.push(rig.fake.calls.filter(({ method }) => method === 'setMyCommands').length);
      await rig.close();
    }
    expect(counts).toEqual([1, 1, 0, 1]);
  });
});

function textUpdate(updateId: number, text: string): Record<string, unknown> {
  const chat = { id: 5, type: 'private', first_name: 'U5' };
  return {
    update_id: updateId,
    message: { message_id: updateId, date: 1_795_300_000, chat, from: { id: 5, is_bot: false, first_name: 'U5' }, text },
  };
}

describe('an album in a group', () => {
  const photo = (caption?: string) => ({
    chatId: -77,
    fromId: 5,
    text: '',
    extra: {
      text: undefined,
      media_group_id: 'album-1',
      photo: [{ file_id: 'f', file_unique_id: 'u', width: 1, height: 1 }],
      ...(caption === undefined
        ? {}
        : { caption, caption_entities: [{ type: 'mention', offset: 0, length: caption.split(' ')[0]?.length ?? 0 }] }),
    },
  });

  it('arrives whole when one of its items mentions the bot, and not at all when none does', async () => {
    const rig = await start();
    await rig.fake.waitFor(() => rig.host.alives > 0);
    rig.fake.injectMany([photo(), photo(`@${rig.fake.username} look`), photo()]);
    await rig.fake.waitFor(() => rig.host.received.length > 0);
    rig.fake.inject(photo()); // an item that comes in the next poll
    await rig.fake.waitFor(() => rig.host.received.length === 4);
    expect(rig.host.received.map((event) => event.type === 'message' && event.album)).toEqual(Array(4).fill('album-1'));
    const other = photo();
    rig.fake.inject({ ...other, extra: { ...other.extra, media_group_id: 'album-2' } });
    await rig.fake.waitFor(() => rig.fake.waiting().length === 0);
    expect(rig.host.received).toHaveLength(4);
  });
});
