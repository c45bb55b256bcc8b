import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { secretFinder } from '../../gateway/known-secrets.ts';

const token = 'sk-canary-0f3e9b_71c5*42d8';
const pair = 'name:pa ss/w"o\\rd-94b1e77c';

function plain(text: string, ...secrets: readonly string[]): string {
  return secretFinder(secrets.length === 0 ? [token, pair] : secrets, 'plain')?.(text) ?? text;
}

describe('what is left of a secret', () => {
  test.each<[string, string, string]>([
    ['cut at the end of a preview', `curl -H "Authorization: ${token.slice(0, 18)}…`, 'curl -H "Authorization: [redacted]…'],
    ['cut at the end of the text', `the key is ${token.slice(0, 13)}`, 'the key is [redacted]'],
    ['cut at the beginning', `[... 900 bytes left out ...]\n${token.slice(-14)} is it`, '[... 900 bytes left out ...]\n[redacted] is it'],
    ['split over two lines', `${token.slice(0, 13)}\n${token.slice(13)}`, '[redacted]\n[redacted]'],
    ['in our own markdown', `_reads_ ${token.replaceAll(/[_*]/g, String.raw`\$&`)} there`, '_reads_ [redacted] there'],
    ['behind a name, in base64', `Basic ${Buffer.from(`bot:${token}`).toString('base64')}`, 'Basic Ym90On[redacted]'],
    ['as a number in base 16', `0x${Buffer.from(token).toString('hex')}`, '0x[redacted]'],
    ['in JSON within JSON', JSON.stringify({ args: JSON.stringify({ key: pair }) }), '{"args":"{\\"key\\":\\"[redacted]\\"}"}'],
    ['in a form', `key=${encodeURIComponent(pair).replaceAll('%20', '+')}&x=1`, 'key=[redacted]&x=1'],
  ])('is taken out, %s', (_how, text, clean) => {
    expect(plain(text)).toBe(clean);
  });

  test.each([
    ['what begins alike and goes on otherwise', 'sk-canary-0f3e9b_71c6 is another'],
    ['a short beginning', 'keys begin with sk-canary-'],
    ['a short end', 'it ends in 71c5*42d8'],
  ])('is not %s', (_what, text) => {
    expect(plain(text)).toBe(text);
  });

  test('of several lines is each line', () => {
    const key = '-----BEGIN KEY-----\nMIIEvQIBADANBgkqhkiG\nAoIBAQDK9hz1vQ0mXx1z\n-----END KEY-----\n';
    expect(plain('it says\nMIIEvQIBADANBgkqhkiG\nand AoIBAQDK9hz1vQ0mXx1z.', key)).toBe('it says\n[redacted]\nand [redacted].');
  });

  test('is found where a shorter one begins like a longer one', () => {
    expect(plain('abcdefghijklXY abcdefghijklmnop abcdef', 'abcdef', 'abcdefghijklmnop')).toBe('[redacted]ghijklXY [redacted] [redacted]');
  });
});

describe('a line of the log', () => {
  const hostile = fc.string({
    unit: fc.constantFrom('a', 'n', 'u', '0', '"', '\\', '\n', '/', 'é', '😀', ' ', '-'),
    minLength: 6,
    maxLength: 24,
  });

  test('stays JSON and loses every secret in it, whatever the secrets and the texts', () => {
    fc.assert(
      fc.property(
        fc.array(hostile, { minLength: 1, maxLength: 4 }),
        fc.array(fc.oneof(hostile, fc.nat(3)), { maxLength: 6 }),
        (secrets, parts) => {
          const usable = secrets.filter((secret) => secret.trim().length >= 6);
          const text = parts.map((part) => (typeof part === 'number' ? (usable[part % Math.max(1, usable.length)] ?? '') : part)).join(' ');
          const line = JSON.stringify({ text, [text]: [text], nested: JSON.stringify({ text }) });
          const written = secretFinder(usable, 'json')?.(line) ?? line;
          expect(() => JSON.parse(written)).not.toThrow();
          const read = JSON.parse(written) as { readonly text?: string };
          for (const secret of usable) expect(read.text ?? '').not.toContain(secret);
        },
      ),
      { numRuns: 600 },
    );
  });
});

test('nothing is found where nothing is known', () => {
  expect(secretFinder([], 'plain')).toBeUndefined();
  expect(secretFinder(['abc', '     '], 'json')).toBeUndefined();
});
