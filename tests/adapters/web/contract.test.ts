import { ChatLog } from '../../../adapters/web/chat-log.ts';
import type { AskEntry, ClientFrame, Entry } from '../../../adapters/web/codec.ts';
import { webPlatform } from '../../../adapters/web/platform.ts';
import { server } from '../../gateway/http/fixture.ts';
import { cookieFor, PageClient } from '../../page/page-client.ts';
import { adapterContract } from '../contract.ts';
import { createTestHost } from '../host.ts';

const CHAT = 'main';
const RESEND_MS = 20;

/** What the page does with what a person writes: it keeps it until it is acknowledged, and sends it again when it is told to. */
class Outbox {
  readonly #client: PageClient;
  readonly #kept = new Map<string, ClientFrame>();
  #read = 0;

  constructor(client: PageClient) {
    this.#client = client;
  }

  say(text: string): void {
    const id = `message-${crypto.randomUUID()}`;
    this.#keep(id, { type: 'message', chat: CHAT, id, text });
  }

  click({ seq, token, choices }: AskEntry, label: string): void {
    const id = `answer-${crypto.randomUUID()}`;
    const choice = choices.find((offered) => offered.label === label)?.id ?? '';
    this.#keep(id, { type: 'answer', chat: CHAT, id, seq, token, choice });
  }

  unacknowledged(): number {
    this.#readFrames();
    return this.#kept.size;
  }

  #keep(id: string, frame: ClientFrame): void {
    this.#kept.set(id, frame);
    this.#client.send(frame);
  }

  #readFrames(): void {
    for (const frame of this.#client.frames.slice(this.#read)) {
      if (frame.type === 'ack') this.#kept.delete(frame.id);
      if (frame.type === 'retry') setTimeout(() => this.#again(frame.id), RESEND_MS);
    }
    this.#read = this.#client.frames.length;
  }

  #again(id: string): void {
    const frame = this.#kept.get(id);
    if (frame !== undefined) this.#client.send(frame);
  }
}

/** As the page shows it. */
function shown(entry: Entry): string[] {
  if (entry.type === 'text') return [entry.markdown];
  return entry.type === 'ask' ? [`#${entry.number} ${entry.markdown} ${entry.closed ?? entry.hint}`] : [];
}

adapterContract({
  name: 'The browser page',
  redelivers: true,
  async setup() {
    const host = createTestHost();
    const config = webPlatform.schema.parse({ port: 0 });
    const { create } = await webPlatform.load();
    const adapter = create(config, host, []);
    const http = server({ config });
    adapter.routes?.(http.app, http.verified);
    const end = new AbortController();
    const running = adapter.run(end.signal);
    const gateway = { url: await http.listen(), link: http.signInLink };
    const client = await PageClient.open(gateway, await cookieFor(gateway));
    const outbox = new Outbox(client);
    const entries = () => new ChatLog(host.store, Date.now).missed(CHAT, '', 0).entries;
    const card = () => entries().findLast((entry) => entry.type === 'ask');
    const stop = async (): Promise<void> => {
      end.abort(new Error('the test is over'));
      await running;
    };
    return {
      adapter,
      host,
      chat: { platform: 'web', account: 'main', chat: CHAT },
      say: (text) => outbox.say(text),
      unacknowledged: () => outbox.unacknowledged(),
      visible: () => entries().flatMap(shown),
      choices: () => card()?.choices.map(({ label }) => label) ?? [],
      click: (label) => {
        const clicked = card();
        if (clicked) outbox.click(clicked, label);
      },
      outdateClicks: () => void client.close(),
      until: async (predicate) => {
        while (!predicate()) {
          outbox.unacknowledged();
          await new Promise((resolve) => setTimeout(resolve, 2));
        }
      },
      stop,
      close: async () => {
        await stop();
        await http.close();
      },
      faults: {},
    };
  },
});
