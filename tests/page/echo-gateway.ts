import { fileURLToPath } from 'node:url';
import type {
  Adapter,
  ChatRef,
  Host,
  Inbound,
  InboundAnswer,
  InboundMessage,
  OutboundAsk,
  OutboundProgress,
  ProgressStep,
} from '../../adapters/adapter.ts';
import type { MenuCommand } from '../../adapters/platform.ts';
import { webPlatform } from '../../adapters/web/platform.ts';
import { createHttpServer, type HttpServer } from '../../gateway/http/server.ts';
import type { Links } from '../../gateway/link-state.ts';
import type { ControlHandlers, OpenAsk, PeopleControl, Status } from '../../gateway/status.ts';
import { createMemoryStore } from '../adapters/web/memory-store.ts';
import { controlHandlers, status } from '../gateway/http/fixture.ts';

type Store = ReturnType<typeof createMemoryStore>;

/** How the gateway answers one message. */
export type Answer = (message: InboundMessage, talk: Talk) => Promise<void>;

export interface Talk {
  typing(): Promise<void>;
  /** Shows the text piece by piece, then sends it. */
  stream(markdown: string, pieceMs: number): Promise<void>;
  preview(markdown: string): Promise<void>;
  send(markdown: string): Promise<void>;
  /** Shows a card; the returned function edits it. */
  ask(card?: Partial<OutboundAsk>): Promise<(change: Partial<OutboundAsk>) => Promise<void>>;
  /** Opens a progress bubble; the returned function edits it. */
  progress(
    steps: readonly ProgressStep[],
    beside?: Pick<OutboundProgress, 'earlier' | 'notice' | 'waiting'>,
  ): Promise<(steps: readonly ProgressStep[], done: boolean) => Promise<void>>;
}

export const echo: Answer = (message, talk) => talk.send(`You said: ${message.text}`);

export const CARD = {
  token: 'abcdefgh12345678',
  number: 3,
  markdown: 'May I run this?\n\n```sh\nrm -rf build\n```',
  choices: [
    { id: 'once', label: 'Allow once' },
    { id: 'session', label: 'Allow in this session' },
    { id: 'deny', label: 'Deny' },
  ],
  hint: 'Or answer `/approve 3` or `/deny 3`.',
} as const;

const NOTHING = { done: false, text: 'Nothing was changed.' } as const;

export const MENU: readonly MenuCommand[] = [
  { name: 'new', description: 'Start afresh' },
  { name: 'status', description: 'What is going on' },
  { name: 'stop', description: 'Stop what runs' },
];

export interface EchoOptions {
  readonly answer?: Answer;
  readonly store?: Store;
  readonly sessions?: Store;
  readonly port?: number;
  readonly model?: Status['model'];
  /** False: nothing could start it again. */
  readonly restarts?: boolean;
}

/** The real server, adapter and page with the smallest possible gateway behind them: an inbox that dedupes, and an answer. */
export class EchoGateway {
  readonly store: Store;
  readonly sessions: Store;
  /** What was accepted, each event once. */
  readonly inbox: InboundMessage[] = [];
  /** The clicks that were accepted, each event once. */
  readonly answers: InboundAnswer[] = [];
  /** Set: the next click is accepted, and the connection breaks before that is acknowledged. */
  breaksAtClick = false;
  /** How often a click was brought, the same ones counted again. */
  clicks = 0;
  /** Questions of all chats, as the daemon would list them, and what was decided about them on the page. */
  asks: readonly OpenAsk[] = [];
  readonly decisions: (readonly [number, string])[] = [];
  /** Accounts that are a person's phone. */
  links: Links | undefined;
  /** Who is let in; undefined, nobody is and nobody can be. */
  people: PeopleControl | undefined;
  /** How many wait to be. */
  strangers = 0;
  /** How often somebody had it restarted from the page. */
  restarts = 0;
  /** Set: `receive` throws, as with a full disk. */
  broken = false;
  answer: Answer;
  url = '';
  readonly #options: EchoOptions;
  #stop = new AbortController();
  #running: Promise<void> | undefined;
  #server: HttpServer | undefined;
  #adapter: Adapter | undefined;
  #sent = 0;
  #starts = 0;

  constructor(options: EchoOptions = {}) {
    this.#options = options;
    this.store = options.store ?? createMemoryStore();
    this.sessions = options.sessions ?? createMemoryStore();
    this.answer = options.answer ?? echo;
  }

  get adapter(): Adapter {
    if (!this.#adapter) throw new Error('Not started.');
    return this.#adapter;
  }

  get server(): HttpServer {
    if (!this.#server) throw new Error('Not started.');
    return this.#server;
  }

  /** Starts, or starts again under the same address. */
  async start(): Promise<this> {
    const config = webPlatform.schema.parse({ port: this.url ? Number(new URL(this.url).port) : (this.#options.port ?? 0) });
    const { create } = await webPlatform.load();
    this.#stop = new AbortController();
    this.#adapter = create(config, this.#host(), MENU);
    const model = this.#options.model ?? { name: 'echo', demo: false };
    const startedAtMs = ++this.#starts;
    this.#server = createHttpServer({
      config,
      store: this.sessions,
      handlers: controlHandlers({
        status: () => ({ ...status, model, startedAtMs }),
        ...(this.#options.restarts === false ? {} : { restart: () => this.#restart() }),
        asks: () => this.asks,
        answerAsk: (id, choice) => this.#decide(id, choice),
        strangers: () => this.strangers,
        links: {
          all: () => this.links?.all() ?? [],
          accept: (at) => this.links?.accept(at) === true,
          code: (at, phone) => this.links?.code(at, phone) === true,
        },
        people: {
          all: () => this.people?.all() ?? { people: [], requests: [] },
          approve: (...approval) => this.people?.approve(...approval) ?? NOTHING,
          revoke: (...person) => this.people?.revoke(...person) ?? NOTHING,
          clear: (account) => this.people?.clear(account) ?? NOTHING,
        },
      }),
      pageDirectory: fileURLToPath(new URL('../../dist/web', import.meta.url)),
      log: { info: () => {}, warn: () => {} },
    });
    this.#adapter.routes?.(this.#server.app, this.#server.verified);
    this.#running = this.#adapter.run(this.#stop.signal);
    this.url = await this.#server.listen();
    return this;
  }

  link(): string {
    return this.server.signInLink();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
    await this.#server?.close();
  }

  talkIn(chat: ChatRef): Talk {
    const { adapter, signal } = { adapter: this.adapter, signal: this.#stop.signal };
    const key = (): string => `key-${++this.#sent}-${Math.random()}`;
    const talk: Talk = {
      typing: async () => adapter.typing?.(chat, signal),
      preview: async (markdown) => adapter.preview?.(chat, 'answer', markdown, signal),
      send: async (markdown) => {
        await adapter.send({ type: 'text', chat, markdown }, key(), signal);
      },
      stream: async (markdown, pieceMs) => {
        for (let end = 12; end < markdown.length; end += 12) {
          await talk.preview(markdown.slice(0, end));
          await pause(pieceMs);
        }
        await talk.send(markdown);
      },
      ask: async (card) => {
        const ask: OutboundAsk = { ...CARD, type: 'ask', chat, ...card };
        const ref = await adapter.send(ask, key(), signal);
        return async (change) => adapter.edit?.(ref, { ...ask, ...change }, signal);
      },
      progress: async (steps, beside = {}) => {
        const startedAtMs = Date.now();
        const ref = await adapter.send({ type: 'progress', chat, steps, ...beside, elapsedMs: 0, done: false }, key(), signal);
        return async (next, done) =>
          adapter.edit?.(ref, { type: 'progress', chat, steps: next, elapsedMs: Date.now() - startedAtMs, done }, signal);
      },
    };
    return talk;
  }

  #restart(): void {
    this.restarts += 1;
    void this.stop().then(() => this.start());
  }

  #decide(id: number, choice: string): ReturnType<ControlHandlers['answerAsk']> {
    this.decisions.push([id, choice]);
    this.asks = this.asks.filter((ask) => ask.id !== id);
    return { done: true, text: `Decided: ${choice}.` };
  }

  #clicked(event: InboundAnswer): void {
    this.clicks += 1;
    if (!this.answers.some((known) => known.event === event.event)) this.answers.push(event);
    if (!this.breaksAtClick) return;
    this.breaksAtClick = false;
    for (const socket of this.server.app.websocketServer.clients) socket.terminate();
  }

  #host(): Host {
    return {
      account: 'main',
      sent: () => undefined,
      receive: (events) => this.#receive(events),
      state: () => {},
      alive: () => {},
      store: this.store,
      log: { info: () => {}, warn: () => {} },
    };
  }

  #receive(events: readonly Inbound[]): void {
    if (this.broken) throw new Error('database or disk is full');
    for (const event of events) {
      if (event.type === 'answer') this.#clicked(event);
      if (event.type !== 'message' || this.inbox.some((known) => known.event === event.event)) continue;
      this.inbox.push(event);
      // A turn that a stop cuts is nothing to report here.
      this.answer(event, this.talkIn(event.chat)).catch(() => undefined);
    }
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
