import { afterEach, describe, expect, it } from 'vitest';
import type { HttpServer } from '../../../gateway/http/server.ts';
import type { ControlHandlers } from '../../../gateway/status.ts';
import { ask, controlHandlers, HOST, OWN, server, signIn } from './fixture.ts';

let http: HttpServer;
afterEach(() => http.close());

/** A page of a gateway where `ask` is open. Resolves with the status and the body. */
async function page(changes: Partial<ControlHandlers> = {}) {
  const decided: (readonly [number, string])[] = [];
  const answerAsk = (id: number, choice: string) => {
    decided.push([id, choice]);
    return { done: true, text: 'Allowed once.' };
  };
  http = server({ handlers: controlHandlers({ asks: () => [ask], answerAsk, ...changes }) });
  const cookie = await signIn(http);
  const decide = async (id: string, payload: string | object) => {
    const headers = { ...OWN, cookie, 'content-type': 'application/json' };
    const answer = await http.app.inject({ method: 'POST', url: `/api/asks/${id}/answer`, headers, payload });
    return [answer.statusCode, answer.json()];
  };
  return { decided, decide, list: () => http.app.inject({ url: '/api/asks', headers: { host: HOST, cookie } }) };
}

describe('the questions of all chats', () => {
  it('are listed for the owner, and kept by no cache', async () => {
    const answer = await (await page()).list();
    expect([answer.statusCode, answer.json(), answer.headers['cache-control']]).toEqual([200, { asks: [ask] }, 'no-store']);
  });

  it('are decided by the owner, wherever they were asked', async () => {
    const { decide, decided } = await page();
    expect(await decide('7', { choice: 'once' })).toEqual([200, { text: 'Allowed once.' }]);
    expect(decided).toEqual([[7, 'once']]);
  });

  it.each(['8', '07', '7.0', '0', '-7', '7%00', 'x', '__proto__', '99999999999999999999'])(
    'that are not open (%s) are not found, and nothing is decided',
    async (id) => {
      const { decide, decided } = await page();
      expect(await decide(id, { choice: 'once' })).toEqual([404, { error: expect.stringContaining('no such open question') }]);
      expect(decided).toEqual([]);
    },
  );

  it.each([
    ['nothing', {}],
    ['no object', '"once"'],
    ['null', 'null'],
    ['a list', { choice: ['once'] }],
    ['a further field', { choice: 'once', person: 'somebody else' }],
    ['a choice that was not offered', { choice: 'always' }],
    ['a choice of another alphabet', { choice: 'ONCE' }],
    ['no JSON', '{"choice":'],
  ])('are not decided with %s', async (_name, payload) => {
    const { decide, decided } = await page();
    expect(await decide('7', payload)).toEqual([400, { error: expect.any(String) }]);
    expect(decided).toEqual([]);
  });

  it('that somebody else decided first answer with the sentence of the gateway', async () => {
    const { decide } = await page({ answerAsk: () => ({ done: false, text: 'Ann denied it a moment ago.' }) });
    expect(await decide('7', { choice: 'once' })).toEqual([409, { error: 'Ann denied it a moment ago.' }]);
  });
});
