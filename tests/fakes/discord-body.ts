/** Hard refusals of what Discord documents as too much. https://docs.discord.com/developers/resources/message#create-message */

import { DiscordRefusal, refuse } from './discord-refusal.ts';
import type { UploadedFile } from './multipart.ts';

export interface FakeButton {
  readonly label: string;
  readonly custom_id: string;
}

export interface CheckedBody {
  readonly content: string;
  readonly buttons: readonly FakeButton[];
  readonly nonce: string | undefined;
  readonly flags: number;
  /** Whom the message would notify. */
  readonly pings: readonly string[];
}

type Body = Readonly<Record<string, unknown>>;

const TEXT_LIMIT = 2000;
const NONCE_LIMIT = 25;
/** SUPPRESS_EMBEDS, EPHEMERAL, SUPPRESS_NOTIFICATIONS, IS_VOICE_MESSAGE. */
const FLAGS = (1 << 2) | (1 << 6) | (1 << 12) | (1 << 13);

export function checkBody(body: Body, files: readonly UploadedFile[], limitBytes: number): CheckedBody {
  if (files.reduce((sum, { content }) => sum + content.length, 0) > limitBytes) throw refuse.tooLarge();
  const raw = String(body['content'] ?? '');
  if (!raw.isWellFormed()) throw refuse.form('content', 'BASE_TYPE_BAD_STRING', 'Must be valid text.');
  const content = raw.trim();
  if ([...content].length > TEXT_LIMIT) throw refuse.form('content', 'BASE_TYPE_MAX_LENGTH', 'Must be 2000 or fewer in length.');
  const buttons = buttonsOf(body['components']);
  if (content === '' && files.length === 0) throw refuse.empty();
  const nonce = body['nonce'] === undefined ? undefined : String(body['nonce']);
  if (nonce !== undefined && nonce.length > NONCE_LIMIT)
    throw refuse.form('nonce', 'BASE_TYPE_MAX_LENGTH', 'Must be 25 or fewer in length.');
  const flags = Number(body['flags'] ?? 0);
  if ((flags & ~FLAGS) !== 0) throw refuse.form('flags', 'BITFIELD_INVALID', 'Invalid flags.');
  if ((flags & VOICE_MESSAGE) !== 0) checkVoice(body, files, content);
  return { content, buttons, nonce, flags, pings: pingsOf(content, body['allowed_mentions']) };
}

const VOICE_MESSAGE = 1 << 13;

function checkVoice(body: Body, files: readonly UploadedFile[], content: string): void {
  if (content !== '') throw new DiscordRefusal(400, 50_159, 'Voice messages do not support additional content');
  if (files.length !== 1 || files[0]?.type.startsWith('audio/') !== true)
    throw new DiscordRefusal(400, 50_160, 'Voice messages must have a single audio attachment');
  const [facts] = Array.isArray(body['attachments']) ? body['attachments'] : [];
  if (!(facts?.duration_secs > 0) || !/^[\w+/]+=*$/.test(facts?.waveform ?? ''))
    throw new DiscordRefusal(400, 50_161, 'Voice messages must have supporting metadata');
}

function buttonsOf(components: unknown): FakeButton[] {
  if (components === undefined) return [];
  if (!Array.isArray(components)) throw refuse.form('components', 'LIST_TYPE_CONVERT', 'Only iterables may be used in a ListType');
  if (components.length > 5) throw refuse.form('components', 'BASE_TYPE_BAD_LENGTH', 'Must be between 1 and 5 in length.');
  const buttons = components.flatMap((row) => {
    if (row?.type !== 1 || !Array.isArray(row.components) || row.components.length < 1 || row.components.length > 5)
      throw refuse.form('components', 'BASE_TYPE_BAD_LENGTH', 'Must be between 1 and 5 in length.');
    return row.components.map(buttonOf);
  });
  if (new Set(buttons.map(({ custom_id: id }) => id)).size !== buttons.length)
    throw refuse.form('components', 'COMPONENT_CUSTOM_ID_DUPLICATED', 'Component custom id cannot be duplicated');
  return buttons;
}

function buttonOf(button: Record<string, unknown>): FakeButton {
  const { type, style, label, custom_id: id } = button;
  if (type !== 2 || ![1, 2, 3, 4].includes(Number(style))) throw refuse.form('components', 'UNION_TYPE_CHOICES', 'Not a button.');
  if (typeof label !== 'string' || label.length < 1 || label.length > 80)
    throw refuse.form('components', 'BASE_TYPE_BAD_LENGTH', 'Must be between 1 and 80 in length.');
  if (typeof id !== 'string' || id.length < 1 || id.length > 100)
    throw refuse.form('components', 'BASE_TYPE_BAD_LENGTH', 'Must be between 1 and 100 in length.');
  return { label, custom_id: id };
}

/** Without `allowed_mentions` everything in the text pings. https://docs.discord.com/developers/resources/message#allowed-mentions-object */
function pingsOf(content: string, allowed: unknown): string[] {
  const parse =
    typeof allowed === 'object' && allowed !== null && 'parse' in allowed
      ? (allowed.parse as readonly string[])
      : ['everyone', 'users', 'roles'];
  const found: string[] = [];
  if (parse.includes('everyone')) found.push(...(content.match(/@(?:everyone|here)/g) ?? []));
  if (parse.includes('users')) found.push(...(content.match(/<@!?\d+>/g) ?? []));
  if (parse.includes('roles')) found.push(...(content.match(/<@&\d+>/g) ?? []));
  return found;
}

export function checkCommands(value: unknown): readonly Record<string, unknown>[] {
  if (!Array.isArray(value) || value.length > 100) throw refuse.form('_', 'BASE_TYPE_MAX_LENGTH', 'Must be 100 or fewer in length.');
  for (const { name, description, options = [] } of value) {
    if (!/^[-_\p{Ll}\p{N}]{1,32}$/u.test(String(name)))
      throw refuse.form('name', 'APPLICATION_COMMAND_INVALID_NAME', 'Command name is invalid');
    if (String(description ?? '').length < 1 || String(description).length > 100)
      throw refuse.form('description', 'BASE_TYPE_BAD_LENGTH', 'Must be between 1 and 100 in length.');
    for (const option of options)
      if (String(option.description ?? '').length < 1) throw refuse.form('options', 'BASE_TYPE_REQUIRED', 'This field is required');
  }
  if (new Set(value.map(({ name }) => name)).size !== value.length)
    throw refuse.form('_', 'APPLICATION_COMMANDS_DUPLICATE_NAME', 'Application command names must be unique');
  return value;
}
