import { expect, it } from 'vitest';
import { mostTokens, promptParts } from '../bench/prompt-size.ts';

it('what every request costs stays below 6,000 tokens with every tool that there is', () => {
  const parts = promptParts();
  expect(parts.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['prompt: identity', 'prompt: guidance', 'tools: terminal', 'tools: memory']),
  );
  expect(parts.reduce((sum, { tokens }) => sum + tokens, 0)).toBeLessThan(mostTokens);
});
