import { isDeepStrictEqual } from 'node:util';
import { isMap } from './known-keys.ts';

type Config = Readonly<Record<string, unknown>>;

/** Taken from the current snapshot by each turn. */
const liveSections: readonly string[] = [
  'model',
  'agent',
  'display',
  'approvals',
  'permissions',
  'audit',
  'auxiliary',
  'platform_toolsets',
];
/** Who may talk to the bots: looked up for each message, in whatever section it stands. */
const liveKeys: readonly string[] = [
  'allowed_users',
  'group_allowed_chats',
  'allowed_roles',
  'allow_bots',
  'allow_all_users',
  'unauthorized_dm_behavior',
  'allow_admin_from',
  'group_allow_admin_from',
  'user_allowed_commands',
  'group_user_allowed_commands',
];

/** Names ("telegram.bot_token") of what is set otherwise than the daemon was started with, and waits for a restart. Never values. */
export function needsRestart(started: Config, now: Config): readonly string[] {
  const names = new Set([...Object.keys(started), ...Object.keys(now)]);
  return [...names].filter((name) => !liveSections.includes(name)).flatMap((name) => changedKeys(name, started[name], now[name]));
}

function changedKeys(section: string, before: unknown, after: unknown): readonly string[] {
  if (!isMap(before) || !isMap(after)) return isDeepStrictEqual(before, after) ? [] : [section];
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...keys]
    .filter((key) => !liveKeys.includes(key) && !isDeepStrictEqual(before[key], after[key]))
    .map((key) => `${section}.${key}`);
}

/** For the owner, when changed files were taken up; undefined where there is nothing to say. */
export function changeNotice(repaired: boolean, waiting: readonly string[]): string | undefined {
  const sentences = [
    ...(repaired ? ['The configuration is in order again and holds from the next turn.'] : []),
    ...(waiting.length > 0 ? [`Changed, but in force only after /restart: ${waiting.join(', ')}.`] : []),
  ];
  return sentences.length === 0 ? undefined : sentences.join(' ');
}
