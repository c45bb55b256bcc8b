import { describe, expect, it } from 'vitest';
import { platforms } from '../../../adapters/index.ts';
import { telegramPlatform } from '../../../adapters/telegram/platform.ts';

const parse = (config: unknown) => telegramPlatform.schema.parse(config);
const refusal = (config: unknown): string => JSON.stringify(telegramPlatform.schema.safeParse(config).error?.issues ?? 'accepted');

describe('the Telegram section', () => {
  it('has a default for everything but the token', () => {
    expect(parse({})).toEqual({
      base_url: 'https://api.telegram.org',
      allowed_users: [],
      group_allowed_chats: [],
      require_mention: true,
      free_response_chats: [],
      mention_required_chats: [],
      ignored_chats: [],
      mention_patterns: [],
      ignored_threads: [],
      disable_link_previews: false,
      poll_timeout_seconds: 30,
      webhook: { path: '/telegram/webhook' },
      pacing: { chat_interval_ms: 1000, chat_burst: 3, group_per_minute: 20, per_second: 30 },
    });
  });

  it('is switched on by a token, and off by hand', () => {
    expect(telegramPlatform.enabled(parse({}))).toBe(false);
    expect(telegramPlatform.enabled(parse({ bot_token: '' }))).toBe(false);
    expect(telegramPlatform.enabled(parse({ bot_token: '1:A' }))).toBe(true);
    expect(telegramPlatform.enabled(parse({ bot_token: '1:A', enabled: false }))).toBe(false);
  });

  it.each([[[1, '2', ' 3 ']], ['1, 2,3'], [['1,2', 3]]])('takes ids as %j', (allowed) => {
    expect(parse({ allowed_users: allowed }).allowed_users).toEqual(['1', '2', '3']);
  });

  it('keeps the sign of a group', () => {
    expect(parse({ group_allowed_chats: -1_001_234_567_890 }).group_allowed_chats).toEqual(['-1001234567890']);
  });

  it('lets nobody in by a name that can change hands', () => {
    expect(refusal({ allowed_users: ['@ann'] })).toContain('numeric user ids');
    expect(refusal({ allowed_users: 'ann' })).toContain('numeric user ids');
    expect(parse({ allowed_users: '*' }).allowed_users).toEqual(['*']);
  });

  it('refuses a pattern that is none and a secret that Telegram would refuse', () => {
    expect(refusal({ mention_patterns: ['('] })).toContain('a regular expression');
    expect(refusal({ webhook: { url: 'https://x.org', secret: 'with blank' } })).toContain('letters, digits');
    expect(refusal({ webhook: { url: 'nowhere' } })).toContain('an https address');
  });

  it('takes the slash from the end of a server address, which grammY does not bear', () => {
    expect(parse({ base_url: 'http://localhost:8081/' }).base_url).toBe('http://localhost:8081');
  });

  it('loads its client only when asked', async () => {
    expect(platforms.map(({ name }) => name)).toContain('telegram');
    const { create } = await telegramPlatform.load();
    expect(create).toBeTypeOf('function');
  });
});
