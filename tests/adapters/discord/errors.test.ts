import { DiscordAPIError, HTTPError, RateLimitError } from 'discord.js';
import { describe, expect, it } from 'vitest';
import { DeliveryError } from '../../../adapters/adapter.ts';
import { deliveryError } from '../../../adapters/discord/errors.ts';

const refusal = (status: number, code: number, more: object = {}) =>
  deliveryError(
    new DiscordAPIError({ code, message: 'No', ...more }, code, status, 'POST', 'https://discord.com', { body: {}, files: [] }),
  );
const facts = ({ kind, certain, retryAfterMs }: DeliveryError) => ({ kind, certain, retryAfterMs });

describe('what a failed call of Discord means', () => {
  it.each<[string, number, number]>([
    ['Unknown Channel', 404, 10_003],
    ['Unknown Message', 404, 10_008],
    ['Request entity too large', 413, 40_005],
    ['Missing Access', 403, 50_001],
    ['Cannot send an empty message', 400, 50_006],
    ['Cannot send messages to this user', 403, 50_007],
    ['Missing Permissions', 403, 50_013],
    ['Invalid Form Body', 400, 50_035],
    ['Thread is archived', 400, 50_083],
    ['Thread is locked', 400, 160_005],
    ['Message was blocked by AutoMod', 400, 200_000],
  ])('%s (HTTP %d, %d) will never work', (_name, status, code) => {
    expect(refusal(status, code)).toMatchObject({ kind: 'rejected', certain: true, formatting: false });
  });

  it.each<[string, number, number]>([
    ['an unknown token', 401, 0],
    ['an overloaded API', 503, 130_000],
    ['something in front of the API', 403, 40_333],
  ])('%s passes, and nothing was sent', (_name, status, code) => {
    expect(facts(refusal(status, code))).toEqual({ kind: 'transient', certain: true, retryAfterMs: undefined });
  });

  it('slow mode and write limits are waited out, as long as Discord says or five seconds', () => {
    expect(facts(refusal(429, 20_016, { retry_after: 12.5 }))).toEqual({ kind: 'rate_limited', certain: true, retryAfterMs: 12_500 });
    expect(facts(refusal(403, 20_028))).toEqual({ kind: 'rate_limited', certain: true, retryAfterMs: 5000 });
  });

  it('a pause is that of the header, without what discord.js adds to it', () => {
    const limit = {
      timeToReset: 0,
      limit: 5,
      method: 'POST',
      hash: '',
      url: '',
      route: '/channels/:id/messages',
      majorParameter: '',
      global: false,
      retryAfter: 7050,
      sublimitTimeout: 0,
      scope: 'user',
    } as const;
    expect(facts(deliveryError(new RateLimitError(limit)))).toEqual({ kind: 'rate_limited', certain: true, retryAfterMs: 7000 });
  });

  it('a failure of the server and a broken connection leave open what became of the message', () => {
    const cut = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
    const timeout = Object.assign(new Error('aborted'), { name: 'AbortError' });
    for (const error of [new HTTPError(502, 'Bad Gateway', 'POST', '', { body: {}, files: [] }), cut, timeout, 'nonsense'])
      expect(facts(deliveryError(error))).toEqual({ kind: 'transient', certain: false, retryAfterMs: undefined });
  });

  it.each(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT'])('%s means that nothing was sent', (code) => {
    const error = new Error('failed', { cause: Object.assign(new Error(code), { code }) });
    expect(deliveryError(error).message).toBe(`Discord: the request failed (${code}).`);
    expect(facts(deliveryError(error))).toEqual({ kind: 'transient', certain: true, retryAfterMs: undefined });
  });

  it('leaves what is told already as it is, and shows no text of a message', () => {
    const told = new DeliveryError('x', { kind: 'rejected', certain: true });
    expect(deliveryError(told)).toBe(told);
    expect(refusal(400, 50_035, { errors: { content: { _errors: [{ code: 'X', message: 'Must be shorter.' }] } } }).message).toBe(
      'Discord: No content[X]: Must be shorter.',
    );
  });
});
