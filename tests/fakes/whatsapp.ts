/**
 * A small WhatsApp for the real client library: the handshake, logging in, linking by scan, and messages encrypted for people's phones,
 * which alone can read them. Chats and what waits for us outlast connections. It takes what WhatsApp takes and answers as it does.
 */
import { createHmac } from 'node:crypto';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { type BinaryNode, Curve, getBinaryNodeChild, getBinaryNodeChildren, jidNormalizedUser, proto } from '@whiskeysockets/baileys';
import { type WebSocket, WebSocketServer } from 'ws';
import { createNoiseServer, type NoiseServer, trustFakeWhatsApp } from './whatsapp-noise.ts';
import { createPerson, type Person } from './whatsapp-person.ts';

export const BOT_JID = '4930111:5@s.whatsapp.net';
export const BOT_LID = '7001:5@lid';
export const ANN_PHONE = '49151222@s.whatsapp.net';
export const ANN_LID = '9001@lid';
export const GROUP = '120363001@g.us';
const S_WHATSAPP_NET = '@s.whatsapp.net';

export interface Sent {
  readonly id: string;
  readonly chat: string;
  text: string;
  deleted: boolean;
  readonly quotes: string | undefined;
  /** How often it was sent under this id. */
  times: number;
  /** When it was taken, ms since the epoch. */
  readonly t: number;
}

interface Waiting {
  readonly node: BinaryNode;
}

export type Behaviour =
  | 'normal'
  /** Takes the connection and says nothing. */
  | 'silent'
  /** Closes what it took. */
  | 'close'
  /** Refuses the login with this code. */
  | { readonly failure: number }
  /** Ends the stream with this code once the login is done. */
  | { readonly streamError: number }
  /** Hands over what waited, and the connection breaks as soon as it was told that all of it was received. */
  | 'break-off'
  /** The login is done and then no question is answered. */
  | 'deaf';

export interface FakeWhatsApp {
  readonly url: string;
  behaviour: Behaviour;
  readonly connections: number;
  /** Codes that were shown, newest last: `ref,noise,identity,secret`. */
  readonly linking: { readonly offered: boolean };
  /** Its messages as people see them, oldest first. */
  messages(chat?: string): readonly Sent[];
  say(text: string, more?: { readonly chat?: string; readonly id?: string; readonly message?: proto.IMessage }): string;
  /** A message that nobody can decrypt. */
  garble(): void;
  /** Of ours, what WhatsApp has not been told to be received. */
  waiting(): number;
  /** What the client told about messages that it could not read. */
  readonly retries: readonly string[];
  /** What the phone was asked to send again. */
  readonly asked: readonly string[];
  /** A phone scans this. */
  scan(qr: string): void;
  /** The next message is not taken, with this code. */
  refuse(code: number): void;
  /** The next message is taken, and the connection breaks before that is said. */
  dropNext(): void;
  hangNext(): void;
  drop(): void;
  close(): Promise<void>;
}

interface Session {
  readonly noise: NoiseServer;
  readonly socket: WebSocket;
  registration: proto.ClientPayload.IDevicePairingRegistrationData | undefined;
  isOpen: boolean;
}

interface State {
  readonly people: Map<string, Person>;
  /** What people wrote, as the phone keeps it. */
  readonly said: Map<string, proto.IWebMessageInfo>;
  readonly sent: Sent[];
  readonly queue: Waiting[];
  readonly retries: string[];
  readonly sessions: Set<Session>;
  behaviour: Behaviour;
  connections: number;
  count: number;
  readonly asked: string[];
  next: 'drop' | 'hang' | number | undefined;
}

export async function startFakeWhatsApp(options: { readonly port?: number } = {}): Promise<FakeWhatsApp> {
  trustFakeWhatsApp();
  const ann = createPerson(ANN_PHONE, ANN_LID);
  const phone = createPerson(jidNormalizedUser(BOT_JID), jidNormalizedUser(BOT_LID));
  const state: State = {
    people: new Map([
      [ANN_PHONE, ann],
      [ANN_LID, ann],
      [jidNormalizedUser(BOT_JID), phone],
      [jidNormalizedUser(BOT_LID), phone],
    ]),
    said: new Map(),
    sent: [],
    queue: [],
    retries: [],
    sessions: new Set(),
    behaviour: 'normal',
    connections: 0,
    count: 0,
    asked: [],
    next: undefined,
  };
  const { server, sockets } = await listen(state, options.port ?? 0);
  const { port } = server.address() as AddressInfo;
  const open = (): Session | undefined => [...state.sessions].find(({ isOpen }) => isOpen);
  const deliver = (node: BinaryNode): void => {
    state.queue.push({ node });
    open()?.noise.send(node);
  };
  return {
    url: `ws://127.0.0.1:${port}/ws/chat`,
    get behaviour() {
      return state.behaviour;
    },
    set behaviour(behaviour) {
      state.behaviour = behaviour;
    },
    get connections() {
      return state.connections;
    },
    linking: {
      get offered() {
        return [...state.sessions].some(({ registration }) => registration !== undefined);
      },
    },
    retries: state.retries,
    asked: state.asked,
    messages: (chat) => state.sent.filter((one) => !one.deleted && (chat === undefined || one.chat === chat)),
    say(text, { chat = ANN_PHONE, id = `PERSON${String(++state.count).padStart(6, '0')}`, message } = {}) {
      const content = message ?? { conversation: text };
      const author = chat.endsWith('@g.us') ? { participant: ANN_PHONE } : {};
      state.said.set(id, { key: { remoteJid: chat, id, fromMe: false, ...author }, message: content, pushName: 'Ann' });
      deliver(messageNode({ chat, id, message: content }));
      return id;
    },
    garble() {
      state.count += 1;
      const enc: BinaryNode = { tag: 'enc', attrs: { v: '2', type: 'msg' }, content: Buffer.from([0x33, 1, 2, 3, 4, 5, 6, 7, 8, 9]) };
      deliver({ ...messageNode({ chat: ANN_PHONE, id: `GARBLE${state.count}`, message: {} }), content: [enc] });
    },
    waiting: () => state.queue.length,
    scan: (qr) => scan(state, qr),
    refuse: (code) => {
      state.next = code;
    },
    dropNext: () => {
      state.next = 'drop';
    },
    hangNext: () => {
      state.next = 'hang';
    },
    drop: () => {
      for (const { socket } of state.sessions) socket.terminate();
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function listen(state: State, port: number): Promise<{ server: Server; sockets: Set<Socket> }> {
  const sockets = new Set<Socket>();
  const upgrade = new WebSocketServer({ noServer: true });
  const http = (await import('node:http')).createServer();
  http.on('upgrade', (request, socket, head) => upgrade.handleUpgrade(request, socket, head, (ws) => connect(state, ws)));
  const server = createServer((socket) => {
    state.connections += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined);
    if (state.behaviour === 'close') socket.destroy();
    else if (state.behaviour !== 'silent') http.emit('connection', socket);
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return { server, sockets };
}

function connect(state: State, socket: WebSocket): void {
  const session: Session = { socket, registration: undefined, isOpen: false, noise: createNoiseServer({ send, hello, node }) };
  function send(bytes: Buffer): void {
    if (socket.readyState === socket.OPEN) socket.send(bytes);
  }
  function hello(payload: proto.ClientPayload): void {
    state.sessions.add(session);
    if (payload.devicePairingData) session.registration = payload.devicePairingData;
    greet(state, session);
  }
  function node(received: BinaryNode): void {
    void answer(state, session, received);
  }
  socket.on('message', (data: Buffer) => void session.noise.receive(data).catch(() => socket.terminate()));
  socket.on('close', () => state.sessions.delete(session));
  socket.on('error', () => undefined);
}

function greet({ behaviour }: State, { noise, registration, socket }: Session): void {
  if (typeof behaviour === 'object' && 'failure' in behaviour) {
    noise.send({ tag: 'failure', attrs: { reason: String(behaviour.failure), location: 'test' } });
    setTimeout(() => socket.close(), 20);
  } else if (registration) {
    const refs = ['ref-1', 'ref-2'].map((ref) => ({ tag: 'ref', attrs: {}, content: Buffer.from(ref) }));
    noise.send({
      tag: 'iq',
      attrs: { from: S_WHATSAPP_NET, type: 'set', id: 'pair-1', xmlns: 'md' },
      content: [{ tag: 'pair-device', attrs: {}, content: refs }],
    });
  } else {
    noise.send({ tag: 'success', attrs: { t: String(Math.floor(Date.now() / 1000)), lid: BOT_LID, creation: '1' } });
    if (typeof behaviour === 'object')
      noise.send({
        tag: 'stream:error',
        attrs: { code: String(behaviour.streamError) },
        content: [{ tag: 'conflict', attrs: { type: 'replaced' } }],
      });
  }
}

/** What the phone does with a code: `ref,noise,identity,secret`. The device is confirmed, and WhatsApp wants a new connection. */
function scan(state: State, qr: string): void {
  const session = [...state.sessions].find(({ registration }) => registration !== undefined);
  const [, , identity = '', secret = ''] = qr.replace(/^.*#/, '').split(',');
  if (session === undefined) throw new Error('nobody shows a code');
  const account = Curve.generateKeyPair();
  const details = proto.ADVDeviceIdentity.encode({ rawId: 1, timestamp: 1, keyIndex: 1, deviceType: 0 }).finish();
  const signature = Curve.sign(account.private, Buffer.concat([Buffer.from([6, 0]), details, Buffer.from(identity, 'base64')]));
  const signed = proto.ADVSignedDeviceIdentity.encode({
    details,
    accountSignatureKey: account.public,
    accountSignature: signature,
  }).finish();
  const hmac = createHmac('sha256', Buffer.from(secret, 'base64')).update(signed).digest();
  const identityNode = {
    tag: 'device-identity',
    attrs: {},
    content: proto.ADVSignedDeviceIdentityHMAC.encode({ details: signed, hmac }).finish(),
  };
  session.noise.send({
    tag: 'iq',
    attrs: { from: S_WHATSAPP_NET, type: 'set', id: 'pair-2', t: String(Math.floor(Date.now() / 1000)) },
    content: [
      {
        tag: 'pair-success',
        attrs: {},
        content: [identityNode, { tag: 'device', attrs: { jid: BOT_JID, lid: BOT_LID } }, { tag: 'platform', attrs: { name: 'android' } }],
      },
    ],
  });
}

function messageNode({ chat, id, message }: { readonly chat: string; readonly id: string; readonly message: proto.IMessage }): BinaryNode {
  const group = chat.endsWith('@g.us');
  return {
    tag: 'message',
    attrs: {
      from: chat,
      id,
      type: 'text',
      t: String(Math.floor(Date.now() / 1000)),
      notify: 'Ann',
      ...(group
        ? { participant: ANN_PHONE, participant_lid: ANN_LID }
        : { sender_lid: chat.endsWith('@lid') ? chat : lidOf(chat.split('@')[0] ?? '') }),
    },
    content: [{ tag: 'plaintext', attrs: {}, content: proto.Message.encode(message).finish() }],
  };
}

async function answer(state: State, session: Session, node: BinaryNode): Promise<void> {
  if (state.behaviour === 'deaf') return;
  if (node.tag === 'iq') return question(state, session, node);
  if (node.tag === 'message') return taken(state, session, node);
  if (node.tag === 'receipt' || node.tag === 'ack') received(state, node);
  if (state.behaviour !== 'break-off' || state.queue.length > 0) return;
  state.behaviour = 'normal';
  session.socket.terminate();
}

/** Told to be received, or that it could not be read: it is not offered again. */
function received(state: State, { tag, attrs }: BinaryNode): void {
  const index = state.queue.findIndex(({ node }) => node.attrs['id'] === attrs['id']);
  if (tag === 'receipt' && attrs['type'] === 'retry') state.retries.push(attrs['id'] ?? '');
  if (index >= 0 && (tag === 'receipt' || attrs['class'] === 'message')) state.queue.splice(index, 1);
}

async function question(state: State, session: Session, node: BinaryNode): Promise<void> {
  const { id = '', xmlns, type, to = S_WHATSAPP_NET } = node.attrs;
  if (type === 'result') {
    if (id === 'pair-2') session.noise.send({ tag: 'stream:error', attrs: { code: '515' } });
    return;
  }
  const content = await reply(state, node);
  session.noise.send({ tag: 'iq', attrs: { id, type: 'result', from: to }, content });
  if (xmlns === 'passive') begin(state, session);
}

/** The login is complete: what waited is handed over. */
function begin(state: State, session: Session): void {
  if (session.isOpen) return;
  session.isOpen = true;
  const offline = [...state.queue];
  for (const { node } of offline) session.noise.send({ ...node, attrs: { ...node.attrs, offline: '1' } });
  if (state.behaviour === 'break-off') return;
  session.noise.send({
    tag: 'ib',
    attrs: { from: S_WHATSAPP_NET },
    content: [{ tag: 'offline', attrs: { count: String(offline.length) } }],
  });
}

/** Everybody has a phone: who is written to for the first time gets one. */
function personAt(people: Map<string, Person>, address: string): Person | undefined {
  const jid = jidNormalizedUser(address);
  const known = people.get(jid);
  const [, digits] = /^(\d+)@s\.whatsapp\.net$/.exec(jid) ?? /^9(\d{8,})@lid$/.exec(jid) ?? [];
  if (known !== undefined || digits === undefined) return known;
  const person = createPerson(`${digits}@s.whatsapp.net`, lidOf(digits));
  people.set(person.phone, person);
  people.set(person.lid, person);
  return person;
}

function lidOf(digits: string): string {
  return digits === ANN_PHONE.split('@')[0] ? ANN_LID : `9${digits}@lid`;
}

async function reply({ people }: State, node: BinaryNode): Promise<BinaryNode[]> {
  const asked = Array.isArray(node.content) ? node.content[0] : undefined;
  switch (`${node.attrs['xmlns']} ${asked?.tag}`) {
    case 'encrypt count':
      return [{ tag: 'count', attrs: { value: '100' } }];
    case 'encrypt digest':
      return [{ tag: 'digest', attrs: {} }];
    case 'encrypt key': {
      const wanted = getBinaryNodeChildren(asked, 'user').map(({ attrs }) => attrs['jid'] ?? '');
      const users = await Promise.all(wanted.map((jid) => personAt(people, jid)?.bundle(jid)));
      return [{ tag: 'list', attrs: {}, content: users.filter((user) => user !== undefined) }];
    }
    case 'usync usync':
      return [{ tag: 'usync', attrs: {}, content: [{ tag: 'list', attrs: {}, content: devicesOf(people, asked) }] }];
    case 'w:g2 query':
      return [group(node.attrs['to'] ?? '')];
    case 'w:m media_conn':
      return [{ tag: 'media_conn', attrs: { auth: 'x', ttl: '300' }, content: [] }];
    default:
      return asked?.tag === 'props' ? [{ tag: 'props', attrs: {}, content: [] }] : [];
  }
}

function devicesOf(people: Map<string, Person>, asked: BinaryNode | undefined): BinaryNode[] {
  return getBinaryNodeChildren(getBinaryNodeChild(asked, 'list'), 'user').map(({ attrs }) => {
    const jid = attrs['jid'] ?? '';
    const person = personAt(people, jid);
    const own = jidNormalizedUser(jid) === jidNormalizedUser(BOT_JID) || jidNormalizedUser(jid) === jidNormalizedUser(BOT_LID);
    const device = { tag: 'device', attrs: { id: own ? '5' : '0', ...(own ? { 'key-index': '1' } : {}) } };
    return {
      tag: 'user',
      attrs: { jid },
      content: [
        { tag: 'devices', attrs: {}, content: [{ tag: 'device-list', attrs: {}, content: [device] }] },
        ...(person === undefined ? [] : [{ tag: 'lid', attrs: { val: person.lid } }]),
      ],
    };
  });
}

function group(jid: string): BinaryNode {
  const participants = [jidNormalizedUser(BOT_JID), ANN_PHONE].map((member) => ({ tag: 'participant', attrs: { jid: member } }));
  return {
    tag: 'group',
    attrs: { id: jid.split('@')[0] ?? '', subject: 'Family', creation: '1', s_t: '1', addressing_mode: 'pn' },
    content: participants,
  };
}

async function taken(state: State, session: Session, node: BinaryNode): Promise<void> {
  const { id = '', to = '' } = node.attrs;
  const fault = state.next;
  const ack = { tag: 'ack', attrs: { class: 'message', id, from: to, t: String(Math.floor(Date.now() / 1000)) } };
  if (node.attrs['category'] === 'peer') {
    session.noise.send(ack);
    return askPhone(state, session, node);
  }
  state.next = undefined;
  if (fault === 'hang') return;
  if (typeof fault === 'number') return session.noise.send({ ...ack, attrs: { ...ack.attrs, error: String(fault) } });
  const message = await read(state, node);
  if (message !== undefined) apply(state, { id, chat: to }, message);
  if (fault === 'drop') session.socket.terminate();
  else session.noise.send(ack);
}

/** Our own phone is asked for messages that were lost; it sends what it has. */
async function askPhone({ people, said, ...state }: State, { noise }: Session, node: BinaryNode): Promise<void> {
  const own = jidNormalizedUser(BOT_JID);
  const encrypted = getBinaryNodeChild(node, 'enc');
  const message = encrypted && (await people.get(own)?.read(encrypted, BOT_JID));
  const inner = message?.deviceSentMessage?.message ?? message;
  for (const { messageKey } of inner?.protocolMessage?.peerDataOperationRequestMessage?.placeholderMessageResendRequest ?? []) {
    state.asked.push(messageKey?.id ?? '');
    const found = said.get(messageKey?.id ?? '');
    if (found === undefined) continue;
    const webMessageInfoBytes = proto.WebMessageInfo.encode(found).finish();
    const response: proto.IMessage = {
      protocolMessage: {
        type: proto.Message.ProtocolMessage.Type.PEER_DATA_OPERATION_REQUEST_RESPONSE_MESSAGE,
        peerDataOperationRequestResponseMessage: {
          peerDataOperationResult: [{ placeholderMessageResendResponse: { webMessageInfoBytes } }],
        },
      },
    };
    const content = [{ tag: 'plaintext', attrs: {}, content: proto.Message.encode(response).finish() }];
    noise.send({ tag: 'message', attrs: { from: own, id: `PHONE${state.asked.length}`, type: 'text', category: 'peer', t: '1' }, content });
  }
}

/** As the phone of the one it was written to: whoever cannot read it has not got it. */
async function read({ people }: State, node: BinaryNode): Promise<proto.Message | undefined> {
  const group = (node.attrs['to'] ?? '').endsWith('@g.us');
  const copies = getBinaryNodeChildren(getBinaryNodeChild(node, 'participants'), 'to');
  let message: proto.Message | undefined;
  for (const { attrs, content } of copies) {
    const person = personAt(people, attrs['jid'] ?? '');
    const [encrypted] = Array.isArray(content) ? content : [];
    if (person !== undefined && encrypted !== undefined) message = await person.read(encrypted, BOT_JID);
  }
  if (!group) return message;
  const skmsg = getBinaryNodeChild(node, 'enc')?.content;
  const ann = people.get(ANN_PHONE);
  if (!(skmsg instanceof Uint8Array) || ann === undefined) return undefined;
  return ann.readGroup({ group: node.attrs['to'] ?? '', from: BOT_JID, skmsg });
}

function apply({ sent }: State, { id, chat }: { readonly id: string; readonly chat: string }, message: proto.Message): void {
  const change = message.protocolMessage;
  if (change?.key?.id) {
    const target = sent.find((one) => one.id === change.key?.id && one.chat === chat);
    if (target !== undefined && change.type === proto.Message.ProtocolMessage.Type.REVOKE) target.deleted = true;
    if (target !== undefined && change.editedMessage) target.text = textOf(change.editedMessage);
    return;
  }
  const known = sent.find((one) => one.id === id && one.chat === chat);
  if (known !== undefined) known.times += 1;
  else
    sent.push({
      id,
      chat,
      text: textOf(message),
      deleted: false,
      quotes: message.extendedTextMessage?.contextInfo?.stanzaId ?? undefined,
      times: 1,
      t: Date.now(),
    });
}

function textOf({ conversation, extendedTextMessage }: proto.IMessage): string {
  return conversation || extendedTextMessage?.text || '';
}
