import type { ClientFrame, ServerFrame } from '../../adapters/web/codec.ts';
import type { EchoGateway } from './echo-gateway.ts';

/** Node's WebSocket takes headers, which the browsers' one (whose types these are) does not. */
const Socket = WebSocket as unknown as new (url: string, options: { readonly headers: Readonly<Record<string, string>> }) => WebSocket;

/** A running server with the page behind it. */
type Reachable = Pick<EchoGateway, 'url' | 'link'>;

/** Signs in as the page does. The Cookie header. */
export async function cookieFor(gateway: Reachable): Promise<string> {
  const link = new URL(gateway.link());
  const answer = await fetch(new URL('/api/sign-in', link), {
    method: 'POST',
    headers: { origin: link.origin, 'content-type': 'application/json' },
    body: JSON.stringify({ code: link.hash.slice('#code='.length) }),
  });
  return answer.headers.getSetCookie()[0]?.split(';', 1)[0] ?? '';
}

/** A page without a page: the frames alone, over a real socket. */
export class PageClient {
  readonly frames: ServerFrame[] = [];
  readonly closed: Promise<number>;
  readonly #socket: WebSocket;
  readonly #opened: Promise<void>;
  #waiting: (() => void)[] = [];

  constructor(url: string, cookie: string) {
    const { host, origin } = new URL(url);
    this.#socket = new Socket(`ws://${host}/ws`, { headers: { cookie, origin } });
    this.#opened = new Promise((resolve, reject) => {
      this.#socket.addEventListener('open', () => resolve());
      this.#socket.addEventListener('error', () => reject(new Error('The socket was refused.')));
    });
    // A test that expects a refusal looks at `closed`.
    this.#opened.catch(() => undefined);
    this.closed = new Promise((resolve) => this.#socket.addEventListener('close', ({ code }) => resolve(code)));
    this.#socket.addEventListener('message', ({ data }) => {
      this.frames.push(JSON.parse(String(data)) as ServerFrame);
      for (const wake of this.#waiting.splice(0)) wake();
    });
  }

  static async open(gateway: Reachable, cookie?: string): Promise<PageClient> {
    const client = new PageClient(gateway.url, cookie ?? (await cookieFor(gateway)));
    await client.#opened;
    return client;
  }

  send(frame: ClientFrame): void {
    this.raw(JSON.stringify(frame));
  }

  raw(data: string | Uint8Array<ArrayBuffer>): void {
    this.#socket.send(data);
  }

  message(id: string, text: string, chat = 'main'): void {
    this.send({ type: 'message', chat, id, text });
  }

  /** The first frame that fits, also one that came already. */
  async until<F extends ServerFrame>(fits: (frame: ServerFrame) => frame is F): Promise<F> {
    for (;;) {
      const found = this.frames.find(fits);
      if (found) return found;
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  ack(id: string): Promise<ServerFrame> {
    return this.until((frame): frame is ServerFrame => frame.type === 'ack' && frame.id === id);
  }

  /** The entries shown, newest version each, in order. */
  entries(chat = 'main') {
    const known = new Map<number, Extract<ServerFrame, { type: 'entry' }>['entry']>();
    for (const frame of this.frames) {
      if (frame.type === 'opened' && frame.chat === chat) for (const entry of frame.entries) known.set(entry.seq, entry);
      if (frame.type === 'entry' && frame.chat === chat) known.set(frame.entry.seq, frame.entry);
    }
    return [...known.values()].sort((one, other) => one.seq - other.seq);
  }

  close(): Promise<number> {
    this.#socket.close();
    return this.closed;
  }
}
