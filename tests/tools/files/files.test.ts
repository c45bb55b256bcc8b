import { execFileSync } from 'node:child_process';
import { chmodSync, linkSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Bench, createBench } from '../support.ts';

let bench: Bench;
beforeEach(() => {
  bench = createBench();
});
afterEach(() => bench.close());

const put = (name: string, content: string | Buffer) => {
  const file = path.resolve(bench.workspace, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, content);
  return file;
};
const get = (name: string) => readFileSync(path.resolve(bench.workspace, name), 'utf8');
const read = async (args: Record<string, unknown>) => (await bench.run('read_file', args)).content;

describe('read_file', () => {
  it('numbers the lines and says which they are', async () => {
    put('a.txt', 'one\ntwo\nthree\n');
    expect(await read({ path: 'a.txt' })).toBe('1|one\n2|two\n3|three\n\n[lines 1 to 3 of 3.]');
  });

  it('pages through a long file and says how to go on', async () => {
    put('a.txt', Array.from({ length: 1_000 }, (_, index) => `line ${index + 1}`).join('\n'));
    expect(await read({ path: 'a.txt' })).toMatch(/500\|line 500\n\n\[lines 1 to 500 of 1000\. There is more: go on with offset 501\.\]$/u);
    expect(await read({ path: 'a.txt', offset: 999, limit: 10 })).toBe('999|line 999\n1000|line 1000\n\n[lines 999 to 1000 of 1000.]');
    expect(await read({ path: 'a.txt', offset: 2_000 })).toMatch(/has 1000 lines; there is no line 2000/u);
  });

  it('keeps a page below 100,000 characters', async () => {
    put('a.txt', `${'x'.repeat(1_500)}\n`.repeat(400));
    const content = await read({ path: 'a.txt' });
    expect(content.length).toBeLessThan(100_300);
    expect(content).toMatch(/ended early because it would be too long\. There is more: go on with offset \d+/u);
  });

  it('cuts an endless line and says by how much', async () => {
    put('a.txt', `${'ab'.repeat(500_000)}\nend`);
    const content = await read({ path: 'a.txt' });
    expect(content.length).toBeLessThan(2_300);
    expect(content).toMatch(/\[\.\.\. 998,000 more bytes in this line\]\n2\|end/u);
  });

  it('reads the beginning of a file that is larger than memory without reading the rest', async () => {
    const file = put('huge.log', 'first\nsecond\n');
    truncateSync(file, 50_000_000_000);
    expect(await read({ path: 'huge.log', limit: 2 })).toMatch(/binary|1\|first\n2\|second/u);
    writeFileSync(file, 'line of text\n'.repeat(2_000));
    truncateSync(file, 50_000_000_000);
    const before = process.memoryUsage().rss;
    expect(await read({ path: 'huge.log', limit: 3 })).toMatch(/^1\|line of text\n2\|line of text\n3\|line of text\n/u);
    expect(process.memoryUsage().rss - before).toBeLessThan(50_000_000);
  });

  it('shows text of every script whole, also at the seam between two chunks, and without carriage returns', async () => {
    put('a.txt', `${'é'.repeat(40_000)}\r\n日本語 🎉\r\n`);
    const content = await read({ path: 'a.txt' });
    expect(content).not.toMatch(/\ufffd|\r/u);
    expect(content).toMatch(/\n2\|日本語 🎉\n/u);
  });

  it('says that an empty file is empty', async () => {
    put('a.txt', '');
    expect(await read({ path: 'a.txt' })).toMatch(/is empty/u);
  });

  it('names similar files when there is none', async () => {
    put('config.yaml', '');
    put('unrelated.bin', '');
    const { content, failed } = await bench.run('read_file', { path: 'confg.yml' });
    expect(failed).toBe(true);
    expect(content).toMatch(/There is no file .*confg\.yml\. Similar names: .*config\.yaml$/u);
  });

  it.each([
    ['a directory', () => mkdirSync(path.join(bench.workspace, 'x')), /is a directory/u],
    ['a pipe', () => execFileSync('sh', ['-c', 'mkfifo "$1"', 'sh', path.join(bench.workspace, 'x')]), /is a pipe/u],
    ['a link to a device', () => symlinkSync('/dev/zero', path.join(bench.workspace, 'x')), /is a device/u],
    ['a binary file', () => put('x', Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 1, 2])), /is a binary file/u],
    ['a loop of links', () => symlinkSync('x', path.join(bench.workspace, 'x')), /There is no file|could not be read|changed into a link/u],
  ])('refuses %s with a sentence, without waiting', async (_, make, sentence) => {
    make();
    const { content, failed } = await bench.run('read_file', { path: 'x' });
    expect(failed).toBe(true);
    expect(content).toMatch(sentence);
  });

  it('reads outside of the workspace, by absolute path and by ~', async () => {
    put(path.join(bench.home, 'notes.txt'), 'hi');
    expect(await read({ path: '~/notes.txt' })).toMatch(/^1\|hi/u);
    expect(await read({ path: path.join(bench.home, 'notes.txt') })).toMatch(/^1\|hi/u);
    expect(await bench.risk('read_file', { path: '/etc/hostname' })).toBe('safe');
  });

  it.each([
    '~/.ssh/id_ed25519',
    '~/.aws/credentials',
    '~/.netrc',
    '~/.hermes/.env',
    '~/.hermes/state.db',
    '../../.env',
    '/proc/self/environ',
    '/proc/1/environ',
    '/etc/shadow',
    '~/keys/id_rsa',
  ])('never reads %s, directly or through a link', async (secret) => {
    if (secret.startsWith('~')) put(secret.replace('~', bench.home), 'SECRET');
    if (secret.startsWith('..')) put(secret, 'SECRET');
    const resolved = secret.startsWith('~') ? secret.replace('~', bench.home) : path.resolve(bench.workspace, secret);
    symlinkSync(resolved, path.join(bench.workspace, 'innocent.txt'));
    symlinkSync(path.dirname(resolved), path.join(bench.workspace, 'folder'));
    for (const name of [secret, 'innocent.txt', `folder/${path.basename(secret)}`]) {
      expect(await bench.risk('read_file', { path: name })).toBe('hardline');
      const { content, failed } = await bench.run('read_file', { path: name });
      expect(failed).toBe(true);
      expect(content).not.toMatch(/SECRET/u);
      expect(content).toMatch(/is not read/u);
    }
  });
});

describe('write_file', () => {
  it('creates a file with its directories', async () => {
    const { content } = await bench.run('write_file', { path: 'a/b/c.txt', content: 'one\ntwo\n' });
    expect(content).toMatch(/^Created .*c\.txt \(2 lines, 8 bytes\)\.$/u);
    expect(get('a/b/c.txt')).toBe('one\ntwo\n');
  });

  it('replaces a file as a whole, keeps its mode and leaves nothing else behind', async () => {
    const file = put('run.sh', 'old and longer');
    chmodSync(file, 0o750);
    const { content } = await bench.run('write_file', { path: 'run.sh', content: 'new' });
    expect(content).toMatch(/^Replaced/u);
    expect(get('run.sh')).toBe('new');
    expect(statSync(file).mode & 0o777).toBe(0o750);
    expect(readdirSync(bench.workspace)).toEqual(['run.sh']);
  });

  it('replaces the name, not the file behind a hard link', async () => {
    const file = put('../../../outside.txt', 'outside');
    linkSync(file, path.join(bench.workspace, 'inside.txt'));
    await bench.run('write_file', { path: 'inside.txt', content: 'mine' });
    expect(readFileSync(file, 'utf8')).toBe('outside');
  });

  it('does not write over a secret what was shown in its place', async () => {
    put('settings.ini', 'key=real\ncolor=red\n');
    const { content, failed } = await bench.run('write_file', { path: 'settings.ini', content: 'key=[redacted]\ncolor=blue\n' });
    expect(failed).toBe(true);
    expect(content).toMatch(/stands for a secret .* Change the other lines with patch/u);
    expect(get('settings.ini')).toBe('key=real\ncolor=red\n');
    put('notes.md', 'It says [redacted].\n');
    expect((await bench.run('write_file', { path: 'notes.md', content: '[redacted]\n' })).failed).toBeUndefined();
    expect((await bench.run('write_file', { path: 'new.md', content: '[redacted]\n' })).failed).toBeUndefined();
  });

  it('keeps every character', async () => {
    const content = 'é 日本語 🎉\r\n\tend without a line end';
    await bench.run('write_file', { path: 'ü ñ.txt', content });
    expect(get('ü ñ.txt')).toBe(content);
  });

  it('follows a link to where it leads inside of the workspace', async () => {
    put('real.txt', 'old');
    symlinkSync('real.txt', path.join(bench.workspace, 'link.txt'));
    await bench.run('write_file', { path: 'link.txt', content: 'new' });
    expect(get('real.txt')).toBe('new');
  });

  it('asks before it writes outside of the workspace, and does it once a person said yes', async () => {
    for (const name of [`${bench.root}/x.txt`, '~/y.txt', '../../../z.txt', 'a/../../../../new/directory/z.txt']) {
      expect(await bench.risk('write_file', { path: name, content: '' }), name).toBe('ask');
      expect(await bench.risk('patch', { path: name, old_string: 'a', new_string: 'b' }), name).toBe('ask');
      expect((await bench.run('write_file', { path: name, content: 'abc' })).failed, name).toBeUndefined();
      expect((await bench.run('patch', { path: name, old_string: 'b', new_string: 'X' })).failed, name).toBeUndefined();
      expect(get(name.replace('~', bench.home))).toBe('aXc');
    }
    expect(await bench.risk('write_file', { path: 'a/x.txt', content: '' })).toBe('safe');
    expect(await bench.risk('write_file', { path: `${bench.workspace}/x.txt`, content: '' })).toBe('safe');
  });

  it.each([
    '.git/hooks/pre-commit',
    '.git/config',
    '.git/modules/lib/hooks/post-checkout',
    '.git',
    '.GIT/config',
    'sub/.git/info/attributes',
  ])('asks before it writes %s, which git runs or takes settings from, and does it once a person said yes', async (name) => {
    expect(await bench.risk('write_file', { path: name, content: '' })).toBe('ask');
    expect((await bench.run('write_file', { path: name, content: 'text' })).failed).toBeUndefined();
    expect(get(name)).toBe('text');
  });

  it('names the one file for whose sake it asks or refuses', async () => {
    const risk = async (name: string) =>
      bench.tool('write_file').risk?.({ path: name, content: '' }, { id: 's1', workspace: bench.workspace }, new AbortController().signal);
    const file = path.join(bench.home, 'notes.txt');
    expect(await risk('~/notes.txt')).toMatchObject({ level: 'ask', subjects: [file], doubtful: [file] });
    expect(await risk('~/.bashrc')).toMatchObject({ level: 'hardline', doubtful: [path.join(bench.home, '.bashrc')] });
    expect(await risk('a.txt')).toMatchObject({ level: 'safe', why: '', subjects: [path.join(bench.workspace, 'a.txt')] });
  });

  it('bothers nobody about a link that leads out of the workspace: it writes nothing and says which file to name', async () => {
    mkdirSync(path.join(bench.root, 'out'));
    symlinkSync(path.join(bench.root, 'out'), path.join(bench.workspace, 'link'));
    symlinkSync(path.join(bench.root, 'out'), path.join(bench.root, 'link'));
    symlinkSync(path.join(bench.root, 'out', 'new.txt'), path.join(bench.workspace, 'dangling.txt'));
    for (const name of ['link/new.txt', 'dangling.txt', `${bench.root}/link/new.txt`]) {
      expect(await bench.risk('write_file', { path: name, content: 'x' }), name).toBe('safe');
      const { content, failed } = await bench.run('write_file', { path: name, content: 'x' });
      expect(failed).toBe(true);
      expect(content).toContain(`a link leads to ${bench.root}/out/new.txt, which is outside of the workspace. Name that file itself.`);
      expect((await bench.run('patch', { path: name, old_string: 'a', new_string: 'b' })).content).toContain('Name that file itself.');
    }
    expect(readdirSync(path.join(bench.root, 'out'))).toEqual([]);
  });

  const forbidden =
    `~/.bashrc ~/.zshrc ~/.profile ~/.bash_profile ~/.zprofile ~/.zshenv ~/.config/fish/config.fish ~/.ssh/authorized_keys ~/.ssh/config
    ~/.ssh/rc ~/.ssh/id_ed25519 ~/.netrc ~/.pgpass ~/.npmrc ~/.pypirc ~/.gitconfig ~/.git-credentials ~/.aws/credentials ~/.azure/token ~/.config/gcloud/x
    ~/.kube/config ~/.docker/config.json ~/.gnupg/gpg.conf ~/.cargo/config.toml ~/.gradle/init.gradle ~/.config/autostart/x.desktop
    ~/.config/systemd/user/x.service ~/.config/environment.d/x.conf ~/Library/LaunchAgents/x.plist /var/spool/cron/crontabs/ada /etc/crontab /etc/cron.d/x
    /etc/systemd/system/x.service /etc/profile.d/x.sh /etc/sudoers.d/x /etc/hosts /usr/local/bin/x /dev/sda ~/.hermes/config.yaml ~/.hermes/.env
    ~/.hermes/state.db`.split(/\s+/u);

  it.each(forbidden)('never writes %s, whoever said yes, directly or through a link', async (place) => {
    const resolved = place.replace('~', bench.home);
    symlinkSync(resolved, path.join(bench.workspace, 'innocent.txt'));
    for (const name of [place, resolved, 'innocent.txt']) {
      expect(await bench.risk('write_file', { path: name, content: 'evil' })).toBe('hardline');
      expect(await bench.risk('patch', { path: name, old_string: 'a', new_string: 'b' })).toBe('hardline');
      const { content, failed } = await bench.run('write_file', { path: name, content: 'evil' });
      expect(failed).toBe(true);
      expect(content).toMatch(/is not written/u);
      expect((await bench.run('patch', { path: name, old_string: 'a', new_string: 'b' })).content).toMatch(/is not written/u);
    }
  });

  it.each([
    ['a directory', () => mkdirSync(path.join(bench.workspace, 'x'))],
    ['a pipe', () => execFileSync('sh', ['-c', 'mkfifo "$1"', 'sh', path.join(bench.workspace, 'x')])],
  ])('does not replace %s', async (_, make) => {
    make();
    const { failed } = await bench.run('write_file', { path: 'x', content: 'text' });
    expect(failed).toBe(true);
    expect(statSync(path.join(bench.workspace, 'x')).isFile()).toBe(false);
  });
});

describe('search_files', () => {
  beforeEach(() => {
    put('src/a.ts', 'const one = 1;\nconst two = 2;\nexport { one };\n');
    put('src/b.ts', 'import { one } from "./a";\n');
    put('docs/c.md', '# one\n');
    put('.gitignore', 'ignored/\n');
    mkdirSync(path.join(bench.workspace, '.git'));
    put('ignored/d.ts', 'one\n');
    put('.github/e.yml', 'one: 1\n');
  });
  const search = async (args: Record<string, unknown>) => (await bench.run('search_files', args)).content;

  it('finds lines by regular expression, sorted, with file and line', async () => {
    expect(await search({ pattern: 'const \\w+ = \\d' })).toBe(
      'src/a.ts:1: const one = 1;\nsrc/a.ts:2: const two = 2;\n\n[results 1 to 2.]',
    );
  });

  it('pages, and says how to go on', async () => {
    expect(await search({ pattern: 'one', limit: 2 })).toMatch(
      /^\.github\/e\.yml:1: one: 1\ndocs\/c\.md:1: # one\n\n\[results 1 to 2\. There are more: go on with offset 2\.\]$/u,
    );
    expect(await search({ pattern: 'one', limit: 2, offset: 4 })).toBe('src/b.ts:1: import { one } from "./a";\n\n[results 5 to 5.]');
    expect(await search({ pattern: 'one', offset: 50 })).toMatch(/^No more results; there are 5\./u);
  });

  it('shows context around a match without counting it', async () => {
    expect(await search({ pattern: 'two', context: 1, limit: 1 })).toBe(
      'src/a.ts-1- const one = 1;\nsrc/a.ts:2: const two = 2;\nsrc/a.ts-3- export { one };\n\n[results 1 to 1.]',
    );
  });

  it('names files, counts matches, and filters by glob', async () => {
    expect(await search({ pattern: 'one', output_mode: 'files_only', file_glob: '*.ts' })).toBe('src/a.ts\nsrc/b.ts\n\n[results 1 to 2.]');
    expect(await search({ pattern: 'one', output_mode: 'count', file_glob: '*.ts' })).toBe('src/a.ts: 2\nsrc/b.ts: 1\n\n[results 1 to 2.]');
  });

  it('finds files by glob or by part of their name', async () => {
    expect(await search({ pattern: '*.ts', target: 'files', path: 'src' })).toBe('src/a.ts\nsrc/b.ts\n\n[results 1 to 2.]');
    expect(await search({ pattern: 'c.m', target: 'files' })).toBe('docs/c.md\n\n[results 1 to 1.]');
  });

  it('takes a pattern for a pattern however much it looks like an option or a command', async () => {
    put('odd.txt', '--pre=sh $(id) `id` ; rm -rf /\n');
    expect(await search({ pattern: '--pre=sh' })).toMatch(/^odd\.txt:1:/u);
    expect(await search({ pattern: '\\$\\(id\\) `id` ;' })).toMatch(/^odd\.txt:1:/u);
    expect(await search({ pattern: 'x', file_glob: '--pre=sh' })).toMatch(/^No matches/u);
  });

  it('explains a wrong pattern', async () => {
    const { content, failed } = await bench.run('search_files', { pattern: 'a(b' });
    expect(failed).toBe(true);
    expect(content).toMatch(/unclosed group/u);
  });

  it('says so when nothing is found or nothing is there', async () => {
    expect(await search({ pattern: 'nowhere-to-be-found' })).toBe('No matches found.');
    expect(await search({ pattern: 'x', path: 'nosuch' })).toMatch(/There is nothing at/u);
  });

  it('does not show what protected files hold, however the search reaches them', async () => {
    put(path.join(bench.home, '.ssh/id_ed25519'), 'SECRET one\n');
    put(path.join(bench.home, '.hermes/.env'), 'KEY=SECRET one\n');
    put(path.join(bench.home, 'plain.txt'), 'one\n');
    const content = await search({ pattern: 'one', path: '~' });
    expect(content).toMatch(/plain\.txt:1: one/u);
    expect(content).not.toMatch(/SECRET/u);
    expect(content).toMatch(/2 protected files are not shown/u);
    expect(await search({ pattern: 'one', path: '~/.ssh/id_ed25519' })).toMatch(/is not read/u);
  });

  it('cuts endless lines', async () => {
    put('min.js', `${'x'.repeat(300_000)} needle ${'y'.repeat(300_000)}`);
    expect((await search({ pattern: 'needle', path: 'min.js' })).length).toBeLessThan(1_000);
  });

  it('ends at once when it is interrupted', async () => {
    const controller = new AbortController();
    controller.abort(new Error('stopped'));
    await expect(bench.run('search_files', { pattern: 'x', path: '/' }, controller.signal)).rejects.toThrow('stopped');
  });
});
