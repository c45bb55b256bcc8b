import { describe, expect, it, type TestContext } from 'vitest';
import { FatalAdapterError } from '../../../adapters/adapter.ts';
import type { GatewayFault } from '../../fakes/discord-gateway.ts';
import { type DiscordRig, PERSON, type RigOptions, startRig } from './rig.ts';

interface Started extends DiscordRig {
  texts(): string[];
  connections(): number;
  isReachable(): Promise<void>;
}

/** Waiting is most of what these tests do, so that they do it side by side. */
async function start({ onTestFinished }: Pick<TestContext, 'onTestFinished'>, options: RigOptions = {}): Promise<Started> {
  const rig = await startRig(options);
  onTestFinished(rig.close);
  const { fake, host } = rig;
  const texts = (): string[] => host.received.map((event) => (event.type === 'message' ? event.text : event.type));
  return {
    ...rig,
    texts,
    connections: () => host.states.filter(({ state }) => state === 'connected').length,
    async isReachable() {
      const text = `are you there ${Math.random()}`;
      await fake.waitFor(() => fake.gateway.live());
      fake.say({ channel: fake.dm(PERSON), text });
      await fake.waitFor(() => texts().includes(text));
    },
  };
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe.concurrent('a connection to Discord', () => {
  it('is taken up again without an introduction, and what came meanwhile is handed over once', async (t) => {
    const { fake, host, texts, isReachable } = await start(t);
    const channel = fake.dm(PERSON);
    fake.gateway.drop(4000);
    fake.say({ channel, text: 'while you were away' });
    await fake.waitFor(() => fake.gateway.counts.resumes === 1 && host.received.length === 1);
    await isReachable();
    expect(texts()[0]).toBe('while you were away');
    expect(fake.gateway.counts.identifies).toBe(1);
    expect(host.states.map(({ state }) => state)).toContain('degraded');
    expect(host.states.at(-1)?.state).toBe('connected');
  });

  it('comes back when Discord asks it to', async (t) => {
    const { fake, isReachable } = await start(t);
    fake.gateway.reconnect();
    await fake.waitFor(() => fake.gateway.counts.resumes === 1);
    await isReachable();
    expect(fake.gateway.counts.identifies).toBe(1);
  });

  it('starts a new session when the old one is lost', async (t) => {
    const { fake, isReachable } = await start(t);
    fake.gateway.forget();
    fake.gateway.drop(4000);
    await fake.waitFor(() => fake.gateway.counts.identifies === 2);
    await isReachable();
  });

  it('opens no socket after it was stopped, not even when it was just about to', async (t) => {
    const { fake, stop } = await start(t);
    fake.gateway.drop(4000);
    await fake.waitFor(() => !fake.gateway.live());
    await stop();
    const before = fake.gateway.counts.sockets;
    await pause(900); // discord.js waits half a second
    expect(fake.gateway.counts.sockets).toBe(before);
    expect(fake.gateway.live()).toBe(false);
  });

  it('ends its session when it is stopped, so that the bot is seen to be away', async (t) => {
    const { fake, stop } = await start(t);
    await stop();
    await fake.waitFor(() => !fake.gateway.live());
  });

  const faults: readonly (readonly [GatewayFault, string])[] = [
    ['black-hole', 'takes the connection and answers nothing'],
    ['accept-drop', 'accepts and drops it'],
    ['accept-close', 'greets and closes it'],
    ['no-ready', 'never says that the session is ready'],
    ['bad-session', 'calls every session invalid'],
  ];
  it.for(faults)('survives %s: a gateway that %s', async ([fault], t) => {
    const { fake, host, connections, isReachable } = await start(t, {
      early: true,
      timing: { readyMs: 400 },
      before: ({ gateway }) => void Object.assign(gateway, { fault }),
    });
    await fake.waitFor(() => host.states.some(({ state }) => state === 'down'), 15_000);
    expect(host.states.findLast(({ state }) => state === 'down')?.detail).toMatch(/^No messages from Discord at the moment\. \S/);
    expect(connections()).toBe(0);
    fake.gateway.fault = undefined;
    await isReachable();
    expect(fake.gateway.most()).toBe(1);
  });

  it.for<[GatewayFault, RegExp]>([
    ['silent', /silent|lost/],
    ['no-events', /sends no events/],
  ])('notices an open connection that is %s, and replaces it', async ([fault, why], t) => {
    const { fake, host, connections, isReachable } = await start(t, { before: (made) => void made.addChannel(made.addGuild().id) });
    fake.gateway.fault = fault;
    await fake.waitFor(() => host.states.some(({ state, detail = '' }) => state !== 'connected' && why.test(detail)), 10_000);
    fake.gateway.fault = undefined;
    await fake.waitFor(() => connections() > 1, 10_000);
    await isReachable();
    expect(fake.gateway.most()).toBe(1);
  });

  it('asks a quiet server for an event, and is content with the answer', async (t) => {
    const { fake, host, connections } = await start(t, { before: (made) => void made.addChannel(made.addGuild().id) });
    await fake.waitFor(() => fake.gateway.counts.probes >= 2);
    expect(connections()).toBe(1);
    expect(host.states.at(-1)?.state).toBe('connected');
  });

  it('counts heartbeats as evidence, and nothing while none is acknowledged', async (t) => {
    const { fake, host } = await start(t, { timing: { silenceMs: 5000 } });
    const before = host.alives;
    await fake.waitFor(() => host.alives > before + 1);
    fake.gateway.fault = 'silent';
    await pause(250);
    const deaf = host.alives;
    await pause(400);
    expect(host.alives).toBe(deaf);
  });
});

describe.concurrent('what a person has to mend', () => {
  const refusal = async (running: Promise<void>): Promise<Error> => {
    const error: unknown = await running.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(FatalAdapterError);
    return error as Error;
  };

  it.for([4004, 4010, 4011, 4012, 4013, 4014])('stops the account for good at close code %d', async (code, t) => {
    const { fake, running } = await start(t);
    fake.gateway.drop(code);
    const { message } = await refusal(running);
    expect(message).toMatch(code === 4004 ? /DISCORD_BOT_TOKEN/ : new RegExp(String(code)));
    const before = fake.gateway.counts.sockets;
    await pause(700);
    expect(fake.gateway.counts.sockets).toBe(before);
  });

  it('is told what to click when the bot may not read messages', async (t) => {
    const { running } = await start(t, { early: true, fake: { messageContent: false } });
    const { message } = await refusal(running);
    for (const part of ['https://discord.com/developers/applications', '"Bot"', '"Message Content Intent"', '"Save Changes"'])
      expect(message).toContain(part);
  });

  it('is told of a wrong token, and no session is spent on it', async (t) => {
    const { fake, running } = await start(t, { early: true, config: { bot_token: 'wrong' } });
    const { message } = await refusal(running);
    expect(message).toContain('DISCORD_BOT_TOKEN');
    expect(message).not.toContain('wrong');
    expect(fake.gateway.counts.sockets).toBe(0);
  });
});

describe.concurrent('the sessions that a bot may start in a day', () => {
  it('are not spent below a hundred: it waits for the reset, and says so', async (t) => {
    const { fake, host, isReachable } = await start(t, {
      early: true,
      before: ({ limit }) => Object.assign(limit, { remaining: 100, resetAfterMs: 600 }),
    });
    await fake.waitFor(() => host.states.some(({ state }) => state === 'down'));
    expect(host.states.at(-1)?.detail).toMatch(/only 100 more sessions before \d{4}-\d\d-\d\d \d\d:\d\d UTC/);
    expect(fake.gateway.counts).toMatchObject({ sockets: 0, identifies: 0 });
    Object.assign(fake.limit, { remaining: 1000 });
    await isReachable();
    expect(fake.gateway.counts.identifies).toBe(1);
  });

  it('are not spent by a connection that has lost its session, either', async (t) => {
    const { fake, host } = await start(t, { before: ({ limit }) => Object.assign(limit, { remaining: 101 }) });
    expect(fake.limit.remaining).toBe(100);
    fake.gateway.forget();
    fake.gateway.drop(4000);
    await fake.waitFor(() => host.states.some(({ state, detail = '' }) => state === 'down' && detail.includes('only 100 more')), 10_000);
    await pause(300);
    expect(fake.gateway.counts.identifies).toBe(1);
    expect(fake.limit.remaining).toBe(100);
  });
});
