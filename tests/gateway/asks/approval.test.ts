import { describe, expect, it } from 'vitest';
import { startGateway } from '../support/gateway.ts';
import { click, message, replyTo } from '../support/inbound.ts';
import { lastResults, type Script, scriptedModel } from '../support/model.ts';
import { askingGateway, calls, card, closedCard, riskyTool } from './support.ts';

describe('what a person must approve', () => {
  it('is shown as a card and runs after a yes, which the card then shows', async () => {
    const { tool, ran } = riskyTool();
    const { platform, say, receive, answered } = await askingGateway({ tools: [tool] });
    say('ann', 'remove build');
    const asked = await card(platform, 'ann');
    expect(asked.markdown).toContain('path: `build`');
    expect(asked.markdown).toContain('It deletes files.');
    expect(asked.choices.map(({ id }) => id)).toEqual(['once', 'session', 'deny']);
    expect(ran).toEqual([]);
    receive([click(asked, 'once')]);
    expect(await answered('ann', 1)).toEqual(['ok: removed build']);
    expect(await closedCard(platform, 'ann')).toBe('✅ Ann allowed it once.');
    expect(platform.cards('ann')[0]?.choices).toEqual([]);
  });

  it('does not run after a no, and neither does what contains it for the rest of the turn', async () => {
    const { tool, ran } = riskyTool();
    const { platform, say, receive, answered } = await askingGateway({ tools: [tool] });
    say('ann', 'remove build build dist');
    receive([click(await card(platform, 'ann'), 'deny')]);
    receive([click(await card(platform, 'ann', 2), 'once')]);
    const [answer = ''] = await answered('ann', 1);
    const [first, again, other] = answer.split('\n');
    expect(first).toMatch(/^refused: Refused: Ann said no\. That is no consent/);
    expect(again).toMatch(/^refused: Refused: it contains what was refused before in this turn \(rm build\)/);
    expect(other).toBe('ok: removed dist');
    expect(ran).toEqual(['dist']);
    expect(platform.cards('ann')).toHaveLength(2);
  });

  it('is not asked about again in the session, and asked about again in the next, after "this session"', async () => {
    const { tool, ran } = riskyTool();
    const { platform, say, receive, answered } = await askingGateway({ tools: [tool] });
    say('ann', 'remove build');
    receive([click(await card(platform, 'ann'), 'session')]);
    await answered('ann', 1);
    say('ann', 'remove build');
    await answered('ann', 2);
    expect(ran).toEqual(['build', 'build']);
    say('ann', '/new');
    await answered('ann', 3);
    say('ann', 'remove build');
    expect((await card(platform, 'ann', 2)).number).toBe(2);
  });

  it('is not asked about again anywhere after "always", as long as the key is the same', async () => {
    const { tool, ran } = riskyTool('remove', { memory: { key: 'rm with this content', label: 'rm build' } });
    const { platform, say, receive, answered } = await askingGateway({ tools: [tool] });
    say('ann', 'remove build');
    receive([click(await card(platform, 'ann'), 'always')]);
    await answered('ann', 1);
    say('bob', 'remove build');
    await answered('bob', 1);
    expect(ran).toEqual(['build', 'build']);
    expect(platform.cards('bob')).toEqual([]);
  });

  it('is refused when nobody decides in time, which the card shows', async () => {
    const { tool, ran } = riskyTool();
    const { platform, say, answered } = await askingGateway({ tools: [tool], change: { approvals: { approvalMs: 60 } } });
    say('ann', 'remove build');
    const [answer] = await answered('ann', 1);
    expect(answer).toMatch(/nobody approved it within/);
    expect(await closedCard(platform, 'ann')).toMatch(/Nobody decided in time/);
    expect(ran).toEqual([]);
  });

  it('never runs when it is hardline, also where nothing is asked about', async () => {
    const { tool, ran } = riskyTool('remove', { level: 'hardline' });
    const { say, answered } = await askingGateway({ tools: [tool], change: { approvals: { mode: 'off' } } });
    say('ann', 'remove /');
    expect(await answered('ann', 1)).toEqual([expect.stringMatching(/^refused: Refused, always/)]);
    expect(ran).toEqual([]);
  });

  it('runs at once where nothing is asked about', async () => {
    const { tool } = riskyTool();
    const { platform, say, answered } = await askingGateway({ tools: [tool], change: { approvals: { mode: 'off' } } });
    say('ann', 'remove build');
    expect(await answered('ann', 1)).toEqual(['ok: removed build']);
    expect(platform.cards('ann')).toEqual([]);
  });

  it('does not run after its time, although no timer has said so', async () => {
    const clock = { now: Date.now() };
    const { tool, ran } = riskyTool();
    const { platform, say, receive, answered } = await askingGateway({ tools: [tool], now: () => clock.now });
    say('ann', 'remove build');
    const asked = await card(platform, 'ann');
    clock.now += 3_600_000; // the machine slept
    receive([click(asked, 'once')]);
    expect((await answered('ann', 1))[0]).toMatch(/nobody approved it within/);
    expect(platform.responses).toEqual(['Too late: the time for this question was over.']);
    expect(ran).toEqual([]);
  });

  it('shows what the tool receives, not what else the call says', async () => {
    const { tool } = riskyTool();
    const script: Script = (request) =>
      lastResults(request.messages).length > 0
        ? 'done'
        : { call: 'remove', args: { reason: 'harmless '.repeat(500), path: '/home/ann/everything' } };
    const { platform, say, idle } = await startGateway({ tools: [tool], model: scriptedModel(script) });
    say('ann', 'tidy up');
    const { markdown } = await card(platform, 'ann');
    expect(markdown).toContain('/home/ann/everything');
    expect(markdown).not.toContain('harmless');
    say('ann', '/stop');
    await idle();
  });

  it('survives a kill: the same card, the old deadline, one decision', async () => {
    const { tool, ran } = riskyTool();
    const first = await askingGateway({ tools: [tool] });
    first.say('ann', 'remove build');
    const asked = await card(first.platform, 'ann');
    const [before] = first.store.asks.open();
    const home = first.kill();
    const second = await startGateway({ home, platform: first.platform, tools: [tool], model: scriptedModel(calls) });
    second.receive([click(asked, 'once')]);
    expect(await second.answered('ann', 1)).toEqual(['ok: removed build']);
    expect(ran).toEqual(['build']);
    expect(second.platform.cards('ann')).toHaveLength(1);
    expect(second.store.asks.get(before?.id ?? 0)?.deadline).toBe(before?.deadline);
  });

  it('is withdrawn with /stop, and the next message works', async () => {
    const { tool, ran } = riskyTool();
    const { platform, say, receive, answered } = await askingGateway({ tools: [tool] });
    say('ann', 'remove build');
    const asked = await card(platform, 'ann');
    say('ann', '/stop');
    expect(await answered('ann', 1)).toEqual(['🛑 Stopped.']);
    expect(await closedCard(platform, 'ann')).toBe('⏹ No longer needed.');
    receive([click(asked, 'once')]);
    expect(ran).toEqual([]);
    say('ann', 'nothing');
    expect(await answered('ann', 2)).toContain('nothing to do');
    expect(platform.responses).toEqual(['Too late: this question is closed.']);
  });
});

describe('a click', () => {
  it.each([
    ['by somebody else', { from: { id: 'bob', name: 'Bob' } }, {}, 'Only Ann may answer this.'],
    ['in another chat', { chat: 'bob' }, {}, 'This card belongs to another chat.'],
    ['on a copy of the card', {}, { id: 'elsewhere' }, 'This is a copy of the card. Please use the card itself.'],
    ['with a forged token', {}, { token: 'aaaaaaaaaaaaaaaa' }, 'I do not know this question any more.'],
  ])('%s decides nothing and is told why', async (_how, said, forged, told) => {
    const { tool, ran } = riskyTool();
    const { platform, say, receive, store, idle } = await askingGateway({ tools: [tool] });
    say('ann', 'remove build');
    const asked = await card(platform, 'ann');
    receive([click({ ...asked, ...forged }, 'once', said)]);
    expect(platform.responses).toEqual([told]);
    expect(store.asks.open()).toHaveLength(1);
    expect(ran).toEqual([]);
    say('ann', '/stop');
    await idle();
  });

  it('by somebody who is not allowed here gets a sentence and changes nothing', async () => {
    const { tool } = riskyTool();
    const { platform, say, receive, store, idle } = await askingGateway({ tools: [tool], change: {} });
    say('ann', 'remove build');
    const asked = await card(platform, 'ann');
    receive([{ ...click(asked, 'once'), sender: { id: 'ann', aliases: [], name: 'Ann', isBot: true, roles: [] } }]);
    expect(platform.responses).toEqual(['Sorry, you may not decide this.']);
    expect(store.asks.open()).toHaveLength(1);
    say('ann', '/stop');
    await idle();
  });

  it('that comes second is told who was first', async () => {
    const { tool, ran } = riskyTool();
    const { platform, say, receive, answered } = await askingGateway({ tools: [tool] });
    say('ann', 'remove build');
    const asked = await card(platform, 'ann');
    receive([click(asked, 'deny'), click(asked, 'once')]);
    await answered('ann', 1);
    expect(platform.responses).toEqual(['', 'Too late: Ann has decided already.']);
    expect(ran).toEqual([]);
  });

  it('that is delivered twice decides once', async () => {
    const { tool, ran } = riskyTool();
    const { platform, say, receive, answered } = await askingGateway({ tools: [tool] });
    say('ann', 'remove build');
    const pressed = click(await card(platform, 'ann'), 'once');
    receive([pressed]);
    receive([pressed]);
    await answered('ann', 1);
    expect(ran).toEqual(['build']);
    expect(platform.responses).toEqual(['']);
  });
});

describe('words', () => {
  it('never decide an approval when they are loose', async () => {
    const { tool, ran } = riskyTool();
    const { platform, say, store, answered } = await askingGateway({ tools: [tool], change: { display: { busyMode: 'queue' } } });
    say('ann', 'remove build');
    await card(platform, 'ann');
    for (const text of ['yes', 'approve', '1', 'ok']) say('ann', text);
    expect(store.asks.open()).toHaveLength(1);
    expect(ran).toEqual([]);
    say('ann', '/deny');
    await answered('ann', 2);
  });

  it.each([
    ['1', '✅ Ann allowed it once.'],
    ['yes', '✅ Ann allowed it once.'],
    ['session', '✅ Ann allowed it for this session.'],
    ['no', '❌ Ann said no.'],
    ['3', '❌ Ann said no.'],
  ])('"%s" decide it as a reply to its card', async (text, closed) => {
    const { tool } = riskyTool();
    const { platform, say, receive } = await askingGateway({ tools: [tool] });
    say('ann', 'remove build');
    const asked = await card(platform, 'ann');
    receive([message(text, { replyTo: replyTo(asked) })]);
    expect(await closedCard(platform, 'ann')).toBe(closed);
  });
});

describe('/approve and /deny', () => {
  it('decide the one that is open', async () => {
    const { tool, ran } = riskyTool();
    const { platform, say, answered } = await askingGateway({ tools: [tool] });
    say('ann', 'remove build');
    await card(platform, 'ann');
    say('ann', '/approve');
    expect(await answered('ann', 2)).toEqual(['✅ Allowed: #1.', 'ok: removed build']);
    expect(ran).toEqual(['build']);
    say('ann', '/approve');
    expect(await answered('ann', 3)).toContain('Nothing here waits for your approval.');
  });

  it('say what they did not understand and decide nothing', async () => {
    const { tool } = riskyTool();
    const { platform, say, store, answered, idle } = await askingGateway({ tools: [tool] });
    say('ann', 'remove build');
    await card(platform, 'ann');
    say('ann', '/approve 7');
    expect((await answered('ann', 1))[0]).toMatch(/There is no open approval "7" here/);
    say('ann', '/approve always');
    expect((await answered('ann', 2))[1]).toBe('Not #1: it cannot be allowed with "always", only with "once" or "session".');
    expect(store.asks.open()).toHaveLength(1);
    say('ann', '/stop');
    await idle();
  });
});
