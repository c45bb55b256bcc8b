/** The one door in: an event is seen before, refused, a command, or work for a lane. One synchronous transaction a batch, before the platform is told. */
import type { Inbound } from '../adapters/adapter.ts';
import type { AccountConfig } from '../adapters/platform.ts';
import { decide, type GlobalAccess } from './access.ts';
import { parseCommand } from './commands/parse.ts';
import type { CommandPorts } from './commands/table.ts';
import type { Lanes } from './lanes.ts';
import type { Log } from './log.ts';
import { noticePart, type Outbox } from './outbox.ts';
import { type KeyRules, sessionKey } from './sessions.ts';
import type { InboxEntry } from './store/inbox.ts';
import type { Store } from './store/index.ts';
import { accountKey, outboxLane, type TurnTarget } from './target.ts';
import type { Clock } from './time.ts';

export interface InboxOptions {
  readonly store: Store;
  readonly outbox: Outbox;
  readonly lanes: Lanes;
  readonly commands: CommandPorts;
  readonly keys: KeyRules;
  readonly access: GlobalAccess;
  /** The configuration of an account's platform. */
  readonly account: (key: string) => AccountConfig | undefined;
  readonly log: Log;
  readonly now: Clock;
}

export interface Inbox {
  /** `Host.receive`: returns when all is on disk or knowingly refused; throws when nothing is. */
  receive(events: readonly Inbound[]): void;
  /** At start: runs the commands whose effect was not recorded, and takes up every lane with something waiting. */
  recover(): void;
}

export function createInbox(options: InboxOptions): Inbox {
  const { store, lanes } = options;
  return {
    receive: (events) => {
      const accepted = store.durable(() => events.map((event) => accept(options, event)));
      for (const step of accepted) if (step !== undefined) attempt(options, step);
    },
    recover: () => {
      for (const entry of store.inbox.commands()) attempt(options, () => runCommand(options, entry));
      for (const lane of new Set([...store.turns.runningLanes(), ...store.inbox.lanes()])) lanes.kick(lane);
    },
  };
}

/** What follows the commit must not look to the platform as if the commit had failed: it would deliver again what is on disk. */
function attempt({ log }: InboxOptions, step: () => void): void {
  try {
    step();
  } catch (error) {
    log.error({ err: error }, 'what a stored event asks for could not be done (is the disk full?); the next start tries again');
  }
}

/** Part of the batch's transaction; returns what is to be done once that is committed. */
function accept(options: InboxOptions, event: Inbound): (() => void) | undefined {
  const { store, lanes, outbox } = options;
  const config = options.account(accountKey(event.chat));
  if (config === undefined) return undefined;
  const decision = decide(event, config, options.access);
  if (decision.decision === 'refuse') {
    options.log.info({ account: accountKey(event.chat), sender: event.sender.id, reason: decision.reason }, 'a message was refused');
    return refuse(options, event, decision.tell) ? () => outbox.kick(outboxLane(event.chat)) : undefined;
  }
  const lane = sessionKey(event, options.keys);
  const isCommand = parseCommand(event) !== undefined;
  const id = store.inbox.add({ event, lane, state: isCommand ? 'command' : 'pending' });
  if (id === undefined) return undefined; // seen before
  if (isCommand) return () => runCommand(options, { id, lane, payload: event, receivedAt: options.now() });
  return () => lanes.kick(lane);
}

/** True when a polite sentence was written: at most one an hour to a person, none in groups. */
function refuse({ store, outbox, now }: InboxOptions, event: Inbound, tell: boolean): boolean {
  const told = store.accounts.refused({ account: accountKey(event.chat), sender: event.sender.id, now: now(), tell });
  if (told) outbox.add([noticePart(targetOf(event), 'Sorry, I only talk to people whom my owner has allowed.')]);
  return told;
}

function targetOf(event: Inbound): TurnTarget {
  return { chat: event.chat, chatType: event.chatType };
}

/** Control never waits behind the turn it is meant for. The effect, the reply and the record that it ran are one transaction. */
function runCommand(options: InboxOptions, entry: InboxEntry): void {
  const { store, outbox, lanes } = options;
  const parsed = parseCommand(entry.payload);
  if (parsed === undefined) throw new Error(`inbox row ${entry.id} is no command`);
  const result = store.durable(() => {
    const done = parsed.type === 'unknown' ? { reply: parsed.reply } : parsed.command.run(entry.lane, options.commands);
    outbox.add([noticePart(targetOf(entry.payload), done.reply)]);
    store.inbox.settle(entry.id, 'command');
    return done;
  });
  if ('cut' in result && result.cut === true) lanes.stop(entry.lane);
  outbox.kick(outboxLane(entry.payload.chat));
}
