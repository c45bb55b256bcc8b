/** The outgoing half of the fake Bot API: chats, messages and files, with the refusals of the real one. */
import type { UploadedFile } from './multipart.ts';
import { createCallbacks, type FakeKeyboard, keyboardOf } from './telegram-buttons.ts';
import { parseTelegramHtml, type TelegramEntity, TelegramHtmlError } from './telegram-html.ts';
import { bad, nested, Refusal } from './telegram-refusal.ts';

/** A message of the bot as people see it. */
export interface FakeMessage {
  readonly id: number;
  readonly chatId: number;
  readonly threadId: number | undefined;
  readonly replyTo: number | undefined;
  readonly method: string;
  /** Visible text, markup taken out. Captions too. */
  text: string;
  entities: readonly TelegramEntity[];
  buttons: FakeKeyboard;
  edits: number;
  readonly sentAt: number;
  readonly file: UploadedFile | undefined;
  readonly linkPreview: boolean;
}

interface ChatCall {
  readonly t: number;
  readonly method: string;
  readonly chatId: number | undefined;
  readonly threadId: number | undefined;
  readonly body: Readonly<Record<string, unknown>>;
  readonly files: readonly UploadedFile[];
  messageId?: number;
}

interface ChatsContext {
  readonly me: { readonly id: number; readonly username: string };
  readonly now: () => number;
  readonly files: ReadonlyMap<string, { readonly path: string; readonly content: Buffer }>;
  readonly uploadLimitBytes: number;
  readonly downloadLimitBytes: number;
}

const TEXT_LIMIT = 4096;
const CAPTION_LIMIT = 1024;
const PHOTO_LIMIT_BYTES = 10_000_000;
const FILE_METHODS: Readonly<Record<string, string>> = {
  sendphoto: 'photo',
  sendvoice: 'voice',
  sendaudio: 'audio',
  sendvideo: 'video',
  sendanimation: 'animation',
  senddocument: 'document',
  sendsticker: 'sticker',
};
const ACTIONS = [
  'typing',
  'upload_photo',
  'record_video',
  'upload_video',
  'record_voice',
  'upload_voice',
  'upload_document',
  'choose_sticker',
  'find_location',
];

function visible(
  body: Readonly<Record<string, unknown>>,
  field: 'text' | 'caption',
  limit: number,
): { text: string; entities: readonly TelegramEntity[] } {
  const raw = String(body[field] ?? '');
  if (!raw.isWellFormed()) bad('strings must be encoded in UTF-8');
  const mode = body['parse_mode'];
  if (mode !== undefined && mode !== 'HTML') bad(`unsupported parse_mode "${String(mode)}" (this fake speaks HTML)`);
  const parsed = mode === 'HTML' ? htmlOf(raw) : { text: raw, entities: [] };
  const text = parsed.text.trim();
  if (field === 'text' && text === '') bad('message text is empty');
  if (text.length > limit) bad(field === 'text' ? 'message is too long' : 'message caption is too long');
  return { text, entities: parsed.entities };
}

function htmlOf(raw: string): { text: string; entities: readonly TelegramEntity[] } {
  try {
    return parseTelegramHtml(raw);
  } catch (error) {
    if (error instanceof TelegramHtmlError) throw new Refusal(400, error.message);
    throw error;
  }
}

export function chatOf(id: number): Record<string, unknown> {
  if (id < 0) return { id, type: 'supergroup', title: `group ${-id}` };
  return { id, type: 'private', first_name: `U${id}`, username: `user_${id}` };
}

function checkCommands(value: unknown): readonly unknown[] {
  const list: unknown = typeof value === 'string' ? JSON.parse(value) : value;
  if (!Array.isArray(list)) return bad('parameter "commands" must be an array');
  if (list.length > 100) bad('BOT_COMMANDS_TOO_MUCH');
  for (const { command, description } of list) {
    if (!/^[a-z0-9_]{1,32}$/.test(String(command))) bad('BOT_COMMAND_INVALID');
    if (String(description ?? '').length < 1 || String(description).length > 256) bad('BOT_COMMAND_DESCRIPTION_INVALID');
  }
  return list;
}

export function createChats(context: ChatsContext) {
  const { me, now, files } = context;
  const messages = new Map<number, FakeMessage[]>();
  const drafts = new Map<number, string[]>();
  const incoming = new Map<number, Set<number>>();
  const forgotten = new Set<string>();
  const callbacks = createCallbacks();
  let nextMessage = 1;
  let commands: readonly unknown[] = [];

  const listOf = (chatId: number): FakeMessage[] => {
    const list = messages.get(chatId) ?? [];
    messages.set(chatId, list);
    return list;
  };
  const found = (chatId: number, id: number): FakeMessage | undefined => messages.get(chatId)?.find((message) => message.id === id);

  function chatIdOf(call: ChatCall): number {
    const id = call.body['chat_id'];
    if (id === undefined || id === '') bad('chat_id is empty');
    if (!Number.isSafeInteger(Number(id)) || Number(id) === 0) bad('chat not found');
    return Number(id);
  }

  function checkThread(call: ChatCall, chatId: number): void {
    const thread = call.body['message_thread_id'];
    if (thread === undefined) return;
    // The General topic has no thread id of its own in sends: 1 is refused.
    if (!Number.isSafeInteger(Number(thread)) || Number(thread) <= 1 || forgotten.has(`${chatId}:${Number(thread)}`))
      bad('message thread not found');
  }

  function replyOf(call: ChatCall, chatId: number): number | undefined {
    const reply = nested(call.body['reply_parameters']);
    if (reply === undefined) return undefined;
    const id = Number(reply['message_id']);
    if (!Number.isSafeInteger(id)) bad('parameter "message_id" must be a number');
    if (incoming.get(chatId)?.has(id) === true || found(chatId, id) !== undefined) return id;
    return reply['allow_sending_without_reply'] === true ? undefined : bad('message to be replied not found');
  }

  function store(
    call: ChatCall,
    content: { text: string; entities: readonly TelegramEntity[] },
    file?: UploadedFile,
  ): Record<string, unknown> {
    const chatId = chatIdOf(call);
    checkThread(call, chatId);
    const replyTo = replyOf(call, chatId);
    const preview = nested(call.body['link_preview_options'])?.['is_disabled'] !== true;
    const message: FakeMessage = {
      id: nextMessage++,
      chatId,
      threadId: call.threadId,
      replyTo,
      method: call.method,
      ...content,
      buttons: keyboardOf(call.body),
      edits: 0,
      sentAt: now(),
      file,
      linkPreview: preview,
    };
    listOf(chatId).push(message);
    call.messageId = message.id;
    return wire(message);
  }

  function wire(message: FakeMessage): Record<string, unknown> {
    return {
      message_id: message.id,
      date: Math.floor(message.sentAt / 1000),
      from: me,
      chat: chatOf(message.chatId),
      ...(message.threadId === undefined ? {} : { message_thread_id: message.threadId, is_topic_message: true }),
      ...(message.file === undefined ? { text: message.text } : { caption: message.text }),
      ...(message.buttons.length === 0 ? {} : { reply_markup: { inline_keyboard: message.buttons } }),
    };
  }

  function sendFile(call: ChatCall, field: string): Record<string, unknown> {
    const total = call.files.reduce((sum, file) => sum + file.content.length, 0);
    if (total > context.uploadLimitBytes) throw new Refusal(413, 'Request Entity Too Large');
    const value = call.body[field];
    const attached = typeof value === 'string' && value.startsWith('attach://') ? value.slice('attach://'.length) : field;
    const file = call.files.find((candidate) => candidate.field === attached);
    if (file === undefined) return bad(`there is no ${field} in the request`);
    if (file.content.length === 0) bad('file must be non-empty');
    if (field === 'photo' && file.content.length > PHOTO_LIMIT_BYTES) bad('file is too big for a photo');
    return store(call, visible(call.body, 'caption', CAPTION_LIMIT), file);
  }

  function edit(call: ChatCall): Record<string, unknown> {
    const chatId = chatIdOf(call);
    const message = found(chatId, Number(call.body['message_id'])) ?? bad('message to edit not found');
    if (message.file !== undefined) bad('there is no text in the message to edit');
    const { text, entities } = visible(call.body, 'text', TEXT_LIMIT);
    const buttons = keyboardOf(call.body);
    const same = JSON.stringify([message.text, message.entities, message.buttons]) === JSON.stringify([text, entities, buttons]);
    if (same)
      bad(
        'message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message',
      );
    Object.assign(message, { text, entities, buttons, edits: message.edits + 1 });
    call.messageId = message.id;
    return { ...wire(message), edit_date: Math.floor(now() / 1000) };
  }

  function remove(call: ChatCall): true {
    const chatId = chatIdOf(call);
    const id = Number(call.body['message_id']);
    if (found(chatId, id) === undefined) bad('message to delete not found');
    call.messageId = id;
    messages.set(
      chatId,
      listOf(chatId).filter((message) => message.id !== id),
    );
    return true;
  }

  function draft(call: ChatCall): true {
    const chatId = chatIdOf(call);
    if (chatId < 0) bad('drafts can be sent to private chats only');
    if (!Number.isSafeInteger(Number(call.body['draft_id'])) || Number(call.body['draft_id']) === 0) bad('RANDOM_ID_INVALID');
    checkThread(call, chatId);
    const { text } = visible(call.body, 'text', TEXT_LIMIT);
    drafts.set(chatId, [...(drafts.get(chatId) ?? []), text]);
    return true;
  }

  function getFile(call: ChatCall): Record<string, unknown> {
    const id = String(call.body['file_id'] ?? '');
    const file = files.get(id) ?? bad('invalid file_id');
    if (file.content.length > context.downloadLimitBytes) bad('file is too big');
    return { file_id: id, file_unique_id: `u-${id}`, file_size: file.content.length, file_path: file.path };
  }

  function perform(call: ChatCall): unknown {
    const method = call.method.toLowerCase();
    const field = FILE_METHODS[method];
    if (field !== undefined) return sendFile(call, field);
    switch (method) {
      case 'sendmessage':
        return store(call, visible(call.body, 'text', TEXT_LIMIT));
      case 'editmessagetext':
        return edit(call);
      case 'deletemessage':
        return remove(call);
      case 'sendmessagedraft':
        return draft(call);
      case 'answercallbackquery':
        return callbacks.answer(call.body);
      case 'getfile':
        return getFile(call);
      case 'setmycommands':
        commands = checkCommands(call.body['commands']);
        return true;
      case 'getmycommands':
        return commands;
      case 'deletemycommands':
        commands = [];
        return true;
      case 'getchat':
        return chatOf(chatIdOf(call));
      case 'sendchataction':
        checkThread(call, chatIdOf(call));
        if (!ACTIONS.includes(String(call.body['action']))) bad('wrong parameter action in request');
        return true;
      default:
        throw new Refusal(404, 'Not Found: method not found');
    }
  }

  function remember(chatId: number, messageId: number): void {
    const known = incoming.get(chatId) ?? new Set<number>();
    known.add(messageId);
    incoming.set(chatId, known);
  }

  function textUpdate(chatId: number, text: string, given: { fromId?: unknown; extra?: unknown }): Record<string, unknown> {
    const fromId = given.fromId === undefined ? Math.abs(chatId) : Number(given.fromId);
    const command = /^\/[a-z0-9_]+(@\w+)?/i.exec(text)?.[0];
    const message = {
      message_id: nextMessage++,
      date: Math.floor(now() / 1000),
      chat: chatOf(chatId),
      from: { id: fromId, is_bot: false, first_name: `U${fromId}`, username: `user_${fromId}`, language_code: 'en' },
      text,
      ...(command === undefined ? {} : { entities: [{ type: 'bot_command', offset: 0, length: command.length }] }),
      ...nested(given.extra),
    };
    return { message };
  }

  /** Nobody can click what is not there: then it throws. */
  function click(where: { readonly chatId: number; readonly messageId: number }, button: string, fromId: number): Record<string, unknown> {
    const message = found(where.chatId, where.messageId);
    const pressed = message?.buttons.flat().find(({ text, callback_data: data }) => text === button || data === button);
    if (message === undefined || pressed === undefined)
      throw new Error(`There is no button "${button}" on message ${where.messageId} in chat ${where.chatId}.`);
    return callbacks.query(wire(message), pressed.callback_data, fromId);
  }

  return {
    perform,
    click,
    callbackAnswers: callbacks.answers,
    forgetCallbacks: callbacks.forget,
    commands: (): readonly unknown[] => commands,
    messages: (chatId: number): readonly FakeMessage[] => messages.get(chatId) ?? [],
    drafts: (chatId: number): readonly string[] => drafts.get(chatId) ?? [],
    forgetThread: (chatId: number, threadId: number): void => void forgotten.add(`${chatId}:${threadId}`),
    /** The update that an injection stands for; message ids of one chat are shared by both directions. */
    updateOf(injection: Readonly<Record<string, unknown>> | { readonly chatId: number; readonly text: string }): Record<string, unknown> {
      const { chatId, text, ...given } = { ...injection } as Record<string, unknown>;
      const update = typeof chatId === 'number' && typeof text === 'string' ? textUpdate(chatId, text, given) : { ...injection };
      const callback = nested(update['callback_query']);
      if (callback !== undefined) callbacks.opened(String(callback['id']));
      const message = nested(update['message']);
      const chat = nested(message?.['chat']);
      if (chat !== undefined) {
        remember(Number(chat['id']), Number(message?.['message_id']));
        nextMessage = Math.max(nextMessage, Number(message?.['message_id']) + 1);
      }
      return update;
    },
  };
}
