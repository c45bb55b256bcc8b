/** Commands about what is at work: in this chat, and in the background for it. */
import { backgroundLane, backgroundOf, newBackgroundId } from '../background.ts';
import type { RunningProcess } from '../processes.ts';
import { isOwner } from '../roles.ts';
import type { TurnRow } from '../store/turns.ts';
import { accountKey } from '../target.ts';
import { duration, quoted } from '../words.ts';
import type { Command, CommandCall, CommandResult } from './command.ts';
import { carried, chosen, dropUnbegun } from './conversation.ts';

const titleUnits = 100;
const runId = /^(?:bg_\w*|t\d+|proc_\w+)$/i;

const stop: Command = {
  name: 'stop',
  aliases: [],
  usage: '[id]',
  description: 'Stop what I am doing here, or a run that /agents shows',
  who: 'anyone',
  whileBusy: true,
  run: (call) => {
    if (runId.test(call.args)) return stopRun(call, call.args);
    const { store, lanes } = call.ports;
    const dropped = dropUnbegun(call);
    if (store.turns.cut(call.lane, 'stop')) return { reply: '🛑 Stopped.', after: () => lanes.cut(call.lane, 'stop') };
    if (dropped) return { reply: '🛑 Stopped before I began.' };
    const runs = visible(call).filter(({ lane }) => backgroundOf(lane)?.chat === call.lane);
    const others = [...runs.map((run) => line(call, run)), ...processesHere(call).map((process) => processLine(call, process))];
    const reply = 'Nothing is running here.';
    return { reply: others.length === 0 ? reply : [reply, 'In the background:', ...others].join('\n') };
  },
};

const background: Command = {
  name: 'background',
  aliases: ['bg', 'btw'],
  usage: '<prompt>',
  description: 'Do something beside this conversation and post the result here',
  who: 'anyone',
  whileBusy: true,
  run: (call) => {
    if (call.args === '') return { reply: 'What should I do in the background? Write /background and the task.' };
    const { id, lane } = newRun(call);
    const title = call.args.toWellFormed().replaceAll(/\s+/g, ' ').slice(0, titleUnits).toWellFormed();
    call.ports.sessions.begin(lane, { title, settings: carried(chosen(call)) });
    const reply = `🔄 ${id} is at work on it beside our conversation; its result comes here. /agents shows it, /stop ${id} ends it.`;
    return { reply, say: { text: call.args, lane } };
  },
};

const agents: Command = {
  name: 'agents',
  aliases: ['tasks'],
  usage: '[stop <id>]',
  description: 'Show what is at work here and in the background',
  who: 'anyone',
  whileBusy: true,
  run: (call) => {
    const [verb = '', id = '', ...more] = call.args.split(/\s+/);
    if (verb === '') return { reply: shown(call) };
    if (verb.toLowerCase() === 'stop' && id !== '' && more.length === 0) return stopRun(call, id);
    return { reply: 'Write /agents to see what is at work, or /agents stop and its id.' };
  },
};

export const runCommands: readonly Command[] = [stop, background, agents];

function newRun({ lane: chat, now, ports: { store } }: CommandCall): { readonly id: string; readonly lane: string } {
  for (;;) {
    const id = newBackgroundId(now);
    const lane = backgroundLane({ id, chat });
    if (store.sessions.open(lane) === undefined) return { id, lane };
  }
}

/** The turns of this chat and its background runs; for the owner those of every chat. */
function visible({ event, lane, ports }: CommandCall): readonly TurnRow[] {
  const all = isOwner(event, ports);
  return ports.store.turns.atWork().filter((turn) => all || turn.lane === lane || backgroundOf(turn.lane)?.chat === lane);
}

function idOf(turn: TurnRow): string {
  return backgroundOf(turn.lane)?.id ?? `t${turn.id}`;
}

function stopRun(call: CommandCall, id: string): CommandResult {
  const { store, lanes } = call.ports;
  const process = visibleProcesses(call).find((each) => each.id === id.toLowerCase());
  if (process !== undefined) return { reply: `🛑 Stopped ${process.id}.`, after: () => void call.ports.processes.end(process.id) };
  const found = visible(call).find((turn) => idOf(turn).toLowerCase() === id.toLowerCase());
  if (found === undefined) return stopUnbegun(call, id) ?? { reply: `There is no run "${quoted(id, 60)}" here.\n${shown(call)}` };
  store.turns.cut(found.lane, 'stop');
  return { reply: `🛑 Stopped ${idOf(found)}.`, after: () => lanes.cut(found.lane, 'stop') };
}

/** A background run that still waits for the rest of its prompt. Undefined: there is none. */
function stopUnbegun({ event, lane: chat, ports }: CommandCall, id: string): CommandResult | undefined {
  const { store, sessions } = ports;
  for (const lane of store.inbox.lanes()) {
    const run = backgroundOf(lane);
    if (run?.id.toLowerCase() !== id.toLowerCase() || !(isOwner(event, ports) || run.chat === chat)) continue;
    for (const entry of store.inbox.pending(lane)) store.inbox.settle(entry.id, 'silent');
    sessions.end(lane, 'done');
    return { reply: `🛑 Stopped ${run.id} before it began.` };
  }
  return undefined;
}

function shown(call: CommandCall): string {
  const lines = [...visible(call).map((run) => line(call, run)), ...visibleProcesses(call).map((process) => processLine(call, process))];
  return lines.length === 0 ? 'Nothing is at work.' : `At work:\n${lines.join('\n')}`;
}

/** Those of this chat; for the owner those of every chat. */
function visibleProcesses(call: CommandCall): readonly RunningProcess[] {
  return isOwner(call.event, call.ports) ? call.ports.processes.running() : processesHere(call);
}

/** Those that its turns and its background runs have started, also in conversations that are over. */
function processesHere({ lane, ports: { store, processes } }: CommandCall): readonly RunningProcess[] {
  return processes.running().filter(({ session }) => {
    const key = store.sessions.get(session)?.key ?? '';
    return key === lane || backgroundOf(key)?.chat === lane;
  });
}

function processLine({ now }: CommandCall, { id, command, startedAtMs }: RunningProcess): string {
  return `- ${id}, ${quoted(command, 60)}: ${duration(now - startedAtMs)} (/stop ${id})`;
}

function line(call: CommandCall, turn: TurnRow): string {
  const since = duration(call.now - turn.createdAt);
  if (turn.cut !== null) return `- ${what(call, turn)}: ${since}, stopping`;
  return `- ${what(call, turn)}: ${since} (${turn.lane === call.lane ? '/stop' : `/stop ${idOf(turn)}`})`;
}

function what({ lane, ports: { store, daemon } }: CommandCall, turn: TurnRow): string {
  const { target, requester } = turn;
  const run = backgroundOf(turn.lane);
  const place = `${daemon.label(accountKey(target.chat))}, ${quoted(requester.name, 40)}`;
  if (run === undefined) return turn.lane === lane ? 'this conversation' : `${idOf(turn)}, ${place}`;
  const title = quoted(store.sessions.get(turn.sessionId)?.title ?? '', 60);
  return run.chat === lane ? `${run.id}, ${title}` : `${run.id}, ${place}, ${title}`;
}
