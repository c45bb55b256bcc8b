/** The built daemon as a process of its own, between the fakes, as a person on Telegram and an administrator meet it. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type ChatBody, lastUserText, type Reply } from '../fakes/model.ts';
import { until } from '../gateway/support/gateway.ts';
import { startGateway } from '../support/gateway-process.ts';
import { useFakes } from './fakes.ts';

const png = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');
const chatId = 77;
const fakes = useFakes();

const texts = (chat = chatId): string[] => fakes.texts(chat);
const said = (part: string, chat = chatId): Promise<void> => fakes.said(chat, part);

/** First the calls, then, once their results are there, the text. */
function script(calls: Reply['calls'], text: string): (body: ChatBody) => Reply {
  return (body) => (body.messages.at(-1)?.role === 'tool' || calls === undefined ? { text } : { calls });
}

function incoming(fields: Readonly<Record<string, unknown>>): void {
  fakes.telegram.inject({ chatId, text: '', extra: { text: undefined, ...fields } });
}

test('a photo reaches the model as an image, and the next text-only message works', async () => {
  await fakes.start();
  const file_id = fakes.telegram.addFile('photos/cat.png', png);
  incoming({ photo: [{ file_id, file_unique_id: 'u', width: 1, height: 1, file_size: png.length }], caption: 'what is this?' });
  await said('answer to');
  const parts = fakes.model.requests.at(-1)?.messages.findLast((message) => message.role === 'user')?.content;
  expect(JSON.stringify(parts)).toContain(`data:image/png;base64,${png.toString('base64')}`);
  fakes.telegram.inject({ chatId, text: 'thank you' });
  await said('thank you');
});

/** The beginning of a PNG that claims this size; what follows is missing. */
function pngOf(width: number, height: number): Buffer {
  const head = Buffer.from(png.subarray(0, 33));
  head.writeUInt32BE(width, 16);
  head.writeUInt32BE(height, 20);
  return head;
}

const badMedia: readonly (readonly [name: string, mime: string, content: Buffer, claimedBytes?: number])[] = [
  ['wide.png', 'image/png', pngOf(10_000, 800)],
  ['bomb.png', 'image/png', pngOf(60_000, 60_000)],
  ['truncated.jpg', 'image/jpeg', Buffer.from('ffd8ffe000104a46', 'hex')],
  ['empty.png', 'image/png', Buffer.alloc(0)],
  ['photo.heic', 'image/heic', Buffer.from('\0\0\0\x18ftypheic')],
  ['animated.gif', 'image/gif', Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')],
  ['large.png', 'image/png', Buffer.alloc(5 * 1024 * 1024, 1)],
  ['huge.png', 'image/png', Buffer.alloc(10), 30_000_000],
];

test('bad pictures and sixty in a row never keep a chat from answering', { timeout: 60_000 }, async () => {
  await fakes.start();
  const send = (name: string, mime_type: string, content: Buffer, file_size = content.length): void => {
    const file_id = fakes.telegram.addFile(`documents/${name}`, content);
    incoming({ document: { file_id, file_unique_id: name, file_name: name, mime_type, file_size }, caption: `look at ${name}` });
  };
  for (const [name, mime, content, claimed] of badMedia) send(name, mime, content, claimed);
  for (let index = 0; index < 60; index += 1) send(`row-${index}.png`, 'image/png', png);
  fakes.telegram.inject({ chatId, text: 'only text' });
  await fakes.telegram.waitFor(() => texts().some((text) => text.endsWith('only text')), 40_000);
  for (const [name] of badMedia) expect(texts().some((text) => text.includes(`look at ${name}`))).toBe(true);
  expect(texts().filter((text) => text.includes('⚠️'))).toEqual([]);
  expect(fakes.model.requests).toHaveLength(badMedia.length + 61);
});

test('a voice note and a document become one line each with kind, name, size and path, and the turn runs', async () => {
  await fakes.start();
  const voice = fakes.telegram.addFile('voice/1.oga', Buffer.alloc(2048, 1));
  incoming({ voice: { file_id: voice, file_unique_id: 'v', duration: 3, mime_type: 'audio/ogg', file_size: 2048 } });
  await said('answer to');
  const document = fakes.telegram.addFile('documents/report.pdf', Buffer.from('%PDF-1.7 quarterly numbers'));
  incoming({
    document: { file_id: document, file_unique_id: 'd', file_name: 'report.pdf', mime_type: 'application/pdf', file_size: 26 },
    caption: 'read it',
  });
  await said('read it');
  const [first = '', second = ''] = texts();
  expect(first).toMatch(/\[attachment: voice.*2 KB, stored at .*; speech is not transcribed/);
  expect(second).toMatch(/read it\s+\[attachment: file "report\.pdf", 26 bytes, stored at /);
  const stored = /stored at ([^;]+);/.exec(second)?.[1] ?? '';
  expect(readFileSync(stored, 'utf8')).toContain('quarterly numbers');
});

test('a file that the answer names is sent from the workspace, and one from elsewhere is refused in a sentence', async () => {
  fakes.model.reply(
    script([{ name: 'write_file', args: { path: 'notes.txt', content: 'hello' } }], 'Here it is.\nMEDIA:notes.txt\nMEDIA:/etc/passwd'),
  );
  await fakes.start();
  fakes.telegram.inject({ chatId, text: 'send me the notes' });
  await fakes.telegram.waitFor(() => fakes.telegram.messages(chatId).some((message) => message.file !== undefined), 15_000);
  expect(texts().join('\n')).toMatch(/Here it is\.[\s\S]*could not send a file: passwd is outside the workspace/);
  const sent = fakes.telegram.messages(chatId).flatMap((message) => (message.file === undefined ? [] : [message.file]));
  expect(sent.map((file) => [file.name, file.content.toString()])).toEqual([['notes.txt', 'hello']]);
});

test('a stranger gets one polite sentence, reaches no model, and leaves no text in the database', async () => {
  await fakes.start({ config: { telegram: { base_url: fakes.telegram.root, allowed_users: ['1'] } } });
  fakes.telegram.inject({ chatId, text: 'let me in zebra-crossing' });
  await fakes.telegram.waitFor(() => texts().length > 0, 10_000);
  fakes.telegram.inject({ chatId, text: 'please' });
  fakes.telegram.inject({ chatId: -500, fromId: chatId, text: '@hermes_fake_bot hello group' });
  await fakes.telegram.waitFor(() => fakes.telegram.waiting().length === 0, 10_000);
  await sleep(300);
  expect(texts()).toEqual([expect.stringMatching(/only talk to people/)]);
  expect(texts(-500)).toEqual([]);
  expect(fakes.model.requests).toEqual([]);
  await fakes.daemon?.stop();
  for (const name of readdirSync(fakes.home).filter((file) => file.startsWith('state.db'))) {
    expect(readFileSync(path.join(fakes.home, name)).includes('zebra-crossing')).toBe(false);
  }
});

test('/stop is acknowledged while a command runs, nothing of it stays alive, and the next message is answered', {
  timeout: 40_000,
}, async () => {
  const marker = `hermes-e2e-${process.pid}-${Date.now()}`;
  const command = `(exec -a ${marker} sleep 300) & (exec -a ${marker} sleep 301); wait`;
  fakes.model.reply((body) =>
    lastUserText(body).includes('work') ? { calls: [{ name: 'terminal', args: { command } }] } : { text: 'still here' },
  );
  await fakes.start();
  fakes.telegram.inject({ chatId, text: 'work' });
  await aliveAre(marker, 2);
  fakes.telegram.inject({ chatId, text: '/stop' });
  await said('Stopped');
  await aliveAre(marker, 0);
  fakes.telegram.inject({ chatId, text: 'and now?' });
  await said('still here');
});

test('what a killed daemon was running is gone at the latest when it starts again, and the turn goes on', { timeout: 40_000 }, async () => {
  const marker = `hermes-e2e-${process.pid}-${Date.now()}`;
  fakes.model.reply(
    script([{ name: 'terminal', args: { command: `(exec -a ${marker} sleep 300) & (exec -a ${marker} sleep 301)` } }], 'went on'),
  );
  const first = await fakes.start();
  fakes.telegram.inject({ chatId, text: 'work' });
  await aliveAre(marker, 2);
  first.kill('SIGKILL');
  await first.exited;
  await fakes.start();
  await said('went on');
  await aliveAre(marker, 0);
  const results = fakes.model.requests.at(-1)?.messages.filter((message) => message.role === 'tool');
  expect(JSON.stringify(results)).toContain('outcome unknown');
});

test('a second daemon on the same home refuses to start and says who runs', async () => {
  const first = await fakes.start();
  const second = startGateway({ home: fakes.home, telegram: fakes.telegram, model: fakes.model.base });
  expect(await second.exited).toBe(1);
  expect(second.output()).toContain(`another gateway is running on ${fakes.home} (process ${first.pid})`);
});

test('status and health tell what the daemon does, and SIGTERM ends it with 0', async () => {
  const gateway = await fakes.start();
  await said('answer to hello', await hello());
  const { stdout } = await fakes.cli('status', '--json');
  const status = JSON.parse(stdout) as { pid: number; accounts: { platform: string; state: string }[] };
  expect(status).toMatchObject({ pid: gateway.pid, model: { demo: false }, work: { inboxPending: 0 } });
  expect(status.accounts.map(({ platform, state }) => `${platform} ${state}`)).toEqual(['telegram connected', 'web connected']);
  const page = /http:\/\/127\.0\.0\.1:\d+/.exec(gateway.output())?.[0];
  expect((await fetch(`${page}/readyz`)).status).toBe(200);
  expect(await gateway.stop()).toBe(0);
  await expect(fakes.cli('status')).rejects.toMatchObject({ code: 3 });
});

async function hello(): Promise<number> {
  fakes.telegram.inject({ chatId, text: 'hello' });
  return chatId;
}

test('a state.db of another program is left as it is, and ours lies beside it', async () => {
  const { default: Sqlite } = await import('better-sqlite3');
  const foreign = new Sqlite(path.join(fakes.home, 'state.db'));
  foreign.exec('create table sessions (id text)');
  foreign.close();
  const before = readFileSync(path.join(fakes.home, 'state.db'));
  await fakes.start();
  fakes.telegram.inject({ chatId, text: 'hello' });
  await said('answer to hello');
  await fakes.daemon?.stop();
  expect(readFileSync(path.join(fakes.home, 'state.db')).equals(before)).toBe(true);
  expect(existsSync(path.join(fakes.home, 'gateway.db'))).toBe(true);
});

/** Processes whose command line names the marker, the shell that was given it left out. */
function alive(marker: string): number {
  const names = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return names.filter((pid) => commandLine(pid).startsWith(`${marker}\0`)).length;
}

function aliveAre(marker: string, count: number): Promise<void> {
  return until(
    () => alive(marker) === count,
    () => `${alive(marker)} are alive, not ${count}`,
    10_000,
  );
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return ''; // it ended meanwhile
  }
}
