import { describe, expect, it } from 'vitest';
import { startGateway } from '../support/gateway.ts';
import { temporaryHome } from '../support/home.ts';
import { message } from '../support/inbound.ts';
import { type KillPoint, killPoints } from '../support/kill-points.ts';
import { echo, scriptedModel } from '../support/model.ts';
import { expectValid, transcriptOf } from '../support/transcript.ts';
import { conversation, keyOf, talk } from './support.ts';

interface Posted {
  /** Results of background runs that the chat showed by then. */
  readonly results: number;
}

/** Three exchanges, then the command: the home at every point at which a kill could have struck while it was at work. */
async function lives(text: string): Promise<readonly KillPoint<Posted>[]> {
  const home = temporaryHome();
  const kills = killPoints(home, () => ({ results: results(gateway) }));
  const gateway = await startGateway({ home, wrap: kills.wrap, model: scriptedModel(echo) });
  await talk(gateway, 'one', 'two', 'three');
  const before = kills.points.length;
  gateway.receive([message(text, { event: 'the command' })]);
  await gateway.idle();
  await gateway.stop();
  return kills.points.slice(before);
}

function results(gateway: Awaited<ReturnType<typeof startGateway>>): number {
  return gateway.answers('ann').filter((shown) => shown.startsWith('✅')).length;
}

const three = ['one', 'echo: one', 'two', 'echo: two', 'three', 'echo: three'];

describe('a command that a kill cuts, and that the platform delivers again', () => {
  it.each([
    ['/undo', three.slice(0, 4), 1],
    ['/retry', three, 1],
    ['/branch copy', three, 2],
    ['/new', [], 1],
    ['/background go', three, 1],
  ])('%s has its effect once', async (text, expected, sessions) => {
    const points = await lives(text);
    expect(points.length).toBeGreaterThan(2);
    for (const { home, label, facts } of points) {
      const gateway = await startGateway({ home });
      gateway.receive([message(text, { event: 'the command' })]);
      await gateway.idle();
      const said = gateway.store.sessions.open(keyOf()) === undefined ? [] : conversation(gateway);
      expect([label, said]).toEqual([label, expected]);
      expect([label, gateway.store.sessions.recent(keyOf(), 9).length]).toEqual([label, sessions]);
      // Between the platform's acceptance and the receipt nobody can know: such a part may come twice.
      const posted = facts.results + results(gateway);
      if (text === '/background go') expect([label, posted >= 1 && posted <= (label === 'outbox.sending' ? 2 : 1)]).toEqual([label, true]);
      expectValid(transcriptOf(gateway.store, 'ann'));
      await gateway.stop();
    }
  });
});
