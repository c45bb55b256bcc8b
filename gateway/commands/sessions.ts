/** Commands that begin, name, list, copy and change conversations. */
import type { SessionRow } from '../store/sessions.ts';
import { counted, duration, quoted } from '../words.ts';
import type { Command, CommandCall, CommandResult } from './command.ts';
import { carried, dropUnbegun, nameOf, present, wordsOf } from './conversation.ts';

const longestTitle = 100;
const mostListed = 10;
/** Titles are looked for among so many. */
const mostSearched = 1000;

const fresh: Command = {
  name: 'new',
  aliases: ['reset'],
  usage: '[title]',
  description: 'Start a new conversation',
  who: 'anyone',
  whileBusy: true,
  run: (call) => {
    const { args, lane, ports } = call;
    const { store, sessions, lanes } = ports;
    dropUnbegun(call);
    const cut = store.turns.cut(lane, 'stop');
    sessions.end(lane, 'new');
    const title = asTitle(args);
    if (title !== '') sessions.begin(lane, { title });
    const reply = `✨ New conversation${title === '' ? '' : `: ${quoted(title, longestTitle)}`}. What can I do for you?`;
    return cut ? { reply, after: () => lanes.cut(lane, 'stop') } : { reply };
  },
};

const title: Command = {
  name: 'title',
  aliases: [],
  usage: '[text]',
  description: 'Show the title of this conversation, or give it one',
  who: 'anyone',
  whileBusy: true,
  run: (call) => {
    const { store } = call.ports;
    const session = present(call);
    if (session === undefined) return { reply: 'Nothing has been said in this conversation yet.' };
    const wanted = asTitle(call.args);
    if (wanted !== '') {
      store.sessions.setTitle(session.id, wanted);
      return { reply: `🏷️ This conversation is called: ${quoted(wanted, longestTitle)}` };
    }
    if (session.title === null) return { reply: 'This conversation has no title. /title and a text gives it one.' };
    return { reply: `This conversation is called: ${quoted(session.title, longestTitle)}` };
  },
};

const list: Command = {
  name: 'sessions',
  aliases: [],
  usage: '',
  description: 'Show the conversations of this chat',
  who: 'anyone',
  whileBusy: true,
  run: (call) => ({ reply: listed(call) }),
};

const resume: Command = {
  name: 'resume',
  aliases: [],
  usage: '[n|title]',
  description: 'Go on with an earlier conversation',
  who: 'anyone',
  whileBusy: false,
  run: (call) => {
    if (call.args === '') return { reply: listed(call) };
    const found = find(call);
    if (found === undefined) return { reply: `There is no conversation "${quoted(call.args, longestTitle)}" here.\n${listed(call)}` };
    const { store, sessions } = call.ports;
    const name = quoted(nameOf(found, call.ports), longestTitle);
    if (found.id === store.sessions.open(call.lane)?.id) return { reply: `We are in it: ${name}` };
    sessions.resume(found);
    const entries = store.transcript.entries(found.id);
    const last = quoted(wordsOf(entries.at(-1)?.body), 200);
    return { reply: `▶️ Back in: ${name} (${counted(entries.length, 'message')})${last === '' ? '' : `\nThe last words were: ${last}`}` };
  },
};

const branch: Command = {
  name: 'branch',
  aliases: ['fork'],
  usage: '[name]',
  description: 'Go on in a copy of this conversation',
  who: 'anyone',
  whileBusy: false,
  run: (call) => {
    const session = call.ports.store.sessions.open(call.lane);
    const entries = session === undefined ? [] : call.ports.store.transcript.entries(session.id);
    if (session === undefined || entries.length === 0) return { reply: 'Nothing has been said that I could copy.' };
    return branchOff(call, session, entries);
  },
};

export const sessionCommands: readonly Command[] = [fresh, title, list, resume, branch];

/** One line. */
function asTitle(text: string): string {
  return text.toWellFormed().replaceAll(/\s+/g, ' ').trim().slice(0, longestTitle).toWellFormed();
}

function branchOff(
  call: CommandCall,
  session: SessionRow,
  entries: ReturnType<CommandCall['ports']['store']['transcript']['entries']>,
): CommandResult {
  const { store, sessions } = call.ports;
  const name = asTitle(call.args) || asTitle(`${nameOf(session, call.ports).slice(0, longestTitle - 9)} (branch)`);
  const { keepFrom } = session.settings;
  const copy = sessions.begin(call.lane, { title: name, settings: carried(session.settings) });
  const ids = store.transcript.copy(entries, copy.id);
  const kept = keepFrom === undefined ? undefined : entries.find(({ id }) => id >= keepFrom);
  const newKept = kept === undefined ? undefined : ids.get(kept.id);
  if (newKept !== undefined) store.sessions.setSettings(copy.id, { ...copy.settings, keepFrom: newKept });
  const lines = [
    `🌿 We are in a copy now: ${quoted(name, longestTitle)} (${counted(entries.length, 'message')}).`,
    'It has a new, empty working directory; the files of the other one stay where they are. /resume goes back.',
  ];
  return { reply: lines.join('\n') };
}

function listed({ lane, now, ports }: CommandCall): string {
  const sessions = ports.store.sessions.recent(lane, mostListed);
  if (sessions.length === 0) return 'There are no conversations here yet.';
  const open = ports.store.sessions.open(lane)?.id;
  const lines = sessions.map((session, index) => {
    const age = session.id === open ? 'this one' : `${duration(now - session.updatedAt)} ago`;
    return `${index + 1}. ${quoted(nameOf(session, ports), 60)} (${age})`;
  });
  return `Conversations of this chat:\n${lines.join('\n')}\n\n/resume and a number or title goes back to one.`;
}

/** By its number in the list, its title, a part of it that no other has, or its id. */
function find({ args, lane, ports: { store } }: CommandCall): SessionRow | undefined {
  const numbered = /^#?\d{1,2}$/.test(args) ? store.sessions.recent(lane, mostListed)[Number(args.replace('#', '')) - 1] : undefined;
  if (numbered !== undefined) return numbered;
  const wanted = asTitle(args).toLowerCase();
  if (wanted === '') return undefined;
  const known = store.sessions.recent(lane, mostSearched);
  const titled = known.filter(({ title: name }) => name !== null);
  const exact = titled.find(({ title: name }) => name?.toLowerCase() === wanted);
  if (exact !== undefined) return exact;
  const similar = titled.filter(({ title: name }) => name?.toLowerCase().includes(wanted));
  return similar.length === 1 ? similar[0] : known.find(({ id }) => id === args);
}
