import { createHash } from 'node:crypto';
import type { Wake, WakeNote } from '../wake.ts';
import { type Background, named, stateOf } from './background.ts';
import type { ProcessRecords } from './record.ts';
import type { Seen } from './watch.ts';

/** Wakes sessions for what their processes did, each event once: also over a crash, and where the disk is full for a while. */
export interface Teller {
  connect(wake: Wake): void;
  origin(session: string): string | undefined;
  /** Its record says that the session is not told yet. */
  ended(process: Background): void;
  /** Of one session, started for one person. */
  lost(processes: readonly Background[]): void;
  watched(process: Background, what: Seen): void;
  /** The session has seen in what state it is. */
  seen(process: Background): void;
}

const RETRY_MS = 30_000;
const OUTPUT_UNITS = 2_000;

interface News {
  /** The first of those that it is about. */
  readonly of: Background;
  readonly key: string;
  readonly note: WakeNote;
  /** Whose end this was. */
  readonly settles: readonly Background[];
}

export function createTeller(records: ProcessRecords, now: () => number): Teller {
  let wake: Wake | undefined;
  const counts = new WeakMap<Background, number>();
  const tell = (news: News): void => {
    const { of, key, note, settles } = news;
    if (settles.length > 0 && settles.every(({ record }) => record.told)) return; // seen meanwhile
    try {
      wake?.wake(of.record.session, note, { key, origin: of.record.origin });
      for (const process of settles) settle(process, records);
    } catch {
      setTimeout(tell, RETRY_MS, news).unref();
    }
  };
  return {
    connect: (given) => {
      wake = given;
    },
    origin: (session) => wake?.origin(session),
    ended: (process) => tell({ of: process, key: endKey(process), note: endNote(process, now()), settles: [process] }),
    lost: (processes) => {
      const [first] = processes;
      if (first !== undefined) tell({ of: first, key: lostKey(processes), note: lostNote(processes), settles: processes });
    },
    watched: (process, what) => {
      const count = (counts.get(process) ?? 0) + 1;
      counts.set(process, count);
      tell({ of: process, key: `${process.record.id}/watch/${count}`, note: watchNote(process, what), settles: [] });
    },
    seen: (process) => {
      const { record } = process;
      if (record.end === undefined) return;
      if (record.told) wake?.withdraw(record.session, endKey(process));
      else settle(process, records);
    },
  };
}

function settle(process: Background, records: ProcessRecords): void {
  process.record = { ...process.record, told: true };
  records.write(process.record);
}

function endKey({ record }: Background): string {
  return `${record.id}/end`;
}

/** The same processes are lost only once, also where that could not be written down. */
function lostKey(processes: readonly Background[]): string {
  const ids = processes.map(({ record }) => record.id).sort();
  return `lost/${createHash('sha256').update(ids.join()).digest('hex').slice(0, 16)}`;
}

function endNote(process: Background, now: number): WakeNote {
  const text = `Background process ${named(process.record)} ${stateOf(process.record, now)}.`;
  return { text, output: process.output.tail(OUTPUT_UNITS) };
}

function lostNote(processes: readonly Background[]): WakeNote {
  const names = processes.map(({ record }) => named(record)).join(', ');
  const what = processes.length === 1 ? 'a background process of this session has' : 'background processes of this session have';
  const output = processes.map(({ record }) => `Last output of ${record.id}:\n${record.output.trim() || '(none)'}`).join('\n\n');
  return { text: `The gateway was restarted, and ${what} ended with it: ${names}. Start again what is still needed.`, output };
}

function watchNote(process: Background, what: Seen): WakeNote {
  const name = `Background process ${named(process.record)}`;
  if (what.type === 'too often') {
    const text = `${name} prints what you watch for all the time, so it is watched no longer; you are told when it ends.`;
    return { text, output: process.output.tail(OUTPUT_UNITS) };
  }
  const { pattern, lines, untold } = what.match;
  const more = untold > 0 ? ` (${untold} more such lines came before, too soon after each other to be told)` : '';
  return {
    text: `${name} printed what you watch for ("${pattern}")${more}.`,
    output: lines.join('\n').slice(0, OUTPUT_UNITS).toWellFormed(),
  };
}
