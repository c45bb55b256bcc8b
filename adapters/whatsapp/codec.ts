/** WhatsApp message to our event. Pure. */
import type { ChatRef, InboundMessage, Json, Quoted, Sender } from '../adapter.ts';
import { type GateRules, type GroupMessage, judge } from '../shared/gate.ts';
import { albumOf, attachmentsOf, contentOf, contextOf, textOf } from './content.ts';
import { bareJid, isConversation, isGroup, isPhone, parseJid, personId } from './jid.ts';
import type { Person } from './people.ts';
import { messageSchema, type WireContent, type WireContext, type WireKey, type WireMessage } from './wire.ts';

/** Our own addresses, without device. */
export interface Me {
  readonly phone: string;
  readonly lid?: string;
}

export interface CodecContext {
  readonly account: string;
  readonly mode: 'bot' | 'self-chat';
  readonly me: Me;
  readonly rules: GateRules;
  /** Names of the menu: such a command in a group is for us. */
  readonly commands: readonly string[];
  /** What the answers of gateways begin with in the chat with oneself: this one's, and that of another on the same number. */
  readonly prefixes: readonly string[];
  /** Whether we sent the message with this id. */
  isOurs(id: string): boolean;
  join(jid: string, other?: string | null): Person;
}

export type Decoded =
  /** `expiration`: seconds after which this chat's messages disappear. */
  | { readonly type: 'message'; readonly message: InboundMessage; readonly key: WireKey; readonly expiration: number }
  /** Encrypted in a way that we could not read; the sender was asked to send it again. */
  | { readonly type: 'undecryptable'; readonly id: string }
  | { readonly type: 'ignored'; readonly why: string };

const ignored = (why: string): Decoded => ({ type: 'ignored', why });

/** `WebMessageInfo.StubType.CIPHERTEXT` */
const CIPHERTEXT = 2;

/** Total: a message that cannot be understood is ignored with its reason and never holds up the ones behind it. */
export function decodeMessage(raw: unknown, context: CodecContext): Decoded {
  const parsed = messageSchema.safeParse(raw);
  if (!parsed.success) return ignored(`not as documented: ${parsed.error.issues.map(({ path }) => path.join('.')).join(', ')}`);
  const wire = parsed.data;
  const { key } = wire;
  const why = outOfScope(key, context);
  if (why !== undefined) return ignored(why);
  if (wire.messageStubType === CIPHERTEXT) return { type: 'undecryptable', id: key.id };
  const content = contentOf(wire.message);
  if (content === undefined) return ignored('not a conversation');
  return decodeContent(wire, content, context);
}

function outOfScope({ remoteJid, fromMe, id }: WireKey, context: CodecContext): string | undefined {
  if (!isConversation(remoteJid)) return 'a status, a channel or a broadcast';
  if (context.mode === 'bot') return fromMe === true ? 'written from our own account' : undefined;
  if (fromMe !== true || !isMe(remoteJid, context.me)) return "not in the owner's chat with himself";
  return context.isOurs(id) ? 'our own message' : undefined;
}

export function isMe(jid: string, me: Me): boolean {
  const bare = bareJid(jid);
  return bare !== '' && (bare === me.phone || bare === me.lid);
}

function decodeContent(wire: WireMessage, content: WireContent, context: CodecContext): Decoded {
  const { key } = wire;
  const info = contextOf(content);
  const group = isGroup(key.remoteJid);
  const attachments = attachmentsOf(content, keyJson(key));
  const words = textOf(content);
  if (words === undefined && attachments.length === 0) return ignored('a service message');
  const text = words ?? '';
  if (context.mode === 'self-chat' && context.prefixes.some((prefix) => text.startsWith(prefix))) return ignored('an answer of a gateway');
  const verdict = group ? judge(groupMessage({ key, text, info }, context), context.rules) : 'addressed';
  if (verdict === 'ignored') return ignored('not addressed to the bot');
  // Not before it is known that it is for us: whoever is joined is remembered.
  const person = senderOf(key, context);
  if (person === undefined) return ignored('nobody to answer to');
  const chat = group ? bareJid(key.remoteJid) : person.jid;
  const quoted = quotedOf(info, key, context);
  const album = albumOf(content);
  const message: InboundMessage = {
    type: 'message',
    // Ids are chosen by whoever writes: in a group two people may choose the same one.
    event: group ? `${chat}:${person.jid}:${key.id}` : `${chat}:${key.id}`,
    chat: { platform: 'whatsapp', account: context.account, chat } satisfies ChatRef,
    chatType: group ? 'group' : 'dm',
    sender: sender(person, wire.pushName),
    sentAtMs: (wire.messageTimestamp ?? 0) * 1000,
    message: key.id,
    text: (info?.isForwarded === true ? '[Forwarded]\n' : '') + withoutMention(text, context.me),
    mentioned: verdict === 'addressed',
    ...(quoted === undefined ? {} : { replyTo: quoted.quoted }),
    attachments: [...attachments, ...(quoted?.attachments ?? [])],
    ...(album === undefined ? {} : { album }),
  };
  return { type: 'message', message, key, expiration: info?.expiration ?? 0 };
}

/** Of a direct chat the chat itself; of the chat with oneself the owner. */
function senderOf(
  { remoteJid, remoteJidAlt, participant, participantAlt, fromMe }: WireKey,
  { me, join }: CodecContext,
): Person | undefined {
  if (fromMe === true) return join(me.phone, me.lid);
  if (!isGroup(remoteJid)) return join(remoteJid, remoteJidAlt);
  return participant ? join(participant, participantAlt) : undefined;
}

function sender({ id, aliases }: Person, pushName: string | null | undefined): Sender {
  const shown = /^\d+$/.test(id) ? `+${id}` : id;
  return { id, aliases, name: pushName || shown, isBot: false, roles: [] };
}

/** What it takes to ask the phone for a file again. */
function keyJson({ remoteJid, id, fromMe, participant }: WireKey): Json {
  return { remoteJid, id, fromMe: fromMe === true, ...(participant ? { participant } : {}) };
}

interface Spoken {
  readonly key: WireKey;
  readonly text: string;
  readonly info: WireContext | undefined;
}

function groupMessage({ key, text, info }: Spoken, { me, commands, isOurs }: CodecContext): GroupMessage {
  const name = /^\/([\w-]+)/.exec(text)?.[1]?.toLowerCase();
  return {
    chat: bareJid(key.remoteJid),
    text,
    mentioned: (info?.mentionedJid ?? []).some((jid) => isMe(jid, me)),
    repliesToBot: info?.participant ? isMe(info.participant, me) : isOurs(info?.stanzaId ?? ''),
    command: name !== undefined && commands.includes(name) && info?.isForwarded !== true ? 'anyone' : 'none',
  };
}

/** A mention is "@" and the digits of the address. "@49151234567 hello" is "hello"; further inside it is part of the sentence. */
function withoutMention(text: string, me: Me): string {
  for (const jid of [me.phone, me.lid ?? '']) {
    const lead = `@${parseJid(jid)?.user ?? ''}`;
    if (lead.length > 1 && text.startsWith(lead) && !/^\d/.test(text.slice(lead.length)))
      return text.slice(lead.length).replace(/^[\s,:]+/, '') || text;
  }
  return text;
}

function quotedOf(
  info: WireContext | undefined,
  key: WireKey,
  context: CodecContext,
): { readonly quoted: Quoted; readonly attachments: InboundMessage['attachments'] } | undefined {
  const { stanzaId, participant, quotedMessage } = info ?? {};
  if (!stanzaId) return undefined;
  const content = contentOf(quotedMessage);
  const fromBot = context.mode === 'self-chat' || !participant ? context.isOurs(stanzaId) : isMe(participant, context.me);
  const author = participant ? (isPhone(participant) ? `+${personId(participant)}` : personId(participant)) : '';
  const place = { remoteJid: key.remoteJid, id: stanzaId, fromMe: fromBot, ...(participant ? { participant } : {}) };
  return {
    quoted: { message: stanzaId, author: fromBot ? 'the bot' : author, fromBot, text: (content && textOf(content)) ?? '' },
    attachments: content === undefined ? [] : attachmentsOf(content, place),
  };
}
