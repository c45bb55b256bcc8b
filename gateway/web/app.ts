import { fetchStatus, type GatewayStatus, signOut } from './api.ts';
import { Chats, type Conversation, entriesOf, isWorking, spoken } from './chats.ts';
import { Connection, type ConnectionState } from './connection.ts';
import { Decisions } from './decisions.ts';
import { h, setAttribute } from './dom.ts';
import { GatewayPanel } from './gateway-panel.ts';
import { Outbox, randomId } from './outbox.ts';
import { PeoplePanel } from './people-panel.ts';
import { type AskRef, isChatId, type ServerFrame } from './protocol.ts';
import type { Shelf } from './storage.ts';
import { currentTheme, nextTheme } from './theme.ts';
import { Composer } from './views/composer.ts';
import { type ConversationPorts, ConversationView } from './views/conversation-view.ts';
import { Drawer } from './views/drawer.ts';
import { Sidebar } from './views/sidebar.ts';
import { demoBanner, emptyState } from './views/start.ts';
import { Toast } from './views/toast.ts';
import { Waiting } from './waiting.ts';

export interface AppPorts {
  readonly status: GatewayStatus;
  /** Lasts beyond the tab: unsent messages, colours. */
  readonly lasting: Shelf;
  /** Of this tab: the chat that is shown, drafts. */
  readonly tab: Shelf;
  signedOut(): void;
}

const MAIN_CHAT = 'main';
const CHAT_KEY = 'hermes.chat';
const BANNER_KEY = 'hermes.demo-note';

const STATES: Readonly<Record<ConnectionState, string>> = {
  connected: 'Connected',
  connecting: 'Connecting…',
  offline: 'Offline, trying again…',
};

/** The signed-in page: carries frames to what is known, and what is known to what is shown. */
export class App {
  readonly element: HTMLElement;
  readonly #ports: AppPorts;
  readonly #chats = new Chats();
  readonly #connection: Connection;
  readonly #outbox: Outbox;
  readonly #sidebar: Sidebar;
  readonly #conversation: ConversationView;
  readonly #composer: Composer;
  readonly #title = h('h1', {});
  readonly #state = h('p', { class: 'state', role: 'status' });
  /** Reads finished answers out; the log itself would read every piece of the stream. */
  readonly #announcer = h('div', { class: 'visually-hidden', 'aria-live': 'polite' });
  readonly #decisions: Decisions;
  readonly #toast = new Toast();
  readonly #waiting = new Waiting({
    toast: (text) => this.#toast.show(text),
    announce: (text) => this.#announce(text),
    strangers: (count) => this.#sidebar.showStrangers(count),
  });
  readonly #gateway = new GatewayPanel({ toast: (text) => this.#toast.show(text) });
  readonly #people = new PeoplePanel({ strangers: (count) => this.#sidebar.showStrangers(count) });
  readonly #empty: HTMLElement;
  readonly #drawer: Drawer;
  #selected: string;
  #connected = false;
  #asked = 0;
  #drawing = false;

  constructor(ports: AppPorts) {
    this.#ports = ports;
    const kept = ports.tab.read(CHAT_KEY);
    this.#selected = kept !== undefined && isChatId(kept) ? kept : MAIN_CHAT;
    this.#connection = new Connection({
      frame: (frame) => this.#receive(frame),
      state: (state) => this.#stateChanged(state),
      mayRetry: () => this.#mayRetry(),
    });
    this.#outbox = new Outbox({
      shelf: ports.lasting,
      send: (frame) => this.#connection.send(frame),
      stalled: () => this.#connection.renew(),
      refused: (answer, reason) => this.#decisions.refused(answer, reason),
      changed: () => this.#draw(),
    });
    this.#decisions = new Decisions({ outbox: this.#outbox, chats: this.#chats, toast: this.#toast });
    this.#sidebar = new Sidebar(
      {
        select: (chat) => this.#select(chat),
        create: () => this.#select(randomId()),
        people: () => this.#openDialog(this.#people),
        gateway: () => this.#openDialog(this.#gateway),
        theme: () => nextTheme(ports.lasting),
        signOut: () => void signOut().then(() => this.#leave()),
      },
      currentTheme(ports.lasting),
    );
    this.#conversation = new ConversationView(this.#conversationPorts());
    this.#composer = new Composer({
      send: (text, replyTo) => this.#send(text, replyTo),
      stop: () => this.#outbox.add(this.#selected, '/stop'),
      draft: (text) => ports.tab.write(draftKey(this.#selected), text === '' ? undefined : text),
      commands: () => this.#chats.menu,
    });
    this.#empty = emptyState(ports.status.model.demo, (prompt) => this.#send(prompt));
    this.#drawer = new Drawer(this.#sidebar.element);
    this.element = this.#layout();
    this.#listen();
  }

  start(): void {
    this.#connection.open();
    this.#waiting.start();
    this.#composer.open(this.#ports.tab.read(draftKey(this.#selected)) ?? '');
    this.#draw();
  }

  #conversationPorts(): ConversationPorts {
    return {
      earlier: (before) => this.#earlier(before),
      discard: (id) => this.#outbox.discard(id),
      choose: (card, choice) => this.#decisions.choose(this.#selected, card, choice),
      reply: ({ seq, number }) => {
        this.#composer.reply({ seq, ask: number });
        this.#composer.focus();
      },
      sending: (card) => this.#decisions.choiceOf(this.#selected, card),
    };
  }

  #layout(): HTMLElement {
    const { status, tab } = this.#ports;
    const bar = h(
      'header',
      { class: 'bar' },
      this.#drawer.menu,
      h('div', { class: 'names' }, this.#title, h('p', { class: 'model' }, status.model.name)),
      this.#state,
    );
    const main = h(
      'main',
      { class: 'main' },
      bar,
      this.#waiting.element,
      this.#conversation.element,
      this.#toast.element,
      this.#composer.element,
    );
    if (status.model.demo && tab.read(BANNER_KEY) === undefined) {
      const banner = demoBanner(status, () => {
        tab.write(BANNER_KEY, 'hidden');
        banner.remove();
      });
      bar.after(banner);
    }
    const dialogs = [this.#people.element, this.#gateway.element];
    return h('div', { class: 'app' }, this.#sidebar.element, this.#drawer.scrim, main, this.#announcer, ...dialogs);
  }

  #listen(): void {
    document.addEventListener('keydown', (event) => {
      // It closes by itself, and gives the focus back.
      if (document.querySelector('dialog[open]')) return;
      if (event.key === 'Escape' && !this.#composer.escape() && !this.#drawer.close()) this.#composer.focus();
    });
    document.addEventListener('visibilitychange', () => this.#draw());
    // Another tab sent or wrote something.
    window.addEventListener('storage', () => this.#draw());
    // "Typing" ends by itself.
    window.setInterval(() => this.#draw(), 2000);
  }

  #current(): Conversation {
    return this.#chats.conversation(this.#selected);
  }

  #receive(frame: ServerFrame): void {
    this.#chats.apply(frame);
    if (frame.type === 'welcome') this.#welcomed();
    else if (frame.type === 'ack' || frame.type === 'retry' || frame.type === 'refused') this.#outbox.receive(frame);
    else if (frame.type === 'earlier') this.#asked = 0;
    else if (frame.type === 'entry' && frame.chat === this.#selected) this.#announce(spoken(frame.entry));
    else if (frame.type === 'toast') this.#decisions.toasted(frame.text);
    this.#draw();
  }

  #announce(text: string | undefined): void {
    if (text !== undefined) this.#announcer.textContent = text;
  }

  /** Asks for what was missed in every chat that was looked at, and goes on sending. */
  #welcomed(): void {
    this.#connected = true;
    this.#asked = 0;
    const shown = [
      this.#selected,
      ...this.#chats.summaries.map(({ chat }) => chat).filter((chat) => this.#chats.conversation(chat).loaded),
    ];
    for (const chat of new Set(shown)) this.#open(chat);
    this.#outbox.restart();
    this.#showState('connected');
    void this.#gateway.connected();
  }

  #open(chat: string): void {
    const { epoch, version } = this.#chats.conversation(chat);
    this.#connection.send({ type: 'open', chat, epoch, seen: version });
  }

  #earlier(before: number): void {
    if (this.#asked === before) return;
    if (this.#connection.send({ type: 'earlier', chat: this.#selected, before })) this.#asked = before;
  }

  #send(text: string, replyTo?: AskRef): void {
    this.#outbox.add(this.#selected, text, replyTo);
    this.#conversation.toEnd();
    this.#draw();
  }

  #select(chat: string): void {
    this.#selected = chat;
    this.#asked = 0;
    this.#ports.tab.write(CHAT_KEY, chat);
    if (this.#connected && !this.#current().loaded) this.#open(chat);
    this.#drawer.close();
    this.#composer.open(this.#ports.tab.read(draftKey(chat)) ?? '');
    this.#draw();
  }

  #stateChanged(state: ConnectionState): void {
    // "Connected" counts when the gateway said its first word.
    if (state === 'connected') return;
    if (state === 'offline') {
      this.#connected = false;
      this.#chats.disconnected();
      this.#decisions.settle();
    }
    this.#showState(state);
    this.#draw();
  }

  #showState(state: ConnectionState): void {
    this.#state.textContent = STATES[state];
    setAttribute(this.#state, 'data-state', state);
  }

  async #mayRetry(): Promise<boolean> {
    const { kind } = await fetchStatus();
    if (kind === 'signed-out') this.#leave();
    return kind !== 'signed-out';
  }

  #leave(): void {
    this.#connection.close();
    this.#waiting.stop();
    this.#people.element.close();
    this.#ports.signedOut();
  }

  #openDialog(panel: { open(): unknown }): void {
    this.#drawer.close();
    void panel.open();
  }

  /** At most once a frame of the screen, however fast a model writes. */
  #draw(): void {
    if (this.#drawing) return;
    this.#drawing = true;
    const draw = (): void => {
      this.#drawing = false;
      this.#show();
    };
    // Hidden tabs get no animation frames, and must not fall behind for ever.
    if (document.hidden) window.setTimeout(draw, 200);
    else requestAnimationFrame(draw);
  }

  #show(): void {
    const conversation = this.#current();
    if (!document.hidden) this.#chats.unread.delete(this.#selected);
    const title = this.#chats.titleOf(this.#selected);
    this.#title.textContent = title;
    document.title = `${this.#chats.unread.size > 0 ? '• ' : ''}${entriesOf(conversation).length > 0 ? `${title} · ` : ''}Hermes`;
    const unsent = this.#outbox.messages(this.#selected);
    this.#conversation.show({ conversation, unsent, connected: this.#connected, empty: this.#empty });
    this.#composer.working(isWorking(conversation));
    this.#sidebar.show({ chats: this.#chats.summaries, selected: this.#selected, unread: this.#chats.unread });
  }
}

function draftKey(chat: string): string {
  return `hermes.draft.${chat}`;
}
