/** Our messages as the protocol writes them. Pure. */
import type { OutboundAsk, OutboundFile, OutboundProgress, OutboundText } from '../adapter.ts';
import { askMarkdown } from '../shared/ask.ts';
import { toWhatsApp } from './format.ts';
import type { Content, OutgoingFile } from './line.ts';
import { MEDIA_LIMIT_BYTES } from './platform.ts';
import { progressText } from './progress.ts';

/** What a reply quotes: whoever is answered sees these words above the answer. */
export interface Anchor {
  readonly message: string;
  readonly author: string;
  readonly text: string;
}

export interface Setting {
  readonly prefix: string;
  readonly anchor: Anchor | undefined;
  /** Seconds after which messages of the chat disappear; 0: they stay. A message without it would stay in a chat that forgets. */
  readonly expiration: number;
}

export function textContent(message: OutboundText | OutboundProgress | OutboundAsk, setting: Setting): Content {
  const text = setting.prefix + wordsOf(message).toWellFormed();
  const contextInfo = contextOf(setting);
  return contextInfo === undefined ? { conversation: text } : { extendedTextMessage: { text, contextInfo } };
}

function wordsOf(message: OutboundText | OutboundProgress | OutboundAsk): string {
  if (message.type === 'progress') return progressText(message);
  if (message.type === 'ask') return toWhatsApp(askMarkdown(message, false));
  return message.plain === true ? message.markdown : toWhatsApp(message.markdown);
}

function contextOf({ anchor, expiration }: Setting): Content | undefined {
  if (anchor === undefined && expiration === 0) return undefined;
  return {
    ...(anchor === undefined ? {} : { stanzaId: anchor.message, participant: anchor.author, quotedMessage: { conversation: anchor.text } }),
    ...(expiration === 0 ? {} : { expiration }),
  };
}

/** The uploaded file, with what it answers. */
export function fileContent(uploaded: Content, setting: Setting): Content {
  const contextInfo = contextOf(setting);
  if (contextInfo === undefined) return uploaded;
  return Object.fromEntries(
    Object.entries(uploaded).map(([name, part]) => [name, name.endsWith('Message') ? { ...(part as object), contextInfo } : part]),
  );
}

/** Each kind is shown in its own way; a document is always right. */
export function fileOf({ path, name, mime, kind }: OutboundFile, sizeBytes: number): OutgoingFile {
  const file = { path, mime, name, voice: false, gif: false };
  if (kind === 'file' || sizeBytes > MEDIA_LIMIT_BYTES) return { ...file, type: 'document' };
  if (/^image\/(?:png|jpe?g|webp)$/.test(mime)) return { ...file, type: 'image' };
  if (mime === 'video/mp4') return { ...file, type: 'video' };
  if (kind === 'voice' && /^audio\/(?:ogg|opus)$/.test(mime))
    return { ...file, type: 'audio', mime: 'audio/ogg; codecs=opus', voice: true };
  return /^audio\/(?:mpeg|mp3|mp4|x-m4a|m4a|aac|ogg)$/.test(mime) ? { ...file, type: 'audio' } : { ...file, type: 'document' };
}

/** `ProtocolMessage.Type` */
const REVOKE = 0;
const MESSAGE_EDIT = 14;

interface Target {
  readonly jid: string;
  readonly id: string;
}

export function editContent({ jid, id }: Target, editedMessage: Content, nowMs: number): Content {
  return { protocolMessage: { key: { remoteJid: jid, fromMe: true, id }, type: MESSAGE_EDIT, editedMessage, timestampMs: nowMs } };
}

export function deleteContent({ jid, id }: Target): Content {
  return { protocolMessage: { key: { remoteJid: jid, fromMe: true, id }, type: REVOKE } };
}
