import { randomBytes } from 'node:crypto';
import type { ProcessTree } from '../../shared/process-tree.ts';
import type { ProcessList, Wake } from '../wake.ts';
import { type Background, named, remembered, stateOf } from './background.ts';
import { createRollingBuffer } from './buffer.ts';
import type { ProcessRecord, ProcessRecords } from './record.ts';
import { createTeller, type Teller } from './tell.ts';
import { createGlobalLimit, createWatch, type Seen } from './watch.ts';

export interface NewProcess {
  readonly session: string;
  readonly command: string;
  readonly onTerminal: boolean;
  readonly notify: boolean;
  readonly patterns: readonly string[];
  /** Rejects with a sentence when it could not be started. */
  start(): Promise<ProcessTree>;
}

/** The background processes of all sessions; each sees its own only. */
export interface ProcessRegistry {
  /** Rejects with a sentence that says what to do. */
  start(wanted: NewProcess): Promise<Background>;
  /** Oldest first. */
  of(session: string): readonly Background[];
  /** Resolves when it has ended, after `ms` or with the signal. Whoever waits is told by this, and not woken. */
  wait(process: Background, ms: number, signal: AbortSignal): Promise<void>;
  /** The session has seen in what state it is. */
  seen(process: Background): void;
  kill(process: Background, by: 'you' | 'a person'): Promise<void>;
  readonly list: ProcessList;
}

const MOST = 64;
const KEEP_ENDED_MS = 1_800_000;
const KILL_GRACE_MS = 2_000;
const SAVE_EVERY_MS = 2_000;
const OUTPUT_ON_DISK = 2_000;

interface Desk {
  readonly processes: Map<string, Background>;
  readonly records: ProcessRecords;
  readonly teller: Teller;
  readonly mayWatch: () => boolean;
  readonly now: () => number;
  /** How many are about to be there. */
  starting: number;
  readonly closing: AbortSignal;
}

export function createProcessRegistry(records: ProcessRecords, now: () => number = Date.now): ProcessRegistry {
  const processes = new Map<string, Background>();
  const closing = new AbortController();
  const teller = createTeller(records, now);
  const desk: Desk = { processes, records, teller, mayWatch: createGlobalLimit(now), now, starting: 0, closing: closing.signal };
  const running = (): Background[] => [...processes.values()].filter(({ record, tree }) => record.end === undefined && tree !== undefined);
  return {
    start: (wanted) => start(desk, wanted),
    of: (session) => {
      forgetOld(desk);
      return [...processes.values()].filter(({ record }) => record.session === session);
    },
    wait: (process, ms, signal) => waitFor(process, ms, signal),
    seen: teller.seen,
    kill,
    list: {
      running: () => running().map(({ record: { id, session, command, startedAtMs } }) => ({ id, session, command, startedAtMs })),
      end: (id) => {
        const found = running().find(({ record }) => record.id === id);
        if (found !== undefined) void kill(found, 'a person');
        return found !== undefined;
      },
      begin: (wake) => begin(desk, wake),
      close: async () => {
        closing.abort();
        const ending = running();
        for (const process of ending) save(desk, process);
        await Promise.all(ending.map(({ tree }) => tree?.end(KILL_GRACE_MS)));
      },
    },
  };
}

async function start(desk: Desk, { session, command, onTerminal, notify, patterns, start: launch }: NewProcess): Promise<Background> {
  makeRoom(desk);
  if (desk.closing.aborted) throw new Error('The gateway is being stopped. Start it when it runs again.');
  const id = `proc_${randomBytes(6).toString('hex')}`;
  const origin = desk.teller.origin(session);
  const record = { id, session, command, startedAtMs: desk.now(), notify, output: '', told: false };
  const tree = await started(desk, launch);
  const output = createRollingBuffer();
  const watch = patterns.length > 0 ? createWatch(patterns, desk.now) : undefined;
  const process: Background = {
    record: { ...record, ...(origin === undefined ? {} : { origin }) },
    tree,
    onTerminal,
    output,
    watch,
    waiting: 0,
  };
  desk.processes.set(id, process);
  desk.records.write(process.record);
  const saving = createSaving(() => save(desk, process));
  tree.output.on('data', (chunk: Buffer) => {
    output.push(chunk);
    watched(desk, process, process.watch?.push(chunk));
    saving.soon();
  });
  void tree.exit.then(({ code }) => {
    saving.cancel();
    if (!desk.closing.aborted) watched(desk, process, process.watch?.rest());
    ended(desk, process, code);
  });
  return process;
}

async function started(desk: Desk, launch: NewProcess['start']): Promise<ProcessTree> {
  desk.starting += 1;
  try {
    return await launch();
  } finally {
    desk.starting -= 1;
  }
}

function makeRoom(desk: Desk): void {
  forgetOld(desk);
  const { processes } = desk;
  while (processes.size + desk.starting >= MOST) {
    const oldest = [...processes.values()].filter(isOver).toSorted((one, other) => endOf(one) - endOf(other))[0];
    if (oldest === undefined)
      throw new Error(`${MOST} background processes are running, which is the most there may be. End one first (process kill).`);
    forget(desk, oldest);
  }
}

function forgetOld(desk: Desk): void {
  for (const process of desk.processes.values()) if (isOver(process) && desk.now() - endOf(process) > KEEP_ENDED_MS) forget(desk, process);
}

function forget({ processes, records }: Desk, { record: { id } }: Background): void {
  processes.delete(id);
  records.remove(id);
}

function isOver({ record }: Background): boolean {
  return record.end !== undefined;
}

function endOf({ record }: Background): number {
  return record.end?.atMs ?? 0;
}

/** What ends with the daemon stays without an end on disk: that is how the next start knows that it is lost. */
function ended(desk: Desk, process: Background, code: number): void {
  if (desk.closing.aborted) return;
  const { killedBy } = process;
  const atMs = desk.now();
  const end: ProcessRecord['end'] = killedBy === undefined ? { atMs, reason: 'exited', code } : { atMs, reason: 'killed', by: killedBy };
  const told = process.waiting > 0 || killedBy !== undefined || !process.record.notify;
  process.record = { ...process.record, end, told, output: process.output.tail(OUTPUT_ON_DISK) };
  desk.records.write(process.record);
  if (!told) desk.teller.ended(process);
}

function save({ records }: Desk, process: Background): void {
  if (isOver(process)) return;
  process.record = { ...process.record, output: process.output.tail(OUTPUT_ON_DISK) };
  records.write(process.record);
}

function createSaving(save: () => void): { soon(): void; cancel(): void } {
  let timer: NodeJS.Timeout | undefined;
  return {
    soon: () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        save();
      }, SAVE_EVERY_MS).unref();
    },
    cancel: () => clearTimeout(timer),
  };
}

function watched(desk: Desk, process: Background, seen: Seen | undefined): void {
  if (seen === undefined) return;
  if (seen.type === 'match') {
    if (desk.mayWatch()) desk.teller.watched(process, seen);
    return;
  }
  process.watch = undefined;
  process.record = { ...process.record, notify: true };
  desk.teller.watched(process, seen);
}

async function kill(process: Background, by: 'you' | 'a person'): Promise<void> {
  process.killedBy ??= by;
  await process.tree?.end(KILL_GRACE_MS);
}

async function waitFor(process: Background, ms: number, signal: AbortSignal): Promise<void> {
  if (isOver(process) || process.tree === undefined || signal.aborted) return;
  process.waiting += 1;
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  signal.addEventListener('abort', () => resolve(), { once: true });
  await Promise.race([over, process.tree.exit]);
  clearTimeout(timer);
  process.waiting -= 1;
}

/** What has no end on disk ended with the daemon that wrote it. */
function begin(desk: Desk, wake: Wake): void {
  const { teller, records, processes } = desk;
  teller.connect(wake);
  const found = records.all().filter(({ id }) => !processes.has(id));
  const known = found.map((record) =>
    remembered(record.end === undefined ? { ...record, end: { atMs: desk.now(), reason: 'lost' } } : record),
  );
  for (const process of known) processes.set(process.record.id, process);
  for (const lost of Map.groupBy(known.filter(isLost), ({ record }) => JSON.stringify([record.session, record.origin])).values())
    teller.lost(lost);
  for (const process of known) if (!process.record.told && process.record.end?.reason === 'exited') teller.ended(process);
}

function isLost({ record }: Background): boolean {
  return record.end?.reason === 'lost' && !record.told;
}

/** For whoever asked about one that there is not. */
export function listed(processes: readonly Background[], now: number): string {
  if (processes.length === 0) return 'There are no background processes in this session.';
  return processes.map(({ record }) => `- ${named(record)} ${stateOf(record, now)}`).join('\n');
}
