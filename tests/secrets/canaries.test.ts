/** A canary in every secret slot, every feature and every way to fail: none of them is ever seen by anybody. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import type { Reply } from '../fakes/model.ts';
import { type ChatBody, lastUserText } from '../fakes/model.ts';
import { childrenOf, cliOn, openRig, type Rig } from './rig.ts';
import { envFile, everySecret, leaksIn, slots, spoken } from './slots.ts';

const person = 7;

/** It says every secret that it is asked for, and has them printed, written, asked and looked for. */
function talkative(body: ChatBody): Reply {
  const last = body.messages.at(-1);
  const said = lastUserText(body);
  if (last?.role === 'tool') return { text: `finished ${spoken}` };
  const quoted = `'${spoken}'`;
  const commands: Readonly<Record<string, string>> = {
    print: `echo ${quoted}; printf %s ${quoted} | base64 -w0; echo; env; cat /proc/self/environ; exit 3`,
    slow: 'sleep 2',
    dare: `rm -rf /var/canary ${quoted}`,
    read: 'cat "$HOME/.env"; cat /proc/$PPID/environ',
  };
  for (const [word, command] of Object.entries(commands))
    if (said.includes(word)) return { calls: [{ name: 'terminal', args: { command } }] };
  if (said.includes('look')) return { calls: [{ name: 'read_file', args: { path: `/nowhere/${slots.spare}/${slots.model}` } }] };
  if (said.includes('wonder'))
    return { calls: [{ name: 'clarify', args: { question: `Which? ${spoken}`, choices: [slots.spare, slots.model] } }] };
  if (said.includes('send')) return { text: `Here.\nMEDIA:${slots.spare}.txt` };
  return { text: `I know ${spoken} and ${Buffer.from(slots.model).toString('base64')}` };
}

const telegramTexts = ({ telegram }: Rig): readonly string[] => telegram.messages(person).map(({ text }) => text ?? '');

/** Says something on Telegram and waits until the bot has said so much more. */
async function say(rig: Rig, text: string, more = 1): Promise<void> {
  const before = rig.telegram.calls.filter(({ method }) => method === 'sendMessage').length;
  rig.telegram.inject({ chatId: person, text });
  await rig.telegram.waitFor(() => rig.telegram.calls.filter(({ method }) => method === 'sendMessage').length >= before + more, 20_000);
}

async function everyFeature(rig: Rig): Promise<void> {
  const { telegram, discord, slack, page } = rig;
  const dm = discord.dm('200000000000000100');
  discord.say({ channel: dm, text: 'tell me' });
  slack.say('tell me', { channel: 'D0CANARY1', user: 'U0CANARY1' });
  page.message(crypto.randomUUID(), 'tell me');
  await say(rig, 'tell me');
  await say(rig, 'dare it', 1); // a card
  telegram.inject({ chatId: person, text: '/deny' });
  await telegram.waitFor(() => telegramTexts(rig).some((text) => text.includes('finished')), 20_000);
  await say(rig, 'I wonder');
  await rig.http('GET', '/api/asks');
  await say(rig, 'the second');
  await say(rig, '/yolo');
  expect(telegramTexts(rig).at(-1)).toContain('do not ask');
  for (const word of ['print it', 'look there', 'read that', 'send it']) await say(rig, word);
  telegram.inject({ chatId: person, text: 'slow one' });
  await expect.poll(() => childrenOf(rig.daemon().pid), { timeout: 10_000 }).toContain('sleep 2');
  rig.note('the programs that run', childrenOf(rig.daemon().pid));
  for (const command of [
    '/status',
    '/whoami',
    '/help',
    '/history',
    '/sessions',
    '/model',
    `/model ${slots.model}`,
    '/model default',
    '/usage',
    '/title x',
  ])
    await say(rig, command);
  await discord.waitFor(() => discord.messages(dm).length > 0, 10_000);
  await slack.waitFor(() => slack.messages('D0CANARY1').length > 0, 10_000);
}

async function everyFailure(rig: Rig): Promise<void> {
  const { telegram, discord, slack, model } = rig;
  const echo = { error: { message: `Incorrect API key provided: ${slots.model} (${slots.header})`, code: 'invalid_api_key' } };
  model.fail({ type: 'status', status: 401, body: echo });
  await say(rig, 'tell me now');
  model.fail({ type: 'status', status: 500, body: echo });
  await say(rig, 'tell me again');
  model.fail({ type: 'status', status: 418, body: `<html>${spoken}</html>` });
  await say(rig, 'and again');
  model.fail({ type: 'stream_error', error: { code: 400, message: spoken } });
  await say(rig, 'once more');
  model.fail({ type: 'reset' });
  await say(rig, 'and once more');
  for (const status of [400, 403, 500]) {
    telegram.fail('sendMessage', { status, description: `Bad Request: /bot${slots.telegram}/sendMessage is ${spoken}` });
    await say(rig, 'tell me', 2);
  }
  telegram.fail('getUpdates', { status: 409, description: `Conflict: bot${slots.telegram}` });
  telegram.fail('getUpdates', { status: 502, body: `<html>bot${slots.telegram}</html>` });
  discord.fail('POST /channels', { status: 403, code: 50_013, message: `Missing ${slots.discord}` });
  discord.say({ channel: discord.dm('200000000000000100'), text: 'tell me' });
  slack.fail('chat.postMessage', {
    error: 'invalid_blocks',
    extra: { response_metadata: { messages: [`${slots.slackBot} ${slots.slackApp}`] } },
  });
  slack.fail('chat.postMessage', { status: 500, body: slots.slackBot });
  slack.say('tell me', { channel: 'D0CANARY1', user: 'U0CANARY1' });
  await say(rig, 'still there?');
  await expect.poll(() => rig.http('GET', '/api/status'), { timeout: 10_000 }).toContain('telegram');
}

async function everyQuestion(rig: Rig): Promise<void> {
  const verbs = [
    'gateway status',
    'gateway status --json',
    'audit',
    'audit --json',
    'pairing list',
    'config check',
    'pairing approve telegram WRONG',
  ];
  await Promise.all(verbs.map((verb) => rig.cli(...verb.split(' '))));
  for (const route of ['/api/status', '/api/asks', '/api/people', '/api/links', '/api/permissions', '/readyz', '/healthz', '/nothing'])
    await rig.http('GET', route);
  await rig.http('POST', '/api/audit', { limit: 1000 });
  await rig.http('POST', '/api/asks/1/answer', { choice: 'x' });
}

test('no secret is in any log, chat, page, answer, record, process or file, whatever is done and whatever fails', async () => {
  const rig = await openRig();
  rig.model.reply(talkative);
  await everyFeature(rig);
  await everyFailure(rig);
  await everyQuestion(rig);
  rotate(rig);
  await say(rig, 'tell me after that');
  rig.telegram.fail('*', { status: 401, description: 'Unauthorized' }, () => true);
  await expect.poll(() => rig.http('GET', '/api/status'), { timeout: 20_000 }).toContain('does not know this bot token');
  const kept = keptSecrets(rig);
  rig.daemon().kill('SIGTERM');
  await rig.daemon().exited;
  const evidence = rig.evidence();
  for (const [where, text] of evidence) expect(leaksIn(text, kept), where).toEqual([]);
  for (const where of ['Telegram', 'Discord', 'Slack', 'the page', 'what tools reported', 'audit --json'])
    expect(evidence.get(where) ?? evidence.get(`hermes ${where}`), where).toContain('[redacted]');
}, 120_000);

/** The file has another key now, and the one before it is no less a secret. */
function rotate({ home }: Rig): void {
  writeFileSync(
    path.join(home, '.env'),
    envFile.replace(slots.spare, 'another-canary-of-that-tool-17').replace(slots.model, `${slots.model}-new`),
  );
}

/** What links the account to its phone, and what the server of the page and of the socket goes by. */
function keptSecrets({ home, cookie }: Rig): readonly string[] {
  const store = new Sqlite(path.join(home, 'state.db'), { readonly: true });
  const values = store.prepare("select value from account_data where account = 'whatsapp/main' and key = 'auth:creds'").pluck().all();
  store.close();
  const keys = [...JSON.stringify(values).matchAll(/[A-Za-z0-9+/]{40,}=*/g)].map(([key]) => key).filter((key) => !/^A+=*$/.test(key));
  expect(keys.length).toBeGreaterThan(4);
  const token = readFileSync(path.join(home, 'run', 'gateway.token'), 'utf8').trim();
  return [...keys, token, cookie.split('=')[1] ?? ''];
}

test.each<[string, { readonly config?: string; readonly env?: string }]>([
  ['a token that is a key', { config: `telegram:\n  ${slots.telegram.replace(':', '_')}: 1\n${slots.slackBot}: 2\n` }],
  ['a token that is a list', { config: `telegram:\n  bot_token: [${slots.telegram}]\n` }],
  ['a token that is a map', { config: `slack:\n  bot_token: {x: ${slots.slackBot}}\n` }],
  [
    'a token where a number belongs',
    { config: `telegram:\n  poll_timeout_seconds: ${slots.spare}\n`, env: `SPARE_TOKEN=${slots.spare}\n` },
  ],
  ['a token as an address', { config: `model:\n  base_url: "${slots.slackApp}"\n` }],
  ['a token behind a tab', { config: `model:\n\tapi_key: ${slots.slackBot}\n` }],
  ['a token in a quote that is never closed', { config: `model:\n  api_key: "${slots.slackBot}\n` }],
  ['a line of .env that is none', { env: `${slots.slackBot}\nOPENAI_API_KEY="${slots.model}\n` }],
  ['a variable that is not set', { config: `model:\n  api_key: "${slots.slackBot}\${NOT_SET}"\n` }],
  ['a webhook secret that Telegram would not take', { config: `telegram:\n  webhook: {secret: "${slots.header.replaceAll('"', ' ')}"}\n` }],
])('a configuration with %s is told without it', async (_what, { config = '', env = '' }) => {
  const home = mkdtempSync(path.join(tmpdir(), 'hermes-canaries-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  writeFileSync(path.join(home, 'config.yaml'), `web:\n  enabled: false\n${config}`);
  writeFileSync(path.join(home, '.env'), env);
  const told = await cliOn(home, 'config', 'check');
  expect(told).toMatch(/config\.yaml|\.env|can be used/);
  expect(leaksIn(told)).toEqual([]);
  expect(everySecret.length).toBeGreaterThan(10);
});
