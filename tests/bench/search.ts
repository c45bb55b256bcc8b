/** session_search over 200,000 messages: medians of many searches, beside reading the same rows without an index. `node tests/bench/search.ts`. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { createHistory } from '../../gateway/history.ts';
import { openStore, type Store } from '../../gateway/store/index.ts';
import { testSettings } from '../gateway/support/settings.ts';

const count = 200_000;
const perSession = 100;
const home = mkdtempSync(path.join(tmpdir(), 'hermes-search-'));
const migrations = fileURLToPath(new URL('../../migrations', import.meta.url));
const words = 'deploy server backup invoice garden melon kitchen train ticket meeting report python script error disk memory network'.split(
  ' ',
);
const target = { chat: { platform: 'telegram', account: 'main', chat: '1' }, chatType: 'dm' } as const;

/** The same words on every machine; common ones are in most messages, rare ones in a few. */
function sentence(number: number): string {
  let seed = number * 2654435761;
  const next = (): number => {
    seed = (seed ^ (seed << 13)) >>> 0;
    seed = (seed ^ (seed >>> 17)) >>> 0;
    seed = (seed ^ (seed << 5)) >>> 0;
    return seed;
  };
  const some = Array.from({ length: 30 }, () => words[next() % words.length]).join(' ');
  return `${some} the number ${number}${number % 5000 === 0 ? ' pomegranate' : ''}${number % 1000 === 0 ? ' 数据库备份' : ''}`;
}

function fill(store: Store): void {
  for (let session = 0; session < count / perSession; session += 1) {
    store.durable(() => {
      const id = `s${session}`;
      const facts = { workspace: home, title: null, settings: {}, trimmedTold: false, undelivered: null };
      store.sessions.create({ id, key: `old:${id}`, createdAt: session, updatedAt: session, ...facts });
      const turn = store.turns.create({ sessionId: id, lane: `old:${id}`, target, requester: { id: '1', name: 'Ann' } });
      store.turns.end(turn.id, { outcome: 'answered' });
      for (let index = 0; index < perSession; index += 1) {
        const text = sentence(session * perSession + index);
        const message =
          index % 2 === 0
            ? ({ role: 'user', content: [{ type: 'text', text }] } as const)
            : ({ role: 'assistant', text, calls: [], finish: 'stop' } as const);
        store.transcript.append(id, turn.id, message);
      }
    });
  }
}

function median(times: readonly number[]): number {
  return times.toSorted((one, other) => one - other)[Math.floor(times.length / 2)] ?? Number.NaN;
}

function timed(work: () => unknown, rounds = 15): { readonly median: number; readonly worst: number } {
  const times = Array.from({ length: rounds }, () => {
    const begin = performance.now();
    work();
    return performance.now() - begin;
  });
  return { median: median(times), worst: Math.max(...times) };
}

try {
  const store = openStore({ home, migrations, now: Date.now });
  fill(store);
  const begin = performance.now();
  while (store.search.catchUp(5000) > 0);
  console.log(`${count.toLocaleString('en-US')} messages, indexed in ${((performance.now() - begin) / 1000).toFixed(1)} s`);
  const facts = { workspace: home, title: null, settings: {}, trimmedTold: false, undelivered: null };
  store.sessions.create({ id: 'now', key: 'now', createdAt: 0, updatedAt: 0, ...facts });
  store.turns.create({ sessionId: 'now', lane: 'now', target, requester: { id: '1', name: 'Ann' } });
  const history = createHistory({ store, settings: () => testSettings({ account: () => undefined }) });
  const all = store.file;
  console.log(`${'search'.padEnd(44)}${'median'.padStart(10)}${'worst'.padStart(10)}   aim < 50 ms`);
  for (const text of [
    'pomegranate',
    'deploy',
    'deploy AND backup NOT melon',
    '"server backup"',
    'pomeg*',
    'number 77777',
    '数据库备份',
    '数据',
    'nothinglikethis',
  ]) {
    const query = { text, roles: ['user', 'assistant'] as const, limit: 3 };
    const { median: middle, worst } = timed(() => history.search(query, { id: 'now' }));
    const hits = history.search(query, { id: 'now' }).length;
    console.log(`${`${text} (${hits})`.padEnd(44)}${middle.toFixed(1).padStart(7)} ms${worst.toFixed(1).padStart(7)} ms`);
  }
  const nobody = timed(() => history.recent(3, { id: 'now' }));
  console.log(
    `${'the latest conversations'.padEnd(44)}${nobody.median.toFixed(1).padStart(7)} ms${nobody.worst.toFixed(1).padStart(7)} ms`,
  );
  store.close();
  console.log(`floor: one pass over the text without an index takes ${floor(all).toFixed(0)} ms`);
} finally {
  rmSync(home, { recursive: true, force: true });
}

function floor(file: string): number {
  const store = openStore({ home: path.dirname(file), migrations, now: Date.now });
  const begin = performance.now();
  for (let session = 0; session < count / perSession; session += 1)
    store.transcript.read(`s${session}`).some((message) => JSON.stringify(message).includes('pomegranate'));
  store.close();
  return performance.now() - begin;
}
