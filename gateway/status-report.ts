/** What the daemon says of itself: as facts, and as a message in a chat. */
import type { Tool } from '../agent/tool.ts';
import type { Accounts } from './accounts.ts';
import type { Lanes } from './lanes.ts';
import type { TerminalPort } from './processes.ts';
import type { Settings } from './settings.ts';
import type { Status } from './status.ts';
import type { Store } from './store/index.ts';
import { notOffered } from './toolsets.ts';

export interface Reported {
  readonly version: string;
  readonly home: string;
  readonly store: Store;
  readonly tools: readonly Tool[];
  readonly settings: () => Settings;
  readonly notes: readonly string[];
  readonly terminal?: Pick<TerminalPort, 'isolation'> | undefined;
}

interface AtWork {
  readonly accounts: Pick<Accounts, 'statuses'>;
  readonly lanes: Pick<Lanes, 'running'>;
}

export function statusOf(of: Reported, { accounts, lanes }: AtWork, startedAtMs: number): Status {
  const { pending, unknown } = of.store.outbox.count();
  return {
    version: of.version,
    pid: process.pid,
    startedAtMs,
    home: of.home,
    database: of.store.file,
    model: modelFacts(of),
    accounts: accounts.statuses(),
    work: {
      inboxPending: of.store.inbox.countOpen(),
      turnsRunning: lanes.running().length,
      outboxPending: pending,
      outboxUnknown: unknown,
    },
    notes: [...of.store.notes, ...of.notes, ...notOffered(of.tools), ...isolation(of)],
  };
}

function modelFacts({ settings }: Reported): Status['model'] {
  const { models } = settings().agent;
  return { name: models.get().name, demo: models.demo };
}

export function statusText(of: Reported, { accounts, lanes }: AtWork): string {
  const { name, demo } = modelFacts(of);
  const lines = accounts
    .statuses()
    .map(({ platform, state, detail }) => `${platform}: ${state}${detail === undefined ? '' : ` (${detail})`}`);
  return [
    `Hermes Gateway ${of.version}, model ${name}${demo ? ' (offline demo)' : ''}, at work on ${lanes.running().length}`,
    ...[...lines, ...notOffered(of.tools), ...isolation(of)].map((line) => `- ${line}`),
  ].join('\n');
}

function isolation({ terminal }: Reported): readonly string[] {
  return terminal === undefined ? [] : [terminal.isolation()];
}
