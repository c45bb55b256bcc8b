/**
 * Questions to people: a durable row and a card, answered once, by somebody who may. A run that asks again after a restart finds its own
 * question under the same (turn, call, n), with its old deadline.
 */
import type { Approval, ApprovalRequest, Asks, Question } from '../../agent/ask.ts';
import type { Audit } from '../audit.ts';
import type { Log } from '../log.ts';
import type { Outbox } from '../outbox.ts';
import { mayApprove, visitorOf } from '../roles.ts';
import type { Settings } from '../settings.ts';
import { type AskRow, newToken } from '../store/asks.ts';
import type { Store } from '../store/index.ts';
import type { AskBody, AskDecision, Requester } from '../store/schema.ts';
import type { TurnRow } from '../store/turns.ts';
import { outboxLane } from '../target.ts';
import type { Clock } from '../time.ts';
import { addWithCard } from './add.ts';
import { approvalMarkdown } from './call-text.ts';
import type { Cards } from './cards.ts';
import { createReviewer, type Review, type Reviewer } from './smart.ts';
import { questionMarkdown, refusalOf, reviewRefusal, unanswered } from './text.ts';

export interface AskDesk {
  /** What a run of this turn asks through. `sessionKey` names exactly this call, for "this session". */
  forTurn(turn: TurnRow, gate: AskGate): Asks;
  /** Part of the caller's transaction: the first decision counts. Call `settled` once it is committed. False: too late. */
  decide(ask: AskRow, decision: AskDecision): boolean;
  /** Wakes the run that waits, and shows the end on the card. */
  settled(askId: number): void;
  /** Part of the caller's transaction: the turn ended, nobody waits any more. Returns what to pass to `settled`. */
  closeTurn(turnId: number): readonly number[];
  /** The card will not be seen: nobody can answer, and the run goes on without. */
  lost(cardId: number): void;
  /** At start, before any turn goes on: the cards that were given up and whose questions a crash kept open. */
  recover(): void;
}

/** What the turn's policy knows about a call. */
export interface AskGate {
  sessionKey(request: ApprovalRequest): string;
  /** After a no: the same is not asked again in this turn. */
  refused(subjects: readonly string[]): void;
}

/** What the answers to questions that no run asks do. */
export interface AskEffects {
  /** Ends the lane's turn, whose row says already that it is cut. */
  interrupt(lane: string): void;
  /** Part of the decision's transaction. */
  pairing(request: string, letIn: boolean, by: Requester): void;
}

export interface DeskOptions {
  readonly store: Store;
  readonly outbox: Outbox;
  readonly cards: Cards;
  readonly settings: () => Settings;
  readonly effects: AskEffects;
  readonly audit: Pick<Audit, 'askDecided'>;
  readonly log: Log;
  readonly now: Clock;
}

type Wake = () => void;

export function createAskDesk(options: DeskOptions): AskDesk {
  const { store, cards } = options;
  const waiting = new Map<number, Wake>();
  const review = createReviewer(options);
  const settled = (askId: number): void => {
    waiting.get(askId)?.();
    cards.close(askId);
    const ask = store.asks.get(askId);
    if (ask?.state === 'decided') decided(options, ask);
  };
  const lost = (ask: AskRow): void => {
    if (store.durable(() => store.asks.close(ask.id, { state: 'closed' }))) settled(ask.id);
  };
  return {
    forTurn: (turn, gate) => askPort({ ...options, waiting, review }, turn, gate),
    decide: (ask, decision) => decide(options, ask, decision),
    settled,
    closeTurn: (turnId) => {
      const open = store.asks.ofTurn(turnId).filter(({ state }) => state === 'open');
      for (const { id } of open) store.asks.close(id, { state: 'closed' });
      return open.map(({ id }) => id);
    },
    lost: (cardId) => {
      const ask = store.asks.byCard(cardId);
      if (ask !== undefined) lost(ask);
    },
    recover: () => {
      for (const ask of store.asks.open()) if (isGivenUp(store, ask)) lost(ask);
    },
  };
}

function isGivenUp({ outbox }: Store, { cardId }: AskRow): boolean {
  const state = outbox.receipt(cardId)?.state;
  return state === 'failed' || state === 'unknown';
}

/** Its time may be over although no timer has said so yet: the machine slept, or the click waited at the platform. */
function decide({ store, effects, audit, now }: DeskOptions, ask: AskRow, decision: AskDecision): boolean {
  if (ask.deadline <= now()) {
    store.asks.close(ask.id, { state: 'expired' });
    return false;
  }
  if (!store.asks.close(ask.id, { state: 'decided', decision })) return false;
  audit.askDecided(ask, decision);
  if (ask.body.kind === 'interrupt') store.turns.cut(ask.lane, 'interrupt');
  if (ask.body.kind === 'pairing') effects.pairing(ask.body.request, decision.choice === 'allow', decision.by);
  if (ask.body.kind !== 'approval') return true;
  const { remember } = ask.body;
  const { choice, by } = decision;
  if (choice === 'always' && remember.always !== undefined) store.approvals.remember({ scope: 'always', ...remember.always, by });
  if (choice === 'session') {
    const scope = sessionScope(store, ask);
    if (scope !== undefined) store.approvals.remember({ scope, key: remember.session, label: ask.body.markdown, by });
  }
  return true;
}

function sessionScope(store: Store, ask: AskRow): string | undefined {
  return store.turns.sessionOf(ask.turnId);
}

/** Once that is committed. */
function decided({ effects, outbox }: DeskOptions, { body, lane }: AskRow): void {
  if (body.kind === 'interrupt') effects.interrupt(lane);
  if (body.kind === 'pairing') outbox.kick(outboxLane(body.chat));
}

interface PortOptions extends DeskOptions {
  readonly waiting: Map<number, Wake>;
  readonly review: Reviewer;
}

function askPort(options: PortOptions, turn: TurnRow, gate: AskGate): Asks {
  const { settings } = options;
  return {
    approve: async (request, signal) => {
      const { doubtful, subjects, memory } = request.risk;
      const remember = { session: gate.sessionKey(request), ...(memory === undefined ? {} : { always: memory }) };
      const facts = { markdown: approvalMarkdown(request), subjects: doubtful ?? subjects, remember };
      const isTheirs = mayApprove(visitorOf(turn), options);
      const body: AskBody = { kind: 'approval', ...facts, ...(isTheirs ? {} : { forAdmins: true }) };
      const refuse = (reason: string): Approval => {
        gate.refused(body.subjects);
        return { approved: false, reason };
      };
      const review = await reviewed(options, { turn, request }, signal);
      if (review === 'approve') return approved;
      if (review === 'deny') {
        keepReview(options, { turn, callId: request.call.id, n: 0, body, patienceMs: 0 });
        return refuse(reviewRefusal);
      }
      const { approvalMs } = settings().approvals;
      const ended = await ask(options, { turn, callId: request.call.id, n: 0, body, patienceMs: approvalMs }, signal);
      const decision = outcomeOf(ended);
      if (typeof decision !== 'string' && decision.choice !== 'deny') return approved;
      return refuse(refusalOf(decision, Math.round(approvalMs / 1000)));
    },
    question: async (question, { callId, index }, signal) => {
      const body = questionBody(question);
      const { questionMs } = settings().approvals;
      const ended = await ask(options, { turn, callId, n: index + 1, body, patienceMs: question.timeoutMs ?? questionMs }, signal);
      const decision = outcomeOf(ended);
      return typeof decision === 'string' ? { answered: false, reason: unanswered[decision] } : { answered: true, text: decision.text };
    },
  };
}

const approved: Approval = { approved: true, reason: '' };

interface ToReview {
  readonly turn: TurnRow;
  readonly request: ApprovalRequest;
}

/** What a person was asked before a restart stays theirs to decide. A review that a crash cut is made again: the call has not started. */
async function reviewed({ store, review }: PortOptions, { turn, request }: ToReview, signal: AbortSignal): Promise<Review> {
  if (store.asks.find({ turnId: turn.id, callId: request.call.id, n: 0 }) !== undefined) return 'escalate';
  return review({ ...request, workspace: store.sessions.get(turn.sessionId)?.workspace ?? '' }, signal);
}

const reviewer = { id: 'review', name: 'The automatic review' };

/** Without a card. A turn that goes on after a crash keeps the refusal and asks nobody again. */
function keepReview({ store, now }: PortOptions, { turn, callId, n, body }: NewQuestion): void {
  const chat = outboxLane(turn.target.chat);
  const { lane, target, requester } = turn;
  const facts = { turnId: turn.id, callId, n, token: newToken(), chat, number: store.asks.nextNumber(chat), lane, target, requester, body };
  store.quick(() => {
    const { id } = store.asks.add({ ...facts, cardId: 0, deadline: now() });
    store.asks.close(id, { state: 'decided', decision: { choice: 'deny', text: '', by: reviewer } });
    store.asks.cardClosed(id);
  });
}

function questionBody(question: Question): AskBody {
  const { choices, allowFreetext } = question;
  return { kind: 'question', markdown: questionMarkdown(question), choices, allowFreetext: allowFreetext || choices.length === 0 };
}

function outcomeOf({ state, decision }: AskRow): AskDecision | 'expired' | 'gone' {
  if (state === 'expired') return 'expired';
  return decision ?? 'gone';
}

interface NewQuestion {
  readonly turn: TurnRow;
  readonly callId: string;
  readonly n: number;
  readonly body: AskBody;
  readonly patienceMs: number;
}

/** Resolves when it is closed, whoever closed it; rejects with the signal's reason. */
async function ask(options: PortOptions, question: NewQuestion, signal: AbortSignal): Promise<AskRow> {
  const { store } = options;
  signal.throwIfAborted();
  const { turn, callId, n } = question;
  const row = store.asks.find({ turnId: turn.id, callId, n }) ?? open(options, question);
  if (row.state === 'open') await untilClosed(options, row, signal);
  return store.asks.get(row.id) ?? row;
}

/** The row and its card in one transaction. */
function open({ store, outbox, now }: PortOptions, { turn, callId, n, body, patienceMs }: NewQuestion): AskRow {
  const { id: turnId, lane, target, requester } = turn;
  const facts = { turnId, callId, n, lane, target, requester, body, deadline: now() + patienceMs };
  const row = store.durable(() => addWithCard(store, facts));
  outbox.kick(row.chat);
  return row;
}

function untilClosed(options: PortOptions, row: AskRow, signal: AbortSignal): Promise<void> {
  const { waiting, now } = options;
  return new Promise((resolve, reject) => {
    const end = (settle: () => void): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', cut);
      waiting.delete(row.id);
      settle();
    };
    const cut = (): void => end(() => reject(signal.reason));
    const timer = setTimeout(() => expire(options, row), Math.max(0, row.deadline - now()));
    signal.addEventListener('abort', cut, { once: true });
    waiting.set(row.id, () => end(resolve));
  });
}

/** A disk that is full does not make the run wait for ever: it reads the row again as it is, which is no consent. */
function expire({ store, waiting, cards, log }: PortOptions, row: AskRow): void {
  try {
    store.asks.close(row.id, { state: 'expired' });
  } catch (error) {
    log.error({ ask: row.id, err: error }, 'that a question has expired could not be stored (is the disk full?)');
  }
  waiting.get(row.id)?.();
  cards.close(row.id);
}
