import { describe, expect, it } from 'vitest';
import { platforms } from '../../../adapters/index.ts';
import { botScopes, scopeReasons, slackManifest } from '../../../adapters/slack/manifest.ts';
import { slackPlatform } from '../../../adapters/slack/platform.ts';

const parse = (config: unknown) => slackPlatform.schema.parse(config);
const refusal = (config: unknown): string => JSON.stringify(slackPlatform.schema.safeParse(config).error?.issues ?? 'accepted');

describe('the Slack section', () => {
  it('is switched on by its two tokens, or over HTTP by the secret, and off by hand', () => {
    const tokens = { bot_token: 'xoxb-1', app_token: 'xapp-1' };
    expect(slackPlatform.enabled(parse(tokens))).toBe(true);
    expect(slackPlatform.enabled(parse({ bot_token: 'xoxb-1' }))).toBe(false);
    expect(slackPlatform.enabled(parse({ ...tokens, app_token: '' }))).toBe(false);
    expect(slackPlatform.enabled(parse({ ...tokens, enabled: false }))).toBe(false);
    expect(slackPlatform.enabled(parse({ ...tokens, mode: 'http' }))).toBe(false);
    expect(slackPlatform.enabled(parse({ bot_token: 'xoxb-1', signing_secret: 's', mode: 'http' }))).toBe(true);
  });

  it('lets nobody in by a name that can change hands', () => {
    for (const name of ['@ann', 'ann', 'Ann Example', 'C012ABCDEF']) expect(refusal({ allowed_users: name })).toContain('member ids');
    const ids = ['U012ABCDEF', 'W012ABCDEF', 'T0OTHER:U012ABCDEF', 'B012ABCDEF', '*'];
    expect(parse({ allowed_users: ids.join(', ') }).allowed_users).toEqual(ids);
  });

  it("takes Hermes Agent's names of its keys", () => {
    const { free_response_chats, allowed_chats } = parse({
      free_response_channels: 'C1,C2',
      free_response_chats: ['C3'],
      allowed_channels: ['C4'],
    });
    expect([free_response_chats, allowed_chats]).toEqual([['C3', 'C1', 'C2'], ['C4']]);
  });

  it('takes the slash from the end of an address', () => {
    expect(parse({ base_url: 'http://localhost:1/api/' }).base_url).toBe('http://localhost:1/api');
  });

  it('loads its client only when asked', async () => {
    expect(platforms.map(({ name }) => name)).toContain('slack');
    const { create } = await slackPlatform.load();
    expect(create).toBeTypeOf('function');
  });
});

describe('the manifest of the Slack app', () => {
  const manifest = (options?: Parameters<typeof slackManifest>[0]) => JSON.parse(JSON.stringify(slackManifest(options)));

  it('asks for what is explained and nothing else, over Socket Mode', () => {
    const { oauth_config: oauth, settings, features } = manifest();
    expect(oauth.scopes.bot.toSorted()).toEqual(Object.keys(scopeReasons).filter((scope) => scope !== 'assistant:write'));
    expect(settings).toMatchObject({ socket_mode_enabled: true, interactivity: { is_enabled: true } });
    expect(settings.event_subscriptions.bot_events).toEqual([
      'app_mention',
      'message.channels',
      'message.groups',
      'message.im',
      'message.mpim',
    ]);
    expect(features.slash_commands).toMatchObject([{ command: '/hermes' }]);
    expect(features.app_home).toMatchObject({ messages_tab_enabled: true, messages_tab_read_only_enabled: false });
    expect(JSON.stringify(manifest())).not.toContain('url');
  });

  it('has a scope for each event that it asks for', () => {
    const needed = {
      'message.channels': 'channels:history',
      'message.groups': 'groups:history',
      'message.im': 'im:history',
      'message.mpim': 'mpim:history',
      app_mention: 'app_mentions:read',
    };
    for (const event of manifest().settings.event_subscriptions.bot_events as (keyof typeof needed)[])
      expect(botScopes).toContain(needed[event]);
  });

  it("has Slack's assistant where that is wanted, and addresses where Slack is to call us", () => {
    const {
      features,
      oauth_config: oauth,
      settings,
    } = manifest({ name: 'Bot', assistant: true, url: 'https://bot.example.org/slack/events' });
    expect(features.bot_user.display_name).toBe('Bot');
    expect(features).toHaveProperty('assistant_view');
    expect(oauth.scopes.bot).toContain('assistant:write');
    expect(settings.event_subscriptions.bot_events).toContain('assistant_thread_started');
    expect(settings).toMatchObject({
      socket_mode_enabled: false,
      event_subscriptions: { request_url: 'https://bot.example.org/slack/events' },
      interactivity: { request_url: 'https://bot.example.org/slack/events' },
    });
    expect(features.slash_commands[0].url).toBe('https://bot.example.org/slack/events');
  });
});
