/** The one door in: an event is seen before, refused, an answer, a command, or work for a lane. One synchronous transaction a batch, before the platform is told. */
import type { Inbound, InboundMessage } from '../adapters/adapter.ts';
import { decide } from './access.ts';
import type { Account } from './accounts.ts';
import type { Answers } from './asks/answers.ts';
import { looseDecision } from './asks/loose.ts';
import type { BotGuard } from './bots.ts';
import type { Busy } from './busy.ts';
import { parseCommand } from './commands/parse.ts';
import { type Control, targetOf } from './control.ts';
import type { Lanes } from './lanes.ts';
import type { Log } from './log.ts';
import { noticePart, type Outbox } from './outbox.ts';
import type { Door } from './pairing/door.ts';
import type { Receipts } from './receipts.ts';
import { type Rest, restOf } from './rest.ts';
import { type KeyRules, sessionKey } from './sessions.ts';
import type { Settings } from './settings.ts';
import type { InboxEntry } from './store/inbox.ts';
import type { Store } from './store/index.ts';
import { accountKey, outboxLane } from './target.ts';
import type { Clock } from './time.ts';

export interface InboxOptions {
  readonly store: Store;
  readonly outbox: Outbox;
  readonly lanes: Lanes;
  readonly busy: Busy;
  readonly receipts: Receipts;
  readonly door: Door;
  readonly bots: BotGuard;
  readonly answers: Answers;
  readonly control: Control;
  readonly keys: KeyRules;
  readonly settings: () => Settings;
  readonly account: (key: string) => Account | undefined;
  readonly log: Log;
  readonly now: Clock;
}

export interface Inbox {
  /** `Host.receive`: returns when all is on disk or knowingly refused; throws when nothing is. */
  receive(events: readonly Inbound[], keep?: () => void): void;
  /** At start: runs the commands whose effect was not recorded, and takes up every lane with something waiting. */
  recover(): void;
}

/** What is to be done once an event is committed. */
type Step = () => void;

export function createInbox(options: InboxOptions): Inbox {
  const { store, lanes, control } = options;
  return {
    receive: (events, keep) => {
      const accepted = store.durable(() => {
        const steps = events.map((event) => accept(options, event));
        keep?.();
        return steps;
      });
      for (const step of accepted) if (step !== undefined) attempt(options, step);
    },
    recover: () => {
      for (const entry of store.inbox.commands()) attempt(options, () => control.run(entry));
      for (const lane of new Set([...store.turns.runningLanes(), ...store.inbox.lanes()])) lanes.kick(lane);
    },
  };
}

/** What follows the commit must not look to the platform as if the commit had failed: it would deliver again what is on disk. */
function attempt({ log }: InboxOptions, step: Step): void {
  try {
    step();
  } catch (error) {
    log.error({ err: error }, 'what a stored event asks for could not be done (is the disk full?); the next start tries again');
  }
}

/** Part of the batch's transaction; returns what is to be done once that is committed. */
function accept(options: InboxOptions, event: Inbound): Step | undefined {
  const { store, settings, control } = options;
  const config = settings().account(accountKey(event.chat));
  if (config === undefined) return undefined;
  const direct = event.chatType === 'dm' ? event.chat : undefined;
  const paired = store.people.meet(accountKey(event.chat), event.sender, direct) !== undefined;
  const decision = decide(event, { account: config, everywhere: settings().access, paired });
  const claimed = event.type === 'message' ? claim(options, event, decision.decision !== 'allow') : undefined;
  if (claimed !== undefined) return claimed;
  if (decision.decision === 'refuse') return refuse(options, event, decision.reason);
  if (decision.decision === 'pair') return event.type === 'message' ? knock(options, event) : refuse(options, event, 'a stranger');
  if (event.type === 'message' && !options.bots.admits(event)) return refuse(options, event, 'a bot, and we have just spoken');
  const lane = sessionKey(event, options.keys);
  const isControl = event.type !== 'message' || parseCommand(event) !== undefined;
  const id = store.inbox.add({ event, lane, state: isControl ? 'command' : 'pending' });
  if (id === undefined) return undefined; // seen before
  const entry: InboxEntry = { id, lane, payload: event, mode: null, receivedAt: options.now() };
  return isControl || event.type !== 'message' ? () => control.run(entry) : say(options, entry, event);
}

/** Something to say: the rest of what was said before, the answer to a question, or work for the lane. */
function say(options: InboxOptions, entry: InboxEntry, event: InboundMessage): Step {
  const rest = restOf(options, entry, event);
  if (rest === undefined) return sayNew(options, entry, event);
  if (rest === 'later') return () => options.store.durable(() => sayRest(options, entry, event))();
  return goOn(options, entry, rest);
}

/** When the command before it has run; where that could not be, it waits for what is at work. */
function sayRest(options: InboxOptions, entry: InboxEntry, event: InboundMessage): Step {
  const rest = restOf(options, entry, event);
  return goOn(options, entry, typeof rest === 'object' ? rest : { lane: entry.lane, mode: 'merge' });
}

function goOn({ store, lanes }: InboxOptions, { id }: InboxEntry, { lane, mode }: Exclude<Rest, 'later'>): Step {
  store.inbox.place(id, { lane, mode });
  return () => lanes.kick(lane);
}

function sayNew({ store, outbox, answers, busy, receipts, account }: InboxOptions, { id, lane }: InboxEntry, event: InboundMessage): Step {
  const words = answers.words(event);
  const buttons = account(accountKey(event.chat))?.adapter.buttons === true;
  const loose = words === undefined ? looseDecision({ approvals: answers.approvals, buttons }, lane, event) : undefined;
  const text = words?.text ?? loose?.text ?? '';
  if (text !== '') outbox.add([noticePart(targetOf(event), text)]);
  if (words === undefined && loose?.isAll !== true) {
    const { mode, after } = busy.take(lane, event);
    if (mode !== null) store.inbox.setMode(id, mode);
    return () => {
      outbox.kick(outboxLane(event.chat));
      after();
      receipts.show([event], 'seen');
    };
  }
  store.inbox.settle(id, 'said');
  return () => {
    words?.after();
    outbox.kick(outboxLane(event.chat));
  };
}

/** The new owner's code is no news to a model, and delivered again it is known. */
function claim({ store, keys, door }: InboxOptions, event: InboundMessage, stranger: boolean): Step | undefined {
  const after = door.claim(event, stranger);
  if (after === undefined) return undefined;
  const id = store.inbox.add({ event, lane: sessionKey(event, keys), state: 'command' });
  if (id !== undefined) store.inbox.settle(id, 'command');
  return after;
}

/** What a stranger writes is neither kept nor shown to anybody. */
function knock(options: InboxOptions, event: InboundMessage): Step {
  noted(options, event, 'a stranger');
  return options.door.knock(event);
}

const notForYou = 'Sorry, I only talk to people whom my owner has let in.';
const notYours = 'Sorry, you may not decide this.';

/** In silence; but a click and a native command always get a sentence, which nobody else sees, and change nothing. */
function refuse(options: InboxOptions, event: Inbound, reason: string): Step | undefined {
  noted(options, event, reason);
  if (event.type === 'message') return undefined;
  return () => options.control.respond(event, event.type === 'answer' ? notYours : notForYou);
}

function noted({ store, log, now }: InboxOptions, event: Inbound, reason: string): void {
  const account = accountKey(event.chat);
  log.info({ account, sender: event.sender.id, reason }, 'a message was refused');
  store.accounts.refused({ account, sender: event.sender.id, now: now() });
}
