/** What the page and the control socket are served with. */
import { ownersAsks } from './asks/owner.ts';
import { cleanControl } from './clean-control.ts';
import type { HttpServer } from './http/server.ts';
import { createLinks } from './links.ts';
import type { DaemonOptions, Parts } from './parts.ts';
import { createApprovalsControl } from './permissions/approvals.ts';
import { createPermissionsControl } from './permissions/control.ts';
import { recordedControl } from './recorded-control.ts';
import { createRedactor } from './secrets.ts';
import type { ControlHandlers } from './status.ts';
import { statusOf } from './status-report.ts';

export function controlHandlers(options: DaemonOptions, parts: Parts, http: () => HttpServer | undefined): ControlHandlers {
  const startedAtMs = options.now();
  const handlers: ControlHandlers = {
    ready: () => ({ ready: storeAnswers(options) && parts.accounts.ready(), accounts: parts.accounts.statuses() }),
    signInLink: () => http()?.signInLink(),
    status: () => statusOf({ ...options, tools: parts.tools }, parts, startedAtMs),
    ...(options.restart === undefined ? {} : { restart: options.restart }),
    ...ownersAsks(options.store, parts.answers),
    people: parts.reception.people,
    strangers: () => options.store.pairing.pending(options.now()).length,
    audit: options.store.audit,
    permissions: createPermissionsControl({ ...options, tools: parts.tools, approvals: createApprovalsControl(options) }),
    links: createLinks(parts.accounts, (key) => goOn(options, parts, key), options.log),
  };
  return recordedControl(cleanControl(handlers, createRedactor(options.secrets, 'plain')), options);
}

/** What was to be sent while the account stood still. */
function goOn({ store }: DaemonOptions, { outbox }: Parts, account: string): void {
  for (const lane of store.outbox.lanes()) if (lane.startsWith(`${account}/`)) outbox.kick(lane);
}

/** By writing: a disk that is full still reads. */
function storeAnswers({ store, now }: DaemonOptions): boolean {
  try {
    store.meta.set('ready', now());
    return true;
  } catch {
    return false; // the log says why wherever something else had to be stored
  }
}
