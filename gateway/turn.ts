/** A turn: from the messages that wait in a lane to the run that answers them. */
import type { InboundMessage } from '../adapters/adapter.ts';
import { type RunInput, startRun } from '../agent/run.ts';
import { systemPrompt } from '../agent/system-prompt.ts';
import { type MessageEntry, nextBatch } from './batch.ts';
import { createJournal } from './journal.ts';
import type { AbortReason, Work } from './lanes.ts';
import { noticePart } from './outbox.ts';
import { createPolicy } from './policy.ts';
import { createLive, type Live } from './presenter/live.ts';
import { isShared } from './sessions.ts';
import { isStoreFailure } from './store/failure.ts';
import type { InboxEntry } from './store/inbox.ts';
import type { SessionRow } from './store/sessions.ts';
import type { TurnRow } from './store/turns.ts';
import { accountKey, outboxLane, type TurnTarget } from './target.ts';
import { endTurn, type TurnEnding } from './turn-end.ts';
import { type InputMessage, type InputNotes, userMessage } from './turn-input.ts';
import type { TurnOptions } from './turn-options.ts';

/** A turn whose process died this often since its last persisted step is parked. */
const deathsBeforeParking = 2;

/** What a lane does next: go on with the turn that a crash cut, or begin one with what waits. */
export function nextWork(options: TurnOptions, lane: string): Work | undefined {
  const { store, now } = options;
  const cut = store.turns.running(lane);
  if (cut !== undefined) return resume(options, cut);
  const [first, ...rest] = store.inbox.pending(lane).filter(isMessage);
  if (first === undefined) return undefined;
  const batch = nextBatch([first, ...rest], now());
  if (batch.type === 'wait') return batch;
  const begun = begin(options, lane, batch.entries);
  return working(options, begun);
}

function isMessage(entry: InboxEntry): entry is MessageEntry {
  return entry.payload.type === 'message';
}

function resume(options: TurnOptions, turn: TurnRow): Work {
  const { store, log } = options;
  if (turn.stopped) return closing(options, { turn, ending: { type: 'stopped' } });
  if (turn.starts >= deathsBeforeParking) {
    log.error({ turn: turn.id }, 'a turn is parked: the gateway stopped twice while working on it');
    return closing(options, { turn, ending: { type: 'parked' } });
  }
  store.turns.setStarts(turn.id, turn.starts + 1);
  log.info({ turn: turn.id }, 'going on with a turn that was cut');
  const again = { ...turn, starts: turn.starts + 1 };
  return working(options, { turn: again, reset: undefined });
}

function working(options: TurnOptions, begun: Begun): Work {
  const run = async (signal: AbortSignal): Promise<void> => {
    try {
      await runTurn(options, begun, signal);
    } catch (error) {
      if (isStoreFailure(error)) spare(options, begun.turn);
      throw error;
    }
  };
  return { type: 'run', run };
}

/** A full disk is no death of the process: it must not park the turn, however long it lasts. */
function spare({ store, log }: TurnOptions, turn: TurnRow): void {
  try {
    store.turns.setStarts(turn.id, turn.starts - 1);
  } catch (error) {
    log.debug({ turn: turn.id, err: error }, 'neither can the next start be counted');
  }
}

/** Ends a turn that does not go on; the bubble that its process left on the platform is closed too. */
function closing(options: TurnOptions, ending: TurnEnding): Work {
  const run = (signal: AbortSignal): Promise<void> => {
    if (ending.turn.bubble !== null) void openLive(options, ending.turn)?.close('finish');
    return endTurn(options, ending, signal);
  };
  return { type: 'run', run };
}

interface Begun {
  readonly turn: TurnRow;
  /** The session before this one was ended by a policy just now. */
  readonly reset: 'idle' | 'daily' | undefined;
}

/** One transaction: the session, the turn, the claim on its messages and, unless files must be fetched first, the transcript's new message. */
function begin(options: TurnOptions, lane: string, entries: readonly MessageEntry[]): Begun {
  const { store, sessions, outbox } = options;
  const last = entries.at(-1);
  if (last === undefined) throw new Error('a turn needs a message');
  const target = targetOf(last.payload);
  const begun = store.quick(() => {
    const { session, reset } = sessions.open(lane);
    const turn = store.turns.create({ sessionId: session.id, lane, target });
    store.inbox.claim(
      entries.map((entry) => entry.id),
      turn.id,
    );
    if (reset !== undefined && options.notifyReset) outbox.add([noticePart(target, resetNotice(reset))]);
    if (entries.every((entry) => entry.payload.attachments.length === 0)) {
      const messages = entries.map((entry) => ({ message: entry.payload, attachments: [] }));
      appendInput(options, { turn, reset }, messages);
    }
    return { turn, reset };
  });
  if (begun.reset !== undefined) outbox.kick(outboxLane(target.chat));
  return begun;
}

function targetOf(message: InboundMessage): TurnTarget {
  const { chat, chatType } = message;
  return chatType === 'dm' ? { chat, chatType } : { chat, chatType, replyTo: message.message };
}

/** Part of the caller's transaction: what the model is told once is used up with the message that carries it. */
function appendInput({ store, keys }: TurnOptions, { turn, reset }: Begun, messages: readonly InputMessage[]): void {
  const undelivered = store.sessions.get(turn.sessionId)?.undelivered ?? undefined;
  if (undelivered !== undefined) store.sessions.setUndelivered(turn.sessionId, null);
  const notes: InputNotes = {
    shared: messages.some(({ message }) => isShared(message, keys)),
    ...(reset === undefined ? {} : { reset }),
    ...(undelivered === undefined ? {} : { undelivered }),
  };
  store.transcript.append(turn.sessionId, turn.id, userMessage(messages, notes));
}

function resetNotice(reset: 'idle' | 'daily'): string {
  const why = reset === 'idle' ? 'we had not talked for a while' : 'a new day began';
  return `ℹ️ I started a new conversation because ${why}. (\`session_reset\` in config.yaml changes when.)`;
}

async function runTurn(options: TurnOptions, begun: Begun, signal: AbortSignal): Promise<void> {
  const { store, agent } = options;
  const { turn } = begun;
  const session = store.sessions.get(turn.sessionId);
  if (session === undefined) throw new Error(`turn ${turn.id} belongs to no session`);
  await fetchInput(options, begun, signal);
  const journal = createJournal(store, turn);
  const input: RunInput = {
    session: { id: session.id, workspace: session.workspace },
    system: systemPromptOf(options, turn, session.workspace),
    transcript: store.transcript.read(session.id),
    started: store.turns.openCalls(turn.id),
    model: agent.model,
    tools: agent.tools,
    journal,
    policy: createPolicy(),
    asks: nobody,
    interject: async () => [],
    limits: { maxSteps: agent.maxSteps },
  };
  const live = openLive(options, turn); // after all that may throw: what is open here is closed below
  const run = startRun(input, signal);
  for await (const event of run.events) {
    live?.handle(event);
    if (event.type === 'notice' && event.code === 'context_trimmed') tellOnce(options, { turn, session }, event.text);
  }
  const outcome = await run.outcome;
  const failure = journal.failure();
  const isCut = outcome.status === 'aborted' && (signal.reason as AbortReason) === 'shutdown'; // goes on at the next start
  void live?.close(isCut || failure !== undefined ? 'keep' : 'finish');
  if (failure !== undefined) throw new Error('a step of a turn could not be stored', { cause: failure });
  if (isCut) return;
  await endTurn(options, { turn, session, ending: { type: 'outcome', outcome } }, signal);
}

const nobody: RunInput['asks'] = {
  approve: async () => ({ approved: false, reason: 'Refused: nobody can be asked.' }),
  question: async () => ({ answered: false, reason: 'nobody can be asked' }),
};

/** Files are fetched after the turn is claimed and before the model sees it; a crash in between fetches them again. */
async function fetchInput(options: TurnOptions, begun: Begun, signal: AbortSignal): Promise<void> {
  const { store, media } = options;
  const { turn } = begun;
  if (store.transcript.hasTurn(turn.sessionId, turn.id)) return;
  const messages: InputMessage[] = [];
  for (const { payload: message } of store.inbox.ofTurn(turn.id).filter(isMessage)) {
    messages.push({ message, attachments: await media.collect(turn.id, message, signal) });
  }
  store.quick(() => appendInput(options, begun, messages));
}

function openLive({ accounts, store, log, now }: TurnOptions, turn: TurnRow): Live | undefined {
  const account = accounts.get(accountKey(turn.target.chat));
  if (account === undefined) return undefined;
  const onBubble = (ref: Parameters<typeof store.turns.setBubble>[1]): void => store.turns.setBubble(turn.id, ref);
  return createLive({ account, target: turn.target, key: `turn-${turn.id}`, bubble: turn.bubble, onBubble, log, now });
}

const mediaRule = 'To send a file from your working directory, put a line of its own into your answer: MEDIA:path/of/the/file';

/** The same bytes for as long as the session lasts: providers cache by prefix. */
function systemPromptOf({ accounts, agent }: TurnOptions, turn: TurnRow, workspace: string): string {
  const { chat, chatType } = turn.target;
  const platform = accounts.get(accountKey(chat))?.platform;
  const instructions = [(platform?.limits.uploadBytes ?? 0) > 0 ? mediaRule : '', agent.instructions ?? ''].filter((line) => line !== '');
  return systemPrompt({ platformLabel: platform?.label ?? chat.platform, chatType, workspace, instructions: instructions.join('\n\n') });
}

/** Never throws: a turn that failed here would go on beside its own next try. What could not be told is told another time. */
function tellOnce(
  { store, outbox, log }: TurnOptions,
  { turn, session }: { readonly turn: TurnRow; readonly session: SessionRow },
  text: string,
): void {
  try {
    if (store.sessions.get(session.id)?.trimmedTold !== false) return;
    store.durable(() => {
      store.sessions.markTrimmedTold(session.id);
      outbox.add([noticePart(turn.target, `ℹ️ ${text}`)]);
    });
    outbox.kick(outboxLane(turn.target.chat));
  } catch (error) {
    log.error({ turn: turn.id, err: error }, 'a notice could not be stored (is the disk full?)');
  }
}
