import { describe, expect, it, vi } from 'vitest';
import { askingGateway, card, questionTool } from './asks/support.ts';
import { type Gateway, settled, startGateway, until } from './support/gateway.ts';
import { message } from './support/inbound.ts';
import { lastResults, lastText, type Script, scriptedModel } from './support/model.ts';
import { pausingTool } from './support/tools.ts';

const interrupting = { display: { busyMode: 'interrupt' } } as const;
const long = 'x'.repeat(4080);

/** Fits into one message. */
const heard = (text: string): string => `heard ${text.length}: ${text.split('\n').at(-1)?.slice(0, 20)}`;

/** Both parts of a split text, in one poll of the platform or in two. */
const arrivals: readonly (readonly [string, (gateway: Gateway, first: string, rest: string) => Promise<void>])[] = [
  ['at once', async ({ receive }, first, rest) => receive([message(first), message(rest)])],
  [
    'one after the other',
    async ({ receive }, first, rest) => {
      receive([message(first)]);
      await settled();
      receive([message(rest)]);
    },
  ],
];

/** Works on "work" until the gate opens; answers everything else with what it was told. */
async function atWork(change: { readonly display: { readonly busyMode: 'interrupt' | 'steer' } }) {
  const gate = Promise.withResolvers<void>();
  const { tool, ended } = pausingTool(gate.promise);
  const script: Script = ({ messages }) =>
    lastText(messages) === 'work' && lastResults(messages).length === 0 ? { call: 'pause' } : heard(lastText(messages));
  const model = scriptedModel(script);
  const gateway = await startGateway({ model, tools: [tool], change });
  gateway.say('ann', 'work');
  await until(
    () => ended.started === 1,
    () => 'the tool has not begun',
  );
  return { gateway, gate, ended, model };
}

describe.each(arrivals)('the rest of a split text, %s,', (_, arrive) => {
  it('of an answer is heard by the run that was answered', async () => {
    const gate = Promise.withResolvers<void>();
    const model = scriptedModel(async ({ messages }) => {
      if (messages.length === 1) return { call: 'clarify', args: { question: 'how?' } };
      await gate.promise;
      return 'done';
    });
    const gateway = await askingGateway({ model, tools: [questionTool()], change: interrupting });
    gateway.say('ann', 'go');
    await card(gateway.platform, 'ann');
    await arrive(gateway, long, 'the rest');
    expect(gateway.store.turns.atWork().map(({ cut }) => cut)).toEqual([null]);
    gate.resolve();
    await gateway.idle();
    const said = gateway.store.transcript.read(gateway.store.sessions.open('agent:main:fake:dm:ann')?.id ?? '');
    expect(lastText(said)).toBe('the rest');
    expect(JSON.stringify(said)).toContain(`They said: ${long}`);
  });

  it('of /queue is queued with it', async () => {
    const { gateway, gate } = await atWork(interrupting);
    await arrive(gateway, `/queue ${long}`, 'the rest');
    gate.resolve();
    await gateway.idle();
    expect(gateway.answers('ann')).toEqual(['⏳ That comes next.', heard('work'), heard(`${long}\nthe rest`)]);
  });

  it('of /queue does not begin without it where nothing is at work', async () => {
    const model = scriptedModel(({ messages }) => heard(lastText(messages)));
    const gateway = await startGateway({ model });
    await arrive(gateway, `/queue ${long}`, 'the rest');
    await gateway.idle();
    expect(gateway.answers('ann')).toEqual([heard(`${long}\nthe rest`)]);
  });

  it('of /background belongs to that run', async () => {
    const { gateway, gate, model } = await atWork(interrupting);
    await arrive(gateway, `/background ${long}`, 'the rest');
    await vi.waitFor(() => expect(lastText(model.requests.at(-1)?.messages ?? [])).toBe(`${long}\nthe rest`), { timeout: 5000 });
    gate.resolve();
    await gateway.idle();
    expect(gateway.answers('ann')).toContain(heard('work'));
  });

  it('of any other command interrupts nothing', async () => {
    const { gateway, gate } = await atWork(interrupting);
    await arrive(gateway, `/nonsense ${long}`, 'the rest');
    gate.resolve();
    await gateway.idle();
    expect(gateway.answers('ann').slice(1)).toEqual([heard('work'), heard('the rest')]);
  });
});

it('what steers is heard when its rest has come', async () => {
  const { gateway, gate, ended, model } = await atWork({ display: { busyMode: 'steer' } });
  gateway.say('ann', long);
  gate.resolve();
  await until(
    () => ended.ended === 1,
    () => 'the tool has not ended',
  );
  await settled();
  gateway.say('ann', 'the rest');
  await gateway.idle();
  expect(gateway.answers('ann')).toEqual([heard(`${long}\nthe rest`)]);
  expect(model.requests).toHaveLength(2);
});

it('a message after a short command is no rest of it, and interrupts', async () => {
  const { gateway, gate } = await atWork(interrupting);
  gateway.receive([message('/queue short'), message('new')]);
  gate.resolve();
  await gateway.idle();
  expect(gateway.answers('ann')).not.toContain(heard('work'));
});
