import { rmSync, statfsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import Sqlite from 'better-sqlite3';
import { describe, expect, it, vi } from 'vitest';
import { type Gateway, startGateway } from './support/gateway.ts';
import { message } from './support/inbound.ts';
import { type Reaction, scriptedModel } from './support/model.ts';
import { smallDisk } from './support/small-disk.ts';
import { expectValid, transcriptOf } from './support/transcript.ts';

/** Takes the last free block. */
function fill(disk: string): void {
  const { bavail, bsize } = statfsSync(disk);
  try {
    writeFileSync(path.join(disk, 'filler'), Buffer.alloc(bavail * bsize + bsize));
  } catch {
    // the disk is full now, which is what was wanted
  }
}

const free = (disk: string): void => rmSync(path.join(disk, 'filler'));

/** Messages large enough that the write-ahead log must grow. */
const large = (text: string): string => `${text} ${'x'.repeat(30_000)}`;

async function startOn(disk: string, options: Parameters<typeof startGateway>[0] = {}): Promise<Gateway> {
  return startGateway({ ...options, home: disk });
}

describe('a full disk', () => {
  it('makes receive throw with nothing stored, and the same message works once there is room', async ({ skip }) => {
    const disk = smallDisk({ kilobytes: 4096 });
    if (disk === undefined) return skip('only root may mount a small disk');
    const gateway = await startOn(disk, { model: scriptedModel(() => 'answer') });
    gateway.say('ann', 'before');
    await gateway.idle();
    fill(disk);
    const event = message(large('during'), { event: 'during' });
    expect(() => gateway.receive([event])).toThrow(/full/);
    expect(gateway.store.inbox.countOpen()).toBe(0);
    free(disk);
    gateway.receive([event]);
    await gateway.idle();
    expect(gateway.answers('ann')).toEqual(['answer', 'answer']);
  });

  it('in the middle of a turn delays its answer and loses none, and says so in the log only', { timeout: 30_000 }, async ({ skip }) => {
    const disk = smallDisk({ kilobytes: 4096 });
    if (disk === undefined) return skip('only root may mount a small disk');
    const answers: ((reaction: Reaction) => void)[] = [];
    const model = scriptedModel(() => new Promise<Reaction>((resolve) => void answers.push(resolve)));
    const gateway = await startOn(disk, { model });
    gateway.say('ann', 'hello');
    await vi.waitFor(() => expect(answers).toHaveLength(1));
    fill(disk);
    answers[0]?.(large('the answer'));
    await vi.waitFor(() => expect(gateway.log.lines.some(({ level }) => level === 'error')).toBe(true));
    expect(gateway.answers('ann')).toEqual([]);
    free(disk);
    await vi.waitFor(() => expect(answers).toHaveLength(2), 10_000);
    answers[1]?.('the answer again');
    await gateway.idle();
    expect(gateway.answers('ann')).toEqual(['the answer again']);
    expectValid(transcriptOf(gateway.store, 'ann'));
  });

  it('for as long as it lasts parks no turn: that is no death of the process', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
    let refusals = 5;
    const gateway = await startGateway({
      wrap: (store) => ({
        ...store,
        transcript: {
          ...store.transcript,
          append: (...args) => {
            if (args[2].role === 'assistant' && refusals-- > 0) throw new Sqlite.SqliteError('database or disk is full', 'SQLITE_FULL');
            store.transcript.append(...args);
          },
        },
      }),
    });
    gateway.say('ann', 'hello');
    await vi.advanceTimersByTimeAsync(120_000);
    await gateway.idle();
    expect(refusals).toBe(-1);
    expect(gateway.answers('ann')).toEqual(['echo: hello']);
  });

  it('that keeps a turn from beginning leaves nobody typing once it is answered', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'] });
    let refusals = 3;
    const gateway = await startGateway({
      wrap: (store) => ({
        ...store,
        transcript: {
          ...store.transcript,
          read: (sessionId) => {
            if (refusals-- > 0) throw new Sqlite.SqliteError('disk I/O error', 'SQLITE_IOERR');
            return store.transcript.read(sessionId);
          },
        },
      }),
    });
    gateway.say('ann', 'hello');
    await vi.advanceTimersByTimeAsync(60_000);
    await gateway.idle();
    expect(gateway.answers('ann')).toEqual(['echo: hello']);
    const typing = () => gateway.platform.calls.filter(({ kind }) => kind === 'typing').length;
    const before = typing();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(typing()).toBe(before);
  });

  it('that keeps a turn from beginning has nobody told later that nothing happens', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] });
    let refusals = 3;
    const gateway = await startGateway({
      change: { agent: { limits: { inactivityMs: 0, warningMs: 90_000, deadlineMs: 0 } } },
      wrap: (store) => ({
        ...store,
        transcript: {
          ...store.transcript,
          read: (sessionId) => {
            if (refusals-- > 0) throw new Sqlite.SqliteError('disk I/O error', 'SQLITE_IOERR');
            return store.transcript.read(sessionId);
          },
        },
      }),
    });
    gateway.say('ann', 'hello');
    await vi.advanceTimersByTimeAsync(60_000);
    await gateway.idle();
    await vi.advanceTimersByTimeAsync(180_000);
    await gateway.idle();
    expect(gateway.answers('ann')).toEqual(['echo: hello']);
  });

  it('at the end of a turn delays the answer, which is neither made nor sent twice', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
    let refusals = 2;
    const model = scriptedModel(() => 'the answer');
    const gateway = await startGateway({
      model,
      wrap: (store) => ({
        ...store,
        turns: {
          ...store.turns,
          end: (...args) => {
            if (refusals-- > 0) throw new Sqlite.SqliteError('database or disk is full', 'SQLITE_FULL');
            store.turns.end(...args);
          },
        },
      }),
    });
    gateway.say('ann', 'hello');
    await vi.advanceTimersByTimeAsync(60_000);
    await gateway.idle();
    expect([gateway.answers('ann'), model.requests.length]).toEqual([['the answer'], 1]);
  });

  it('leaves a database that the next start finds whole', async ({ skip }) => {
    const disk = smallDisk({ kilobytes: 4096 });
    if (disk === undefined) return skip('only root may mount a small disk');
    const gateway = await startOn(disk);
    fill(disk);
    expect(() => gateway.receive([message(large('x'))])).toThrow(/full/);
    const home = gateway.kill();
    const next = await startGateway({ home });
    next.say('ann', 'hello');
    expect(await next.answered('ann', 1)).toEqual(['echo: hello']);
  });
});
