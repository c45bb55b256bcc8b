import { expect, test } from 'vitest';
import { personalityNames, personalityPrompt } from '../../gateway/personalities.ts';

const names = 'helpful concise technical creative teacher kawaii catgirl pirate shakespeare surfer noir uwu philosopher hype'.split(' ');

test('those of Hermes Agent are built in, each with a prompt of its own', () => {
  expect(personalityNames({})).toEqual(names);
  const prompts = names.map((name) => personalityPrompt(name, {}) ?? '');
  expect(new Set(prompts).size).toBe(names.length);
  for (const prompt of prompts) expect(prompt.length).toBeGreaterThan(40);
});

test("a person's own are added, and replace a built-in one of the same name", () => {
  const own = { Butler: 'Serve.', PIRATE: 'Sail.' };
  expect(personalityNames(own)).toEqual([...names, 'butler']);
  expect(personalityPrompt('butler', own)).toBe('Serve.');
  expect(personalityPrompt('pirate', own)).toBe('Sail.');
  expect(personalityPrompt(' Noir ', own)).toBe(personalityPrompt('noir', {}));
});

test('none is no personality, whatever the configuration says', () => {
  expect(personalityPrompt('none', { none: 'Be nobody.' })).toBeUndefined();
  expect(personalityPrompt('NONE', {})).toBeUndefined();
  expect(personalityNames({ none: 'Be nobody.' })).toEqual(names);
});

test.each(['', 'plumber', 'constructor', '__proto__'])('%j is not known', (name) => {
  expect(personalityPrompt(name, {})).toBeUndefined();
});
