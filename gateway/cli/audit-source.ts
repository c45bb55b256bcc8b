import type { AuditCheck, AuditFilter, AuditPage } from '../store/audit-rows.ts';
import { askDaemon } from './ask-daemon.ts';
import type { CliContext } from './verbs.ts';

/** The record, as the running daemon tells it; where none runs, as it stands in the database. */
export interface AuditSource {
  readonly isRunning: boolean;
  read(filter: AuditFilter): Promise<AuditPage>;
  check(after?: number): Promise<AuditCheck>;
}

/** Rejects with what `use` rejects with, or where neither the daemon nor the database can be asked. */
export async function withAudit<T>({ deps }: Pick<CliContext, 'deps'>, use: (audit: AuditSource) => Promise<T>): Promise<T> {
  try {
    await askDaemon(deps, { method: 'GET', route: '/healthz' });
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'NoDaemonError') throw error;
    return withDatabase(deps.home(process.env), use);
  }
  const ask = (route: string, body: object) => askDaemon(deps, { method: 'POST', route, body });
  // The daemon of this home answers over a socket that only its owner can reach.
  return use({
    isRunning: true,
    read: async (filter) => (await ask('/api/audit', filter)) as AuditPage,
    check: async (after) => (await ask('/api/audit/verify', after === undefined ? {} : { after })) as AuditCheck,
  });
}

/** Loaded only here: beside a running daemon nobody else opens its database. */
async function withDatabase<T>(home: string, use: (audit: AuditSource) => Promise<T>): Promise<T> {
  const { openAudit } = await import('../store/index.ts');
  const audit = openedBy(() => openAudit(home));
  try {
    return await use({
      isRunning: false,
      read: async (filter) => audit?.read(filter) ?? { entries: [] },
      check: async (after) => audit?.check(after) ?? { checked: 0, last: { id: 0, hash: '' }, done: true },
    });
  } finally {
    audit?.close();
  }
}

/** Between the two answers a daemon may have begun to start, or not have ended yet. */
function openedBy<T>(open: () => T): T {
  try {
    return open();
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'HomeLockedError') throw error;
    throw new Error('A gateway is just starting or stopping here. Try again in a moment.', { cause: error });
  }
}
