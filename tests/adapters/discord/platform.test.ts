import { describe, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { discordPlatform } from '../../../adapters/discord/platform.ts';
import { withoutUnknownKeys } from '../../../gateway/config/known-keys.ts';

const parse = (config: object) => discordPlatform.schema.parse(config);
const problems = (config: object): string =>
  discordPlatform.schema
    .safeParse(config)
    .error?.issues.map(({ message }) => message)
    .join() ?? '';

describe("Discord's configuration", () => {
  it('is careful by default', () => {
    expect(parse({})).toMatchObject({
      allowed_users: [],
      allowed_roles: [],
      allow_bots: 'none',
      require_mention: true,
      auto_thread: true,
      thread_require_mention: false,
      slash_commands: true,
      reactions: true,
      base_url: 'https://discord.com',
      pacing: { chat_interval_ms: 1000, chat_burst: 5 },
    });
  });

  it('lets only immutable ids in', () => {
    expect(problems({ allowed_users: ['ann'] })).toContain('Developer Mode');
    expect(problems({ allowed_roles: ['admins'] })).toContain('Developer Mode');
    expect(parse({ allowed_users: '123456789012345678, *', allowed_roles: ['123456789012345679'] })).toMatchObject({
      allowed_users: ['123456789012345678', '*'],
      allowed_roles: ['123456789012345679'],
    });
  });

  it("takes Hermes Agent's names for channels as well", () => {
    const [one, two, three, four, five] = [1, 2, 3, 4, 5].map((n) => `12345678901234567${n}`);
    const config = {
      free_response_channels: one,
      free_response_chats: [two],
      ignored_channels: [three],
      allowed_channels: [four],
      no_thread_channels: [five, '*'],
    };
    expect(parse(config)).toMatchObject({
      free_response_chats: [two, one],
      ignored_chats: [three],
      allowed_chats: [four],
      no_thread_chats: [five, '*'],
    });
  });

  it.each([
    'group_allowed_chats',
    'free_response_chats',
    'mention_required_chats',
    'ignored_chats',
    'allowed_chats',
    'no_thread_chats',
    'free_response_channels',
    'ignored_channels',
    'allowed_channels',
    'no_thread_channels',
  ])('takes no names in %s, which would silently match nothing', (key) => {
    expect(problems({ [key]: ['general'] })).toContain('Developer Mode');
    expect(problems({ [key]: '123456789012345678' })).toBe('');
  });

  it('is switched on by a token', () => {
    expect(discordPlatform.enabled(parse({}))).toBe(false);
    expect(discordPlatform.enabled(parse({ bot_token: 'x' }))).toBe(true);
    expect(discordPlatform.enabled(parse({ bot_token: 'x', enabled: false }))).toBe(false);
  });

  it('has a template whose keys are its own, with values that are right', () => {
    const lines = discordPlatform.template.split('\n');
    expect(lines.every((line) => line.startsWith('#'))).toBe(true);
    const config: unknown = parseYaml(lines.flatMap((line) => /^# ((?: {2})?[a-z_]+:.*)/.exec(line)?.[1] ?? []).join('\n'));
    const unknown: string[] = [];
    const cleaned = withoutUnknownKeys(discordPlatform.schema, config, (path) => void unknown.push(path.join('.')));
    expect(unknown).toEqual([]);
    expect(problems(Object(cleaned))).toBe('');
  });
});
