/** Control never waits behind the turn it is meant for: commands and clicks are acted on at once. */
import type { Inbound, InboundAnswer, InboundCommand, InboundMessage } from '../adapters/adapter.ts';
import type { Account } from './accounts.ts';
import type { Audit } from './audit.ts';
import type { Busy } from './busy.ts';
import type { Command, CommandCall, CommandPorts, CommandResult, Say } from './commands/command.ts';
import { hasWork } from './commands/conversation.ts';
import { parseCommand } from './commands/parse.ts';
import type { Log } from './log.ts';
import { noticePart, type Outbox } from './outbox.ts';
import { commandProblem } from './roles.ts';
import type { InboxEntry } from './store/inbox.ts';
import type { NewPart } from './store/outbox.ts';
import { accountKey, outboxLane, type TurnTarget } from './target.ts';
import type { Clock } from './time.ts';

const respondDeadlineMs = 10_000;

export interface Control {
  /** The effect, the reply and the record that it ran are one transaction. */
  run(entry: InboxEntry): void;
  /** Tells who clicked. For showing only. */
  respond(event: InboundAnswer | InboundCommand, text: string): void;
}

export interface ControlOptions {
  readonly ports: CommandPorts;
  readonly outbox: Outbox;
  readonly busy: Busy;
  readonly audit: Pick<Audit, 'command'>;
  readonly account: (key: string) => Account | undefined;
  readonly log: Log;
  readonly now: Clock;
}

export function createControl(options: ControlOptions): Control {
  return {
    respond: (event, text) => respond(options, event, text),
    run: (entry) => {
      const { id, payload } = entry;
      if (payload.type === 'answer') respond(options, payload, click(options, id, payload));
      else runCommand(options, entry);
    },
  };
}

function respond({ account: find, log }: ControlOptions, { chat, interaction }: InboundAnswer | InboundCommand, text: string): void {
  const account = find(accountKey(chat));
  if (account === undefined || account.penaltyMs(outboxLane(chat)) > 0) return; // the card shows what became of it
  account.adapter
    .respond?.(interaction, text, AbortSignal.timeout(respondDeadlineMs))
    .catch((error: unknown) => log.debug({ err: error }, 'a click could not be answered'));
}

/** Returns what to tell who clicked. */
function click({ ports }: ControlOptions, id: number, event: InboundAnswer): string {
  const { store, answers } = ports;
  const answered = store.durable(() => {
    const done = answers.click(event);
    store.inbox.settle(id, 'command');
    return done;
  });
  answered.after();
  return answered.text;
}

function runCommand(options: ControlOptions, entry: InboxEntry): void {
  const { ports, outbox } = options;
  const parsed = parseCommand(entry.payload);
  if (parsed === undefined) throw new Error(`inbox row ${entry.id} is no command`);
  const after = ports.store.durable(() => {
    if (parsed.type === 'unknown') return settle(options, entry, { reply: parsed.reply });
    const call = { id: entry.id, lane: entry.lane, event: parsed.event, args: parsed.args, now: options.now(), ports };
    return settle(options, entry, mayRun(options, parsed.command, call) ?? act(options, parsed.command, call));
  });
  after();
  outbox.kick(outboxLane(entry.payload.chat));
}

function act({ audit }: ControlOptions, { name, who, run }: Command, call: CommandCall): CommandResult {
  const result = run(call);
  if (who === 'admin') audit.command(call.event, { name, outcome: 'ran', reply: result.reply });
  return result;
}

/** Why not, if so. */
function mayRun({ audit }: ControlOptions, { name, who, whileBusy }: Command, call: CommandCall): CommandResult | undefined {
  const problem = commandProblem(call.event, { name, who }, call.ports);
  if (problem !== undefined) {
    const reply = `/${name} ${problem}`;
    audit.command(call.event, { name, outcome: 'refused', reply });
    return { reply };
  }
  if (whileBusy || !hasWork(call)) return undefined;
  return { reply: `/${name} has to wait until I am done here. /stop ends what I am doing.` };
}

/** Part of the command's transaction. */
function settle(options: ControlOptions, entry: InboxEntry, result: CommandResult): () => void {
  const { ports, outbox } = options;
  outbox.add(replyParts(options, entry.payload, result.reply));
  const { payload } = entry;
  const said = result.say === undefined ? undefined : turnInto(options, entry, result.say);
  if (said === undefined) ports.store.inbox.settle(entry.id, 'command');
  return () => {
    result.after?.();
    said?.();
    if (payload.type === 'command' && result.reply === '') respond(options, payload, '✓');
  };
}

function replyParts({ account }: ControlOptions, event: Inbound, reply: string): NewPart[] {
  if (reply === '') return [];
  const parts = account(accountKey(event.chat))?.platform.split(reply) ?? [reply];
  return parts.map((part) => withInteraction(noticePart(targetOf(event), part), event));
}

/** A native command waits for its reply on the platform, which may be for one person's eyes only. */
function withInteraction(part: NewPart, event: Inbound): NewPart {
  if (event.type !== 'command' || part.payload.type !== 'text') return part;
  return { ...part, payload: { ...part.payload, interaction: event.interaction } };
}

/** The command's own row becomes what is said: nothing is lost between the two. */
function turnInto({ ports, busy }: ControlOptions, entry: InboxEntry, { text, lane, mode }: Say): (() => void) | undefined {
  const { payload } = entry;
  if (payload.type === 'answer') return undefined;
  const message = asMessage(payload, text);
  const place = lane ?? entry.lane;
  const { store, lanes } = ports;
  store.inbox.turnInto(entry.id, message, { lane: place, mode: mode ?? null });
  if (mode !== undefined) return () => lanes.kick(place);
  const taken = busy.take(place, message);
  if (taken.mode !== null) store.inbox.setMode(entry.id, taken.mode);
  return taken.after;
}

function asMessage(event: InboundMessage | InboundCommand, text: string): InboundMessage {
  if (event.type === 'message') return { ...event, text };
  const { interaction: _, name: __, args: ___, ...base } = event;
  return { ...base, type: 'message', message: '', text, mentioned: true, attachments: [] };
}

export function targetOf(event: Inbound): TurnTarget {
  return { chat: event.chat, chatType: event.chatType };
}
