/** A turn: from the messages that wait in a lane to the run that answers them. */
import { existsSync } from 'node:fs';
import type { Asks } from '../agent/ask.ts';
import type { Outcome } from '../agent/events.ts';
import { runsAgain } from '../agent/execute.ts';
import { type RunInput, type SystemPrompt, startRun } from '../agent/run.ts';
import type { PersonRef } from '../agent/tool.ts';
import type { TurnAudit } from './audit-turn.ts';
import { backgroundOf } from './background.ts';
import { nextBatch } from './batch.ts';
import { interject } from './interject.ts';
import { createJournal, type TurnJournal } from './journal.ts';
import type { AbortReason, Work } from './lanes.ts';
import type { Log } from './log.ts';
import { noticePart } from './outbox.ts';
import { personOf } from './person.ts';
import { createPolicy } from './policy.ts';
import type { Live } from './presenter/live.ts';
import { promptOf } from './prompt/session-prompt.ts';
import { resultFilesOf } from './result-files.ts';
import { openLive, sayBetween } from './show.ts';
import { isStoreFailure } from './store/failure.ts';
import type { SessionRow } from './store/sessions.ts';
import type { TurnRow } from './store/turns.ts';
import { accountKey, outboxLane } from './target.ts';
import { isOffered } from './toolsets.ts';
import { endTurn, type TurnEnding } from './turn-end.ts';
import { type Begun, begin, fetchInput, giveBack, isMessage, isUnread, keepUnread } from './turn-intake.ts';
import type { TurnOptions } from './turn-options.ts';
import { createWatchdog, type Overdue, type Watchdog } from './watchdog.ts';

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

function resume(options: TurnOptions, turn: TurnRow): Work | undefined {
  const { store, log } = options;
  if (turn.cut === 'interrupt' && isUnread(options, turn)) {
    giveBack(options, turn);
    return nextWork(options, turn.lane);
  }
  if (turn.cut !== null) return closing(options, { turn, ending: { type: turn.cut === 'stop' ? 'stopped' : 'interrupted' } });
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
  const run = async (signal: AbortSignal): Promise<void> => {
    keepUnread(options, ending.turn);
    await endTurn(options, ending, signal);
    options.bubbles.recover(ending.turn.id);
  };
  return { type: 'run', run };
}

async function runTurn(options: TurnOptions, begun: Begun, signal: AbortSignal): Promise<void> {
  const { turn } = begun;
  const session = options.store.sessions.get(turn.sessionId);
  if (session === undefined) throw new Error(`turn ${turn.id} belongs to no session`);
  const live = openLive(options, turn);
  try {
    await fetchInput(options, begun, signal);
    const resumption = {
      isCut: () => signal.reason === ('shutdown' satisfies AbortReason),
      runsAgain: (name: string) => options.tools.some((tool) => tool.name === name && runsAgain(tool)),
    };
    const audit = options.audit.turn(turn);
    const ports = { resumption, said: sayBetween(options, turn), audit, settled: options.desk.settled };
    const journal = createJournal(options.store, turn, ports);
    const person = personOf(turn, options);
    const system = await promptOf(options, { turn, session, person });
    const { outcome, reason } = await conduct(options, { turn, session, person, system, journal, audit, live }, signal);
    live?.stop();
    const failure = journal.failure();
    if (failure !== undefined) throw new Error('a step of a turn could not be stored', { cause: failure });
    if (reason === 'shutdown') return;
    await endTurn(options, { turn, session, ending: { type: 'outcome', outcome, reason } }, shutdownOf(signal));
    void live?.finish();
  } finally {
    live?.stop();
  }
}

interface Conducted {
  readonly outcome: Outcome;
  readonly reason: AbortReason | Overdue | undefined;
}

/** The run from its first event to its last. What fails around it ends it first: its next try must not be beside it. */
async function conduct(
  options: TurnOptions,
  { live, ...parts }: TurnParts & { readonly live: Live | undefined },
  signal: AbortSignal,
): Promise<Conducted> {
  const { turn, session } = parts;
  const input = runInput(options, parts); // before anything that has to be ended: it reads the store, which may fail
  const watchdog = watch(options, turn);
  const broken = new AbortController();
  const ended = AbortSignal.any([signal, watchdog.signal, broken.signal]);
  const run = startRun(input, ended);
  try {
    for await (const event of run.events) {
      watchdog.handle(event);
      options.children.handle(turn.lane, event);
      live?.handle(event);
      if (event.type === 'notice' && event.code === 'context_trimmed') tellOnce(options, { turn, session }, event.text);
    }
  } catch (error) {
    broken.abort(error);
    await run.outcome;
    throw error;
  } finally {
    watchdog.close();
    options.children.over(turn.lane);
  }
  const outcome = await run.outcome;
  return { outcome, reason: outcome.status === 'aborted' ? (ended.reason as AbortReason | Overdue) : undefined }; // the only two that abort it here
}

interface TurnParts {
  readonly turn: TurnRow;
  readonly session: SessionRow;
  readonly person: PersonRef | undefined;
  readonly system: SystemPrompt;
  readonly journal: TurnJournal;
  readonly audit: TurnAudit;
}

function runInput(options: TurnOptions, { turn, session, person, system, journal, audit }: TurnParts): RunInput {
  const { store, accounts, settings, desk, tools } = options;
  const { agent, tools: choices } = settings();
  const media = mediaOf(options, turn);
  const place = { id: session.id, workspace: session.workspace, media, ...(person === undefined ? {} : { person }) };
  const policy = createPolicy(
    { store, settings, tools, reachable: () => accounts.get(accountKey(turn.target.chat))?.isStopped() === false },
    turn,
    place,
  );
  const reasoning = session.settings.reasoning ?? agent.reasoning;
  return {
    session: place,
    system: { ...system, renew: (cutOf) => journal.guard(() => system.renew(cutOf)) },
    transcript: store.transcript.read(session.id, session.settings.keepFrom),
    started: store.turns.openCalls(turn.id),
    model: agent.models.get(session.settings.model),
    tools: tools.filter((tool) => isOffered(tool, choices, turn.target.chat.platform)),
    journal,
    policy: audit.policy(policy),
    asks: audit.asks(guardedAsks(desk.forTurn(turn, policy), journal)),
    resultFiles: resultFilesOf(options.writeFile, session),
    interject: (signal) => journal.guard(() => interject(options, turn, signal)),
    limits: { maxSteps: agent.maxSteps },
    ...(reasoning === undefined ? {} : { reasoning }),
  };
}

/** Where the files are that came with this turn's messages, and those of the session's earlier ones that are still there. */
function mediaOf({ store, media }: TurnOptions, { id, sessionId }: TurnRow): readonly string[] {
  const earlier = store.turns.withMedia(sessionId).filter((turn) => turn !== id);
  return [media.directory(id), ...earlier.map(media.directory).filter((directory) => existsSync(directory))];
}

/** A question that could not be stored is no refusal: the turn is taken up again. */
function guardedAsks(asks: Asks, { guard }: TurnJournal): Asks {
  return {
    approve: (request, signal) => guard(() => asks.approve(request, signal)),
    question: (question, from, signal) => guard(() => asks.question(question, from, signal)),
  };
}

function watch(options: TurnOptions, turn: TurnRow): Watchdog {
  const { settings, outbox, log } = options;
  const warn = (silentMs: number): void => {
    const minutes = Math.round(silentMs / 60_000);
    const stop = ['/stop', backgroundOf(turn.lane)?.id ?? ''].join(' ').trim();
    attempt(log, () => {
      outbox.add([noticePart(turn.target, `⏳ Nothing has happened for ${minutes} minutes; I am still waiting. (${stop} ends it.)`)]);
      outbox.kick(outboxLane(turn.target.chat));
    });
  };
  return createWatchdog({ limits: settings().agent.limits, warn, now: () => performance.now() }); // a clock that is set must end no turn
}

/** Fires at a shutdown only: what a finished turn has to say is not cut by a message or a stop that comes a moment too late. */
function shutdownOf(signal: AbortSignal): AbortSignal {
  const ended = new AbortController();
  const pass = (): void => {
    if (signal.reason === 'shutdown') ended.abort(signal.reason);
  };
  if (signal.aborted) pass();
  else signal.addEventListener('abort', pass, { once: true });
  return ended.signal;
}

/** Never throws: a turn that failed here would go on beside its own next try. What could not be told is told another time. */
function tellOnce(
  { store, outbox, log }: TurnOptions,
  { turn, session }: { readonly turn: TurnRow; readonly session: SessionRow },
  text: string,
): void {
  attempt(log, () => {
    if (store.sessions.get(session.id)?.trimmedTold !== false) return;
    store.durable(() => {
      store.sessions.markTrimmedTold(session.id);
      outbox.add([noticePart(turn.target, `ℹ️ ${text}`)]);
    });
    outbox.kick(outboxLane(turn.target.chat));
  });
}

function attempt(log: Log, tell: () => void): void {
  try {
    tell();
  } catch (error) {
    log.error({ err: error }, 'a notice could not be stored (is the disk full?)');
  }
}
