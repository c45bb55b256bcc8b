/** The browser page's account behind the gateway's own server, with a page on it that keeps what it has not brought over. */
import type { Adapter, Json } from '../../../adapters/adapter.ts';
import { ChatLog } from '../../../adapters/web/chat-log.ts';
import type { AskEntry, ClientFrame, Entry } from '../../../adapters/web/codec.ts';
import { webPlatform } from '../../../adapters/web/platform.ts';
import { server } from '../../gateway/http/fixture.ts';
import { cookieFor, PageClient } from '../../page/page-client.ts';
import { createTestHost, type TestHost } from '../host.ts';

const RESEND_MS = 20;

/** What outlasts the adapter: its store, and what the page has not seen acknowledged or, for a test of repetitions, has ever sent. */
export interface Kept {
  readonly store: Map<string, Json>;
  readonly outbox: Map<string, ClientFrame>;
  readonly said: Map<string, ClientFrame>;
}

/** What the page does with what a person writes: it keeps it until it is acknowledged, and sends it again when it is told to. */
export class Page {
  readonly client: PageClient;
  readonly #kept: Kept;
  #read = 0;

  constructor(client: PageClient, kept: Kept) {
    this.client = client;
    this.#kept = kept;
    for (const frame of kept.outbox.values()) client.send(frame);
  }

  say(chat: string, text: string, replyTo?: string): string {
    const id = `message-${crypto.randomUUID()}`;
    this.#send(id, { type: 'message', chat, id, text, ...(replyTo === undefined ? {} : { replyTo: Number(replyTo) }) });
    return id;
  }

  click(chat: string, { seq, token, choices }: AskEntry, label: string): void {
    const id = `answer-${crypto.randomUUID()}`;
    const choice = choices.find((offered) => offered.label === label)?.id ?? '';
    this.#send(id, { type: 'answer', chat, id, seq, token, choice });
  }

  repeat(): void {
    for (const frame of this.#kept.said.values()) this.client.send(frame);
  }

  unacknowledged(): number {
    for (const frame of this.client.frames.slice(this.#read)) {
      if (frame.type === 'ack') this.#kept.outbox.delete(frame.id);
      if (frame.type === 'retry') setTimeout(() => this.#again(frame.id), RESEND_MS);
    }
    this.#read = this.client.frames.length;
    return this.#kept.outbox.size;
  }

  #send(id: string, frame: ClientFrame): void {
    this.#kept.outbox.set(id, frame);
    this.#kept.said.set(id, frame);
    this.client.send(frame);
  }

  #again(id: string): void {
    const frame = this.#kept.outbox.get(id);
    if (frame !== undefined) this.client.send(frame);
  }
}

export interface WebRig {
  readonly adapter: Adapter;
  readonly host: TestHost;
  readonly page: Page;
  entries(chat: string): readonly Entry[];
  until(predicate: () => unknown): Promise<void>;
  stop(): Promise<void>;
  close(): Promise<void>;
}

export async function startRig(kept: Kept): Promise<WebRig> {
  const host = createTestHost(kept.store);
  const config = webPlatform.schema.parse({ port: 0 });
  const { create } = await webPlatform.load();
  const adapter = create(config, host, []);
  const http = server({ config });
  adapter.routes?.(http.app, http.verified);
  const end = new AbortController();
  const running = adapter.run(end.signal);
  const gateway = { url: await http.listen(), link: http.signInLink };
  const page = new Page(await PageClient.open(gateway, await cookieFor(gateway)), kept);
  const stop = async (): Promise<void> => {
    end.abort(new Error('the test is over'));
    await running;
  };
  return {
    adapter,
    host,
    page,
    entries: (chat) => new ChatLog(host.store, Date.now).missed(chat, '', 0).entries,
    until: async (predicate) => {
      while (!predicate()) {
        page.unacknowledged();
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
    },
    stop,
    close: async () => {
      await stop();
      await http.close();
    },
  };
}
