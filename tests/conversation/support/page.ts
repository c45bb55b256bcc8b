/** The owner on the browser page: what the page sends over its socket, and what it would show of what it is sent. */
import type { AskEntry, Entry, ServerFrame } from '../../../adapters/web/codec.ts';
import { type Block, parseMarkdown } from '../../../gateway/web/markdown/tree.ts';
import { cookieFor, PageClient } from '../../page/page-client.ts';
import type { Card, Forgery, Person } from './person.ts';

const CHAT = 'main';

export interface OwnersPage extends Person {
  /** Signs in with the link, or with the cookie of before. */
  connect(link: string): Promise<void>;
  close(): Promise<void>;
}

export function ownersPage(): OwnersPage {
  const state: { client?: PageClient; cookie?: string; frames: ServerFrame[] } = { frames: [] };
  const client = (): PageClient => {
    if (state.client === undefined) throw new Error('the page is not connected');
    return state.client;
  };
  const id = (): string => crypto.randomUUID();
  const frames = (): readonly ServerFrame[] => [...state.frames, ...(state.client?.frames ?? [])];
  const entries = (): readonly Entry[] => client().entries(CHAT);
  const asks = (): readonly AskEntry[] => entries().flatMap((entry) => (entry.type === 'ask' ? [entry] : []));
  const entryOf = (card: Card): AskEntry | undefined => asks().find(({ seq }) => String(seq) === card.id);
  const click = (card: Card, change: Partial<{ token: string; choice: string; seq: number; chat: string }>): void => {
    const { seq, token } = entryOf(card) ?? { seq: 0, token: '' };
    client().send({ type: 'answer', chat: CHAT, id: id(), seq, token, choice: 'once', ...change });
  };
  return {
    name: 'owner',
    connect: async (link) => {
      const gateway = { url: new URL('/', link).href, link: () => link };
      state.frames.push(...(state.client?.frames ?? []));
      state.cookie ??= await cookieFor(gateway);
      state.client = await PageClient.open(gateway, state.cookie);
      state.client.send({ type: 'open', chat: CHAT, epoch: '', seen: 0 });
      await state.client.until((frame): frame is ServerFrame => frame.type === 'opened');
    },
    close: async () => void (await state.client?.close()),
    says: (...texts) => {
      for (const text of texts) client().message(id(), text);
    },
    repliesTo: (card, text) => client().send({ type: 'message', chat: CHAT, id: id(), text, replyTo: Number(card.id) }),
    clicks: (card, choice) => click(card, { choice: entryOf(card)?.choices.find(({ label }) => label === choice)?.id ?? '' }),
    forges: (card, forgery) => click(card, forged(forgery, Number(card.id))),
    reads: () => entries().flatMap((entry) => (entry.type === 'text' ? [plain(entry)] : [])),
    cards: () => asks().map(cardOf),
    progress: () => entries().flatMap((entry) => (entry.type === 'progress' && !entry.done ? [progressText(entry)] : [])),
    growing: () => growth(frames()),
    typing: () => frames().filter(({ type }) => type === 'typing').length,
    told: () => frames().flatMap(sentence),
    menu: () => frames().flatMap((frame) => (frame.type === 'welcome' ? frame.menu.map(({ name }) => name) : [])),
  };
}

function forged(forgery: Forgery, seq: number) {
  return { token: { token: 'z'.repeat(16) }, choice: { choice: 'zzz' }, copy: { seq: seq + 1000 }, chat: { chat: 'elsewhere1234' } }[
    forgery
  ];
}

function sentence(frame: ServerFrame): readonly string[] {
  if (frame.type === 'toast' && frame.text !== '') return [frame.text];
  return frame.type === 'refused' ? [frame.reason] : [];
}

function growth(frames: readonly ServerFrame[]): readonly string[] {
  const states: string[] = [];
  for (const frame of frames) {
    if (frame.type === 'preview' && frame.chat === CHAT) states.push((states.at(-1) ?? '').slice(0, frame.at) + frame.text);
  }
  return states;
}

function cardOf({ seq, number, markdown, choices, hint, closed }: AskEntry): Card {
  const text = `#${number} ${[markdown, closed ?? hint].map((part) => plain({ markdown: part })).join('\n\n')}`;
  return { id: String(seq), number, text, choices: closed === undefined ? choices.map(({ label }) => label) : [] };
}

const marks = { running: '⏳', ok: '✓', failed: '✗' } as const;

/** In the words of `gateway/web/views/progress-view.ts`, its icons as signs. */
function progressText({ steps, earlier = 0, notice = '', waiting }: Entry & { readonly type: 'progress' }): string {
  const lines = steps.map(({ tool, preview, state, count = 1, arguments: args = '' }) =>
    `${marks[state]} ${tool}: ${preview}${count === 1 ? '' : ` (×${count})`} ${args}`.trim(),
  );
  const foot = waiting ? 'Waiting for your answer' : notice;
  return ['Working', ...(earlier === 0 ? [] : [`… ${earlier} earlier`]), ...lines, foot].filter((line) => line !== '').join('\n');
}

/** What a reader sees of it: the words, without the marks. */
function plain({ markdown, plain: asIs }: { readonly markdown: string; readonly plain?: true }): string {
  return asIs === true ? markdown : blocks(parseMarkdown(markdown).children, markdown);
}

interface Node {
  readonly type: string;
  readonly value?: string;
  readonly children?: readonly Node[];
}

function blocks(nodes: readonly Block[], source: string): string {
  let text = '';
  let end = 0;
  for (const node of nodes) {
    if (text !== '') text += (node.position?.start.line ?? 0) - end > 1 ? '\n\n' : '\n';
    text += block(node, source);
    end = node.position?.end.line ?? 0;
  }
  return text;
}

function block(node: Block, source: string): string {
  if (node.type !== 'list') return 'children' in node && node.type === 'blockquote' ? blocks(node.children, source) : words(node);
  const items = node.children.map((item, index) => {
    const bullet = node.ordered === true ? `${(node.start ?? 1) + index}.` : '•';
    return `${bullet} ${blocks(item.children, source)}`;
  });
  return items.join('\n');
}

function words(node: Node): string {
  if (node.type === 'break') return '\n';
  return node.value ?? (node.children ?? []).map(words).join('');
}
