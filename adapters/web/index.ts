import fastifyWebsocket, { type WebSocket } from '@fastify/websocket';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Adapter, type ChatRef, DeliveryError, type Host, type Json, type Outbound, type SentRef } from '../adapter.ts';
import type { MenuCommand } from '../platform.ts';
import { ChatLog, type PageMessage } from './chat-log.ts';
import {
  answerOf,
  bodyOf,
  type ClientFrame,
  type EntryBody,
  inboundOf,
  isChatId,
  pageOf,
  parseClientFrame,
  previewDelta,
  refusalOf,
  type ServerFrame,
} from './codec.ts';
import { CloseCode, Connections } from './connections.ts';
import type { WebConfig } from './platform.ts';

const ACCOUNT = 'main';
const ALIVE_INTERVAL_MS = 15_000;
const MAX_FRAME_BYTES = 1024 * 1024;

type MessageFrame = ClientFrame & { readonly type: 'message' };
type AnswerFrame = ClientFrame & { readonly type: 'answer' };

interface Page {
  readonly socket: WebSocket;
  readonly person: string;
}

export function createWebAdapter(_config: WebConfig, host: Host, menu: readonly MenuCommand[]): Adapter {
  return new WebAdapter(host, menu);
}

class WebAdapter implements Adapter {
  readonly idempotent = true;
  readonly buttons = true;
  readonly #host: Host;
  readonly #menu: readonly MenuCommand[];
  readonly #log: ChatLog;
  readonly #pages = new Connections(Date.now);
  /** The unfinished answer of each chat, for a page that comes while it is being written. */
  readonly #previews = new Map<string, { readonly key: string; readonly markdown: string }>();
  #running = false;

  constructor(host: Host, menu: readonly MenuCommand[]) {
    this.#host = host;
    this.#menu = menu;
    this.#log = new ChatLog(host.store, Date.now);
  }

  async run(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    for (const message of this.#log.pending()) this.#take(message);
    this.#running = true;
    this.#host.state('connected');
    this.#host.alive();
    const timer = setInterval(() => this.#beat(), ALIVE_INTERVAL_MS);
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    clearInterval(timer);
    this.#running = false;
    this.#pages.closeAll();
  }

  async send(message: Outbound, key: string, signal: AbortSignal): Promise<SentRef> {
    signal.throwIfAborted();
    const chat = message.chat.chat;
    const body = this.#bodyFor(message);
    const { entry, fresh } = this.#log.append(chat, body, key);
    if (message.type === 'text') this.#previews.delete(chat);
    if (fresh) this.#pages.broadcast({ type: 'entry', chat, entry });
    return { chat: message.chat, id: String(entry.seq) };
  }

  async edit(ref: SentRef, message: Outbound, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const chat = ref.chat.chat;
    const entry = this.#log.replace(chat, Number(ref.id), this.#bodyFor(message));
    if (!entry) throw rejected('This message is not in the chat any more.');
    this.#pages.broadcast({ type: 'entry', chat, entry });
  }

  async preview(chat: ChatRef, key: string, markdown: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const before = this.#previews.get(chat.chat);
    this.#previews.set(chat.chat, { key, markdown });
    const delta = previewDelta(before?.key === key ? before.markdown : '', markdown);
    this.#pages.broadcast({ type: 'preview', chat: chat.chat, key, ...delta });
  }

  async typing(chat: ChatRef, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    this.#pages.broadcast({ type: 'typing', chat: chat.chat });
  }

  async respond(interaction: Json, text: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const page = pageOf(interaction);
    if (page !== undefined) this.#pages.sendTo(page, { type: 'toast', text });
  }

  routes(app: FastifyInstance, verified: (request: FastifyRequest) => string): void {
    app.register(fastifyWebsocket, { options: { maxPayload: MAX_FRAME_BYTES }, preClose: (done) => this.#close(app, done) });
    app.register(async (scope) => {
      scope.get('/ws', { websocket: true }, (socket, request) => this.#connected(socket, verified(request)));
    });
  }

  #close(app: FastifyInstance, done: () => void): void {
    this.#pages.closeAll();
    app.websocketServer.close(() => done());
  }

  #bodyFor(message: Outbound): EntryBody {
    const body = bodyOf(message);
    if (!body) throw rejected('The browser page cannot show files yet.');
    if (!isChatId(message.chat.chat)) throw rejected('The browser page has no such chat.');
    if (!this.#log.hasRoomFor(message.chat.chat)) throw rejected('The browser page has too many chats.');
    return body;
  }

  #beat(): void {
    this.#host.alive();
    this.#pages.probe();
  }

  #connected(socket: WebSocket, person: string): void {
    if (!this.#running) {
      socket.close(CloseCode.tryLater, 'The gateway is not ready.');
      return;
    }
    this.#pages.add(socket);
    socket.on('message', (data, binary) => this.#frame({ socket, person }, binary ? undefined : parseClientFrame(String(data))));
    // `ws` reports an oversized or broken frame here and closes that connection itself.
    socket.on('error', (error) => this.#host.log.warn({ err: error }, 'a page broke the protocol'));
    this.#pages.send(socket, { type: 'welcome', epoch: this.#log.epoch, chats: this.#log.chats(), menu: this.#menu });
  }

  /** Nothing may escape from here: an exception in a socket's listener would end the daemon. */
  #frame(page: Page, frame: ClientFrame | undefined): void {
    if (!this.#running) return; // this socket is closing; what it does not see acknowledged the page brings again
    if (!this.#pages.allows(page.socket)) page.socket.close(CloseCode.policy, 'Too many frames.');
    else if (!frame) page.socket.close(CloseCode.malformed, 'Not a frame of this page.');
    else {
      try {
        this.#host.alive();
        this.#handle(page, frame);
      } catch (error) {
        this.#failed(page, frame, error);
      }
    }
  }

  #failed({ socket }: Page, frame: ClientFrame, error: unknown): void {
    this.#host.log.warn({ err: error, frame: frame.type }, 'a frame of the page could not be handled');
    if (frame.type === 'message' || frame.type === 'answer') this.#pages.send(socket, { type: 'retry', id: frame.id });
    else socket.close(CloseCode.internal, 'The gateway could not answer.');
  }

  #handle(page: Page, frame: ClientFrame): void {
    switch (frame.type) {
      case 'open':
        this.#opened(page.socket, frame);
        break;
      case 'earlier':
        this.#pages.send(page.socket, { type: 'earlier', chat: frame.chat, entries: this.#log.earlier(frame.chat, frame.before) });
        break;
      case 'message':
        this.#pages.send(page.socket, this.#message(page, frame));
        break;
      case 'answer':
        this.#pages.send(page.socket, this.#answer(page, frame));
        break;
      case 'ping':
        this.#pages.send(page.socket, { type: 'pong' });
        break;
    }
  }

  #opened(socket: WebSocket, frame: ClientFrame & { readonly type: 'open' }): void {
    this.#pages.send(socket, { type: 'opened', chat: frame.chat, ...this.#log.missed(frame.chat, frame.epoch, frame.seen) });
    const preview = this.#previews.get(frame.chat);
    if (preview) this.#pages.send(socket, { type: 'preview', chat: frame.chat, key: preview.key, at: 0, text: preview.markdown });
  }

  /** The log first, then the gateway, then the acknowledgement: whatever dies in between, the page or `pending` brings it again under the same id. */
  #message({ person }: Page, { chat, id, text, replyTo: seq }: MessageFrame): ServerFrame {
    if (!this.#log.hasRoomFor(chat)) return refused(id, 'There are too many chats. Go on in one of the others.');
    const card = seq === undefined ? undefined : this.#log.ask(chat, seq);
    if (seq !== undefined && !card) return refused(id, 'The question that this replies to is not in this chat.');
    const { message, fresh } = this.#log.accept({ chat, id, person, text, replyTo: card && { seq: card.seq, ask: card.number } });
    if (fresh) this.#show(chat, message);
    this.#take(message);
    return { type: 'ack', id };
  }

  /** The gateway stores it before it is acknowledged, and tells a repeated one by its id. */
  #answer({ socket, person }: Page, frame: AnswerFrame): ServerFrame {
    const { chat, id, seq } = frame;
    const refusal = refusalOf(this.#log.ask(chat, seq), frame);
    if (refusal !== undefined) return refused(id, refusal);
    this.#host.receive([answerOf({ chat: chatRef(chat), person, id, seq, atMs: Date.now() }, frame, this.#pages.pageOf(socket))]);
    return { type: 'ack', id };
  }

  #show(chat: string, message: PageMessage): void {
    this.#previews.delete(chat);
    this.#pages.broadcast({ type: 'entry', chat, entry: message.entry });
    this.#pages.broadcast({ type: 'chats', chats: this.#log.chats() });
  }

  /** Throws when the gateway could not store it: then it must not be acknowledged. */
  #take(message: PageMessage): void {
    if (message.taken) return;
    const { chat, person, id } = message;
    const { seq, atMs, text, replyTo } = message.entry;
    const card = replyTo && this.#log.ask(chat, replyTo.seq);
    this.#host.receive([inboundOf({ chat: chatRef(chat), person, id, seq, atMs }, text, card)]);
    this.#log.taken(message);
  }
}

function chatRef(chat: string): ChatRef {
  return { platform: 'web', account: ACCOUNT, chat };
}

function refused(id: string, reason: string): ServerFrame {
  return { type: 'refused', id, reason };
}

function rejected(message: string): DeliveryError {
  return new DeliveryError(message, { kind: 'rejected', certain: true });
}
