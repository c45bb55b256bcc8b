import { UsageError } from './usage-error.ts';

/** "telegram" is "telegram/main", "telegram:work" is "telegram/work". Throws UsageError. */
export function accountOf(typed: string): string {
  const [, platform, name = 'main'] = /^([a-z0-9_-]{1,32})(?::([a-z0-9_-]{1,32}))?$/.exec(typed.toLowerCase()) ?? [];
  if (platform !== undefined) return `${platform}/${name}`;
  throw new UsageError(`"${typed}" names no account. Write the platform (telegram), or the platform and the account (telegram:work).`);
}
