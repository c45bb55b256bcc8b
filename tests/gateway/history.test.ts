import { describe, expect, it } from 'vitest';
import type { Tool } from '../../agent/tool.ts';
import { createHistory } from '../../gateway/history.ts';
import { createSessionSearch } from '../../tools/session-search.ts';
import { type Gateway, type GatewayOptions, startGateway } from './support/gateway.ts';
import { message, type Said } from './support/inbound.ts';
import { lastResults, lastText, scriptedModel } from './support/model.ts';
import { testSettings } from './support/settings.ts';

/** Whoever writes "find <arguments as JSON>" is answered with what the tool found. */
async function startSearching(options: GatewayOptions = {}): Promise<Gateway> {
  const made: { gateway?: Gateway } = {};
  const history = () => {
    if (made.gateway === undefined) throw new Error('not started');
    return createHistory({ store: made.gateway.store, settings: () => testSettings({ account: () => undefined }) });
  };
  const tool: Tool = createSessionSearch(
    {
      search: (...query) => history().search(...query),
      recent: (...query) => history().recent(...query),
      read: (...query) => history().read(...query),
    },
    Date.now,
  );
  const model = scriptedModel(({ messages }) => {
    const [result] = lastResults(messages);
    if (result !== undefined) return result;
    const asked = /find (\{.*\})/s.exec(lastText(messages))?.[1];
    return asked === undefined ? 'noted' : { call: 'session_search', args: JSON.parse(asked) as unknown };
  });
  made.gateway = await startGateway({ model, tools: [tool], ...options });
  return made.gateway;
}

/** Says it and waits for the answer. */
async function talk(gateway: Gateway, chat: string, text: string, said: Said = {}): Promise<string> {
  const before = gateway.answers(chat).length;
  gateway.receive([message(text, { chat, from: { id: chat }, ...said })]);
  return (await gateway.answered(chat, before + 1)).at(-1) ?? '';
}

function find(gateway: Gateway, chat: string, query: object, said: Said = {}): Promise<string> {
  return talk(gateway, chat, `find ${JSON.stringify(query)}`, said);
}

describe('searching earlier conversations', () => {
  it('finds what was said before /new, shows the words around it, and never the present conversation', async () => {
    const gateway = await startSearching();
    await talk(gateway, 'ann', 'The Melon is ripe, the key lies under the mat');
    expect(await find(gateway, 'ann', { query: 'melon' })).toContain('No earlier conversation');
    await talk(gateway, 'ann', '/new');
    const found = await find(gateway, 'ann', { query: 'melon key' });
    expect(found).toMatch(/earlier conversations/);
    expect(found).toMatch(/»Melon« is ripe[\s\S]*user: The Melon is ripe[\s\S]*assistant: noted/);
  });

  it('shows nobody what only others took part in', async () => {
    const gateway = await startSearching();
    await talk(gateway, 'ann', 'my canary is pomegranate');
    await talk(gateway, 'ann', '/new');
    const id = gateway.store.sessions.recent('agent:main:fake:dm:ann', 5).at(-1)?.id ?? '';
    expect(await find(gateway, 'bob', { query: 'pomegranate' })).toContain('No earlier conversation');
    expect(await find(gateway, 'bob', {})).toContain('There are no earlier conversations');
    expect(await find(gateway, 'bob', { session_id: id })).toMatch(/error: There is no conversation/);
    expect(await find(gateway, 'ann', { session_id: id })).toContain('pomegranate');
  });

  it("shows in a group nothing from the same person's direct chat or other groups", async () => {
    const gateway = await startSearching();
    const inGroup = (chat: string): Said => ({ chat, chatType: 'group', from: { id: 'ann' } });
    await talk(gateway, 'ann', 'private pomegranate');
    await talk(gateway, 'ann', '/new');
    await talk(gateway, 'g1', 'public pomegranate one', inGroup('g1'));
    await talk(gateway, 'g1', '/new', inGroup('g1'));
    await talk(gateway, 'g2', 'public pomegranate two', inGroup('g2'));
    await talk(gateway, 'g2', '/new', inGroup('g2'));
    const found = await find(gateway, 'g1', { query: 'pomegranate', limit: 10 }, inGroup('g1'));
    expect(found).toContain('public »pomegranate« one');
    expect(found).not.toMatch(/private|two/);
    expect(await find(gateway, 'ann', { query: 'pomegranate', limit: 10 })).toMatch(/one[\s\S]*two|two[\s\S]*one/);
  });

  it('finds the same id on another account for nobody', async () => {
    const gateway = await startSearching();
    await talk(gateway, 'ann', 'pomegranate');
    await talk(gateway, 'ann', '/new');
    gateway.store.quick(() => {
      const row = gateway.store.sessions.recent('agent:main:fake:dm:ann', 5).at(-1);
      const other = { chat: { platform: 'other', account: 'main', chat: 'ann' }, chatType: 'dm' } as const;
      const facts = { workspace: '/', title: null, settings: {}, trimmedTold: false, undelivered: null };
      gateway.store.sessions.create({ id: 'theirs', key: 'theirs', createdAt: 1, updatedAt: row?.updatedAt ?? 1, ...facts });
      const turn = gateway.store.turns.create({
        sessionId: 'theirs',
        lane: 'theirs',
        target: other,
        requester: { id: 'ann', name: 'Ann' },
      });
      gateway.store.turns.end(turn.id, { outcome: 'answered' });
      gateway.store.transcript.append('theirs', turn.id, { role: 'user', content: [{ type: 'text', text: 'their pomegranate' }] });
    });
    expect(await find(gateway, 'ann', { query: 'pomegranate', limit: 10 })).not.toContain('their');
  });

  it('forgets what was taken back', async () => {
    const gateway = await startSearching();
    await talk(gateway, 'ann', 'one');
    await talk(gateway, 'ann', 'pomegranate');
    await talk(gateway, 'ann', '/undo');
    await talk(gateway, 'ann', '/new');
    expect(await find(gateway, 'ann', { query: 'pomegranate' })).toContain('No earlier conversation');
  });

  it('understands phrases, prefixes, NOT, roles, dates, platforms and scripts without spaces', async () => {
    const gateway = await startSearching();
    for (const text of ['ripe green melon', 'green ripe pear', '今天的数据库备份失败了', 'café com leite']) {
      await talk(gateway, 'ann', text);
      await talk(gateway, 'ann', '/new');
    }
    const finds = async (query: object) => {
      const found = await find(gateway, 'ann', { limit: 10, ...query });
      return ['melon', 'pear', '备份', 'café'].filter((word) =>
        found.split('\n').some((line) => /user: /.test(line) && !line.includes('find') && line.includes(word)),
      );
    };
    expect(await finds({ query: '"ripe green"' })).toEqual(['melon']);
    expect(await finds({ query: 'gre* NOT melon' })).toEqual(['pear']);
    expect(await finds({ query: '数据库备份' })).toEqual(['备份']);
    expect(await finds({ query: '备份' })).toEqual(['备份']);
    expect(await finds({ query: 'CAFE' })).toEqual(['café']);
    expect(await finds({ query: 'noted', role_filter: ['user'] })).toEqual([]);
    expect(await finds({ query: 'melon', date_range: '..2001-01-01' })).toEqual([]);
    expect(await finds({ query: 'melon', date_range: '2d' })).toEqual(['melon']);
    expect(await finds({ query: 'melon', platform: 'telegram' })).toEqual([]);
    expect(await finds({ query: 'melon', platform: 'fake' })).toEqual(['melon']);
    expect(await finds({ query: 'melon unheard words' })).toEqual(['melon']); // nothing has them all
  });

  it('takes any text for a query, and says when there is nothing to look for', async () => {
    const gateway = await startSearching();
    await talk(gateway, 'ann', 'melon');
    await talk(gateway, 'ann', '/new');
    for (const query of ['"', '((((', 'a AND', '*', "'; drop table messages", 'col:x', '\u0000', '%_\\', 'NEAR(a b, 2)']) {
      expect(await find(gateway, 'ann', { query }), query).not.toMatch(/error:|failed/);
    }
  });

  it('reads on around a message', async () => {
    const gateway = await startSearching();
    for (const text of ['one', 'two', 'three', 'four']) await talk(gateway, 'ann', text);
    await talk(gateway, 'ann', '/new');
    const found = await find(gateway, 'ann', { query: 'three' });
    const [, session = '', id = ''] = /session_id (\S+),[\s\S]*Found in message (\d+)/.exec(found) ?? [];
    const read = await find(gateway, 'ann', { session_id: session, around_message_id: Number(id), window: 1 });
    expect(read.match(/(user|assistant): \w+/g)).toEqual(['assistant: noted', 'user: three', 'assistant: noted']);
  });
});
