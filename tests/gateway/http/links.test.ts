import { describe, expect, it } from 'vitest';
import type { LinkPlace, LinkState, Links } from '../../../gateway/link-state.ts';
import { controlHandlers, OWN, server, signIn } from './fixture.ts';

const state: LinkState = { platform: 'whatsapp', account: 'main', label: 'WhatsApp', state: 'down', detail: 'Not linked.' };

function scripted(offer: LinkState['offer']) {
  const calls: string[] = [];
  const known = ({ platform, account }: LinkPlace) => platform === 'whatsapp' && account === 'main';
  const links: Links = {
    all: () => [offer === undefined ? state : { ...state, offer }],
    accept: (place) => known(place) && calls.push('accept') > 0,
    code: (place, phone) => known(place) && calls.push(`code ${phone}`) > 0,
  };
  return { calls, http: server({ handlers: controlHandlers({ links }) }) };
}

async function signedIn(http: ReturnType<typeof server>) {
  return { ...OWN, cookie: await signIn(http) };
}

describe('linking a phone', () => {
  it('is for who is signed in', async () => {
    const { http, calls } = scripted(undefined);
    for (const [method, url] of [
      ['GET', '/api/links'],
      ['POST', '/api/links/whatsapp/main/accept'],
      ['POST', '/api/links/whatsapp/main/code/4915123456789'],
    ] as const)
      expect((await http.app.inject({ method, url, headers: OWN, ...(method === 'POST' ? { payload: {} } : {}) })).statusCode).toBe(401);
    expect(calls).toEqual([]);
  });

  it('shows a code to scan as its squares, and not as the secret that is in it', async () => {
    const { http } = scripted({ type: 'qr', qr: '2@secret,key,identity', expiresAtMs: 5 });
    const answer = await http.app.inject({ method: 'GET', url: '/api/links', headers: await signedIn(http) });
    expect(answer.statusCode).toBe(200);
    expect(answer.body).not.toContain('secret');
    const [{ offer }] = answer.json().links;
    expect(offer).toMatchObject({ type: 'qr', expiresAtMs: 5 });
    expect(offer.rows).toHaveLength(offer.rows[0].length);
    // The three corner marks that every reader looks for.
    expect(offer.rows[0].slice(0, 8)).toBe('11111110');
    expect(offer.rows[0].slice(-8)).toBe('01111111');
    expect(offer.rows.at(-1).slice(0, 8)).toBe('11111110');
  });

  it('takes that the owner has read the warning, and a number for a code', async () => {
    const { http, calls } = scripted({ type: 'warning', text: 'Careful.' });
    const headers = await signedIn(http);
    const post = (url: string) => http.app.inject({ method: 'POST', url, headers, payload: {} });
    expect((await post('/api/links/whatsapp/main/accept')).statusCode).toBe(200);
    expect((await post('/api/links/whatsapp/main/code/4915123456789')).statusCode).toBe(202);
    expect((await post('/api/links/whatsapp/main/code/my-phone')).json()).toEqual({ error: expect.stringContaining('country code') });
    expect((await post('/api/links/telegram/main/accept')).statusCode).toBe(404);
    expect(calls).toEqual(['accept', 'code 4915123456789']);
  });
});
