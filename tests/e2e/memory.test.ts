/** What is remembered, and by whom, through the whole daemon: from the model's call to the next conversation's prompt. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { type ChatBody, lastUserText, type Reply } from '../fakes/model.ts';
import { noPacing } from '../support/gateway-process.ts';
import { useFakes } from './fakes.ts';

const [owner, stranger] = [7, 8];
const fakes = useFakes();

/** Calls what the person says, `name {json}`, and answers with its result. */
function obedient(body: ChatBody): Reply {
  const last = body.messages.at(-1);
  if (last?.role === 'tool') return { text: `result: ${typeof last.content === 'string' ? last.content : ''}` };
  const [, name = '', args = ''] = /^(\w+) (\{.*\})$/s.exec(lastUserText(body)) ?? [];
  return name === '' ? { text: `answer to ${lastUserText(body)}` } : { calls: [{ name, args: JSON.parse(args) }] };
}

function systemOf(body: ChatBody | undefined): string {
  const [first] = body?.messages ?? [];
  return typeof first?.content === 'string' ? first.content : '';
}

async function say(chatId: number, text: string, answer: string): Promise<ChatBody | undefined> {
  const before = fakes.texts(chatId).length;
  fakes.telegram.inject({ chatId, from: { id: chatId }, text });
  await fakes.telegram.waitFor(
    () =>
      fakes
        .texts(chatId)
        .slice(before)
        .some((shown) => shown.includes(answer)),
    15_000,
  );
  return fakes.model.requests.at(-1);
}

test('is the owner’s own, is in their next conversation, and no tool gives it to anybody else', async () => {
  fakes.model.reply(obedient);
  const telegram = {
    base_url: fakes.telegram.root,
    allowed_users: ['*'],
    allow_admin_from: [String(owner)],
    user_allowed_commands: ['new'],
  };
  await fakes.start({ config: { telegram: { ...telegram, pacing: noPacing } } });
  const home = (name: string): string => path.join(fakes.home, name);
  expect(systemOf(await say(owner, 'hello', 'answer to'))).toMatch(/^You are Hermes/);
  expect(readFileSync(home('SOUL.md'), 'utf8')).toMatch(/^You are Hermes/);
  writeFileSync(home('SOUL.md'), 'You are Ada.');
  await say(owner, 'memory {"action":"add","content":"canary-of-the-owner"}', 'Added');
  await say(stranger, 'memory {"action":"add","content":"canary-of-the-stranger"}', 'Added');
  expect(readFileSync(home('memories/MEMORY.md'), 'utf8')).toBe('canary-of-the-owner');
  expect(readFileSync(home(`memories/people/telegram-${stranger}/MEMORY.md`), 'utf8')).toBe('canary-of-the-stranger');
  expect(systemOf(await say(owner, 'still there?', 'answer to'))).toMatch(/^You are Hermes(?![\s\S]*canary)/);
  for (const chat of [owner, stranger]) await say(chat, '/new', 'New conversation');
  const [own, other] = [systemOf(await say(owner, 'and now?', 'answer to')), systemOf(await say(stranger, 'and now?', 'answer to'))];
  expect(own).toMatch(/^You are Ada\.[\s\S]*canary-of-the-owner/);
  expect(other).toMatch(/^You are Ada\.[\s\S]*canary-of-the-stranger/);
  expect([own.includes('of-the-stranger'), other.includes('of-the-owner')]).toEqual([false, false]);
  await say(stranger, `read_file {"path":"${home('memories/MEMORY.md')}"}`, 'Refused');
  await say(stranger, `search_files {"pattern":"canary","path":"${home('memories')}"}`, 'Refused');
  await say(stranger, `terminal {"command":"cat ${home('memories/MEMORY.md')}"}`, 'May I run this?');
  expect(fakes.texts(stranger).join('\n')).not.toContain('canary-of-the-owner');
}, 60_000);
