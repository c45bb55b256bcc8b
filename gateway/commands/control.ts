/** Commands for the turn at work: what it should hear, and what it asks. */
import { choicesOf } from '../asks/text.ts';
import { maySteer } from '../roles.ts';
import type { Command, CommandCall, CommandResult } from './command.ts';

const queue: Command = {
  name: 'queue',
  aliases: ['q'],
  usage: '<text>',
  description: 'Say something that comes after what I am doing',
  who: 'anyone',
  whileBusy: true,
  run: ({ args, lane, ports }) => {
    if (args === '') return { reply: 'What comes next? Write /queue and the text.' };
    const reply = ports.lanes.isBusy(lane) ? '⏳ That comes next.' : '';
    return { reply, say: { text: args, mode: 'queue' } };
  },
};

const steer: Command = {
  name: 'steer',
  aliases: [],
  usage: '<text>',
  description: 'Say something that I hear with my next step',
  who: 'anyone',
  whileBusy: true,
  run: ({ args, lane, event, ports }) => {
    if (args === '') return { reply: 'What should I know? Write /steer and the text.' };
    if (!ports.lanes.isBusy(lane)) return { reply: '', say: { text: args, mode: 'steer' } };
    const turn = ports.store.turns.running(lane);
    if (turn !== undefined && !maySteer(event, turn, ports)) return { reply: '⏳ That comes next.', say: { text: args, mode: 'queue' } };
    return { reply: '↪️ I take this into account with my next step.', say: { text: args, mode: 'steer' } };
  },
};

const approve: Command = {
  name: 'approve',
  aliases: [],
  usage: '[n|all] [session|always]',
  description: 'Allow what I asked about',
  who: 'anyone',
  whileBusy: true,
  run: (call) => {
    const words = call.args.toLowerCase().split(/\s+/);
    const scope = words.find((word) => word === 'session' || word === 'always') ?? 'once';
    return decide(
      call,
      scope,
      words.filter((word) => word !== scope),
    );
  },
};

const deny: Command = {
  name: 'deny',
  aliases: [],
  usage: '[n|all]',
  description: 'Forbid what I asked about',
  who: 'anyone',
  whileBusy: true,
  run: (call) => decide(call, 'deny', call.args.toLowerCase().split(/\s+/)),
};

export const controlCommands: readonly Command[] = [queue, steer, approve, deny];

type Candidates = ReturnType<CommandCall['ports']['answers']['approvals']>;

/** With several open, one must be named: a bare command lists them and decides nothing. */
function decide(call: CommandCall, choice: string, words: readonly string[]): CommandResult {
  const { answers } = call.ports;
  const open = answers.approvals(call.event);
  if (open.length === 0) return { reply: 'Nothing here waits for your approval.' };
  const chosen = choose(
    call,
    words.filter((word) => word !== ''),
    open,
  );
  if (typeof chosen === 'string') return { reply: chosen };
  const done = chosen.map((ask) => ({ ask, answered: answers.answer(ask, choice, call.event) }));
  return {
    reply: outcome(choice, done),
    after: () => {
      for (const { answered } of done) answered.after();
    },
  };
}

interface Decided {
  readonly ask: Candidates[number];
  readonly answered: ReturnType<CommandCall['ports']['answers']['answer']>;
}

/** Which were decided, and why others were not: both may happen at once. */
function outcome(choice: string, done: readonly Decided[]): string {
  const decided = done.filter(({ answered }) => answered.text === '').map(({ ask }) => `#${ask.number}`);
  const verb = choice === 'deny' ? '❌ No' : '✅ Allowed';
  const problems = done
    .filter(({ answered }) => answered.text !== '')
    .map((refused) => `Not #${refused.ask.number}: ${problem(choice, refused)}`);
  return [...(decided.length > 0 ? [`${verb}: ${decided.join(', ')}.`] : []), ...problems].join('\n');
}

function problem(choice: string, { ask, answered }: Decided): string {
  const choices = choicesOf(ask.body);
  if (choices.some(({ id }) => id === choice)) return answered.text;
  return `it cannot be allowed with "${choice}", only with ${choices
    .filter(({ id }) => id !== 'deny')
    .map(({ id }) => `"${id}"`)
    .join(' or ')}.`;
}

function choose(call: CommandCall, words: readonly string[], open: Candidates): Candidates | string {
  const [word, ...rest] = words;
  if (rest.length > 0) return `I do not understand "${call.args}". Say which one by its number, or "all".`;
  if (word === 'all') return open;
  if (word !== undefined) {
    const wanted = open.filter(({ number }) => String(number) === word.replace(/^#/, ''));
    return wanted.length > 0 ? wanted : `There is no open approval "${word}" here. ${listed(open)}`;
  }
  const card = call.event.type === 'message' ? call.ports.answers.repliedTo(call.event) : undefined;
  if (card !== undefined) {
    const named = open.filter(({ id }) => id === card.id);
    return named.length > 0 ? named : `#${card.number} does not wait for your approval, so I did nothing. ${listed(open)}`;
  }
  return open.length === 1 ? open : `Several are open, so I did nothing. ${listed(open)}`;
}

function listed(open: Candidates): string {
  const lines = open.map(
    ({ number, body }) => `- #${number}: ${body.markdown.replaceAll(/[*`]+/g, '').replaceAll(/\s+/g, ' ').slice(0, 100)}`,
  );
  return `Open:\n${lines.join('\n')}\n\nAnswer with a number, as in /approve ${open[0]?.number ?? 1}.`;
}
