/** People whom Hermes Agent had let in before: taken over once, so that nobody who is turned away later comes back with the next start. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { createAudit } from '../audit.ts';
import type { Store } from '../store/index.ts';

const approved = z.record(
  z.string().min(1),
  z.object({ user_name: z.string().nullish(), approved_at: z.number().nullish() }).or(z.unknown().transform(() => ({}))),
);

const suffix = '-approved.json';

export interface ImportOptions {
  readonly home: string;
  readonly now: number;
  /** As the platform's adapter tells it, from what is in the file. */
  personId(platform: string, written: string): string;
}

/** Returns what the owner should know about files that cannot be read. */
export function importApproved(store: Store, options: ImportOptions): readonly string[] {
  const { home } = options;
  const directory = ['pairing', path.join('platforms', 'pairing')].map((name) => path.join(home, name)).find((each) => existsSync(each));
  if (directory === undefined) return [];
  const names = readdirSync(directory).filter((name) => name.endsWith(suffix));
  return names.flatMap((name) =>
    importFile(store, { ...options, file: path.join(directory, name), platform: name.slice(0, -suffix.length) }),
  );
}

interface ApprovedFile extends ImportOptions {
  readonly file: string;
  readonly platform: string;
}

function importFile(store: Store, { file, platform, now, personId }: ApprovedFile): readonly string[] {
  const mark = `pairing.imported/${platform}`;
  if (store.meta.get(mark) === true) return [];
  const found = readJson(file);
  if (found === undefined) return [`${file} cannot be read as Hermes Agent's list of approved people, so nobody of it is let in.`];
  const account = `${platform}/main`;
  const audit = createAudit({ store, secrets: () => [], now: () => now });
  store.quick(() => {
    for (const [written, facts] of Object.entries(found)) {
      const person = personId(platform, written);
      const { user_name: name, approved_at: at } = facts as { user_name?: string | null; approved_at?: number | null };
      if (store.people.find(account, { id: person, aliases: [] }) !== undefined) continue;
      const chat = { platform, account: 'main', chat: person }; // until they write: on most platforms a direct chat has the person's id
      const roles = { role: 'user', groupRole: 'user' } as const;
      const approvedAt = at == null ? now : Math.round(at * 1000);
      store.people.put({ account, person, aliases: [], name: name ?? '', ...roles, chat, approvedBy: 'Hermes Agent', approvedAt });
      audit.person('pairing.approved', { account, person, name: name ?? '', role: 'user', by: 'Hermes Agent' });
    }
    store.meta.set(mark, true);
  });
  return [];
}

function readJson(file: string): z.infer<typeof approved> | undefined {
  try {
    return approved.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return undefined;
  }
}
