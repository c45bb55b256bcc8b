/**
 * Addresses of WhatsApp. Pure. `<number>@s.whatsapp.net` is a person by telephone number, `<number>@lid` the same person without it,
 * `...@g.us` a group. `user:3@server` is the third device of that person.
 */

export interface Jid {
  readonly user: string;
  readonly server: string;
}

const PHONE_SERVER = 's.whatsapp.net';
const LID_SERVER = 'lid';

/** Without device and agent; the old and the hosted spellings are those of today. */
export function parseJid(jid: string): Jid | undefined {
  const [, user, server] = /^([^@:_\s]+)(?:_\d+)?(?::\d+)?@([a-z.]+)$/.exec(jid) ?? [];
  if (user === undefined || server === undefined) return undefined;
  return { user, server: SAME_SERVERS[server] ?? server };
}

const SAME_SERVERS: Readonly<Record<string, string>> = { 'c.us': PHONE_SERVER, hosted: PHONE_SERVER, 'hosted.lid': LID_SERVER };

/** The person or group without the device; empty for what is no address. */
export function bareJid(jid: string): string {
  const parsed = parseJid(jid);
  return parsed === undefined ? '' : `${parsed.user}@${parsed.server}`;
}

export function isGroup(jid: string): boolean {
  return jid.endsWith('@g.us');
}

export function isPhone(jid: string): boolean {
  return parseJid(jid)?.server === PHONE_SERVER;
}

export function isLid(jid: string): boolean {
  return parseJid(jid)?.server === LID_SERVER;
}

/** A person or a group, not a status, a channel, a broadcast list or WhatsApp's own bot. */
export function isConversation(jid: string): boolean {
  return isGroup(jid) || isPhone(jid) || isLid(jid);
}

/** How a person is written in the configuration: the digits of the telephone number, or `<number>@lid`. */
export function personId(jid: string): string {
  const parsed = parseJid(jid);
  if (parsed === undefined) return jid;
  return parsed.server === PHONE_SERVER ? parsed.user : `${parsed.user}@${parsed.server}`;
}

/** As people write it: "+49 151 / 234-567", "0049151234567", "49151234567@s.whatsapp.net". Undefined for what is neither a number nor a LID. */
export function normalPersonId(written: string): string | undefined {
  const text = written.trim();
  if (text === '*') return text;
  if (/^\d+(?::\d+)?@lid$/.test(text)) return bareJid(text);
  const digits = text
    .replace(/(?::\d+)?@(?:s\.whatsapp\.net|c\.us)$/, '')
    .replace(/[\s()./-]/g, '')
    .replace(/^(?:\+|00)/, '');
  return /^\d{6,15}$/.test(digits) ? digits : undefined;
}
