import { afterEach, describe, expect, it } from 'vitest';
import type { HttpServer } from '../../../gateway/http/server.ts';
import type { Done, PeopleControl } from '../../../gateway/status.ts';
import { ask, controlHandlers, HOST, OWN, server, signIn } from './fixture.ts';

let http: HttpServer;
afterEach(() => http.close());

/** Signed in, on a gateway that does as asked. */
async function page(people: Partial<PeopleControl> | undefined = {}) {
  const asked: unknown[][] = [];
  const note = (...what: unknown[]): Done => {
    asked.push(what);
    return { done: true, text: 'Done.' };
  };
  const all: PeopleControl = {
    all: () => ({ people: [], requests: [] }),
    approve: (...what) => note('approve', ...what),
    revoke: (...what) => note('revoke', ...what),
    clear: (...what) => note('clear', ...what),
    ...people,
  };
  http = server({ handlers: controlHandlers({ asks: () => [ask], strangers: () => 2, people: all }) });
  const cookie = await signIn(http);
  const post = async (what: string, payload: string | object) => {
    const headers = { ...OWN, cookie, 'content-type': 'application/json' };
    const answer = await http.app.inject({ method: 'POST', url: `/api/people/${what}`, headers, payload });
    return [answer.statusCode, answer.json()];
  };
  return { asked, post, get: (url: string) => http.app.inject({ url, headers: { host: HOST, cookie } }) };
}

const account = 'telegram/main';

describe('the people', () => {
  it('are listed for the owner, and who waits is counted beside what else does', async () => {
    const { get } = await page();
    expect((await get('/api/people')).json()).toEqual({ people: [], requests: [] });
    expect((await get('/api/asks')).json()).toEqual({ asks: [ask], strangers: 2 });
  });

  it.each([
    ['approve', { account, code: 'abcd 2345' }, ['approve', account, 'abcd 2345', undefined]],
    ['approve', { account: 'whatsapp/w_1', code: 'x', role: 'owner' }, ['approve', 'whatsapp/w_1', 'x', 'owner']],
    ['revoke', { account, person: '1@lid' }, ['revoke', account, '1@lid']],
    ['clear', {}, ['clear', undefined]],
    ['clear', { account }, ['clear', account]],
  ])('%s with %j is just that', async (what, body, expected) => {
    const { post, asked } = await page();
    expect(await post(what, body)).toEqual([200, { text: 'Done.' }]);
    expect(asked).toEqual([expected]);
  });

  it.each([
    ['approve', {}],
    ['approve', { account }],
    ['approve', { account, code: ['ABCD2345'] }],
    ['approve', { account, code: 'A'.repeat(65) }],
    ['approve', { account, code: 'ABCD2345', role: 'king' }],
    ['approve', { account, code: 'ABCD2345', person: 'somebody else' }],
    ['approve', { account: 'telegram', code: 'ABCD2345' }],
    ['approve', { account: '../main', code: 'ABCD2345' }],
    ['revoke', { account }],
    ['revoke', { account, person: '' }],
    ['revoke', { account, person: 'x'.repeat(1001) }],
    ['clear', { account: 'telegram/main/x' }],
    ['clear', '[]'],
    ['clear', '{"account":'],
  ])('%s with %j is refused, and nothing is done', async (what, body) => {
    const { post, asked } = await page();
    expect(await post(what, body)).toEqual([400, { error: expect.any(String) }]);
    expect(asked).toEqual([]);
  });

  it.each([
    ['approve', { account, code: 'WRONG234' }, 409],
    ['revoke', { account, person: '1' }, 404],
  ])('%s that changes nothing says why', async (what, body, status) => {
    const failed = (): Done => ({ done: false, text: 'Nobody.' });
    const { post } = await page({ approve: failed, revoke: failed });
    expect(await post(what, body)).toEqual([status, { error: 'Nobody.' }]);
  });
});
