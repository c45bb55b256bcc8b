import { describe, expect, it } from 'vitest';
import type { InboundMessage } from '../../../adapters/adapter.ts';
import { type CodecContext, decodeMessage } from '../../../adapters/discord/codec.ts';
import { decodeInteraction } from '../../../adapters/discord/interactions.ts';
import { createPlaces, type Place } from '../../../adapters/discord/places.ts';
import { interactionSchema, messageSchema } from '../../../adapters/discord/wire.ts';

const ME = '100000000000000001';
const ANN = '200000000000000002';
const CHANNEL = '300000000000000003';
const THREAD = '400000000000000004';

/** As MESSAGE_CREATE brings it, shortened to what is not always the same. */
const sample = {
  type: 0,
  tts: false,
  timestamp: '2024-06-01T12:00:00.000000+00:00',
  pinned: false,
  nonce: '1246433000000000000',
  mentions: [],
  mention_roles: [],
  mention_everyone: false,
  member: {
    roles: ['500000000000000005'],
    nick: 'Annie',
    joined_at: '2023-01-01T00:00:00.000000+00:00',
    deaf: false,
    mute: false,
    flags: 0,
  },
  id: '1246433076012187728',
  flags: 0,
  embeds: [],
  edited_timestamp: null,
  content: 'hello',
  components: [],
  channel_id: CHANNEL,
  author: { username: 'ann', public_flags: 0, id: ANN, global_name: 'Ann', discriminator: '0', avatar: null, clan: null },
  attachments: [],
  guild_id: '600000000000000006',
};
const mention = { ...sample.author, id: ME, username: 'hermes', global_name: null, bot: true };
const channel: Place = { guild: '600000000000000006', chat: CHANNEL, joined: false, threads: true };
const thread: Place = { ...channel, thread: THREAD, threads: false };
const direct: Place = { chat: CHANNEL, joined: true, threads: false };

const context = (more: Partial<CodecContext> = {}): CodecContext => ({
  account: 'main',
  me: { id: ME, roles: new Set(['700000000000000007']) },
  rules: { requireMention: true, freeResponseChats: [], mentionRequiredChats: [], ignoredChats: [], patterns: [/^hermes\b/iu] },
  bots: 'none',
  onlyChats: [],
  autoThread: true,
  noThreadChats: [],
  threadRequireMention: false,
  ignoreNoMention: true,
  nameOf: (id) => (id === CHANNEL ? 'general' : undefined),
  ...more,
});

const decode = (more: object, place: Place = channel, given: Partial<CodecContext> = {}) =>
  decodeMessage({ message: messageSchema.parse({ ...sample, ...more }), place }, context(given));
const message = (more: object, place?: Place, given?: Partial<CodecContext>): InboundMessage => {
  const decoded = decode(more, place, given);
  if (decoded.type !== 'message') throw new Error(`ignored: ${decoded.why}`);
  return decoded.message;
};
const asked = { content: `<@${ME}> hello`, mentions: [mention] };

describe('a message of Discord', () => {
  it('becomes plain data with who wrote it, where and when', () => {
    expect(message(asked)).toEqual({
      type: 'message',
      event: `m:${CHANNEL}:${sample.id}`,
      chat: { platform: 'discord', account: 'main', chat: CHANNEL, thread: sample.id },
      chatType: 'group',
      chatName: '#general',
      sender: { id: ANN, aliases: [], name: 'Annie', isBot: false, roles: ['500000000000000005'] },
      sentAtMs: 1_717_243_202_928,
      message: sample.id,
      text: 'hello',
      mentioned: true,
      attachments: [],
    });
  });

  it.each([
    ['nobody addresses', {}, 'ignored'],
    ['mentions the bot', asked, 'addressed'],
    ["mentions the bot's own role", { content: '<@&700000000000000007> hi', mention_roles: ['700000000000000007'] }, 'addressed'],
    ['mentions another role', { content: '<@&1> hi', mention_roles: ['1'] }, 'ignored'],
    ['mentions everyone', { content: '@everyone hi', mention_everyone: true }, 'ignored'],
    ['uses a name of the configuration', { content: 'Hermes, hello' }, 'addressed'],
    [
      'replies to the bot',
      { type: 19, referenced_message: { ...sample, author: mention }, message_reference: { message_id: '1' } },
      'addressed',
    ],
    ['replies to somebody else', { type: 19, referenced_message: sample, message_reference: { message_id: '1' } }, 'ignored'],
  ])('that %s is %s', (_what, more, verdict) => {
    const decoded = decode(more);
    expect(decoded.type === 'ignored' ? 'ignored' : decoded.message.mentioned ? 'addressed' : 'overheard').toBe(verdict);
  });

  it('needs no mention in a direct chat, in a free channel, and in a thread that the bot takes part in', () => {
    const free = { ...context().rules, freeResponseChats: [CHANNEL] };
    expect(message({ guild_id: undefined, member: undefined }, direct)).toMatchObject({
      chatType: 'dm',
      mentioned: true,
      sender: { name: 'Ann', roles: [] },
    });
    expect(message({}, channel, { rules: free }).mentioned).toBe(false);
    expect(message({}, { ...thread, joined: true })).toMatchObject({ mentioned: false, chat: { chat: CHANNEL, thread: THREAD } });
    expect(decode({}, thread).type).toBe('ignored');
    expect(decode({}, { ...thread, joined: true }, { threadRequireMention: true }).type).toBe('ignored');
    expect(decode({}, { ...thread, joined: true }, { rules: { ...free, ignoredChats: [CHANNEL] } }).type).toBe('ignored');
  });

  it('that mentions somebody else is left to them, even where none is needed', () => {
    const toAnn = { content: `<@${ANN}> hi`, mentions: [sample.author] };
    const free = { rules: { ...context().rules, freeResponseChats: [CHANNEL] } };
    expect(decode(toAnn, channel, free).type).toBe('ignored');
    expect(decode(toAnn, { ...thread, joined: true }).type).toBe('ignored');
    expect(decode(toAnn, channel, { ...free, ignoreNoMention: false }).type).toBe('message');
    expect(decode({ ...toAnn, content: `hermes, tell <@${ANN}>` }, channel, free).type).toBe('message');
    expect(decode(toAnn, direct).type).toBe('message');
  });

  it('is ignored outside the only channels, and not in their threads', () => {
    expect(decode(asked, channel, { onlyChats: ['1'] }).type).toBe('ignored');
    expect(decode(asked, thread, { onlyChats: [CHANNEL] }).type).toBe('message');
    expect(decode({}, direct, { onlyChats: ['1'] }).type).toBe('message');
  });

  it('counts in a thread by the lists that name the thread, its channel or all', () => {
    const rules = context().rules;
    const spoken = (more: object, given: Partial<CodecContext>, place = thread) => decode(more, place, given).type === 'message';
    for (const id of [THREAD, CHANNEL, '*']) {
      expect(spoken({}, { rules: { ...rules, freeResponseChats: [id] } })).toBe(true);
      expect(spoken({}, { rules: { ...rules, requireMention: false, mentionRequiredChats: [id] } })).toBe(false);
      expect(spoken(asked, { rules: { ...rules, ignoredChats: [id] } })).toBe(false);
      expect(spoken(asked, { onlyChats: [id] })).toBe(true);
    }
    expect(spoken(asked, { rules: { ...rules, ignoredChats: [THREAD] } }, channel)).toBe(true);
    expect(spoken({}, { rules: { ...rules, mentionRequiredChats: [THREAD] } }, { ...thread, joined: true })).toBe(false);
    expect(spoken({}, { rules: { ...rules, ignoredChats: [THREAD] } }, { ...thread, joined: true })).toBe(false);
  });

  it.each<[string, object, Place, Partial<CodecContext>, boolean]>([
    ['a mention where no channel has threads', asked, channel, { noThreadChats: ['*'] }, false],
    ['a mention in a channel', asked, channel, {}, true],
    ['a mention where threads are off', asked, channel, { autoThread: false }, false],
    ['a mention in a channel without threads', asked, channel, { noThreadChats: [CHANNEL] }, false],
    ['a mention in a voice channel', asked, { ...channel, threads: false }, {}, false],
    ['a mention in a free channel', asked, channel, { rules: { ...context().rules, freeResponseChats: [CHANNEL] } }, false],
    ['a reply', { ...asked, type: 19, referenced_message: sample }, channel, {}, false],
    ['a direct message', {}, direct, {}, false],
  ])('opens a thread or not: %s', (_what, more, place, given, opens) => {
    expect(message(more, place, given).chat.thread).toBe(opens ? sample.id : undefined);
  });

  it.each([
    ['of the bot itself', { author: mention }],
    ['of another bot', { ...asked, author: { ...sample.author, bot: true } }],
    ['of a webhook', { ...asked, webhook_id: '1' }],
    ['that Discord wrote itself', { ...asked, type: 7 }],
    ['with nothing in it', { content: '' }],
  ])('is ignored when it is one %s', (_what, more) => {
    expect(decode(more, direct).type).toBe('ignored');
  });

  it('of another bot counts as the configuration says, and says that it is one', () => {
    const bot = { ...sample.author, bot: true };
    expect(decode({ author: bot }, direct, { bots: 'mentions' }).type).toBe('ignored');
    expect(message({ ...asked, author: bot }, channel, { bots: 'mentions' }).sender.isBot).toBe(true);
    expect(message({ author: bot }, direct, { bots: 'all' }).sender.isBot).toBe(true);
    expect(decode({ author: mention }, direct, { bots: 'all' }).type).toBe('ignored');
  });

  it('reads as people see it', () => {
    const ann = { ...sample.author, member: { nick: 'Annie', roles: [] } };
    const content = `<@!${ME}>, ask <@${ANN}> in <#${CHANNEL}> <:party:123456> and <@&1>`;
    expect(message({ content, mentions: [mention, ann] }).text).toBe('ask @Annie in #general :party: and <@&1>');
    expect(message({ content: `why <@${ME}>?`, mentions: [mention] }).text).toBe('why @hermes?');
  });

  it('carries what was replied to, with its files', () => {
    const file = { id: '9', filename: 'plan.pdf', size: 12, url: 'https://cdn.discordapp.com/a/9', content_type: 'application/pdf' };
    const before = { ...sample, id: '1246433076012187000', content: 'the plan', attachments: [file] };
    const { replyTo, attachments } = message({
      ...asked,
      type: 19,
      referenced_message: before,
      message_reference: { message_id: before.id },
    });
    expect(replyTo).toEqual({ message: before.id, author: 'Ann', fromBot: false, text: 'the plan' });
    expect(attachments).toMatchObject([
      { kind: 'file', name: 'plan.pdf', mime: 'application/pdf', sizeBytes: 12, handle: { message: before.id, id: '9' } },
    ]);
  });

  it('marks the words of a forwarded message, so that they are no command of the sender', () => {
    const forward = {
      content: '',
      message_reference: { type: 1, message_id: '1' },
      message_snapshots: [{ message: { content: '/stop' } }],
    };
    expect(message(forward, direct).text).toBe('[Forwarded]\n/stop');
  });

  it.each([
    ['image/png', 0, 'image'],
    ['image/gif', 0, 'image'],
    ['audio/ogg', 8192, 'voice'],
    ['audio/mpeg', 0, 'audio'],
    ['video/mp4', 0, 'video'],
    ['text/plain; charset=utf-8', 0, 'file'],
  ])('brings a file of type %s with flags %d as %s', (content_type, flags, kind) => {
    const attachments = [{ id: '9', filename: 'x', size: 1, url: 'https://cdn.discordapp.com/x', content_type }];
    expect(message({ content: '', attachments, flags }, direct).attachments).toMatchObject([{ kind, mime: content_type.split(';')[0] }]);
  });

  it('says stickers and polls in words', () => {
    const poll = { question: { text: 'Lunch?' }, answers: [{ poll_media: { text: 'Yes' } }, { poll_media: { text: 'No' } }] };
    expect(message({ content: '', poll }, direct).text).toBe('Poll: Lunch? Options: Yes; No');
    const stickers = message({ content: '', sticker_items: [{ id: '5', name: 'wave', format_type: 1 }] }, direct);
    expect(stickers).toMatchObject({ text: 'Sticker: wave', attachments: [{ kind: 'sticker', handle: { sticker: '5.png' } }] });
  });
});

describe('an interaction of Discord', () => {
  const base = {
    id: '1246433076012187728',
    application_id: '100000000000000002',
    token: 'secret',
    version: 1,
    channel_id: CHANNEL,
    channel: { id: CHANNEL, type: 0 },
    guild_id: sample.guild_id,
    member: { user: sample.author, roles: ['500000000000000005'], nick: null },
  };
  const interaction = (more: object) => decodeInteraction(interactionSchema.parse({ ...base, ...more }), 'main');
  const ticket = (kind: string) => ({ id: base.id, application: base.application_id, token: 'secret', kind });

  it('is a command with what follows its name', () => {
    const data = { id: '1', name: 'model', type: 1, options: [{ name: 'args', type: 3, value: ' fast ' }] };
    expect(interaction({ type: 2, data })).toMatchObject({
      type: 'taken',
      event: {
        type: 'command',
        event: `i:${base.id}`,
        name: 'model',
        args: 'fast',
        chatType: 'group',
        chat: { chat: CHANNEL },
        interaction: ticket('command'),
      },
    });
    expect(interaction({ type: 2, data: { name: 'help' } })).toMatchObject({
      event: { args: '', sender: { id: ANN, roles: ['500000000000000005'] } },
    });
  });

  it('in a thread belongs to the channel and the thread', () => {
    const there = { channel_id: THREAD, channel: { id: THREAD, type: 11, parent_id: CHANNEL }, type: 2, data: { name: 'stop' } };
    expect(interaction(there)).toMatchObject({ event: { chat: { chat: CHANNEL, thread: THREAD } } });
  });

  it('in a direct chat is of the person alone', () => {
    const there = {
      guild_id: undefined,
      member: undefined,
      user: sample.author,
      channel: { id: CHANNEL, type: 1 },
      type: 2,
      data: { name: 'stop' },
    };
    expect(interaction(there)).toMatchObject({ event: { chatType: 'dm', sender: { id: ANN, name: 'Ann' } } });
  });

  it('is an answer only with a button that we made', () => {
    const click = (custom_id: string) => interaction({ type: 3, message: { id: '77' }, data: { custom_id, component_type: 2 } });
    expect(click('abcdefgh12345678:once')).toMatchObject({
      event: { type: 'answer', token: 'abcdefgh12345678', choice: 'once', message: '77' },
    });
    expect(click('somebody else')).toEqual({ type: 'ignored', why: 'none of our buttons', ticket: ticket('click') });
  });
});

describe('the channels that the gateway tells of', () => {
  const guild = {
    id: sample.guild_id,
    channels: [{ id: CHANNEL, type: 0, name: 'general' }],
    threads: [],
    roles: [{ id: '7', tags: { bot_id: ME } }],
  };
  const told = (...events: [string, object][]) => {
    const places = createPlaces();
    places.event('GUILD_CREATE', guild, ME);
    for (const [type, data] of events) places.event(type, data, ME);
    return places;
  };
  const made = { id: THREAD, type: 11, guild_id: guild.id, parent_id: CHANNEL, owner_id: ANN };

  it('are known by name and server, with the role that stands for the bot', () => {
    const places = told();
    expect(places.of(CHANNEL)).toEqual({ guild: guild.id, chat: CHANNEL, joined: false, threads: true });
    expect(places.nameOf(CHANNEL)).toBe('general');
    expect([...places.ownRoles()]).toEqual(['7']);
    expect(places.anyGuild()).toBe(guild.id);
  });

  it.each<[string, [string, object][], boolean]>([
    ['somebody else made', [['THREAD_CREATE', made]], false],
    ['the bot made', [['THREAD_CREATE', { ...made, owner_id: ME }]], true],
    ['the bot was in already', [['THREAD_CREATE', { ...made, member: { user_id: ME } }]], true],
    [
      'the bot was added to',
      [
        ['THREAD_CREATE', made],
        ['THREAD_MEMBERS_UPDATE', { id: THREAD, added_members: [{ user_id: ME }] }],
      ],
      true,
    ],
    [
      'the bot was taken out of',
      [
        ['THREAD_CREATE', { ...made, owner_id: ME }],
        ['THREAD_MEMBERS_UPDATE', { id: THREAD, removed_member_ids: [ME] }],
      ],
      false,
    ],
    [
      'the bot is in, and that was renamed',
      [
        ['THREAD_CREATE', { ...made, owner_id: ME }],
        ['THREAD_UPDATE', { ...made, name: 'new' }],
      ],
      true,
    ],
  ])('take part or not in a thread that %s', (_what, events, joined) => {
    expect(told(...events).of(THREAD)).toMatchObject({ chat: CHANNEL, thread: THREAD, joined });
  });

  it('are forgotten when they are deleted, and asked for when an archived thread wakes up', () => {
    expect(told(['THREAD_CREATE', made], ['THREAD_DELETE', made]).of(THREAD)).toBeUndefined();
    expect(told(['THREAD_UPDATE', made]).of(THREAD)).toBeUndefined();
  });
});
