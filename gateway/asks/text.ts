/** What people and models read about asks. Pure. */
import type { AskChoice, OutboundAsk } from '../../adapters/adapter.ts';
import type { Question } from '../../agent/ask.ts';
import type { AskRow } from '../store/asks.ts';
import type { AskDecision } from '../store/schema.ts';
import { escaped } from './call-text.ts';

/** What a card's choice may say; longer ones stand whole in the question, and their beginnings on the buttons. */
const labelUnits = 60;
const beginningUnits = 24;

export function questionMarkdown({ question, choices }: Question): string {
  const list = choices.map((choice, index) => `${index + 1}. ${escaped(choice)}`);
  return [question.trim().toWellFormed(), ...(choices.some(isLong) ? ['', ...list] : [])].join('\n');
}

function isLong(choice: string): boolean {
  return choice.length > labelUnits;
}

/** Choices of a question are numbered, because their words may be long. */
export function choicesOf(body: AskRow['body']): readonly AskChoice[] {
  if (body.kind === 'interrupt') return [{ id: 'interrupt', label: '⚡ Interrupt now' }];
  if (body.kind === 'pairing')
    return [
      { id: 'allow', label: '✅ Let in' },
      { id: 'deny', label: '❌ No' },
    ];
  if (body.kind === 'question') return body.choices.map((_, index) => ({ id: String(index + 1), label: labelOf(body.choices, index) }));
  return [
    { id: 'once', label: '✅ Once' },
    { id: 'session', label: '✅ This session' },
    ...(body.remember.always === undefined ? [] : [{ id: 'always', label: '✅ Always' }]),
    { id: 'deny', label: '❌ No' },
  ];
}

function labelOf(choices: readonly string[], index: number): string {
  const choice = choices[index] ?? '';
  if (!choices.some(isLong)) return choice;
  const beginning = choice.length > beginningUnits ? `${choice.slice(0, beginningUnits).trimEnd().toWellFormed()}…` : choice;
  return `${index + 1} ${beginning}`;
}

export function cardOf(ask: Omit<AskRow, 'id' | 'cardId'>): OutboundAsk {
  const { chat, replyTo } = ask.target;
  const closed = closedText(ask);
  return {
    type: 'ask',
    chat,
    token: ask.token,
    number: ask.number,
    markdown: ask.body.markdown,
    choices: closed === undefined ? choicesOf(ask.body) : [],
    hint: closed === undefined ? hint(ask) : '',
    ...(closed === undefined ? {} : { closed }),
    ...(isAside(ask.body) ? { aside: true } : {}),
    ...(replyTo === undefined ? {} : { replyTo }),
  };
}

function isAside({ kind }: AskRow['body']): boolean {
  return kind === 'pairing' || kind === 'interrupt';
}

function hint({ body, number }: Pick<AskRow, 'body' | 'number'>): string {
  const ways = `reply to this with yes or no, or write /approve ${number} or /deny ${number}.`;
  if (body.kind === 'approval' && body.forAdmins) return `Only my owner and administrators may allow it. They can also ${ways}`;
  if (body.kind === 'approval') return `You can also ${ways}`;
  if (body.kind === 'pairing') return 'You can also reply to this with yes or no.';
  if (body.kind === 'interrupt') return '';
  if (body.choices.length === 0) return 'Write your answer.';
  return body.allowFreetext ? 'Choose, or write an answer of your own.' : 'Choose one.';
}

function closedText({ state, decision, body }: Pick<AskRow, 'state' | 'decision' | 'body'>): string | undefined {
  if (state === 'open') return undefined;
  if (state === 'expired' && body.kind !== 'interrupt')
    return body.kind === 'approval' ? '⌛ Nobody decided in time, so it did not run.' : '⌛ Nobody answered in time.';
  if (body.kind === 'pairing') return pairingEnd(decision);
  if (body.kind === 'interrupt') return decision === null ? '⏹ That is done.' : `⚡ ${escaped(decision.by.name)} interrupted it.`;
  if (state === 'closed' || decision === null) return '⏹ No longer needed.';
  const name = escaped(decision.by.name);
  if (body.kind === 'question') return `💬 ${name}: ${escaped(decision.text.slice(0, 500))}`;
  return decision.choice === 'deny' ? `❌ ${name} said no.` : `✅ ${name} allowed it ${howLong[decision.choice] ?? ''}.`;
}

function pairingEnd(decision: AskDecision | null): string {
  if (decision === null) return '⏹ No longer needed.';
  const name = escaped(decision.by.name);
  return decision.choice === 'allow' ? `✅ ${name} let them in.` : `❌ ${name} said no.`;
}

const howLong: Readonly<Record<string, string>> = {
  once: 'once',
  session: 'for this session',
  always: 'from now on',
};

const noDetour =
  'That is no consent: do not run it again, do not rephrase it, and do not look for another way to the same effect. Go on without it, or tell the person what you would need.';

export function refusalOf(decision: AskDecision | 'expired' | 'gone', seconds: number): string {
  if (decision === 'expired') return `Refused: nobody approved it within ${seconds} seconds. ${noDetour}`;
  if (decision === 'gone') return `Refused: the question could not be shown, or was withdrawn before anybody answered. ${noDetour}`;
  return `Refused: ${decision.by.name} said no. ${noDetour}`;
}

export const reviewRefusal = `Refused: an automatic review said no. ${noDetour}`;

export const unanswered = {
  expired:
    'Nobody answered in time. Decide yourself if you can do so safely, and say what you chose; else stop and say what you need to know.',
  gone: 'The question could not be shown, or was withdrawn before anybody answered. Decide yourself if you can do so safely, and say what you chose; else stop.',
} as const;
