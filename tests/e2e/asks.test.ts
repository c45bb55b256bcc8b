/** What somebody meets who tries the product without a key: the offline demo asks when it is told to. All else about asking is in tests/conversation. */
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { createDemoModel } from '../../agent/models/demo.ts';
import { answerTo, card, closed, sees } from '../conversation/support/person.ts';
import { openTelegram, type TelegramWorld } from '../conversation/support/world.ts';

const open = (): Promise<TelegramWorld> => openTelegram({ model: createDemoModel() });

/** There is something to lose. */
async function build({ person }: TelegramWorld): Promise<string> {
  const answer = await answerTo(person, 'run mkdir build && touch build/lost && pwd');
  const directory = path.join(/\S*\/workspaces\/\S+/.exec(answer)?.[0] ?? '', 'build');
  expect(readdirSync(directory)).toEqual(['lost']);
  return directory;
}

it('"run rm -r build" runs once it is allowed', async () => {
  const world = await open();
  const directory = await build(world);
  world.person.says('run rm -r build');
  const asked = await card(world.person);
  expect(existsSync(directory)).toBe(true);
  world.person.clicks(asked, '✅ Once');
  await sees(world.person, /^\(no output\)\n\n\[exit code 0/);
  expect(existsSync(directory)).toBe(false);
});

it('"remove build" does not run after a no, of which the person reads the first sentence only', async () => {
  const world = await open();
  const directory = await build(world);
  world.person.says('remove build');
  world.person.clicks(await card(world.person), '❌ No');
  await sees(world.person, /^Refused: U77 said no\.$/);
  expect(existsSync(directory)).toBe(true);
});

it('"ask me something" is a question, and any answer of one’s own is repeated', async () => {
  const { person } = await open();
  person.says('ask me something');
  const asked = await card(person);
  expect(asked.choices).toEqual(['Red', 'Green', 'Blue']);
  person.says('none of *them*');
  expect(await sees(person, 'You answered: none of')).toContain('them');
  expect(await closed(person, asked)).toContain('💬 U77: none of');
});
