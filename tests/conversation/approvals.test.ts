/** What is dangerous is asked about, what is never allowed is refused: with the real tools. */
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { describe as inWords } from '../gateway/support/transcript.ts';
import { type Actor, actor } from './support/model.ts';
import { answerTo, card, closed, sees } from './support/person.ts';
import { runner, somethingToLose } from './support/runner.ts';
import { places } from './support/world.ts';

describe.each(places)('on $name, a dangerous command', ({ open }) => {
  it('waits for a yes on its card, then runs; the card shows who allowed it and has no choices left', async () => {
    const world = await open({ model: runner() });
    const { person } = world;
    const [build = ''] = await somethingToLose(world, 'build');
    person.says('run rm -r build');
    const asked = await card(person);
    expect(asked.text).toMatch(/^#1 May I run this\? \(terminal\)\nrm -r build\n+It deletes directories/);
    expect(asked.choices).toEqual(expect.arrayContaining(['✅ Once', '✅ This session', '❌ No']));
    expect(existsSync(build)).toBe(true);
    person.clicks(asked, '✅ Once');
    await sees(person, 'done: exit code 0');
    expect(existsSync(build)).toBe(false);
    expect(await closed(person, asked)).toContain(`✅ ${person.name} allowed it once.`);
  });

  it('does not run after a no, nor does anything that contains it for the rest of the turn, unasked', async () => {
    const world = await open({ model: runner() });
    const { person, idle, transcript } = world;
    const [build = '', dist = ''] = await somethingToLose(world, 'build', 'dist');
    person.says('run rm -r build;; true && rm -rf ./build;; rm -r dist');
    person.clicks(await card(person), '❌ No');
    person.clicks(await card(person, 2), '✅ Once');
    const answer = await sees(person, 'done: ');
    expect(answer).toMatch(
      new RegExp(
        `refused: Refused: ${person.name} said no\\. .* \\| refused: Refused: it contains what was refused before.* \\| exit code 0`,
      ),
    );
    expect([existsSync(build), existsSync(dist), person.cards().length]).toEqual([true, false, 2]);
    expect(await closed(person, await card(person))).toContain(`❌ ${person.name} said no.`);
    await idle();
    expect(inWords(transcript())).toContain('terminal=refused call(terminal) terminal=refused call(terminal) terminal=ok');
    person.says('run rm -r build');
    await card(person, 3); // another turn asks again
    await answerTo(person, '/stop');
  });

  it('is asked about once in a session after "This session", and anew in the next', async () => {
    const { person } = await open({ model: runner() });
    person.says('run rm -rf build;; rm -rf build');
    person.clicks(await card(person), '✅ This session');
    await sees(person, 'done: exit code 0 | exit code 0');
    await answerTo(person, '/new');
    person.says('run rm -rf build');
    await card(person, 2);
    await answerTo(person, '/stop');
  });

  it('is not asked about again after "Always", not even after a restart, but is when anything about it is different', async () => {
    const world = await open({ model: runner() });
    const { person } = world;
    person.says('run git clean -fd');
    const asked = await card(person);
    expect(asked.text).toMatch(/“Always” would remember: git clean -fd \(in \S+, with \S+\/git as it is now\)/);
    person.clicks(asked, '✅ Always');
    await sees(person, 'done: ');
    await world.restart();
    expect(await answerTo(person, 'run git clean -fd;; git clean -fd')).toMatch(/^done: exit code \d+ \| exit code \d+$/);
    person.says('run git clean -fdx');
    await card(person, 2);
    await answerTo(person, '/stop');
  });

  it('that nothing could be remembered of offers no "Always"', async () => {
    const { person } = await open({ model: runner() });
    person.says('run bash -c "rm -rf build"');
    expect((await card(person)).choices).toEqual(['✅ Once', '✅ This session', '❌ No']);
    await answerTo(person, '/stop');
  });

  it('that is never allowed is refused without a question, also after /yolo, which spares all others', async () => {
    const world = await open({ model: runner(), alone: true });
    const { person } = world;
    const [build = ''] = await somethingToLose(world, 'build');
    expect(await answerTo(person, '/yolo')).toMatch(/^⚡ From now on I do not ask/);
    person.says('run rm -rf /;; rm -r build');
    expect(await sees(person, 'done: ')).toMatch(/^done: refused: Refused, always.* \| exit code 0$/);
    expect([existsSync(build), person.cards().length]).toEqual([false, 0]);
    expect(await answerTo(person, '/yolo')).toMatch(/^🔒 I ask again/);
    person.says('run rm -r build');
    await card(person);
    await answerTo(person, '/stop');
  });

  it('that is safe runs at once', async () => {
    const { person } = await open({ model: runner() });
    expect(await answerTo(person, 'run echo hello > a; cat a')).toBe('done: exit code 0');
    expect(person.cards()).toEqual([]);
  });

  it('is found wherever it stands and however it is written; what cannot be understood is asked about, too', async () => {
    const { person } = await open({ model: runner() });
    const hidden = [
      'echo $(rm -r build)',
      'ls; cd . && rm -r build || true',
      '(cd build; rm -r inside)',
      "bash <<'END'\nrm -r build\nEND",
      'echo build | xargs rm -r',
      String.raw`r\m -r build`,
      "r''m -r build",
      '$(echo rm) -r build',
      'env A=1 nice rm -r build',
      'rm -r "build',
    ];
    for (const [index, command] of hidden.entries()) {
      person.says(`run ${command}`);
      await card(person, index + 1);
      await answerTo(person, '/stop');
    }
  });

  it('runs unasked where nothing is asked about, but not what is never allowed', async () => {
    const world = await open({ model: runner(), change: { approvals: { mode: 'off' } } });
    const [build = ''] = await somethingToLose(world, 'build');
    expect(await answerTo(world.person, 'run rm -r build;; rm -rf /')).toMatch(/^done: exit code 0 \| refused: Refused, always/);
    expect([existsSync(build), world.person.cards().length]).toEqual([false, 0]);
  });

  it('is judged first by a model in smart mode: it allows, forbids, or leaves it to the person', async () => {
    const verdicts: Readonly<Record<string, string>> = { build: 'approve', dist: 'deny', other: 'escalate' };
    const base = runner();
    const model: Actor = {
      ...base,
      stream: (request, signal) => {
        const directory = /rm -r (\w+)/.exec(JSON.stringify(request.messages))?.[1] ?? '';
        return request.tools.length > 0 ? base.stream(request, signal) : actor(() => verdicts[directory] ?? '').stream(request, signal);
      },
    };
    const world = await open({ model, change: { approvals: { mode: 'smart' } } });
    const { person } = world;
    await somethingToLose(world, 'build', 'dist', 'other');
    person.says('run rm -r build;; rm -r other;; rm -r dist;; rm -rf /');
    const asked = await card(person);
    expect(asked.text).toContain('rm -r other');
    person.clicks(asked, '❌ No');
    expect(await sees(person, 'done: ')).toMatch(
      /^done: exit code 0 \| refused: Refused: \S+ said no.* \| refused: Refused: an automatic review said no.* \| refused: Refused, always/,
    );
  });

  it('is refused when nobody decides in time, which the card shows', async () => {
    const { person } = await open({ model: runner(), change: { approvals: { approvalMs: 150 } } });
    person.says('run rm -r build');
    const asked = await card(person);
    expect(await sees(person, 'done: ')).toContain('refused: Refused: nobody approved it within');
    expect(await closed(person, asked)).toContain('⌛ Nobody decided in time, so it did not run.');
  });

  it('may be decided after a restart, on the same card and with the old deadline', async () => {
    const world = await open({ model: runner() });
    const { person } = world;
    const [build = ''] = await somethingToLose(world, 'build');
    person.says('run rm -r build');
    const asked = await card(person);
    const deadlines = () =>
      world
        .store()
        .asks.open()
        .map(({ deadline }) => deadline);
    const before = deadlines();
    await world.restart();
    expect(deadlines()).toEqual(before);
    person.clicks(await card(person), '✅ Once');
    await sees(person, 'done: exit code 0');
    expect([existsSync(build), person.cards().length]).toEqual([false, 1]);
    expect(await closed(person, asked)).toContain('allowed it once');
  });
});

describe.each(places)('on $name, file tools', ({ open }) => {
  it.each([
    '~/.bashrc',
    '~/.ssh/authorized_keys',
    '~/.aws/credentials',
    '~/config.yaml',
    '~/state.db',
    'link/authorized_keys',
    '/etc/cron.d/x',
  ])('never write %s, and nobody is asked about it', async (place) => {
    const model = actor(({ text, results }) => {
      const write = { call: 'write_file', args: { path: place.replace('~', home), content: 'x' } };
      return text === 'write' ? (results[0] ?? write) : undefined;
    });
    const world = await open({ model });
    const { person, home } = world;
    await answerTo(person, 'hello');
    mkdirSync(path.join(home, '.ssh'));
    symlinkSync(path.join(home, '.ssh'), path.join(world.workspace(), 'link'));
    expect(await answerTo(person, 'write')).toMatch(/^refused: Refused, always|^error: .*a link leads/);
    expect(person.cards()).toEqual([]);
    expect(['.bashrc', '.ssh/authorized_keys', '.aws', 'config.yaml'].filter((name) => existsSync(path.join(home, name)))).toEqual([]);
  });

  it('write in the workspace at once, and ask about any other place', async () => {
    const model = actor(({ text, results }) => {
      const [, name = ''] = /^write (.*)/.exec(text) ?? [];
      return name === '' ? undefined : (results[0] ?? { call: 'write_file', args: { path: name, content: 'x' } });
    });
    const { person, home, workspace } = await open({ model });
    expect(await answerTo(person, 'write notes.txt')).toMatch(/^ok: /);
    expect(readFileSync(path.join(workspace(), 'notes.txt'), 'utf8')).toBe('x');
    person.says(`write ${home}/elsewhere.txt`);
    const asked = await card(person);
    expect(asked.text).toContain('lies outside of the workspace');
    person.clicks(asked, '✅ Once');
    await sees(person, /^ok: .*elsewhere/);
    expect(readFileSync(path.join(home, 'elsewhere.txt'), 'utf8')).toBe('x');
  });
});
