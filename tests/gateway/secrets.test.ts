import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../../agent/tool.ts';
import { createRedactor, createSecretFilter, withoutSecrets } from '../../gateway/secrets.ts';

const secret = 'k3y-with/odd+chars"and\\slash';
const leak = defineTool({
  name: 'leak',
  toolset: 'test',
  description: 'Prints what it is given.',
  args: z.object({ text: z.string() }),
  effect: 'read',
  preview: () => '',
  run: async ({ text }) => ({ content: text, failed: true }),
});

const ctx = {
  signal: new AbortController().signal,
  session: { id: 's', workspace: '/' },
  progress: () => undefined,
  child: () => undefined,
  ask: async () => ({ answered: false, reason: '' }) as const,
};

test.each([
  ['as it is', secret],
  ['behind a backslash', `\\${secret}`],
  ['as JSON writes it', JSON.stringify({ key: secret })],
  ['in an address', `https://example.org/?key=${encodeURIComponent(secret)}`],
  ['in base64', Buffer.from(secret).toString('base64')],
])('a tool reports none of our secrets, written %s', async (_how, text) => {
  const tool = withoutSecrets(
    leak,
    createSecretFilter(() => [secret], 'plain'),
  );
  const { content, failed } = await tool.run({ text: `before ${text} after` }, ctx);
  expect(content).toContain('[redacted]');
  expect(content).not.toContain('odd');
  expect(content).toMatch(/^before .* after$/);
  expect(failed).toBe(true);
});

test('what is no secret of ours is left alone, and so are values too short to be one', async () => {
  const tool = withoutSecrets(
    leak,
    createSecretFilter(() => ['abc', ''], 'plain'),
  );
  expect((await tool.run({ text: 'abc sk-0123456789abcdef' }, ctx)).content).toBe('abc sk-0123456789abcdef');
});

test.each([
  ['as it is', (line: string) => line],
  ['with numbered lines', (line: string, index: number) => `${index + 1}|${line}`],
  ['found by a search', (line: string, index: number) => `keys/key.pem:${index + 1}: ${line}`],
])('a private key is taken out whole, %s, and what follows it stays', (_how, shown) => {
  const [body, rest] = ['MIIEvQIBADANBgkqhkiG9w0BAQEFAASC', 'x9Q=='];
  const pem = ['-----BEGIN PRIVATE KEY-----', body, body, rest, '-----END PRIVATE KEY-----', 'and more'].map(shown).join('\n');
  const seen = createRedactor(() => [], 'plain')(pem);
  expect(seen).not.toMatch(/MIIE|x9Q/);
  expect(seen).toMatch(/BEGIN PRIVATE KEY-----[\s\S]*END PRIVATE KEY-----\n.*and more$/);
});
