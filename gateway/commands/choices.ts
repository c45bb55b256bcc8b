/** Commands that choose how this conversation, or this chat, goes on. */
import { reasoningEfforts } from '../../agent/model.ts';
import { nearest } from '../nearest.ts';
import type { BusyMode, ProgressMode } from '../settings.ts';
import type { ChatSettings } from '../store/schema.ts';
import { quoted } from '../words.ts';
import type { Command, CommandCall } from './command.ts';
import { choose, chosen } from './conversation.ts';

const yolo: Command = {
  name: 'yolo',
  aliases: [],
  usage: '',
  description: 'Ask nothing before I act in this conversation, or ask again',
  who: 'admin',
  whileBusy: true,
  run: (call) => {
    const on = chosen(call).yolo !== true;
    choose(call, ({ yolo: _, ...others }) => (on ? { ...others, yolo: true } : others));
    if (!on) return { reply: '🔒 I ask again before I do something dangerous.' };
    const lines = [
      '⚡ From now on I do not ask before I act, until you write /yolo again or begin another conversation.',
      'What is never allowed stays forbidden.',
    ];
    return { reply: lines.join(' ') };
  },
};

const model: Command = {
  name: 'model',
  aliases: [],
  usage: '[name|default]',
  description: 'Show or choose the model of this conversation',
  who: 'anyone',
  whileBusy: true,
  run: (call) => {
    const { models } = call.ports.settings().agent;
    const [wanted = '', ...more] = call.args.split(/\s+/);
    if (wanted === '') return { reply: showModel(call) };
    if (more.length > 0 || wanted.length > 200) return { reply: 'A model has a name of one word. /model shows the choices.' };
    if (wanted.toLowerCase() === 'default') {
      choose(call, ({ model: _, ...others }) => others);
      return { reply: `The model is ${quoted(models.get().name, 200)} again, as configured.` };
    }
    const name = models.choices.find((choice) => choice.toLowerCase() === wanted.toLowerCase()) ?? wanted;
    const got = models.get(name).name;
    if (got !== name) return { reply: `There is only ${quoted(got, 200)} here, so nothing has changed.` };
    choose(call, (settings) => ({ ...settings, model: name }));
    const known = models.choices.length === 0 || models.choices.includes(name);
    return { reply: `🧠 From the next message on, this conversation is answered by ${quoted(name, 200)}.${known ? '' : ` ${unlisted}`}` };
  },
};

const unlisted = 'It is none of the configured choices: whether the provider has it, the next message shows.';

const reasoning: Command = {
  name: 'reasoning',
  aliases: [],
  usage: '[effort|default]',
  description: 'Show or choose how much I think before I answer',
  who: 'anyone',
  whileBusy: true,
  run: (call) => {
    const wanted = call.args.toLowerCase();
    const effort = reasoningEfforts.find((known) => known === wanted);
    const configured = call.ports.settings().agent.reasoning;
    if (effort !== undefined) {
      choose(call, (settings) => ({ ...settings, reasoning: effort }));
      return { reply: `🧠 From the next message on, I think with effort "${effort}" in this conversation.` };
    }
    if (wanted === 'default') {
      choose(call, ({ reasoning: _, ...others }) => others);
      return { reply: `The effort is ${configured || 'the provider’s own'} again, as configured.` };
    }
    const now = chosen(call).reasoning ?? configured;
    const shown = `Effort: ${now || 'the provider’s own'}. Choices: ${reasoningEfforts.join(', ')}, default.`;
    return { reply: wanted === '' ? shown : `I do not know the effort "${quoted(wanted, 40)}". ${shown}` };
  },
};

const personality: Command = {
  name: 'personality',
  aliases: [],
  usage: '[name|none]',
  description: 'Show or choose how I talk in this conversation',
  who: 'anyone',
  whileBusy: true,
  run: (call) => {
    const { personalities } = call.ports.settings().agent;
    const wanted = call.args.toLowerCase();
    if (wanted === 'none' || personalities.names.includes(wanted)) {
      choose(call, (settings) => ({ ...settings, personality: wanted }));
      const how = wanted === 'none' ? 'without a personality' : `as ${quoted(wanted, 60)}`;
      return { reply: `🎭 From the next message on, I talk ${how} in this conversation.` };
    }
    const names = personalities.names.map((name) => quoted(name, 60)).join(', ');
    const shown = `Personality: ${quoted(chosen(call).personality ?? personalities.chosen, 60)}. Choices: ${names}, none.`;
    if (wanted === '') return { reply: shown };
    const close = nearest(wanted, personalities.names);
    const hint = close === undefined ? '' : ` Did you mean ${quoted(close, 60)}?`;
    return { reply: `I do not know the personality "${quoted(wanted, 60)}".${hint} ${shown}` };
  },
};

const progressModes: readonly ProgressMode[] = ['off', 'new', 'all', 'verbose'];
const progressWords: Readonly<Record<ProgressMode, string>> = {
  off: 'I show nothing of what I do until I answer.',
  new: 'I show each kind of step once.',
  all: 'I show every step.',
  verbose: 'I show every step with all of its details.',
};

const verbose: Command = {
  name: 'verbose',
  aliases: [],
  usage: '[off|new|all|verbose]',
  description: 'Choose how much of my work I show in this chat',
  who: 'anyone',
  whileBusy: true,
  run: (call) => {
    const { lane, event, ports } = call;
    const wanted = call.args.toLowerCase();
    const present = ports.store.chats.get(lane).progress ?? ports.settings().display(event.chat.platform).progress;
    const next = progressModes[(progressModes.indexOf(present) + 1) % progressModes.length];
    const mode = wanted === '' ? next : progressModes.find((known) => known === wanted);
    if (mode === undefined) {
      return { reply: `I do not know "${quoted(wanted, 40)}". It is ${present} now; choices: ${progressModes.join(', ')}.` };
    }
    setChat(call, { progress: mode });
    return { reply: `👁️ Progress in this chat: ${mode}. ${progressWords[mode]}` };
  },
};

const busyModes: readonly BusyMode[] = ['interrupt', 'queue', 'steer'];
const busyWords: Readonly<Record<BusyMode, string>> = {
  interrupt: 'What you write while I am at work stops me, and I read it.',
  queue: 'What you write while I am at work comes next.',
  steer: 'What you write while I am at work I hear with my next step.',
};

const busy: Command = {
  name: 'busy',
  aliases: [],
  usage: '[interrupt|queue|steer]',
  description: 'Show or choose what happens to messages while I am at work',
  who: 'anyone',
  whileBusy: true,
  run: (call) => {
    const { lane, event, ports } = call;
    const wanted = call.args.toLowerCase();
    const mode = busyModes.find((known) => known === wanted);
    const present = ports.store.chats.get(lane).busy ?? ports.settings().display(event.chat.platform).busyMode;
    if (mode !== undefined) {
      setChat(call, { busy: mode });
      return { reply: `🚦 In this chat: ${mode}. ${busyWords[mode]}` };
    }
    const shown = `In this chat: ${present}. ${busyWords[present]} Choices: ${busyModes.join(', ')}.`;
    return { reply: wanted === '' ? shown : `I do not know "${quoted(wanted, 40)}". ${shown}` };
  },
};

export const choiceCommands: readonly Command[] = [model, reasoning, personality, verbose, busy, yolo];

function setChat({ lane, ports: { store } }: CommandCall, change: ChatSettings): void {
  store.chats.set(lane, { ...store.chats.get(lane), ...change });
}

function showModel(call: CommandCall): string {
  const { models } = call.ports.settings().agent;
  const own = chosen(call).model;
  const why = own === undefined ? 'as configured' : 'chosen for this conversation; /model default takes that back';
  const choices = models.choices.map((choice) => quoted(choice, 200)).join(', ');
  const offered =
    choices === '' ? 'Any name that the provider knows can be chosen.' : `Choices: ${choices}, or any name that the provider knows.`;
  return `Model: ${quoted(models.get(own).name, 200)} (${why}). ${offered}`;
}
