/** The same without a daemon: from the files, and from the store. */
import type { Tool } from '../../agent/tool.ts';
import type { RoleFacts } from '../roles.ts';
import { openStore, type StoreOptions, storeExists } from '../store/index.ts';
import { type ApprovalsControl, createApprovalsControl } from './approvals.ts';
import { createPermissionsControl, type PermissionsControl } from './control.ts';

export interface FromFilesOptions extends StoreOptions, Pick<RoleFacts, 'settings'> {
  readonly tools: readonly Tool[];
  /** Values that are never recorded or shown. */
  readonly secrets: () => readonly string[];
}

/** Throws HomeLockedError where a daemon has just started. The store is open only while it is looked into. */
export function permissionsFromFiles(options: FromFilesOptions): PermissionsControl {
  const people: RoleFacts['store']['people'] = {
    find: (account, who) => withStore(options, (store) => store.people.find(account, who)),
  };
  return createPermissionsControl({ ...options, store: { people }, approvals: approvalsFromFiles(options) });
}

function approvalsFromFiles(options: FromFilesOptions): ApprovalsControl {
  const look = <T>(use: (approvals: ApprovalsControl) => T): T | undefined =>
    withStore(options, (store) => use(createApprovalsControl({ ...options, store })));
  return {
    list: () => look(({ list }) => list()) ?? [],
    forget: (wanted) => look(({ forget }) => forget(wanted)) ?? { done: false, text: 'Nothing was ever allowed for good here.' },
  };
}

function withStore<T>(options: StoreOptions, look: (store: ReturnType<typeof openStore>) => T): T | undefined {
  if (!storeExists(options.home)) return undefined; // nobody was let in yet
  const store = openStore(options);
  try {
    return look(store);
  } finally {
    store.close();
  }
}
