/** Channels, messages, threads, reactions and streams of the fake Slack, with the refusals of the real one. */
import { blocksOf, type FakeButton, strictly } from './slack-blocks.ts';
import { type Fields, refuse, text } from './slack-refusal.ts';

/** A message as it stands in its channel. */
export interface FakeSlackMessage {
  readonly ts: string;
  readonly channel: string;
  readonly user: string;
  readonly bot: boolean;
  readonly thread: string | undefined;
  /** As it was written, markup included. */
  source: string;
  /** What people see. */
  text: string;
  buttons: readonly FakeButton[];
  edits: number;
  streaming: boolean;
  readonly unfurl: boolean;
  readonly files: readonly Fields[];
  readonly reactions: { readonly name: string; readonly user: string }[];
  /** As the event and the history have it. */
  readonly wire: Fields;
}

export interface FakeChannel {
  readonly id: string;
  /** The bot was invited. */
  member: boolean;
  archived: boolean;
  readonly messages: FakeSlackMessage[];
}

/** Slack truncates beyond it; nobody would see that words are missing, so it is refused here. */
const TEXT_LIMIT = 40_000;
/** https://github.com/openclaw/openclaw/pull/115027 */
const UPDATE_LIMIT_BYTES = 4000;
const STREAM_LIMIT = 12_000;

export interface ChatsContext {
  readonly botUser: string;
  readonly botId: string;
  readonly team: string;
  readonly now: () => number;
  /** A message was posted by the bot. */
  posted(message: FakeSlackMessage): void;
}

export function createChats(context: ChatsContext) {
  const { botUser, botId, team, now } = context;
  const channels = new Map<string, FakeChannel>();
  const ephemerals: { readonly channel: string; readonly user: string; readonly text: string }[] = [];
  const statuses: { readonly channel: string; readonly thread: string; readonly status: string }[] = [];
  let lastMicros = 0;

  /** Unique, and greater than all before. */
  const nextTs = (): string => {
    lastMicros = Math.max(lastMicros + 1, Math.floor(now() * 1000));
    return `${Math.floor(lastMicros / 1_000_000)}.${String(lastMicros % 1_000_000).padStart(6, '0')}`;
  };

  function channel(id: string): FakeChannel {
    const known = channels.get(id) ?? { id, member: true, archived: false, messages: [] };
    channels.set(id, known);
    return known;
  }

  /** A channel exists once somebody wrote in it, or a test made it. Direct chats always do. */
  function open(fields: Fields, name = 'channel'): FakeChannel {
    const id = text(fields, name);
    const known = channels.get(id) ?? (/^D/.test(id) ? channel(id) : undefined);
    if (known === undefined) return refuse('channel_not_found');
    return known;
  }

  function writable(fields: Fields, name = 'channel'): FakeChannel {
    const known = open(fields, name);
    if (known.archived) refuse('is_archived');
    if (!known.member) refuse('not_in_channel');
    return known;
  }

  function contentOf(fields: Fields): Pick<FakeSlackMessage, 'text' | 'buttons' | 'source'> {
    const source = text(fields, 'text');
    const blocks = blocksOf(fields);
    if (source === '' && blocks === undefined) refuse('no_text');
    if ([...source].length > TEXT_LIMIT) refuse('msg_too_long');
    const shown = String(fields['mrkdwn']) === 'false' ? plainly(source) : strictly(source);
    return { source, text: blocks?.text ?? shown, buttons: blocks?.buttons ?? [] };
  }

  function found(fields: Fields, name = 'ts'): FakeSlackMessage {
    const known = open(fields).messages.find(({ ts }) => ts === text(fields, name));
    return known ?? refuse('message_not_found');
  }

  function add(place: FakeChannel, message: Omit<FakeSlackMessage, 'ts' | 'wire' | 'channel' | 'edits' | 'reactions'>, more: Fields = {}) {
    const ts = nextTs();
    const { user, bot, thread, source } = message;
    const wire = {
      type: 'message',
      user,
      ...(bot ? { bot_id: botId, app_id: 'A0FAKE' } : { client_msg_id: `c-${ts}` }),
      team,
      text: source,
      ts,
      ...(thread === undefined ? {} : { thread_ts: thread, parent_user_id: place.messages.find((one) => one.ts === thread)?.user }),
      ...(message.files.length === 0 ? {} : { files: message.files, ...(bot ? {} : { subtype: 'file_share' }) }),
      ...more,
    };
    const stored: FakeSlackMessage = { ...message, channel: place.id, ts, edits: 0, reactions: [], wire };
    place.messages.push(stored);
    return stored;
  }

  function threadOf(place: FakeChannel, fields: Fields): string | undefined {
    const thread = text(fields, 'thread_ts');
    if (thread === '') return undefined;
    if (!/^\d{10}\.\d{6}$/.test(thread)) refuse('invalid_thread_ts');
    if (!place.messages.some(({ ts }) => ts === thread)) refuse('thread_not_found');
    return thread;
  }

  function post(fields: Fields, more: { readonly files?: readonly Fields[]; readonly streaming?: boolean } = {}): FakeSlackMessage {
    const place = writable(fields);
    const content = contentOf(fields);
    const message = add(place, {
      user: botUser,
      bot: true,
      thread: threadOf(place, fields),
      streaming: more.streaming ?? false,
      unfurl: text(fields, 'unfurl_links') !== 'false',
      files: more.files ?? [],
      ...content,
    });
    context.posted(message);
    return message;
  }

  function mine(fields: Fields, refusal: string): FakeSlackMessage {
    const message = found(fields);
    return message.bot ? message : refuse(refusal);
  }

  function update(fields: Fields): FakeSlackMessage {
    const message = mine(fields, 'cant_update_message');
    if (message.streaming) refuse('streaming_state_conflict');
    if (Buffer.byteLength(text(fields, 'text')) > UPDATE_LIMIT_BYTES) refuse('msg_too_long');
    Object.assign(message, contentOf(fields), { edits: message.edits + 1 });
    return message;
  }

  function stream(method: string, fields: Fields): FakeSlackMessage {
    const markdown = text(fields, 'markdown_text');
    if (markdown.length > STREAM_LIMIT) refuse('msg_too_long');
    if (method === 'chat.startStream') {
      if (text(fields, 'thread_ts') === '') refuse('invalid_thread_ts');
      return add(writable(fields), {
        user: botUser,
        bot: true,
        thread: threadOf(writable(fields), fields),
        streaming: true,
        unfurl: false,
        files: [],
        source: markdown,
        text: markdown,
        buttons: [],
      });
    }
    const message = mine(fields, 'message_not_owned_by_app');
    if (!message.streaming) refuse('message_not_in_streaming_state');
    if (method === 'chat.appendStream' && markdown === '') refuse('no_text');
    message.source += markdown;
    message.text = message.source;
    if (method === 'chat.stopStream') message.streaming = false;
    return message;
  }

  function remove(fields: Fields): void {
    const message = mine(fields, 'cant_delete_message');
    if (message.streaming) refuse('streaming_state_conflict');
    const place = open(fields);
    place.messages.splice(place.messages.indexOf(message), 1);
  }

  function react(fields: Fields, adding: boolean): void {
    const { reactions } = found(fields, 'timestamp');
    const name = text(fields, 'name');
    if (!/^[a-z0-9_+'-]+$/.test(name)) refuse('invalid_name');
    const at = reactions.findIndex((entry) => entry.name === name && entry.user === botUser);
    if (adding && at >= 0) refuse('already_reacted');
    if (!adding && at < 0) refuse('no_reaction');
    if (adding) reactions.push({ name, user: botUser });
    else reactions.splice(at, 1);
  }

  /** Newest first for a channel, oldest first and with the first message for a thread, in pages of `limit`. */
  function history(fields: Fields, replies: boolean): Fields {
    const place = open(fields);
    if (!place.member) refuse(replies ? 'thread_not_found' : 'not_in_channel');
    const oldest = text(fields, 'oldest') || '0';
    const thread = text(fields, 'ts');
    const all = replies
      ? place.messages.filter(({ ts, thread: own }) => ts === thread || (own === thread && ts > oldest))
      : place.messages.filter(({ ts, thread: own }) => own === undefined && ts > oldest).toReversed();
    if (replies && !place.messages.some(({ ts }) => ts === thread)) refuse('thread_not_found');
    const limit = Number(fields['limit'] ?? 100);
    if (limit > 999) refuse('invalid_limit');
    const from = Number(text(fields, 'cursor').replace('at-', '') || 0);
    const more = from + limit < all.length;
    return {
      messages: all.slice(from, from + limit).map((message) => historical(place, message)),
      has_more: more,
      response_metadata: { next_cursor: more ? `at-${from + limit}` : '' },
    };
  }

  function historical(place: FakeChannel, { ts, wire }: FakeSlackMessage): Fields {
    const replies = place.messages.filter(({ thread }) => thread === ts);
    return replies.length === 0 ? wire : { ...wire, thread_ts: ts, reply_count: replies.length, latest_reply: replies.at(-1)?.ts };
  }

  return { channels, channel, open, writable, add, post, update, stream, remove, react, history, found, ephemerals, statuses, threadOf };
}

function plainly(source: string): string {
  return source.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}
