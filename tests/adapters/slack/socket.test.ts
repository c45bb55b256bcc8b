import { afterEach, describe, expect, it } from 'vitest';
import { FatalAdapterError, type Json } from '../../../adapters/adapter.ts';
import { CHANNEL, DIRECT, type RigOptions, type SlackRig, startRig } from './rig.ts';

let rigs: SlackRig[] = [];
afterEach(async () => {
  for (const rig of rigs.toReversed()) await rig.close();
  rigs = [];
});

async function start(options: RigOptions = {}): Promise<SlackRig> {
  const rig = await startRig(options);
  rigs.push(rig);
  return rig;
}

async function connected(options: RigOptions = {}): Promise<SlackRig> {
  const rig = await start(options);
  await rig.connected();
  return rig;
}

const texts = ({ host }: SlackRig): string[] => host.received.map((event) => (event.type === 'message' ? event.text : event.type));
const states = ({ host }: SlackRig): string[] => host.states.map(({ state }) => state);

describe('an event over Socket Mode', () => {
  it('is acknowledged only after it is on disk', async () => {
    const { fake, host } = await connected();
    let storedAt = Number.NaN;
    const receive = host.receive.bind(host);
    host.receive = (events, keep) => {
      receive(events, keep);
      storedAt = performance.timeOrigin + performance.now();
      expect(fake.envelopes[0]?.acknowledgedAt).toBeUndefined();
    };
    fake.say('hello');
    await fake.waitFor(() => fake.unacknowledged() === 0);
    expect(fake.envelopes[0]?.acknowledgedAt ?? 0).toBeGreaterThanOrEqual(storedAt);
    expect(texts({ host } as SlackRig)).toEqual(['hello']);
  });

  it('that comes again is acknowledged and handed over once', async () => {
    const rig = await connected();
    rig.fake.say('once');
    await rig.fake.waitFor(() => rig.fake.unacknowledged() === 0);
    const [envelope] = rig.fake.envelopes;
    if (envelope === undefined) throw new Error('nothing was sent');
    rig.fake.again(envelope);
    await rig.fake.waitFor(() => rig.fake.unacknowledged() === 0 && envelope.sentAs.length === 2);
    expect(texts(rig)).toEqual(['once']);
  });

  it('whose first delivery nobody heard is taken when it comes again', async () => {
    const rig = await connected();
    rig.fake.mood('deaf');
    rig.fake.say('unheard');
    rig.fake.mood('well');
    const [envelope] = rig.fake.envelopes;
    if (envelope === undefined) throw new Error('nothing was written');
    envelope.sentAs.push('lost-on-the-way');
    rig.fake.again(envelope);
    await rig.fake.waitFor(() => rig.host.received.length === 1);
    expect(texts(rig)).toEqual(['unheard']);
    await rig.fake.waitFor(() => rig.fake.unacknowledged() === 0);
  });

  it('is one, although a mention is told twice', async () => {
    const rig = await connected();
    rig.fake.say(`<@${rig.fake.botUser}> hello`, { channel: CHANNEL });
    await rig.fake.waitFor(() => rig.fake.envelopes.length === 2 && rig.fake.unacknowledged() === 0);
    expect(texts(rig)).toEqual(['hello']);
  });

  it('of ourselves is acknowledged and left out', async () => {
    const rig = await connected();
    await rig.adapter.send(
      { type: 'text', chat: { platform: 'slack', account: 'main', chat: DIRECT }, markdown: 'my own words' },
      'k',
      AbortSignal.timeout(5000),
    );
    await rig.fake.waitFor(() => rig.fake.envelopes.length === 1 && rig.fake.unacknowledged() === 0);
    expect(rig.host.received).toEqual([]);
  });

  it('that cannot be stored ends the connection, so that nothing behind it is taken for read', async () => {
    const rig = await connected();
    rig.host.refusal = new Error('disk full');
    rig.fake.say('first');
    await rig.fake.waitFor(() => states(rig).includes('degraded'));
    expect(rig.host.states.at(-1)?.detail).toContain('could not be stored');
    rig.host.refusal = undefined;
    rig.fake.say('second');
    await rig.fake.waitFor(() => rig.host.received.length === 2);
    expect(texts(rig)).toEqual(['first', 'second']);
  });

  it('keeps its place behind one whose sender must be asked for', async () => {
    const rig = await connected({ fake: { retryMs: 20_000 }, timing: { probeMs: 60_000 } });
    rig.fake.fail('users.info', 'hang');
    rig.fake.say('slow', { user: 'U0SLOW001' });
    rig.fake.say('quick');
    await rig.fake.waitFor(() => rig.host.received.length === 2);
    expect(texts(rig)).toEqual(['slow', 'quick']);
    expect(rig.host.received.map(({ sender }) => sender.name)).toEqual(['U0SLOW001', 'Ann']);
  });
});

describe('the connection', () => {
  it('follows Slack where it moves it, and stays up meanwhile', async () => {
    const rig = await connected({ timing: { usefulMs: 0 } });
    rig.fake.refresh();
    await rig.fake.waitFor(() => rig.fake.sockets().ever === 2 && rig.fake.sockets().open === 1);
    rig.fake.say('still there?');
    await rig.fake.waitFor(() => rig.host.received.length === 1);
    expect(states(rig)).toEqual(['connecting', 'connected']);
    expect(rig.fake.sockets().most).toBe(1);
  });

  it('comes back after it was cut, with one socket at a time', async () => {
    const rig = await connected();
    for (let round = 2; round <= 4; round += 1) {
      rig.fake.dropSockets();
      await rig.fake.waitFor(() => rig.fake.sockets().ever >= round && rig.fake.sockets().open === 1);
    }
    rig.fake.say('back');
    await rig.fake.waitFor(() => rig.host.received.length === 1);
    expect(rig.fake.sockets().most).toBe(1);
  });

  it.each(['silent', 'frozen'] as const)('that falls %s is noticed, told and opened anew', async (mood) => {
    const rig = await connected();
    rig.fake.mood(mood);
    if (mood === 'silent') rig.fake.dropSockets();
    await rig.fake.waitFor(() => ['degraded', 'down'].includes(states(rig).at(-1) ?? ''));
    expect(rig.host.states.at(-1)?.detail).toContain('No messages from Slack');
    rig.fake.mood('well');
    rig.fake.say('hello?');
    await rig.fake.waitFor(() => rig.host.received.length === 1, 8000);
    await rig.fake.waitFor(() => states(rig).at(-1) === 'connected');
    expect(rig.fake.sockets().most).toBe(1);
  });

  it('that is merely quiet stays, on the evidence of its pongs', async () => {
    const rig = await connected({ timing: { pingMs: 150 } });
    const { alives } = rig.host;
    await rig.fake.waitFor(() => rig.host.alives > alives + 10);
    expect(rig.fake.sockets()).toEqual({ ever: 1, open: 1, most: 1 });
    expect(states(rig)).toEqual(['connecting', 'connected']);
  });

  it('that answers pings and brings no events is noticed by what stands in the history', async () => {
    const clock = { ms: Date.now() };
    const rig = await connected({ timing: { auditMs: 40 }, now: () => clock.ms });
    rig.fake.say('heard');
    await rig.fake.waitFor(() => rig.host.received.length === 1);
    rig.fake.mood('deaf');
    rig.fake.say('not heard');
    clock.ms += 25_000;
    await rig.fake.waitFor(() => rig.host.states.some(({ detail }) => detail?.includes('does not send')));
    rig.fake.mood('well');
    await rig.fake.waitFor(() => rig.host.received.length === 2);
    expect(texts(rig)).toEqual(['heard', 'not heard']);
  });

  it('that brings nothing from the first moment of a new process is noticed, too', async () => {
    const clock = { ms: Date.now() };
    const kept = new Map<string, Json>();
    const first = await connected({ kept, now: () => clock.ms, fake: { now: () => clock.ms } });
    first.fake.say('heard');
    await first.fake.waitFor(() => first.host.received.length === 1);
    await first.stop();
    first.fake.mood('deaf');
    clock.ms += 1000;
    const again = await connected({ kept, on: first.fake, timing: { auditMs: 40 }, now: () => clock.ms });
    await first.fake.waitFor(() => kept.get('listening') === clock.ms);
    clock.ms += 1000;
    first.fake.say('not heard');
    clock.ms += 25_000;
    await first.fake.waitFor(() => texts(again).includes('not heard'));
    expect(again.host.states.some(({ detail }) => detail?.includes('does not send'))).toBe(true);
  });

  it('that is closed as soon as it stands is not taken for a good one', async () => {
    const rig = await start({ before: (fake) => fake.mood('closing') });
    await rig.fake.waitFor(() => states(rig).includes('down'));
    expect(states(rig).slice(states(rig).indexOf('degraded'))).not.toContain('connected');
    rig.fake.mood('well');
    await rig.fake.waitFor(() => states(rig).at(-1) === 'connected');
  });

  it('waits as long as Slack asks before it calls again', async () => {
    const rig = await start({ before: (fake) => fake.fail('apps.connections.open', { status: 429, retryAfter: 1 }) });
    await rig.connected();
    const [refused, accepted] = rig.fake.calls.filter(({ method }) => method === 'apps.connections.open');
    expect((accepted?.t ?? 0) - (refused?.t ?? 0)).toBeGreaterThanOrEqual(1000);
  });

  it('resolves when it is told to stop, also while Slack says nothing', async () => {
    const rig = await start({ before: (fake) => fake.mood('silent') });
    await rig.fake.waitFor(() => rig.fake.sockets().ever === 1);
    await rig.stop();
    await expect(rig.running).resolves.toBeUndefined();
  });

  it('hands nothing over any more once it was told to stop', async () => {
    const rig = await connected();
    rig.fake.fail('users.info', 'hang');
    rig.fake.say('from somebody whom we do not know', { user: 'U0NEW0001' });
    await rig.fake.waitFor(() => rig.fake.calls.some(({ method }) => method === 'users.info'));
    await rig.stop();
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(rig.host.offers).toEqual([]);
    expect(rig.fake.unacknowledged()).toBe(1);
  });

  it.each([
    ['auth.test', 'invalid_auth', 'SLACK_BOT_TOKEN'],
    ['auth.test', 'account_inactive', 'SLACK_BOT_TOKEN'],
    ['auth.test', 'token_revoked', 'SLACK_BOT_TOKEN'],
    ['apps.connections.open', 'invalid_auth', 'SLACK_APP_TOKEN'],
    ['apps.connections.open', 'not_allowed_token_type', 'SLACK_APP_TOKEN'],
    ['apps.connections.open', 'missing_scope', 'SLACK_APP_TOKEN'],
  ])('ends for good when %s says %s, and names the token', async (method, error, which) => {
    const rig = await start({ before: (fake) => fake.fail(method, { error, extra: { needed: 'connections:write' } }, 100) });
    const failure: unknown = await rig.running.catch((reason: unknown) => reason);
    expect(failure).toBeInstanceOf(FatalAdapterError);
    expect(String(failure)).toContain(which);
    expect(rig.fake.calls.filter((call) => call.method === method)).toHaveLength(1);
  });

  it('ends for good when a token is revoked while it runs', async () => {
    const rig = await connected();
    rig.fake.fail('auth.test', { error: 'token_revoked' }, 100);
    rig.fake.dropSockets();
    await expect(rig.running).rejects.toBeInstanceOf(FatalAdapterError);
  });

  it('goes on after failures that pass', async () => {
    const rig = await start({
      before: (fake) => {
        fake.fail('auth.test', { status: 503 });
        fake.fail('apps.connections.open', { error: 'internal_error' });
        fake.fail('apps.connections.open', 'reset-before');
      },
    });
    await rig.fake.waitFor(() => states(rig).at(-1) === 'connected');
    expect(states(rig)).toContain('degraded');
  });

  it('tells which scopes the app lacks', async () => {
    const rig = await connected({ fake: { scopes: ['chat:write', 'im:history'] } });
    expect(rig.host.logged.join('\n')).toMatch(/lacks scopes: .*app_mentions:read/);
    expect(rig.host.logged.join('\n')).not.toMatch(/lacks scopes: .*chat:write/);
  });

  it('writes no token, no address and no message into the log', async () => {
    const kept = new Map<string, Json>();
    const rig = await connected({ kept });
    rig.fake.say('a secret word');
    await rig.fake.waitFor(() => rig.host.received.length === 1);
    rig.fake.fail('auth.test', 'reset-before', 2);
    rig.fake.dropSockets();
    await rig.fake.waitFor(() => rig.fake.sockets().ever === 2);
    expect(rig.host.logged.join('\n')).not.toMatch(/xoxb|xapp|ticket|secret word/);
    expect(JSON.stringify([...kept])).not.toMatch(/xoxb|xapp|ticket/);
  });
});
