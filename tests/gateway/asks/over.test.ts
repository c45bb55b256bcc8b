import { expect, it, vi } from 'vitest';
import { click } from '../support/inbound.ts';
import { lastResults, type Script, scriptedModel } from '../support/model.ts';
import { pausingTool } from '../support/tools.ts';
import { askingGateway, card, closedCard, riskyTool } from './support.ts';

it('a question whose call ran without it after a restart is closed at once, and decides nothing any more', async () => {
  const { tool, ran } = riskyTool();
  const first = await askingGateway({ tools: [tool] });
  first.say('ann', 'remove build');
  const asked = await card(first.platform, 'ann');
  const { tool: pause } = pausingTool();
  const script: Script = ({ messages }) => (lastResults(messages).length < 2 ? { call: 'pause', args: {} } : 'done');
  const second = await askingGateway({
    home: first.kill(),
    platform: first.platform,
    tools: [tool, pause],
    model: scriptedModel(script),
    change: { approvals: { mode: 'off' } },
  });
  await vi.waitFor(() => expect(ran).toEqual(['build']));
  expect(await closedCard(second.platform, 'ann')).toBe('⏹ No longer needed.');
  second.receive([click(asked, 'deny')]);
  expect(second.platform.responses).toEqual(['Too late: this question is closed.']);
  expect(second.store.turns.runningLanes()).toHaveLength(1);
  second.say('ann', '/stop');
  await second.idle();
});
