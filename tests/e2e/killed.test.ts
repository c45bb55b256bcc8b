/** `kill -9` while a person is asked, on Telegram and on the page: the built daemon as a process of its own. */
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { type OwnersPage, ownersPage } from '../conversation/support/page.ts';
import { answerTo, card, closed, type Person, sees } from '../conversation/support/person.ts';
import { personOnTelegram } from '../conversation/support/telegram.ts';
import { lastUserText } from '../fakes/model.ts';
import { useFakes } from './fakes.ts';

const fakes = useFakes();

beforeEach(() => {
  fakes.model.reply((body) => {
    const text = lastUserText(body);
    if (body.messages.at(-1)?.role === 'tool') return { text: `went on with ${text}` };
    if (text === 'delete') return { calls: [{ name: 'terminal', args: { command: 'rm -r build' } }] };
    if (text === 'ask') return { calls: [{ name: 'clarify', args: { question: 'Which?', choices: ['Red', 'Blue'] } }] };
    return { text: `answer to ${text}` };
  });
});

interface Both {
  readonly people: readonly Person[];
  killAndStart(meanwhile?: () => void): Promise<void>;
}

async function startBoth(): Promise<Both> {
  const page: OwnersPage = ownersPage();
  const start = async (): Promise<void> => {
    await fakes.start();
    await page.connect((await fakes.cli('link')).stdout.trim());
  };
  await start();
  onTestFinished(() => page.close());
  return {
    people: [personOnTelegram(fakes.telegram), page],
    killAndStart: async (meanwhile) => {
      await delivered();
      fakes.daemon?.kill('SIGKILL');
      await fakes.daemon?.exited;
      meanwhile?.();
      await start();
    },
  };
}

/** A card whose delivery was cut is sent again: what is shown is not yet what the daemon knows to be shown. */
async function delivered(): Promise<void> {
  for (;;) {
    const { work } = JSON.parse((await fakes.cli('status', '--json')).stdout) as { readonly work: { readonly outboxPending: number } };
    if (work.outboxPending === 0) return;
  }
}

/** In every workspace there is. */
function builds(): readonly string[] {
  const workspaces = path.join(fakes.home, 'workspaces');
  return readdirSync(workspaces).map((name) => path.join(workspaces, name, 'build'));
}

test('an approval is decided afterwards on the same card, and what was allowed runs once', async () => {
  const { people, killAndStart } = await startBoth();
  for (const person of people) await answerTo(person, 'hello');
  for (const build of builds()) mkdirSync(build);
  for (const person of people) person.says('delete');
  const asked = await Promise.all(people.map((person) => card(person)));
  await killAndStart();
  expect(builds().map((build) => existsSync(build))).toEqual([true, true]);
  for (const [index, person] of people.entries()) {
    const shown = asked[index] ?? (await card(person));
    person.clicks(shown, '✅ Once');
    await sees(person, 'went on with delete');
    expect(await closed(person, shown)).toContain(`✅ ${person.name} allowed it once.`);
    expect(person.cards()).toHaveLength(1);
  }
  expect(builds().map((build) => existsSync(build))).toEqual([false, false]);
  const results = fakes.model.requests.flatMap(({ messages }) => messages.filter(({ role }) => role === 'tool'));
  expect(results).toHaveLength(2);
});

test('a question is answered afterwards, also with what was clicked while nobody was there', async () => {
  const { people, killAndStart } = await startBoth();
  const [ann, owner] = people;
  if (ann === undefined || owner === undefined) throw new Error('somebody is missing');
  for (const person of people) person.says('ask');
  const [asked, other] = [await card(ann), await card(owner)];
  await killAndStart(() => ann.clicks(asked, 'Blue'));
  await sees(ann, 'went on with ask');
  expect(await closed(ann, asked)).toContain(`💬 ${ann.name}: Blue`);
  owner.says('2');
  await sees(owner, 'went on with ask');
  expect(await closed(owner, other)).toContain('💬 owner: Blue');
});

test('/restart from the page is confirmed there, once', async () => {
  const page = ownersPage();
  await fakes.start();
  await page.connect((await fakes.cli('link')).stdout.trim());
  onTestFinished(() => page.close());
  const polls = fakes.telegram.polls.length;
  expect(await answerTo(page, '/restart')).toMatch(/^🔄 I am restarting/);
  await fakes.telegram.waitFor(() => fakes.telegram.polls.length > polls && fakes.telegram.openPolls() === 1, 15_000);
  await page.connect(await linkOnceItIsBack());
  await sees(page, '✅ Restarted.');
  expect(await answerTo(page, 'hello')).toBe('answer to hello');
  expect(page.reads().filter((text) => text.includes('Restarted'))).toHaveLength(1);
});

/** `hermes gateway link` finds nobody while the daemon starts again. */
async function linkOnceItIsBack(): Promise<string> {
  for (;;) {
    const { stdout } = await fakes.cli('link').catch(() => ({ stdout: '' }));
    if (stdout !== '' && (fakes.daemon?.output().split('is running (home').length ?? 0) > 2) return stdout.trim();
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
