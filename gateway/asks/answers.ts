/** Who answers what: clicks, replies to cards, words in the chat, commands. Decides in the caller's transaction; wakes and shows afterwards. */
import type { ChatRef, InboundAnswer, InboundMessage, Sender } from '../../adapters/adapter.ts';
import { mayApprove, type Visitor } from '../roles.ts';
import type { Settings } from '../settings.ts';
import type { AskRow } from '../store/asks.ts';
import type { Store } from '../store/index.ts';
import type { AskDecision } from '../store/schema.ts';
import { outboxLane } from '../target.ts';
import type { AskDesk } from './asks.ts';
import { choicesOf } from './text.ts';

export interface Answered {
  /** One sentence for the person; empty when the card says it all. */
  readonly text: string;
  /** To be called once the transaction is committed. */
  after(): void;
}

export interface Answers {
  /** A button. Always answered, if only with why nothing was decided. */
  click(event: InboundAnswer): Answered;
  /** Words that answer a question. Undefined: they answer nothing and are something to say. */
  words(event: InboundMessage): Answered | undefined;
  /** Open approvals of this place on which this person has a word, if only a no; oldest first. */
  approvals(by: Visitor): readonly AskRow[];
  /** The card that a message replies to. */
  repliedTo(event: Pick<InboundMessage, 'chat' | 'replyTo'>): AskRow | undefined;
  /** Of one of these: who may decide it how is judged here, too. */
  answer(ask: AskRow, choice: string, by: Visitor): Answered;
  /** By whom nobody has to judge any more. */
  decide(ask: AskRow, choice: string, by: Pick<Sender, 'id' | 'name'>): Answered;
}

export interface AnswersOptions {
  readonly store: Store;
  readonly desk: Pick<AskDesk, 'decide' | 'settled'>;
  readonly settings: () => Settings;
}

export function createAnswers(options: AnswersOptions): Answers {
  const { store, desk } = options;
  const decide = (ask: AskRow, decision: AskDecision): Answered => {
    if (!desk.decide(ask, decision)) {
      const now = store.asks.get(ask.id) ?? ask;
      return { text: late(now), after: () => (now.state === 'expired' ? desk.settled(ask.id) : undefined) };
    }
    return { text: '', after: () => desk.settled(ask.id) };
  };
  const repliedTo: Answers['repliedTo'] = ({ chat, replyTo }) => {
    if (replyTo === undefined || !replyTo.fromBot) return undefined;
    const card = store.outbox.sentAs(outboxLane(chat), replyTo.message);
    return card === undefined ? undefined : store.asks.byCard(card);
  };
  const choose: Answers['decide'] = (ask, choice, { id, name }) => {
    const known = choicesOf(ask.body).find((candidate) => candidate.id === choice);
    if (known === undefined) return said('That is none of the choices.');
    return decide(ask, {
      choice,
      text: ask.body.kind === 'question' ? (ask.body.choices[Number(choice) - 1] ?? '') : known.label,
      by: { id, name },
    });
  };
  const answer: Answers['answer'] = (ask, choice, by) => {
    const problem = choiceProblem(options, ask, { choice, by });
    return problem === undefined ? choose(ask, choice, by.sender) : said(problem);
  };
  return {
    click: (event) => {
      const ask = store.asks.byToken(event.token);
      const problem = ask === undefined ? 'I do not know this question any more.' : clickProblem(options, ask, event);
      if (ask === undefined || problem !== undefined) return said(problem ?? '');
      return choose(ask, event.choice, event.sender);
    },
    words: (event) => words({ store, decide, answer, repliedTo }, event),
    approvals: (by) =>
      store.asks
        .open(outboxLane(by.chat))
        .filter((ask) => ask.body.kind === 'approval' && isPlace(ask, by.chat))
        .filter((ask) => choiceProblem(options, ask, { choice: 'deny', by }) === undefined),
    repliedTo,
    answer,
    decide: choose,
  };
}

function said(text: string): Answered {
  return { text, after: () => undefined };
}

/** Re-authorised at the moment of the click; whether the person may talk to us at all was decided before. */
function clickProblem(options: AnswersOptions, ask: AskRow, event: InboundAnswer): string | undefined {
  const { chat, message, choice } = event;
  // A platform may not tell the thread of a very old card; the token and the card's own id name it all the same.
  if (ask.chat !== outboxLane(chat)) return 'This card belongs to another chat.';
  const sentId = options.store.outbox.receipt(ask.cardId)?.sentId;
  if (typeof sentId === 'string' && sentId !== message) return 'This is a copy of the card. Please use the card itself.';
  const problem = choiceProblem(options, ask, { choice, by: event });
  return problem ?? (ask.state === 'open' ? undefined : late(ask));
}

interface Choice {
  readonly choice: string;
  readonly by: Visitor;
}

/**
 * Why this person may not choose this, if so. A question is for whoever is asked. So is an approval in a direct chat; in a group whoever is
 * there may be heard, and what runs on the machine is allowed by the owner and administrators alone. Whoever has asked for it may say no.
 */
function choiceProblem(options: AnswersOptions, ask: AskRow, { choice, by }: Choice): string | undefined {
  const { chatType } = ask.target; // as it was when it was asked for, whatever an answer says of its chat
  const isTheirs = isRequester(ask, by.sender);
  if (ask.body.kind !== 'approval' || chatType === 'dm') return isTheirs ? undefined : notYours(ask);
  if (mayApprove({ ...by, chatType }, options)) return undefined;
  if (!isTheirs) return 'Only my owner and administrators may decide this here.';
  return choice === 'deny' ? undefined : 'Only my owner and administrators may allow this here. You can say no.';
}

function isPlace({ target }: AskRow, chat: ChatRef): boolean {
  return outboxLane(target.chat) === outboxLane(chat) && target.chat.thread === chat.thread;
}

/** By any id of theirs. */
export function isRequester({ requester }: AskRow, sender: Sender): boolean {
  const ids = [sender.id, ...sender.aliases];
  return [requester.id, ...(requester.aliases ?? [])].some((id) => id !== '' && ids.includes(id));
}

function notYours({ requester }: AskRow): string {
  return `Only ${requester.name} may answer this.`;
}

function late({ state, decision }: AskRow): string {
  if (state === 'expired') return 'Too late: the time for this question was over.';
  if (decision !== null) return `Too late: ${decision.by.name} has decided already.`;
  return 'Too late: this question is closed.';
}

interface Judge extends Pick<Answers, 'repliedTo'> {
  readonly store: Store;
  readonly answer: Answers['answer'];
  decide(ask: AskRow, decision: AskDecision): Answered;
}

/** To the card it replies to, else to the oldest open question of this person. Loose words never decide an approval. */
function words(judge: Judge, event: InboundMessage): Answered | undefined {
  if (event.attachments.length > 0 || event.text.trim() === '') return undefined;
  const card = judge.repliedTo(event);
  if (card !== undefined && card.body.kind !== 'question') return replyToCard(judge, card, event);
  if (card !== undefined) return answerOf(judge, card, event);
  const open = judge.store.asks.open(outboxLane(event.chat));
  const oldest = open.find((ask) => ask.body.kind === 'question' && isPlace(ask, event.chat) && isRequester(ask, event.sender));
  return oldest === undefined ? undefined : answerOf(judge, oldest, event);
}

/** Which choices a word stands for, on whatever card has one of them. */
const replyWords: Readonly<Record<string, readonly string[]>> = {
  approve: ['once', 'allow'],
  yes: ['once', 'allow', 'interrupt'],
  once: ['once'],
  session: ['session'],
  always: ['always'],
  interrupt: ['interrupt'],
  allow: ['allow', 'once'],
  deny: ['deny'],
  no: ['deny'],
};

function replyToCard(judge: Judge, ask: AskRow, event: InboundMessage): Answered | undefined {
  const word = event.text.trim().toLowerCase();
  const choices = choicesOf(ask.body);
  const named = Object.hasOwn(replyWords, word) ? (replyWords[word] ?? []) : [];
  const choice = (/^\d+$/.test(word) ? choices[Number(word) - 1] : choices.find(({ id }) => named.includes(id)))?.id;
  if (choice === undefined) return undefined; // words about it are something to say
  return ask.state === 'open' ? judge.answer(ask, choice, event) : said(late(ask));
}

function answerOf(judge: Judge, ask: AskRow, event: InboundMessage): Answered | undefined {
  if (ask.state !== 'open' || ask.body.kind !== 'question') return undefined; // an old card that somebody talks about
  if (!isRequester(ask, event.sender)) return said(notYours(ask));
  const text = event.text.trim();
  const { choices, allowFreetext } = ask.body;
  const named = choices.findIndex((choice) => choice.toLowerCase() === text.toLowerCase());
  const index = named >= 0 ? named : /^\d+$/.test(text) ? Number(text) - 1 : -1;
  const { id, name } = event.sender;
  if (choices[index] !== undefined) return judge.answer(ask, String(index + 1), event);
  if (!allowFreetext)
    return said(`Please choose one of these for #${ask.number}: ${choices.map((choice, at) => `${at + 1} ${choice}`).join(', ')}.`);
  return judge.decide(ask, { choice: 'text', text, by: { id, name } });
}
