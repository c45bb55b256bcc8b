/** Who is in a group. Asked for every message, WhatsApp would call it too much. https://baileys.wiki/faq */
import type makeWASocket from '@whiskeysockets/baileys';

type Socket = ReturnType<typeof makeWASocket>;
type Metadata = Awaited<ReturnType<Socket['groupMetadata']>>;

const FRESH_MS = 300_000;
const MOST_GROUPS = 200;

export interface GroupBook {
  /** Rejects with the library's error when the group cannot be asked about. */
  learn(jid: string): Promise<void>;
  known(jid: string): Metadata | undefined;
}

export function createGroupBook(): GroupBook & { attach(socket: Pick<Socket, 'groupMetadata' | 'ev'>): void } {
  const known = new Map<string, { readonly at: number; readonly metadata: Metadata }>();
  const fresh = (jid: string): Metadata | undefined => {
    const entry = known.get(jid);
    return entry !== undefined && Date.now() - entry.at < FRESH_MS ? entry.metadata : undefined;
  };
  let ask: ((jid: string) => Promise<Metadata>) | undefined;
  return {
    attach(socket) {
      ask = socket.groupMetadata;
      socket.ev.on('groups.update', (updates) => {
        for (const { id } of updates) known.delete(id ?? '');
      });
      socket.ev.on('group-participants.update', ({ id }) => void known.delete(id));
    },
    known: fresh,
    async learn(jid) {
      if (fresh(jid) !== undefined || ask === undefined) return;
      const metadata = await ask(jid);
      if (known.size >= MOST_GROUPS) known.clear();
      known.set(jid, { at: Date.now(), metadata });
    },
  };
}
