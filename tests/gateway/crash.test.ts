import { Readable } from 'node:stream';
import { describe, expect, it, vi } from 'vitest';
import type { Attachment, InboundMessage } from '../../adapters/adapter.ts';
import { createFakePlatform, type FakePlatform } from '../fakes/platform.ts';
import { type Gateway, startGateway } from './support/gateway.ts';
import { temporaryHome } from './support/home.ts';
import { message } from './support/inbound.ts';
import { type KillPoint, killPoints } from './support/kill-points.ts';
import { lastResults, lastText, never, type Script, scriptedModel } from './support/model.ts';
import { type CountedTool, countedTool } from './support/tools.ts';
import { describe as describeTranscript, expectValid, transcriptOf } from './support/transcript.ts';

/** Looks, then pays, then answers in two parts with what it was told. */
const lookThenPay: Script = ({ messages }) => {
  const results = lastResults(messages);
  if (results.length === 0) return { call: 'look' };
  if (results.length === 1) return { call: 'pay' };
  return `ANSWER ${lastText(messages).length} ${results.join(' | ')}`;
};

interface World {
  readonly platform: FakePlatform;
  readonly look: CountedTool;
  readonly pay: CountedTool;
}

interface Seen {
  readonly answers: number;
  readonly payments: number;
}

function world(inTool: (name: string) => void = () => undefined): World {
  const tool = (name: string, effect: 'read' | 'external') =>
    countedTool(name, effect, () => {
      inTool(name);
      return { content: `${name} done` };
    });
  const files = { photo: () => Readable.from([Buffer.from('photo')]) };
  return { platform: createFakePlatform({ partUnits: 40, files }), look: tool('look', 'read'), pay: tool('pay', 'external') };
}

function seen({ platform, pay }: World): Seen {
  return { answers: platform.texts('ann').filter((text) => text.startsWith('ANSWER')).length, payments: pay.runs.length };
}

/** One life without a kill, and the home at every point at which a kill could have struck. */
async function live(event: InboundMessage): Promise<readonly KillPoint<Seen>[]> {
  const home = temporaryHome();
  const first = world((name) => kills.here(`in ${name}`));
  const kills = killPoints(home, () => seen(first));
  first.platform.fail({ after: () => kills.here('accepted by the platform'), arrived: true, times: 9 });
  const gateway = await startGateway({ ...gatewayOf(first), home, wrap: kills.wrap });
  gateway.receive([event]);
  await gateway.idle();
  expect(seen(first)).toEqual({ answers: 1, payments: 1 });
  await gateway.stop();
  return [...kills.points];
}

function gatewayOf({ platform, look, pay }: World) {
  return { platform, tools: [look.tool, pay.tool], model: scriptedModel(lookThenPay) };
}

/** The next start after a kill. The platform delivers the event again, as it would when it was not acknowledged. */
async function nextLife(point: KillPoint<Seen>, event: InboundMessage): Promise<{ readonly gateway: Gateway; readonly total: Seen }> {
  const second = world();
  const gateway = await startGateway({ ...gatewayOf(second), home: point.home });
  gateway.receive([event]);
  await gateway.idle();
  const after = seen(second);
  return { gateway, total: { answers: point.facts.answers + after.answers, payments: point.facts.payments + after.payments } };
}

const attachment: Attachment = { kind: 'file', handle: 'photo', name: 'photo.bin' };

describe.each([
  ['a text', message('please pay', { event: 'e1' })],
  ['a text with a file', message('please pay', { event: 'e2', attachments: [attachment] })],
])('after a kill at any point of a turn that answers %s', (_name, event) => {
  it('there is exactly one answer, no payment is made twice, and the transcript is valid', { timeout: 30_000 }, async () => {
    const points = await live(event);
    expect(points.map(({ label }) => label)).toEqual(
      expect.arrayContaining([
        'durable',
        'quick',
        'in look',
        'in pay',
        'durableTogether',
        'outbox.sending',
        'accepted by the platform',
        'outbox.sent',
      ]),
    );
    const outcomes = new Set<string>();
    for (const [index, point] of points.entries()) {
      const { gateway, total } = await nextLife(point, event);
      const where = `${index} ${point.label}`;
      // Between the platform's acceptance and the receipt nobody can know: such a part may come twice, and is counted.
      const most = point.label === 'accepted by the platform' ? 2 : 1;
      expect([where, total.answers >= 1 && total.answers <= most]).toEqual([where, true]);
      if (total.answers > 1) expect([where, gateway.store.outbox.count().unknown]).toEqual([where, 1]);
      expect([where, total.payments]).toEqual([where, point.label === 'in pay' ? 1 : Math.min(total.payments, 1)]);
      const transcript = transcriptOf(gateway.store, 'ann');
      expectValid(transcript);
      outcomes.add(describeTranscript(transcript));
      await gateway.stop();
    }
    expect([...outcomes].sort()).toEqual([
      'user call(look) look=ok call(pay) pay=ok answer',
      'user call(look) look=ok call(pay) pay=unknown answer',
    ]);
  });
});

describe('a turn whose process dies', () => {
  const hangs: Script = (_request, signal) => never(signal);

  /** Starts on a home, waits until the model is asked this often, and is killed. */
  async function die(home: string | undefined, script: Script = hangs, requests = 1): Promise<string> {
    const model = scriptedModel(script);
    const gateway = await startGateway({ ...(home === undefined ? {} : { home }), model, tools: [countedTool('look', 'read').tool] });
    if (home === undefined) gateway.say('ann', 'hello');
    await vi.waitFor(() => expect(model.requests).toHaveLength(requests));
    return gateway.kill();
  }

  /** Two steps: one that reaches the disk, and one that never ends. */
  const hangsAfterStep: Script = ({ messages }, signal) => (lastResults(messages).length === 0 ? { call: 'look' } : never(signal));

  it('once goes on and is answered', async () => {
    const gateway = await startGateway({ home: await die(undefined) });
    expect(await gateway.answered('ann', 1)).toEqual(['echo: hello']);
  });

  it('twice is parked with a visible notice, and other chats and the next message go on', async () => {
    const model = scriptedModel(({ messages }) => `echo: ${lastText(messages)}`);
    const gateway = await startGateway({ home: await die(await die(undefined)), model });
    const [notice] = await gateway.answered('ann', 1);
    expect(notice).toContain('I gave up on this message: the gateway stopped twice');
    expect(model.requests).toHaveLength(0);
    gateway.say('bob', 'hello');
    gateway.say('ann', 'again');
    await gateway.idle();
    expect([gateway.answers('bob'), gateway.answers('ann').slice(1)]).toEqual([['echo: hello'], ['echo: again']]);
    expectValid(transcriptOf(gateway.store, 'ann'));
  });

  it('counts its deaths anew after a step that reached the disk', async () => {
    const afterStep = await die(await die(undefined), hangsAfterStep, 2);
    const gateway = await startGateway({ home: await die(afterStep, hangsAfterStep), model: scriptedModel(hangs) });
    expect((await gateway.answered('ann', 1))[0]).toContain('stopped twice');
  });

  it('after such a step has both tries again', async () => {
    const afterStep = await die(await die(undefined), hangsAfterStep, 2);
    const gateway = await startGateway({ home: afterStep });
    expect(await gateway.answered('ann', 1)).toEqual(['echo: hello']);
  });

  it('counts its deaths anew after a clean stop', async () => {
    const stopped = await startGateway({ home: await die(undefined), model: scriptedModel(hangs) });
    await vi.waitFor(() => expect(stopped.store.turns.runningLanes()).toHaveLength(1));
    await stopped.stop();
    const home = await die(stopped.home);
    const gateway = await startGateway({ home });
    expect(await gateway.answered('ann', 1)).toEqual(['echo: hello']);
  });

  it('after the person stopped it does not go on', async () => {
    const model = scriptedModel(hangs);
    const first = await startGateway({ model, wrap: (store) => ({ ...store, durableTogether: () => new Promise(() => undefined) }) });
    first.say('ann', 'work');
    await vi.waitFor(() => expect(model.requests).toHaveLength(1));
    first.say('ann', '/stop');
    await first.answered('ann', 1);
    const next = scriptedModel(({ messages }) => `echo: ${lastText(messages)}`);
    const gateway = await startGateway({ home: first.kill(), model: next });
    await gateway.idle();
    expect([gateway.answers('ann'), next.requests.length]).toEqual([[], 0]);
    gateway.say('ann', 'hello');
    expect(await gateway.answered('ann', 1)).toEqual(['echo: hello']);
  });
});

describe('what an earlier process left in the outbox', () => {
  it.each<[string, readonly ('idempotent' | 'typing')[], number]>([
    ['is sent again at most once more than it arrived where the platform knows no key', ['typing'], 2],
    ['is sent again freely and shown once where the platform knows our key', ['idempotent'], 1],
  ])('%s', async (_title, capabilities, copies) => {
    const platform = createFakePlatform({ capabilities });
    platform.fail({ arrived: true, hang: true });
    const first = await startGateway({ platform });
    first.say('ann', 'hello');
    await vi.waitFor(() => expect(platform.texts('ann')).toHaveLength(1));
    const gateway = await startGateway({ platform, home: first.kill() });
    await gateway.idle();
    expect(platform.texts('ann')).toEqual(Array.from({ length: copies }, () => 'echo: hello'));
    expect(gateway.store.outbox.count().unknown).toBe(1);
  });
});
