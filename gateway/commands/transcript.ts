/** Commands about what was said: taking it back, leaving it out, counting it. */
import { messageTokensOf } from '../../agent/context/estimate.ts';
import type { SessionRow } from '../store/sessions.ts';
import type { TranscriptEntry } from '../store/transcript.ts';
import { counted, quoted } from '../words.ts';
import type { Command, CommandCall, CommandResult } from './command.ts';
import { exchanges, present, wordsOf } from './conversation.ts';

/** `/compress` keeps what fits into this part of the model's window, and never less than so many exchanges. */
const keptShare = 0.25;
const leastKept = 2;

const stays = 'What I did meanwhile outside of this conversation stays done.';

const retry: Command = {
  name: 'retry',
  aliases: [],
  usage: '',
  description: 'Answer your last message once more',
  who: 'anyone',
  whileBusy: false,
  run: (call) => {
    const entries = said(call);
    const last = exchanges(entries).at(-1);
    if (last === undefined) return { reply: 'There is nothing to answer once more.' };
    const answer = entries.slice(last).filter(({ body }) => body.role !== 'user' || body.note === true);
    call.ports.store.transcript.takeBack(answer.map(({ id }) => id));
    return { reply: '🔁 Once more.', say: { text: wordsOf(entries[last]?.body), mode: 'retry' } };
  },
};

const undo: Command = {
  name: 'undo',
  aliases: [],
  usage: '[n]',
  description: 'Take back your last message and what I said to it',
  who: 'anyone',
  whileBusy: false,
  run: (call) => {
    const count = call.args === '' ? 1 : Number(/^\d+$/.test(call.args) ? call.args : Number.NaN);
    if (!Number.isSafeInteger(count) || count < 1) return { reply: 'How many exchanges should I take back? Write /undo and a number.' };
    const entries = said(call);
    const taken = exchanges(entries).slice(-count);
    const first = taken[0];
    if (first === undefined) return { reply: 'There is nothing to take back.' };
    takeBack(call, entries.slice(first));
    const last = wordsOf(entries[first]?.body);
    return {
      reply: `↩️ I took back the last ${taken.length === 1 ? 'exchange' : counted(taken.length, 'exchange')}, from "${quoted(last, 80)}" on. ${stays}`,
    };
  },
};

const compress: Command = {
  name: 'compress',
  aliases: [],
  usage: '',
  description: 'Leave the oldest part of this conversation out of what I read',
  who: 'anyone',
  whileBusy: false,
  run: (call) => {
    const session = present(call);
    if (session === undefined) return { reply: 'There is nothing to leave out.' };
    return leaveOut(call, session);
  },
};

const usage: Command = {
  name: 'usage',
  aliases: [],
  usage: '',
  description: 'Show what this conversation has used',
  who: 'anyone',
  whileBusy: true,
  run: ({ lane, ports: { store } }) => {
    const session = store.sessions.open(lane);
    const entries = session === undefined ? [] : store.transcript.entries(session.id);
    if (session === undefined || entries.length === 0) return { reply: 'Nothing has been said in this conversation yet.' };
    const turns = store.turns.tokens(session.id);
    const [last] = turns;
    const total = { in: sum(turns.map(({ inputTokens }) => inputTokens)), out: sum(turns.map(({ outputTokens }) => outputTokens)) };
    const all = `${tokens(total)}; ${counted(turns.length, 'turn')}, ${counted(entries.length, 'message')}, ${counted(steps(entries), 'step')}`;
    if (last === undefined) return { reply: `This conversation: ${all}.` };
    const lastSteps = steps(entries.filter(({ turnId }) => turnId === last.id));
    const lastTurn = `${tokens({ in: last.inputTokens, out: last.outputTokens })}; ${counted(lastSteps, 'step')}`;
    return { reply: `This conversation: ${all}.\nIts last turn: ${lastTurn}.` };
  },
};

export const transcriptCommands: readonly Command[] = [retry, undo, compress, usage];

function said(call: CommandCall): readonly TranscriptEntry[] {
  const session = present(call);
  return session === undefined ? [] : call.ports.store.transcript.entries(session.id);
}

/** When nothing is left of what requests contain, what was left out before it belongs to them again. */
function takeBack({ lane, ports: { store } }: CommandCall, entries: readonly TranscriptEntry[]): void {
  store.transcript.takeBack(entries.map(({ id }) => id));
  const session = store.sessions.open(lane);
  const { keepFrom, ...settings } = session?.settings ?? {};
  if (session === undefined || keepFrom === undefined || store.transcript.read(session.id, keepFrom).length > 0) return;
  store.sessions.setSettings(session.id, settings);
}

function leaveOut({ ports }: CommandCall, session: SessionRow): CommandResult {
  const { store, settings } = ports;
  const { keepFrom = 0, model } = session.settings;
  const entries = store.transcript.entries(session.id).filter(({ id }) => id >= keepFrom);
  const starts = exchanges(entries);
  const most = settings().agent.models.get(model).windowTokens * keptShare;
  const from = firstKept(entries, starts, most);
  const start = starts[from];
  const first = start === undefined ? undefined : entries[start];
  if (from === 0 || start === undefined || first === undefined) {
    return { reply: `There is nothing to leave out: I read ${counted(starts.length, 'exchange')}, about ${tokensOf(entries)} tokens.` };
  }
  store.sessions.setSettings(session.id, { ...session.settings, keepFrom: first.id });
  const [out, kept] = [entries.slice(0, start), entries.slice(start)];
  return {
    reply: `🗜️ I no longer read the oldest ${counted(from, 'exchange')} (about ${tokensOf(out)} tokens). I keep the newest ${starts.length - from} (about ${tokensOf(kept)} tokens).`,
  };
}

/** Index of the first exchange to keep. */
function firstKept(entries: readonly TranscriptEntry[], starts: readonly number[], most: number): number {
  const sizes = starts.map((start, index) => sum(entries.slice(start, starts[index + 1]).map(({ body }) => messageTokensOf(body))));
  let total = 0;
  for (let index = sizes.length - 1; index >= 0; index -= 1) {
    total += sizes[index] ?? 0;
    if (total > most && sizes.length - index > leastKept) return index + 1;
  }
  return 0;
}

function steps(entries: readonly TranscriptEntry[]): number {
  return entries.filter(({ body }) => body.role === 'assistant').length;
}

function tokens({ in: input, out }: { readonly in: number; readonly out: number }): string {
  return `${input.toLocaleString('en')} tokens in, ${out.toLocaleString('en')} out`;
}

function tokensOf(entries: readonly TranscriptEntry[]): string {
  return Math.ceil(sum(entries.map(({ body }) => messageTokensOf(body)))).toLocaleString('en');
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
