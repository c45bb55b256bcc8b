import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ModelEvent } from '../../../agent/model.ts';
import { createFakePlatform } from '../../fakes/platform.ts';
import { type Gateway, type GatewayOptions, startGateway } from '../support/gateway.ts';
import { temporaryHome } from '../support/home.ts';
import { message } from '../support/inbound.ts';
import { killPoints } from '../support/kill-points.ts';
import { lastResults, lastText, type Script, scriptedModel } from '../support/model.ts';
import { countedTool } from '../support/tools.ts';

/** Says something and calls a tool, as often as there are texts, then answers. */
function saying(...texts: readonly string[]): Script {
  return ({ messages }): string | readonly ModelEvent[] => {
    const done = lastResults(messages).length;
    const text = texts[done];
    if (text === undefined) return 'The answer.';
    return [
      { type: 'text.delta', text },
      { type: 'call', call: { id: `call-${done}`, name: 'look', arguments: '{}' } },
      { type: 'done', finish: 'calls' },
    ];
  };
}

function gatewayWith(script: Script, options: GatewayOptions = {}): GatewayOptions {
  return { model: scriptedModel(script), tools: [countedTool('look', 'read').tool], ...options };
}

describe('what is said between two tools', () => {
  it('is a message each, in order, before the answer', async () => {
    const gateway = await startGateway(gatewayWith(saying('I look.', ' ', 'I look again.')));
    gateway.say('ann', 'hello');
    await gateway.idle();
    expect(gateway.answers('ann')).toEqual(['I look.', 'I look again.', 'The answer.']);
  });

  it('stays unsaid where that is switched off', async () => {
    const gateway = await startGateway(gatewayWith(saying('I look.'), { change: { everywhere: { interim: false } } }));
    gateway.say('ann', 'hello');
    await gateway.idle();
    expect(gateway.answers('ann')).toEqual(['The answer.']);
  });

  it('is not delivered when it means silence', async () => {
    const gateway = await startGateway(gatewayWith(saying('NO_REPLY')));
    gateway.say('ann', 'hello');
    await gateway.idle();
    expect(gateway.answers('ann')).toEqual(['The answer.']);
  });

  it('is cut as an answer is', async () => {
    const gateway = await startGateway(gatewayWith(saying('0123456789ab'), { platform: createFakePlatform({ partUnits: 10 }) }));
    gateway.say('ann', 'hello');
    await gateway.idle();
    expect(gateway.answers('ann').slice(0, 2)).toEqual(['0123456789', 'ab']);
  });

  it('is there exactly once after a kill at any point, and before the answer', { timeout: 30_000 }, async () => {
    const home = temporaryHome();
    const platform = createFakePlatform();
    const kills = killPoints(home, () => [...platform.texts('ann')]);
    platform.fail({ after: () => kills.here('accepted by the platform'), arrived: true, times: 9 });
    const first = await startGateway(gatewayWith(saying('I look.'), { home, platform, wrap: kills.wrap }));
    const event = message('hello', { event: 'e1' });
    first.receive([event]);
    await first.idle();
    await first.stop();
    expect(kills.points.length).toBeGreaterThan(10);
    const unknowns: number[] = [];
    for (const [index, point] of kills.points.entries()) {
      const where = `${index} ${point.label}`;
      const next = await startGateway(gatewayWith(saying('I look.'), { home: point.home }));
      next.receive([event]);
      await next.idle();
      const all = [...point.facts, ...next.answers('ann')];
      // What was on its way may have been accepted or not: such a part may come twice, and is counted.
      const { unknown } = next.store.outbox.count();
      expect([where, all.length >= 2 && all.length <= 2 + unknown, unknown <= 1]).toEqual([where, true, true]);
      expect([where, [...new Set(all)]]).toEqual([where, ['I look.', 'The answer.']]);
      unknowns.push(unknown);
      await next.stop();
    }
    expect(unknowns.filter((unknown) => unknown === 0).length).toBeGreaterThan(unknowns.length / 2);
  });
});

describe('a file that is promised between two tools', () => {
  /** Each call writes the file named after it, so that a promise is made before the file is there. */
  function writing(answer: string, ...texts: readonly string[]): GatewayOptions {
    const script = saying(...texts);
    const write = countedTool('look', 'write', (_, { session }) => {
      for (const name of ['a.txt', 'b.txt']) writeFileSync(path.join(session.workspace, name), name);
      return { content: 'written' };
    });
    return {
      model: scriptedModel((request, signal) => {
        if (lastText(request.messages) === 'thanks') return 'Fine.';
        const said = script(request, signal);
        return said === 'The answer.' ? answer : said;
      }),
      tools: [write.tool],
    };
  }

  const shown = ({ platform }: Gateway): readonly string[] =>
    platform.shown.flatMap(({ message: sent }) => (sent.type === 'text' ? [sent.markdown] : sent.type === 'file' ? [sent.name] : []));

  it.each([
    ['comes with the answer, once', 'The answer.\nMEDIA:a.txt\nMEDIA:b.txt', ['I look.', 'The answer.', 'a.txt', 'b.txt']],
    ['comes where the answer says nothing of it', 'The answer.', ['I look.', 'The answer.', 'a.txt']],
    ['comes also where the answer is silence', '[SILENT]', ['I look.', 'a.txt']],
  ])('%s', async (_, answer, all) => {
    const gateway = await startGateway(writing(answer, 'I look.\nMEDIA:a.txt'));
    gateway.say('ann', 'hello');
    await gateway.idle();
    gateway.say('ann', 'thanks');
    await gateway.idle();
    expect(shown(gateway)).toEqual([...all, 'Fine.']);
  });

  it('is no message where nothing else is said', async () => {
    const gateway = await startGateway(writing('The answer.', 'MEDIA:a.txt'));
    gateway.say('ann', 'hello');
    await gateway.idle();
    expect(shown(gateway)).toEqual(['The answer.', 'a.txt']);
  });
});

describe('the footer', () => {
  const facts: Script = () => [
    { type: 'text.delta', text: 'The answer.' },
    { type: 'usage', usage: { inputTokens: 12_345, outputTokens: 67 } },
    { type: 'done', finish: 'stop' },
  ];
  const footer = /^The answer\.\n\n`scripted` · \d+ s · 12\.3k tokens in, 67 out$/;

  it('is the last line under an answer, where the owner wants it', async () => {
    const gateway = await startGateway(gatewayWith(facts, { change: { everywhere: { footer: true } } }));
    gateway.say('ann', 'hello');
    await gateway.idle();
    expect(gateway.answers('ann')).toEqual([expect.stringMatching(footer)]);
  });

  it('is not part of what the model remembers, and not under what is no answer', async () => {
    const gateway = await startGateway(gatewayWith(saying('I look.'), { change: { everywhere: { footer: true } } }));
    gateway.say('ann', 'hello');
    await gateway.idle();
    expect(gateway.answers('ann')[0]).toBe('I look.');
    const session = gateway.store.sessions.open('agent:main:fake:dm:ann');
    expect(gateway.store.transcript.read(session?.id ?? '').at(-1)).toMatchObject({ text: 'The answer.' });
  });
});
