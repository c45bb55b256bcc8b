/** The Web API's methods by name. An unknown one is refused, as are arguments that Slack does not take. */

import { strictly } from './slack-blocks.ts';
import type { createChats, FakeSlackMessage } from './slack-chats.ts';
import type { createFiles } from './slack-files.ts';
import { type Fields, nested, refuse, text } from './slack-refusal.ts';
import type { createSockets } from './slack-socket.ts';

export interface MethodContext {
  readonly chats: ReturnType<typeof createChats>;
  readonly files: ReturnType<typeof createFiles>;
  readonly sockets: ReturnType<typeof createSockets>;
  readonly host: string;
  readonly origin: string;
  readonly team: string;
  readonly botUser: string;
  readonly botId: string;
  posted(message: FakeSlackMessage): void;
}

type Method = (fields: Fields, context: MethodContext) => Fields;

const sent = ({ channel, ts, text: shown }: FakeSlackMessage): Fields => ({ channel, ts, message: { text: shown, ts } });

const methods: Readonly<Record<string, Method>> = {
  'auth.test': (_fields, { team, botUser, botId, origin }) => ({
    url: `${origin}/`,
    team: 'Fake',
    team_id: team,
    user: 'hermes',
    user_id: botUser,
    bot_id: botId,
  }),
  'apps.connections.open': (_fields, { sockets, host }) => ({ url: sockets.ticket(host) }),
  'chat.postMessage': (fields, { chats }) => sent(chats.post(fields)),
  'chat.update': (fields, { chats }) => sent(chats.update(fields)),
  'chat.delete': (fields, { chats }) => {
    chats.remove(fields);
    return { channel: text(fields, 'channel'), ts: text(fields, 'ts') };
  },
  'chat.postEphemeral': (fields, { chats }) => {
    const { id } = chats.writable(fields);
    if (text(fields, 'user') === '') refuse('user_not_in_channel');
    chats.ephemerals.push({ channel: id, user: text(fields, 'user'), text: strictly(text(fields, 'text')) });
    return { message_ts: '1.000001' };
  },
  'chat.startStream': (fields, { chats }) => sent(chats.stream('chat.startStream', fields)),
  'chat.appendStream': (fields, { chats }) => sent(chats.stream('chat.appendStream', fields)),
  'chat.stopStream': (fields, { chats }) => sent(chats.stream('chat.stopStream', fields)),
  'conversations.history': (fields, { chats }) => chats.history(fields, false),
  'conversations.replies': (fields, { chats }) => chats.history(fields, true),
  'conversations.info': (fields, { chats }) => ({ channel: { id: chats.open(fields).id } }),
  'conversations.open': (fields, { chats }) => ({ channel: { id: chats.channel(`D${text(fields, 'users').slice(1)}`).id } }),
  'users.conversations': (_fields, { chats }) => ({ channels: listed(chats) }),
  'conversations.list': (_fields, { chats }) => ({ channels: listed(chats) }),
  'users.info': (fields) => userInfo(text(fields, 'user')),
  'reactions.add': (fields, { chats }) => {
    chats.react(fields, true);
    return {};
  },
  'reactions.remove': (fields, { chats }) => {
    chats.react(fields, false);
    return {};
  },
  'files.getUploadURLExternal': (fields, { files, origin }) => files.ticket(fields, origin),
  'files.completeUploadExternal': complete,
  'files.delete': (fields, { files }) => {
    files.remove(text(fields, 'file'));
    return {};
  },
  'files.info': (fields, { files, origin }) => files.info(text(fields, 'file'), origin),
  'assistant.threads.setStatus': (fields, { chats }) => {
    const place = chats.writable(fields, 'channel_id');
    const thread = chats.threadOf(place, fields) ?? refuse('invalid_thread_ts');
    chats.statuses.push({ channel: place.id, thread, status: text(fields, 'status') });
    return {};
  },
};

export function perform(method: string, fields: Fields, context: MethodContext): Fields {
  return (methods[method] ?? refuse('unknown_method', { req_method: method }))(fields, context);
}

function listed({ channels }: MethodContext['chats']): readonly Fields[] {
  return [...channels.values()].filter(({ member, archived }) => member && !archived).map(({ id }) => ({ id, is_im: id.startsWith('D') }));
}

function userInfo(user: string): Fields {
  if (!/^[UW]0/.test(user)) refuse('user_not_found');
  return {
    user: {
      id: user,
      name: user.toLowerCase(),
      real_name: `Real ${user}`,
      profile: { display_name: user === 'U0PERSON1' ? 'Ann' : '', real_name: `Real ${user}` },
    },
  };
}

function complete(fields: Fields, { chats, files }: MethodContext): Fields {
  const given = nested(fields['files']);
  if (!Array.isArray(given) || given.length === 0) return refuse('invalid_arguments');
  const done = given.map((entry: { readonly id?: string }) => files.complete(entry.id ?? ''));
  const place = { ...fields, channel: text(fields, 'channel_id') };
  const shown = done.map(({ id, name, length }) => ({ id, name, size: length }));
  chats.post({ ...place, text: text(fields, 'initial_comment') || '\u200b' }, { files: shown });
  return { files: shown.map(({ id, name }) => ({ id, title: name })) };
}
