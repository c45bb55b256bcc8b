import Sqlite from 'better-sqlite3';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Model } from '../../../agent/model.ts';
import type { Store } from '../../../gateway/store/index.ts';
import { createFakePlatform } from '../../fakes/platform.ts';
import { settled, startGateway } from '../support/gateway.ts';
import { lastResults, scriptedModel } from '../support/model.ts';
import { countedTool } from '../support/tools.ts';
import { begun, end, liveOn } from './support.ts';

/** A store that cannot be read while a turn works: what is shown suffers, and nothing else. What escapes a timer fails the whole file. */

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'] });
  return () => vi.useRealTimers();
});

async function pass(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 100) await vi.advanceTimersByTimeAsync(100).then(settled);
}

const sleep = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms));

/** The disk fails from 5 s on, for as long as the tool works or the model speaks. */
function failing() {
  const disk = { broken: false, refusals: 0 };
  const refuse = (): void => {
    if (!disk.broken) return;
    disk.refusals += 1;
    throw new Sqlite.SqliteError('disk I/O error', 'SQLITE_IOERR');
  };
  const wrap = (store: Store): Store => ({
    ...store,
    chats: {
      ...store.chats,
      get: (lane) => {
        refuse();
        return store.chats.get(lane);
      },
    },
    outbox: {
      ...store.outbox,
      draftOf: (...place) => {
        refuse();
        return store.outbox.draftOf(...place);
      },
    },
  });
  return { disk, wrap };
}

function slowTool(disk: { broken: boolean }) {
  return countedTool('work', 'read', async () => {
    await sleep(5000);
    disk.broken = true;
    await sleep(60_000);
    disk.broken = false;
    return { content: 'done' };
  }).tool;
}

describe('a store that cannot be read while a turn works', () => {
  it('lets its bubble go stale, and the turn answers', async () => {
    const { disk, wrap } = failing();
    const model = scriptedModel(({ messages }) => {
      const done = lastResults(messages).length;
      disk.broken = done === 1; // also while the second call begins
      return done < 2 ? { call: 'work' } : 'The answer.';
    });
    const gateway = await startGateway({ model, tools: [slowTool(disk)], wrap, change: { display: { progress: 'all' } } });
    gateway.say('ann', 'hello');
    await pass(140_000);
    expect(disk.refusals).toBeGreaterThan(3);
    expect(gateway.answers('ann')).toEqual(['The answer.']);
    expect(gateway.platform.bubbles('ann').map(({ deleted }) => deleted)).toEqual([true]);
    gateway.say('ann', 'again');
    await pass(140_000);
    expect(gateway.answers('ann')).toHaveLength(2);
  });

  it.each(['private-previews', 'preview'] as const)('leaves out the growing answer (%s), and delivers the whole one', async (preview) => {
    const { disk, wrap } = failing();
    const model: Model = {
      ...scriptedModel(() => ''),
      async *stream() {
        disk.broken = true;
        for (let word = 0; word < 10; word += 1) {
          yield { type: 'text.delta', text: `word${word} ` };
          await sleep(1000);
        }
        disk.broken = false;
        yield { type: 'done', finish: 'stop' };
      },
    };
    const platform = createFakePlatform({ capabilities: ['edit', 'delete', preview] });
    const gateway = await startGateway({ platform, model, wrap });
    gateway.say('g1', 'hello');
    await pass(15_000);
    expect(disk.refusals).toBeGreaterThan(1);
    expect(platform.calls.filter(({ kind }) => kind !== 'send')).toEqual([]);
    expect(gateway.answers('g1')).toEqual([expect.stringMatching(/^word0 .*word9 $/)]);
  });
});

it('what cannot be shown reaches nobody who says what happens, and the next is shown again', async () => {
  const { platform, display, log, open } = await liveOn({ progress: { quietMs: 0 } });
  const live = open();
  const read = vi.fn((): 'all' => {
    throw new Sqlite.SqliteError('disk I/O error', 'SQLITE_IOERR');
  });
  Object.defineProperty(display, 'progress', { get: read });
  live.handle(begun('1'));
  await pass(1000);
  read.mockImplementation(() => 'all');
  live.handle(begun('2'));
  await pass(1000);
  expect(platform.bubbles('ann')).toHaveLength(1);
  expect(log.lines.map(({ message }) => message)).toContain('showing what a turn does failed in the gateway itself');
  await end(live);
});
