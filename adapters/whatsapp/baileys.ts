/** One connection with the client library (Baileys), behind our narrow interface. The only file that knows it. */
import makeWASocket, {
  type AuthenticationCreds,
  type AuthenticationState,
  Browsers,
  type ConnectionState,
  decodeMessageNode,
  initAuthCreds,
  isJidBroadcast,
  isJidMetaAI,
  isJidNewsletter,
  prepareWAMessageMedia,
  proto,
  type SignalDataTypeMap,
  type WAMessageKey,
} from '@whiskeysockets/baileys';
import { createAcks } from './acks.ts';
import { createGroupBook, type GroupBook } from './groups.ts';
import { isGroup } from './jid.ts';
import type { KeyRing } from './keys.ts';
import {
  type Arrival,
  type Content,
  type Line,
  type LineClosed,
  LineError,
  type LineOptions,
  type OpenLine,
  type OutgoingFile,
  type RelayOptions,
} from './line.ts';
import { createLibraryLog, type LibraryLog, muteSessionDumps } from './quiet.ts';
import type { WireKey } from './wire.ts';

type Socket = ReturnType<typeof makeWASocket>;
type BinaryNode = Parameters<typeof decodeMessageNode>[0];

/** How long a code is shown: the client library's own times. */
const FIRST_QR_MS = 60_000;
const NEXT_QR_MS = 20_000;
/** For the other side to say goodbye. */
const FAREWELL_MS = 1000;
const UPLOAD_MS = 300_000;

export const openBaileysLine: OpenLine = async (options) => {
  muteSessionDumps(console);
  const log = createLibraryLog(options.log, Date.now);
  const creds = startingCredentials(options.keys);
  const groups = createGroupBook();
  const socket = connect(options, log, { creds, groups });
  groups.attach(socket);
  const closed = Promise.withResolvers<LineClosed>();
  const acks = createAcks(options.timing.takenMs);
  closed.promise.then(acks.close);
  listen({ socket, options, creds, log, closed: closed.resolve });
  socket.ws.on('CB:ack,class:message', (node: BinaryNode) => acks.answer(node.attrs['id'] ?? '', node.attrs['error']));
  const end = (): void => {
    closed.resolve({ code: undefined, message: 'ended by the gateway' });
    void hangUp(socket);
  };
  return {
    closed: closed.promise,
    end,
    relay: (jid, content, relay) => relayed({ socket, acks, groups }, { jid, content, relay }),
    pair: async (digits) => (await socket.requestPairingCode(digits)).replace(/^(.{4})(.{4})$/, '$1-$2'),
    resend: (arrival) => resend(socket, arrival),
    media: {
      upload: (file) => upload(socket, file, log),
      renew: async (key, media) => {
        const part = { mediaKey: media.mediaKey, directPath: media.path };
        const message = { key: messageKey(key), message: { [`${media.type}Message`]: part } };
        await socket.updateMediaMessage(message);
        return part.directPath;
      },
    },
    presence: {
      typing: (jid) => socket.sendPresenceUpdate('composing', jid),
      read: (key) => socket.readMessages([messageKey(key)]),
    },
  } satisfies Line;
};

/** Before a phone has agreed, each attempt has keys of its own: of a failed one only remains what would be refused. */
function startingCredentials(keys: KeyRing): AuthenticationCreds {
  // Written by saveCredentials below, so that it has the shape that the library gave it.
  return keys.isLinked() ? (keys.credentials() as unknown as AuthenticationCreds) : initAuthCreds();
}

interface Knowledge {
  readonly creds: AuthenticationCreds;
  readonly groups: GroupBook;
}

function connect({ url, version, keys, timing, sent }: LineOptions, logger: LibraryLog, { creds, groups }: Knowledge): Socket {
  return makeWASocket({
    waWebSocketUrl: url,
    version: [...version],
    auth: { creds, keys: keyStore(keys) },
    logger,
    browser: Browsers.ubuntu('Chrome'),
    connectTimeoutMs: timing.connectMs,
    defaultQueryTimeoutMs: timing.queryMs,
    keepAliveIntervalMs: timing.keepAliveMs,
    // The phone goes on ringing, and nobody is shown as online who is not there.
    markOnlineOnConnect: false,
    emitOwnEvents: false,
    syncFullHistory: false,
    generateHighQualityLinkPreview: false,
    shouldIgnoreJid: (jid) => isJidBroadcast(jid) === true || isJidNewsletter(jid) === true || isJidMetaAI(jid) === true,
    cachedGroupMetadata: async (jid) => groups.known(jid),
    getMessage: async ({ remoteJid, id }) => (remoteJid && id ? (sent(remoteJid, id) as proto.IMessage | undefined) : undefined),
  });
}

function keyStore(keys: KeyRing): AuthenticationState['keys'] {
  return {
    get: <T extends keyof SignalDataTypeMap>(type: T, ids: string[]) => {
      const found = keys.get(type, ids);
      if (type === 'app-state-sync-key')
        for (const [id, value] of Object.entries(found)) found[id] = proto.Message.AppStateSyncKeyData.fromObject(value as object);
      // What `set` below was given.
      return found as { [id: string]: SignalDataTypeMap[T] };
    },
    set: (changes) => keys.set(changes),
  };
}

interface Listening {
  readonly socket: Socket;
  readonly options: LineOptions;
  readonly creds: AuthenticationCreds;
  readonly log: LibraryLog;
  readonly closed: (facts: LineClosed) => void;
}

function listen({ socket, options, creds, log, closed }: Listening): void {
  const { event, keys } = options;
  const { ev, ws } = socket;
  let codes = 0;
  // Ahead of the library's own listener: written down before anything is decrypted or acknowledged.
  ws.prependListener('CB:message', (node: BinaryNode) => {
    const arrival = arrivalOf(node, creds);
    if (arrival !== undefined) event({ type: 'arriving', arrival });
  });
  ws.on('frame', () => event({ type: 'alive' }));
  ev.on('creds.update', () => {
    try {
      // The library has merged the update into them: its listener was there first.
      keys.saveCredentials(creds);
    } catch (error) {
      log.error({}, 'the credentials could not be stored');
      void socket.end(error instanceof Error ? error : undefined);
    }
  });
  ev.on('messages.upsert', ({ messages, type, requestId }) =>
    // `requestId`: the phone sent it again.
    event({ type: 'messages', messages, offline: type === 'append' || requestId !== undefined }),
  );
  ev.on('connection.update', (update) => {
    if (update.qr !== undefined) {
      event({ type: 'qr', qr: update.qr, livesMs: codes === 0 ? FIRST_QR_MS : NEXT_QR_MS });
      codes += 1;
    }
    if (update.isNewLogin === true) event({ type: 'linked' });
    if (update.connection === 'open') event({ type: 'open' });
    if (update.receivedPendingNotifications === true) event({ type: 'caught-up' });
    if (update.reachoutTimeLock !== undefined) event({ type: 'restricted', active: update.reachoutTimeLock.isActive === true });
    if (update.connection !== 'close') return;
    // Acknowledged, held back until the backlog is through, and about to be thrown away.
    ev.flush();
    closed(closedBy(update.lastDisconnect));
  });
}

function closedBy(last: ConnectionState['lastDisconnect']): LineClosed {
  const error = last?.error;
  return { code: codeOf(error), message: error?.message ?? 'without a reason' };
}

/** The library's errors are Boom's: the code is in `output`, that of an answer in `data`. */
function codeOf(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  const { output, data } = error as { readonly output?: { readonly statusCode?: unknown }; readonly data?: unknown };
  if (typeof data === 'number') return data;
  return typeof output?.statusCode === 'number' ? output.statusCode : undefined;
}

/** Undefined for what is between our own devices, and for what the library cannot make out either. */
function arrivalOf(node: BinaryNode, creds: AuthenticationCreds): Arrival | undefined {
  if (node.attrs['category'] === 'peer' || creds.me === undefined) return undefined;
  try {
    const { fullMessage } = decodeMessageNode(node, creds.me.id, creds.me.lid ?? '');
    const { remoteJid, id } = fullMessage.key;
    if (!remoteJid || !id) return undefined;
    const key = plain({ ...fullMessage.key, remoteJid, id });
    return { key, sentAtSeconds: Number(node.attrs['t'] ?? 0), name: node.attrs['notify'] };
  } catch {
    return undefined;
  }
}

function plain({
  remoteJid,
  remoteJidAlt,
  fromMe,
  id,
  participant,
  participantAlt,
}: WAMessageKey & { remoteJid: string; id: string }): WireKey {
  return {
    remoteJid,
    id,
    fromMe: fromMe === true,
    ...(remoteJidAlt ? { remoteJidAlt } : {}),
    ...(participant ? { participant } : {}),
    ...(participantAlt ? { participantAlt } : {}),
  };
}

/** The library's keys know no null where ours take it as absent. */
function messageKey(key: WireKey): WAMessageKey {
  return plain({ ...key, remoteJidAlt: key.remoteJidAlt ?? undefined, participantAlt: key.participantAlt ?? undefined } as WAMessageKey & {
    remoteJid: string;
    id: string;
  }) as WAMessageKey;
}

interface RelayParts {
  readonly socket: Socket;
  readonly acks: ReturnType<typeof createAcks>;
  readonly groups: GroupBook;
}

interface Relay {
  readonly jid: string;
  readonly content: Content;
  readonly relay: RelayOptions;
}

async function relayed({ socket, acks, groups }: RelayParts, { jid, content, relay }: Relay): Promise<void> {
  const { id, edit } = relay;
  const ack = acks.expect(id);
  try {
    if (isGroup(jid)) await groups.learn(jid);
    await socket.relayMessage(jid, content as proto.IMessage, {
      messageId: id,
      ...(edit === undefined ? {} : { additionalAttributes: { edit } }),
    });
  } catch (error) {
    ack.forget();
    throw failure(error);
  }
  await ack.taken();
}

function failure(error: unknown): LineError {
  const code = codeOf(error);
  const sentence = error instanceof Error ? `the message could not be made (${error.message})` : 'the message could not be made';
  const kind = code === 428 || code === 408 ? 'closed' : 'failed';
  return new LineError(sentence, { kind, ...(code === undefined ? {} : { code }), cause: error });
}

async function upload(socket: Socket, { path, type, mime, name, voice, gif }: OutgoingFile, logger: LibraryLog): Promise<Content> {
  const media = { url: path };
  const options = { upload: socket.waUploadToServer, logger, mediaUploadTimeoutMs: UPLOAD_MS };
  try {
    switch (type) {
      case 'image':
        return { ...(await prepareWAMessageMedia({ image: media, mimetype: mime }, options)) };
      case 'video':
        return { ...(await prepareWAMessageMedia({ video: media, mimetype: mime, gifPlayback: gif }, options)) };
      case 'audio':
        return { ...(await prepareWAMessageMedia({ audio: media, mimetype: mime, ptt: voice }, options)) };
      case 'document':
        return { ...(await prepareWAMessageMedia({ document: media, mimetype: mime, fileName: name }, options)) };
      default:
        return type satisfies never;
    }
  } catch (error) {
    throw failure(error);
  }
}

async function resend(socket: Socket, { key, sentAtSeconds, name }: Arrival): Promise<void> {
  const known = { key: messageKey(key), messageTimestamp: sentAtSeconds, ...(name === undefined ? {} : { pushName: name }) };
  await socket.requestPlaceholderResend(messageKey(key), known).catch((error: unknown) => Promise.reject(failure(error)));
}

/** What is held back is handed over while somebody takes it. Whoever does not say goodbye is cut off. */
async function hangUp(socket: Socket): Promise<void> {
  socket.ev.flush();
  const raw = (socket.ws as unknown as { readonly socket: { terminate(): void } | null }).socket;
  const cut = setTimeout(() => raw?.terminate(), FAREWELL_MS);
  cut.unref();
  await socket.end(undefined).catch(() => undefined);
  clearTimeout(cut);
}
