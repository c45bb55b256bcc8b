/** What somebody has allowed for good ("Always"): to be looked at, and to be taken back. */
import { createHash } from 'node:crypto';
import { type AuditOptions, createAudit } from '../audit.ts';
import { createRedactor } from '../secrets.ts';
import type { Remembered } from '../store/approvals.ts';
import { counted } from '../words.ts';

export interface ShownApproval {
  readonly id: string;
  /** What exactly runs without being asked about. */
  readonly label: string;
  /** Who allowed it. */
  readonly by: string;
  readonly atMs: number;
}

export interface ApprovalsControl {
  /** Oldest first. */
  list(): readonly ShownApproval[];
  /** `wanted`: an id, its beginning, or "all". `text`: one sentence for the owner; `done` is false when nothing was changed. */
  forget(wanted: string): { readonly done: boolean; readonly text: string };
}

const scope = 'always';

export function createApprovalsControl(options: AuditOptions): ApprovalsControl {
  const { store, secrets } = options;
  const redact = createRedactor(secrets, 'plain');
  const audit = createAudit(options);
  return {
    list: () =>
      store.approvals.list(scope).map((approval) => {
        const { label, by, at } = approval;
        return { id: idOf(approval), label: redact(label), by: by.name === '' ? by.id : `${by.name} (${by.id})`, atMs: at };
      }),
    forget: (wanted) =>
      store.quick(() => {
        const all = store.approvals.list(scope);
        const found = wanted === 'all' ? all : all.filter((approval) => idOf(approval).startsWith(wanted));
        if (wanted !== 'all' && found.length !== 1) return { done: false, text: found.length === 0 ? unknown(wanted) : ambiguous(wanted) };
        for (const { key, label } of found) {
          store.approvals.forget(scope, key);
          audit.owner('approval forgotten', { label });
        }
        return {
          done: true,
          text: `${counted(found.length, 'approval')} forgotten. It is asked about again, also by what is at work now.`,
        };
      }),
  };
}

/** Short enough to be typed; keys may be of any length and form. */
function idOf({ key }: Remembered): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 10);
}

function unknown(wanted: string): string {
  return `No approval has the id "${wanted}". "hermes permissions approvals" shows those that there are.`;
}

function ambiguous(wanted: string): string {
  return `Several approvals have an id that begins with "${wanted}". Write more of it.`;
}
