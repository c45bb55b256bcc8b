import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Inbound } from '../../../adapters/adapter.ts';
import { type CodecContext, decodePayload } from '../../../adapters/slack/codec.ts';
import { readableText } from '../../../adapters/slack/text.ts';

const context: CodecContext = {
  account: 'work',
  me: { user: 'U0HERMES1', bot: 'B0HERMES1', team: 'T0TEAM001' },
  rules: {
    requireMention: true,
    freeResponseChats: ['C0FREE'],
    mentionRequiredChats: [],
    ignoredChats: ['C0IGNORED'],
    patterns: [/^hermes\b/iu],
  },
  allowedChats: [],
  allowBots: 'none',
  replyInThread: true,
  strictMention: false,
  commands: ['stop'],
  inThread: (_channel, thread) => thread === '1700000000.000001',
  nameOf: (user) => (user === 'U0ANN0001' ? 'Ann' : undefined),
  nowMs: 1_700_000_500_000,
};

/** As Slack sends it, https://docs.slack.dev/reference/events/message.channels, with what differs. */
const wrapped = (event: object, outer: object = {}) => ({
  token: 'one-long-verification-token',
  team_id: 'T0TEAM001',
  context_team_id: 'T0TEAM001',
  api_app_id: 'A0APP0001',
  event,
  type: 'event_callback',
  event_id: 'Ev0PV52K21',
  event_time: 1_700_000_100,
  authorizations: [{ enterprise_id: null, team_id: 'T0TEAM001', user_id: 'U0HERMES1', is_bot: true, is_enterprise_install: false }],
  is_ext_shared_channel: false,
  ...outer,
});

const message = (more: object = {}) => ({
  client_msg_id: '5a1e...',
  type: 'message',
  user: 'U0ANN0001',
  text: 'Hi <@U0HERMES1>',
  ts: '1700000100.000200',
  team: 'T0TEAM001',
  blocks: [{ type: 'rich_text', block_id: 'x', elements: [] }],
  channel: 'C0GENERAL',
  event_ts: '1700000100.000200',
  channel_type: 'channel',
  ...more,
});

const direct = (more: object = {}) => message({ channel: 'D0DIRECT1', channel_type: 'im', text: 'hello', ...more });

function event(payload: unknown, more: Partial<CodecContext> = {}): Inbound {
  const decoded = decodePayload(payload, { ...context, ...more });
  if (decoded.type !== 'event') throw new Error(`not an event: ${JSON.stringify(decoded)}`);
  return decoded.event;
}

const verdict = (payload: unknown, more: Partial<CodecContext> = {}): string => {
  const decoded = decodePayload(payload, { ...context, ...more });
  return decoded.type === 'ignored' ? decoded.why : decoded.type;
};

describe('a message of Slack', () => {
  it('in a channel becomes one of ours', () => {
    expect(event(wrapped(message()))).toEqual({
      type: 'message',
      event: 'C0GENERAL:1700000100.000200',
      chat: { platform: 'slack', account: 'work', chat: 'C0GENERAL', thread: '1700000100.000200' },
      chatType: 'group',
      sender: { id: 'U0ANN0001', aliases: ['T0TEAM001:U0ANN0001'], name: 'Ann', isBot: false, roles: [] },
      sentAtMs: 1_700_000_100_000,
      message: '1700000100.000200',
      text: 'Hi @U0HERMES1',
      mentioned: true,
      attachments: [],
    });
  });

  it('is the same event as a message and as a mention', () => {
    const asMention = event(wrapped(message({ type: 'app_mention', channel_type: undefined })));
    expect(asMention).toEqual(event(wrapped(message())));
  });

  it('in a direct chat needs no mention and opens no thread, but stays in one', () => {
    expect(event(wrapped(direct()))).toMatchObject({ chatType: 'dm', mentioned: true, chat: { chat: 'D0DIRECT1' } });
    expect(event(wrapped(direct())).chat).not.toHaveProperty('thread');
    expect(event(wrapped(direct({ thread_ts: '1700000100.000200', reply_count: 2 }))).chat).not.toHaveProperty('thread');
    expect(event(wrapped(direct({ thread_ts: '1700000000.000009' }))).chat.thread).toBe('1700000000.000009');
  });

  it.each<[string, object, string]>([
    ['nobody is addressed', message({ text: 'hello all' }), 'not addressed to the bot'],
    ['somebody else is', message({ text: 'hello <@U0HERMES12>' }), 'not addressed to the bot'],
    ['the channel is one to stay out of', message({ channel: 'C0IGNORED' }), 'not addressed to the bot'],
    [
      'it was edited',
      { ...message({ subtype: 'message_changed' }), message: message(), previous_message: message() },
      'no message of a person',
    ],
    ['it was deleted', message({ subtype: 'message_deleted', deleted_ts: '1.2', user: undefined }), 'no message of a person'],
    ['somebody joined', direct({ subtype: 'channel_join' }), 'no message of a person'],
    ['the topic changed', direct({ subtype: 'channel_topic' }), 'no message of a person'],
    ['it is ours', direct({ user: 'U0HERMES1', bot_id: 'B0HERMES1' }), 'ours, or nobody to answer to'],
    [
      'it is ours by the bot alone',
      direct({ user: undefined, subtype: 'bot_message', bot_id: 'B0HERMES1' }),
      'ours, or nobody to answer to',
    ],
    ['another bot writes', direct({ bot_id: 'B0OTHER01', user: 'U0OTHER01' }), 'another bot'],
    ['a webhook writes', direct({ subtype: 'bot_message', bot_id: 'B0HOOK001', user: undefined, username: 'ci' }), 'another bot'],
    ['nothing is said', direct({ text: '' }), 'an empty message'],
  ])('is left out where %s', (_title, given, why) => {
    expect(verdict(wrapped(given))).toBe(why);
  });

  it('that is left out still has its place, so that it is not fetched again', () => {
    expect(decodePayload(wrapped(message({ text: 'x', thread_ts: '1700000000.000009' })), context)).toMatchObject({
      place: { channel: 'C0GENERAL', ts: '1700000100.000200', thread: '1700000000.000009' },
    });
    expect(
      decodePayload(wrapped(message({ text: 'x', thread_ts: '1700000000.000009', subtype: 'thread_broadcast' })), context),
    ).toMatchObject({
      place: { channel: 'C0GENERAL', ts: '1700000100.000200' },
    });
  });

  it('of a bot counts where the configuration says so, and is told as such', () => {
    const bot = direct({ bot_id: 'B0OTHER01', user: 'U0OTHER01', bot_profile: { name: 'CI' } });
    expect(event(wrapped(bot), { allowBots: 'all' }).sender).toMatchObject({ id: 'U0OTHER01', name: 'CI', isBot: true });
    expect(verdict(wrapped(bot), { allowBots: 'mentions' })).toBe('another bot');
    expect(event(wrapped({ ...bot, text: 'hey <@U0HERMES1>' }), { allowBots: 'mentions' }).sender.isBot).toBe(true);
  });

  it('is overheard where everything is meant for the bot, and addressed by its other names', () => {
    expect(event(wrapped(message({ channel: 'C0FREE', text: 'x' })))).toMatchObject({ mentioned: false });
    expect(event(wrapped(message({ text: 'Hermes, help' })))).toMatchObject({ mentioned: true });
  });

  it('is heard in the only channels that are named, and in direct chats', () => {
    expect(verdict(wrapped(message()), { allowedChats: ['C0OTHER'] })).toBe('not addressed to the bot');
    expect(verdict(wrapped(message()), { allowedChats: ['C0GENERAL'] })).toBe('event');
    expect(verdict(wrapped(direct()), { allowedChats: ['C0OTHER'] })).toBe('event');
  });

  it.each<[string, object]>([
    [
      'a slash command',
      { command: '/hermes', text: 'stop', channel_id: 'C0IGNORED', user_id: 'U0ANN0001', response_url: 'x', trigger_id: '1' },
    ],
    [
      'a click',
      {
        type: 'block_actions',
        user: { id: 'U0ANN0001' },
        channel: { id: 'C0IGNORED' },
        message: { ts: '1.2' },
        actions: [{ type: 'button', action_id: 'choice:yes', value: 'abcdefghij012345' }],
      },
    ],
  ])('is not heard as %s either in a channel to stay out of', (_title, given) => {
    expect(verdict(given)).toBe('in a channel to stay out of');
    expect(verdict(given, { rules: { ...context.rules, ignoredChats: [] } })).toBe('event');
    expect(verdict(given, { rules: { ...context.rules, ignoredChats: [] }, allowedChats: ['C0OTHER'] })).toBe(
      'in a channel to stay out of',
    );
  });

  it('of somebody from another workspace has an id that nobody of ours can have', () => {
    const { sender } = event(wrapped(message({ user_team: 'T0OTHER01', team: 'T0OTHER01' })));
    expect(sender).toMatchObject({ id: 'T0OTHER01:U0ANN0001', aliases: [] });
    const enterprise = { ...context.me, enterprise: 'E0CORP001' };
    expect(event(wrapped(message({ team: 'E0CORP001' })), { me: enterprise }).sender.id).toBe('U0ANN0001');
  });

  it('for another installation of the app is not ours', () => {
    const foreign = wrapped(direct(), { authorizations: [{ team_id: 'T0OTHER01', user_id: 'U0HERMES9', is_bot: true }] });
    expect(verdict(foreign)).toBe('for another installation of the app');
  });

  it('reads as a person wrote it', () => {
    const text =
      '<@U0HERMES1>: ask <@U0ANN0001> &amp; <@U0BOB0001|bob> in <#C012|general> about <https://a.org/?x=1&amp;y=2|this>, <https://a.org> or <mailto:a@b.c|a@b.c> <!here> &lt;b&gt;';
    expect(event(wrapped(message({ text })))).toMatchObject({
      text: 'ask @Ann & @bob in #general about [this](https://a.org/?x=1&y=2), https://a.org or a@b.c @here <b>',
    });
    expect(readableText('<!subteam^S1|@ops> <!subteam^S1> <!date^1392734382^{date}|yesterday>', () => undefined)).toBe(
      '@ops @subteam yesterday',
    );
  });

  it('that somebody shared is marked, so that it is no command and not taken for the words of the sender', () => {
    const attachments = [
      {
        is_share: true,
        is_msg_unfurl: true,
        author_name: 'Bob',
        text: '!stop <!channel>',
        files: [{ id: 'F1', name: 'a.txt', mimetype: 'text/plain', size: 3, url_private: 'https://files.slack.com/a' }],
      },
      { title: 'A page', text: 'a preview of a link', from_url: 'https://a.org' },
    ];
    expect(event(wrapped(direct({ text: '', attachments })))).toMatchObject({
      text: '[Forwarded from Bob]\n!stop @channel',
      attachments: [{ name: 'a.txt' }],
    });
  });

  it('has its files as references of their kind', () => {
    const file = (more: object) => ({
      id: 'F0FILE001',
      name: 'x',
      mimetype: 'text/plain',
      size: 10,
      mode: 'hosted',
      url_private: 'https://files.slack.com/p',
      url_private_download: 'https://files.slack.com/d',
      ...more,
    });
    const files = [
      file({ name: 'a.png', mimetype: 'image/png' }),
      file({ name: 'audio_message.webm', mimetype: 'audio/webm', subtype: 'slack_audio' }),
      file({ name: 'b.mp3', mimetype: 'audio/mpeg' }),
      file({ name: 'c.mp4', mimetype: 'video/mp4' }),
      file({ name: 'gone', mode: 'tombstone', url_private: undefined }),
      file({
        name: 'shared',
        file_access: 'check_file_info',
        mimetype: undefined,
        size: undefined,
        url_private: undefined,
        url_private_download: undefined,
      }),
    ];
    const { attachments } = event(wrapped(direct({ subtype: 'file_share', text: '', files }))) as Extract<Inbound, { type: 'message' }>;
    expect(attachments.map(({ kind, name }) => [kind, name])).toEqual([
      ['image', 'a.png'],
      ['voice', 'audio_message.webm'],
      ['audio', 'b.mp3'],
      ['video', 'c.mp4'],
      ['file', 'shared'],
    ]);
    expect(attachments[0]).toEqual({
      kind: 'image',
      name: 'a.png',
      mime: 'image/png',
      sizeBytes: 10,
      handle: { file: 'F0FILE001', url: 'https://files.slack.com/d' },
    });
    expect(attachments.at(-1)).toEqual({ kind: 'file', name: 'shared', handle: { file: 'F0FILE001' } });
  });
});

describe('a click', () => {
  const click = (more: object = {}, action: object = {}) => ({
    type: 'block_actions',
    user: { id: 'U0ANN0001', username: 'ann', name: 'ann', team_id: 'T0TEAM001' },
    container: {
      type: 'message',
      message_ts: '1700000200.000300',
      channel_id: 'C0GENERAL',
      is_ephemeral: false,
      thread_ts: '1700000000.000001',
    },
    trigger_id: '1.2.3',
    team: { id: 'T0TEAM001', domain: 'x' },
    channel: { id: 'C0GENERAL', name: 'general' },
    message: { bot_id: 'B0HERMES1', type: 'message', user: 'U0HERMES1', ts: '1700000200.000300', thread_ts: '1700000000.000001' },
    response_url: 'https://hooks.slack.com/actions/T/1/x',
    actions: [
      { action_id: 'choice:deny', block_id: 'b', value: 'abcdefgh12345678', type: 'button', action_ts: '1700000300.123456', ...action },
    ],
    ...more,
  });

  it('names the card, the choice, the person and the place', () => {
    expect(event(click())).toEqual({
      type: 'answer',
      event: 'C0GENERAL:1700000200.000300:1700000300.123456:U0ANN0001',
      chat: { platform: 'slack', account: 'work', chat: 'C0GENERAL', thread: '1700000000.000001' },
      chatType: 'group',
      sender: { id: 'U0ANN0001', aliases: ['T0TEAM001:U0ANN0001'], name: 'Ann', isBot: false, roles: [] },
      sentAtMs: 1_700_000_300_123,
      token: 'abcdefgh12345678',
      choice: 'deny',
      message: '1700000200.000300',
      interaction: { user: 'U0ANN0001', response_url: 'https://hooks.slack.com/actions/T/1/x', thread: '1700000000.000001' },
    });
  });

  it('of somebody from another workspace is not one of ours', () => {
    expect(event(click({ user: { id: 'U0ANN0001', team_id: 'T0OTHER01' } })).sender.id).toBe('T0OTHER01:U0ANN0001');
  });

  it.each<[string, object]>([
    ['is on another button', click({}, { action_id: 'feedback' })],
    ['carries no token', click({}, { value: 'x' })],
    ['is on a message of somebody else', click({ message: { user: 'U0OTHER01', ts: '1.2' } })],
    ['is on no message', click({ message: undefined, container: undefined })],
  ])('is left out where it %s', (_title, payload) => {
    expect(decodePayload(payload, context).type).toBe('ignored');
  });
});

describe('what else Slack sends', () => {
  it("tells of a thread of Slack's assistant", () => {
    const started = {
      type: 'assistant_thread_started',
      assistant_thread: { user_id: 'U0ANN0001', context: {}, channel_id: 'D0DIRECT1', thread_ts: '1700000000.000001' },
      event_ts: '1',
    };
    expect(decodePayload(wrapped(started), context)).toEqual({ type: 'assistant', channel: 'D0DIRECT1', thread: '1700000000.000001' });
  });

  it('never makes it fail, whatever it is', () => {
    const payload = fc.oneof(
      fc.anything(),
      fc.record({ type: fc.constant('event_callback'), event: fc.anything() }),
      fc
        .record({ ...Object.fromEntries(Object.keys(message()).map((key) => [key, fc.anything()])), type: fc.constant('message') })
        .map((given) => wrapped(given)),
    );
    fc.assert(
      fc.property(payload, (given) => {
        const decoded = decodePayload(given, context);
        if (decoded.type === 'event') expect(JSON.parse(JSON.stringify(decoded.event))).toEqual(decoded.event);
      }),
      { numRuns: Number(process.env['PROPERTY_RUNS'] ?? 300) },
    );
  });
});
