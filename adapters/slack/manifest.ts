/** The Slack app as Slack's own setup page takes it. Pure. https://docs.slack.dev/reference/app-manifest */
import { z } from 'zod';

/** Every scope of the bot token, and what fails without it. */
export const scopeReasons = {
  'app_mentions:read': 'hear when it is mentioned',
  'assistant:write': "have threads of Slack's assistant, and show in them that it works on an answer",
  'channels:history': 'read messages in public channels that it was invited to, and what it missed there',
  'channels:read': 'know which public channels it is in, to catch up after a gap',
  'chat:write': 'write, edit and delete its own messages',
  commands: 'the slash command /hermes',
  'files:read': 'fetch files that people send to it',
  'files:write': 'send files',
  'groups:history': 'the same in private channels that it was invited to',
  'groups:read': 'the same in private channels',
  'im:history': 'read direct messages to it',
  'im:read': 'know its direct chats, to catch up after a gap',
  'im:write': 'open a direct chat with its owner',
  'mpim:history': 'read group chats that it is part of',
  'mpim:read': 'know its group chats, to catch up after a gap',
  'reactions:write': 'mark messages as seen, done or failed',
  'users:read': 'know what people are called',
} as const;

/** Without these it works, only less comfortably. */
const OPTIONAL: readonly string[] = ['assistant:write', 'reactions:write', 'im:write'];

export const botScopes: readonly string[] = Object.keys(scopeReasons).filter((scope) => !OPTIONAL.includes(scope));

const EVENTS = ['app_mention', 'message.channels', 'message.groups', 'message.im', 'message.mpim'];
const ASSISTANT_EVENTS = ['assistant_thread_context_changed', 'assistant_thread_started'];

export interface ManifestOptions {
  readonly name?: string | undefined;
  /** With Slack's assistant: a pane of its own, in which each chat is a thread and answers are shown while they are written. */
  readonly assistant?: boolean | undefined;
  /** Public address of the gateway where Slack calls it; not set: Socket Mode. */
  readonly url?: string | undefined;
}

export function slackManifest({ name = 'Hermes', assistant = false, url }: ManifestOptions = {}): object {
  const request = url === undefined ? {} : { request_url: url };
  const command = { command: '/hermes', description: 'Talk to Hermes', usage_hint: 'help | status | stop | new ...', should_escape: false };
  return {
    display_information: { name, description: 'An agent that works for you', background_color: '#1d1c1d' },
    features: {
      app_home: { home_tab_enabled: false, messages_tab_enabled: true, messages_tab_read_only_enabled: false },
      bot_user: { display_name: name, always_online: true },
      slash_commands: [url === undefined ? command : { ...command, url }],
      ...(assistant ? { assistant_view: { assistant_description: 'An agent that works for you', suggested_prompts: [] } } : {}),
    },
    oauth_config: { scopes: { bot: Object.keys(scopeReasons).filter((scope) => assistant || scope !== 'assistant:write') } },
    settings: {
      event_subscriptions: { ...request, bot_events: assistant ? [...EVENTS, ...ASSISTANT_EVENTS].toSorted() : EVENTS },
      interactivity: { is_enabled: true, ...request },
      org_deploy_enabled: false,
      socket_mode_enabled: url === undefined,
      token_rotation_enabled: false,
    },
  };
}

const optionsSchema = z.object({
  // Slack's own limit for the name of an app.
  name: z.string().trim().min(1).max(35, 'The name has 35 characters at most.').optional(),
  assistant: z.boolean().optional(),
  url: z.url({ protocol: /^https$/, error: 'The address is one with https, as "https://bot.example.org/slack/events".' }).optional(),
});

/** As text for Slack's setup page, from what the command line gave. */
export function manifestText(given: Readonly<Record<string, unknown>>): string {
  const { data, error } = optionsSchema.safeParse(given);
  if (data === undefined) throw new Error(error?.issues.map(({ message }) => message).join(' '));
  return JSON.stringify(slackManifest(data), null, 2);
}
