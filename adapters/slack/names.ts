/** What people are called. Slack's events carry ids only. A name is for showing; nothing depends on it. */
import { z } from 'zod';
import type { AccountStore } from '../adapter.ts';
import type { Client } from './client.ts';

const PREFIX = 'name:';
const REMEMBERED_MS = 7 * 24 * 60 * 60_000;
/** Between two attempts to learn a name that could not be had. */
const PATIENCE_MS = 10 * 60_000;

const answerSchema = z.object({
  user: z.object({
    name: z.string().nullish(),
    real_name: z.string().nullish(),
    profile: z.object({ display_name: z.string().nullish(), real_name: z.string().nullish() }).nullish(),
  }),
});

const keptSchema = z.object({ name: z.string(), atMs: z.number() });

export interface Names {
  nameOf(user: string): string | undefined;
  /** Asks Slack for names that are not known, or are old. Never rejects; takes `patienceMs` at most. */
  learn(users: readonly string[], signal: AbortSignal): Promise<void>;
}

export interface NamesParts {
  readonly client: Client;
  readonly store: AccountStore;
  readonly patienceMs: number;
  readonly now: () => number;
}

export function createNames({ client, store, patienceMs, now }: NamesParts): Names {
  const asked = new Map<string, number>();
  const kept = (user: string) => keptSchema.safeParse(store.get(PREFIX + user)).data;
  const wanted = (user: string): boolean => {
    if (!/^[UW][A-Z0-9]+$/.test(user) || now() - (asked.get(user) ?? Number.NEGATIVE_INFINITY) < PATIENCE_MS) return false;
    return now() - (kept(user)?.atMs ?? Number.NEGATIVE_INFINITY) > REMEMBERED_MS;
  };
  const ask = async (user: string, signal: AbortSignal): Promise<void> => {
    asked.set(user, now());
    const { user: found } = answerSchema.parse(await client.probe('users.info', { user }, signal));
    const name = found.profile?.display_name || found.profile?.real_name || found.real_name || found.name;
    if (name) store.put({ [PREFIX + user]: { name, atMs: now() } });
    asked.delete(user);
  };
  return {
    nameOf: (user) => kept(user)?.name,
    async learn(users, signal) {
      const unknown = [...new Set(users)].filter(wanted);
      if (unknown.length === 0) return;
      const within = AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]);
      await Promise.allSettled(unknown.slice(0, 10).map((user) => ask(user, within)));
    },
  };
}
