import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { marked } from '../../../tools/shared/process/table.ts';
import { createTerminalBench, idOf, type TerminalBench, until } from './support.ts';

const start = async (bench: TerminalBench, command: string, more: Record<string, unknown> = {}) =>
  idOf(await bench.call('terminal', { command, background: true, ...more }));

const act = async (bench: TerminalBench, action: string, id: string, more: Record<string, unknown> = {}) =>
  (await bench.call('process', { action, session_id: id, ...more })).content;

/** What is new until this has come. */
const shows = async (bench: TerminalBench, id: string, text: string) => {
  let seen = '';
  for (let look = 0; look < 200 && !seen.includes(text); look += 1) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    const { data } = await bench.call('process', { action: 'poll', session_id: id });
    seen += (data as { output: string }).output;
  }
  return seen;
};

const isAlive = (bench: TerminalBench) => marked(bench.marker).length > 0;

describe('a background process', () => {
  it('outlives its call, and can be listed, polled, waited for and read by lines', async () => {
    const bench = createTerminalBench();
    const id = await start(bench, 'echo one; sleep 0.3; echo two; exit 4');
    expect((await bench.call('process', { action: 'list' })).content).toMatch(
      new RegExp(`^- ${id} \\(echo one; .*\\) is running for 0 s$`, 'u'),
    );
    await until(() => bench.terminals.processes.running().length === 0);
    expect(await act(bench, 'poll', id)).toMatch(/has ended with exit code 4 after \d s\.\none\ntwo$/u);
    expect(await act(bench, 'poll', id)).toContain('(no new output)');
    expect(await act(bench, 'log', id, { offset: 1 })).toMatch(/\ntwo\n\[lines 1 to 2 of 2 that are kept\]$/u);
    expect(await act(bench, 'wait', id)).toContain('exit code 4');
  });

  it('is waited for no longer than is allowed, nor beyond an interrupt', async () => {
    const bench = createTerminalBench({ terminal: { max_timeout: 0.2 } });
    const id = await start(bench, 'sleep 60');
    expect(await act(bench, 'wait', id, { timeout: 100 })).toContain('[it was waited for 0.2 s; it goes on]');
    const slow = createTerminalBench();
    const other = await start(slow, 'sleep 60');
    const { content } = await slow.call(
      'process',
      { action: 'wait', session_id: other, timeout: 50 },
      { signal: AbortSignal.timeout(100) },
    );
    expect(content).toContain('is running');
  });

  it('reads what is written to it until that is closed', async () => {
    const bench = createTerminalBench();
    const id = await start(bench, 'while read -r line; do echo "got $line"; done; echo over');
    await act(bench, 'write', id, { data: 'a' });
    await act(bench, 'submit', id, { data: 'b' });
    await act(bench, 'close', id);
    expect(await act(bench, 'wait', id)).toMatch(/\ngot ab\nover$/u);
    expect((await bench.call('process', { action: 'submit', session_id: id, data: 'c' })).failed).toBe(true);
  });

  it('answers on its terminal, where Ctrl-C interrupts what it runs and nothing else', async () => {
    const bench = createTerminalBench();
    const id = await start(bench, 'read -rp "name? " name; echo "hello $name"; sleep 60; echo "code $?"; tty', { pty: true });
    expect(await shows(bench, id, 'name? ')).toBe('name? ');
    await act(bench, 'submit', id, { data: 'ann' });
    expect(await shows(bench, id, 'hello ann')).toMatch(/^ann\nhello ann/u);
    await act(bench, 'write', id, { data: '\u0003' });
    expect(await act(bench, 'wait', id, { timeout: 10 })).toContain('exit code 130');
  });

  it('is ended with everything it started, and by whom is known', async () => {
    const bench = createTerminalBench();
    const id = await start(bench, 'trap "" TERM; (env setsid sleep 300 &); sleep 301', { notify_on_complete: true });
    await until(() => isAlive(bench));
    expect(await act(bench, 'kill', id)).toContain('was ended by you');
    expect(isAlive(bench)).toBe(false);
    const other = await start(bench, 'sleep 300', { notify_on_complete: true });
    expect(bench.terminals.processes.end(other)).toBe(true);
    await until(() => bench.terminals.processes.running().length === 0);
    expect(await act(bench, 'poll', other)).toContain('was ended by a person');
    expect(bench.wake.told).toEqual([]);
  });

  it('is its session’s own: no other sees, reads or ends it', async () => {
    const bench = createTerminalBench();
    const id = await start(bench, 'echo mine; sleep 60');
    const session = bench.session('s2');
    expect((await bench.call('process', { action: 'list' }, { session })).content).toBe(
      'There are no background processes in this session.',
    );
    for (const action of ['poll', 'log', 'kill', 'submit', 'wait', 'close']) {
      const { content, failed } = await bench.call('process', { action, session_id: id, data: 'x' }, { session });
      expect([failed, content.includes('mine')]).toEqual([true, false]);
    }
    expect(bench.terminals.processes.running()).toHaveLength(1);
  });

  it('keeps the last of its output and loses what came long before', async () => {
    const bench = createTerminalBench();
    const id = await start(bench, 'printf "\\033[31mfirst\\033[0m\\n"; seq 1 100000; echo last');
    await act(bench, 'wait', id);
    const log = await act(bench, 'log', id, { offset: 0, limit: 2000 });
    expect(log.split('\n').slice(1)).not.toContain('first');
    expect(await act(bench, 'log', id, { limit: 1 })).toContain('\nlast\n');
  });

  it('is one of at most 64, of which those that have ended make room', async () => {
    const bench = createTerminalBench();
    const over = await start(bench, 'true');
    await act(bench, 'wait', over);
    await Promise.all(Array.from({ length: 64 }, () => start(bench, 'exec sleep 300')));
    expect((await bench.call('process', { action: 'list' })).content).not.toContain(over);
    await expect(bench.call('terminal', { command: 'sleep 1', background: true })).rejects.toThrow(/64 background processes are running/u);
  });

  it('changes nothing about the shell, but starts with what that has', async () => {
    const bench = createTerminalBench();
    await bench.call('terminal', { command: 'export A=1; cd /usr' });
    const id = await start(bench, 'echo "$A in $PWD"; export A=2; cd /');
    expect(await act(bench, 'wait', id)).toContain('1 in /usr');
    expect((await bench.call('terminal', { command: 'echo $A; pwd' })).content).toMatch(/^1\n\/usr\n/u);
  });

  it('ends with the daemon, which tells nobody while it stops', async () => {
    const bench = createTerminalBench();
    await start(bench, 'sleep 300', { notify_on_complete: true });
    await bench.terminals.processes.close();
    expect(isAlive(bench)).toBe(false);
    expect(bench.wake.told).toEqual([]);
    await expect(bench.call('terminal', { command: 'sleep 1', background: true })).rejects.toThrow(/is being stopped/u);
  });
});

describe('typing into a process', () => {
  it.each(['rm -rf ~', 'y; rm x', 'ls', '\u001b[A'])('asks what nobody can judge: %j', async (data) => {
    const bench = createTerminalBench();
    const id = await start(bench, 'cat');
    for (const action of ['write', 'submit']) expect((await bench.typing({ action, session_id: id, data }))?.level).toBe('ask');
  });

  it.each(['y', 'no', '12', '', '\u0003'])('lets plain answers through: %j', async (data) => {
    const bench = createTerminalBench();
    const id = await start(bench, 'cat');
    expect((await bench.typing({ action: 'submit', session_id: id, data }))?.level).toBe('safe');
  });
});

describe('a session that left a process to itself', () => {
  it('is woken once when it ends, for whoever started it, with the last of its output', async () => {
    const bench = createTerminalBench();
    const id = await start(bench, 'seq 1 5000; exit 3', { notify_on_complete: true });
    await until(() => bench.wake.told.length > 0);
    expect(bench.wake.told).toEqual([
      {
        session: 's1',
        key: `${id}/end`,
        origin: 'turn of s1',
        text: expect.stringMatching(/^Background process proc_\w+ \(seq 1 5000; exit 3\) has ended with exit code 3 after \d s\.$/u),
        output: expect.stringMatching(/4999\n5000$/u),
      },
    ]);
    expect(bench.wake.told[0]?.output?.length).toBeLessThanOrEqual(2_000);
  });

  it('is not woken when nobody asked for it, or when a call was waiting', async () => {
    const bench = createTerminalBench();
    await act(bench, 'wait', await start(bench, 'true'));
    await act(bench, 'wait', await start(bench, 'sleep 0.2', { notify_on_complete: true }));
    expect(bench.wake.told).toEqual([]);
  });

  it('is not woken for what it has seen before its turn comes', async () => {
    const bench = createTerminalBench();
    const id = await start(bench, 'true', { notify_on_complete: true });
    await until(() => bench.wake.told.length > 0);
    await act(bench, 'poll', id);
    expect(bench.wake.withdrawn).toEqual([`${id}/end`]);
  });

  it('is woken by the next daemon when it could not be told', async () => {
    const bench = createTerminalBench();
    bench.wake.broken = true;
    const id = await start(bench, 'echo done', { notify_on_complete: true });
    await until(() => bench.terminals.processes.running().length === 0);
    const next = bench.next();
    expect(next.wake.told).toEqual([expect.objectContaining({ key: `${id}/end`, output: 'done' })]);
    expect(next.next().wake.told).toEqual([]);
  });

  it('is told after a restart what was lost, with its last output, once', async () => {
    const bench = createTerminalBench();
    await bench.call('terminal', { command: 'cd /usr' });
    const first = await start(bench, 'echo serving; sleep 300');
    const second = await start(bench, 'sleep 301');
    const ended = await start(bench, 'true');
    await act(bench, 'wait', ended);
    await until(() => bench.terminals.processes.running().length === 2);
    await bench.terminals.processes.close();
    const next = bench.next();
    const [told] = next.wake.told;
    expect(next.wake.told).toHaveLength(1);
    expect(told?.text).toMatch(/^The gateway was restarted, and background processes of this session have ended with it: /u);
    expect([first, second, ended].map((id) => told?.text.includes(id))).toEqual([true, true, false]);
    expect(told?.output).toContain(`Last output of ${first}:\nserving`);
    expect(await act(next, 'poll', first)).toContain('was lost: it ended when the gateway was restarted');
    expect(next.next().wake.told).toEqual([]);
  });

  it('is not confused by records that are broken', async () => {
    const bench = createTerminalBench();
    const directory = path.join(bench.state, 'terminal', 'processes');
    const id = await start(bench, 'sleep 300');
    expect(JSON.parse(readFileSync(path.join(directory, `${id}.json`), 'utf8'))).toMatchObject({ command: 'sleep 300', session: 's1' });
    writeFileSync(path.join(directory, 'proc_0.json'), '{"id":');
    await bench.terminals.processes.close();
    expect(bench.next().wake.told).toHaveLength(1);
    expect(existsSync(directory) && readdirSync(directory)).toContain(`${id}.json`);
  });

  it('is woken by a line that it watches for', async () => {
    const bench = createTerminalBench();
    const id = await start(bench, 'echo starting; printf "server rea"; sleep 0.2; printf "dy on 80\\n"; sleep 300', {
      watch_patterns: ['ready', 'failed'],
    });
    await until(() => bench.wake.told.length > 0);
    expect(bench.wake.told).toEqual([
      expect.objectContaining({
        key: `${id}/watch/1`,
        output: 'server ready on 80',
        text: expect.stringContaining('printed what you watch for ("ready")'),
      }),
    ]);
  });

  it('watches for nothing beside being told of the end', async () => {
    const bench = createTerminalBench();
    const command = { command: 'echo ready', background: true, watch_patterns: ['ready'], notify_on_complete: true };
    expect((await bench.call('terminal', command)).content).toContain('watch_patterns are left out');
    await until(() => bench.wake.told.length > 0);
    expect(bench.wake.told).toHaveLength(1);
    expect(bench.wake.told[0]?.key).toMatch(/\/end$/u);
  });
});
