/** What people and models read about asks. Pure. */
import type { AskChoice, OutboundAsk } from '../../adapters/adapter.ts';
import type { ApprovalRequest, Question } from '../../agent/ask.ts';
import type { AskRow } from '../store/asks.ts';
import type { AskDecision } from '../store/schema.ts';

/** Leaves room for the rest of the card in the smallest message of all platforms. */
const shownUnits = 1400;

/** Everything that would run, as far as a card can show it. */
export function approvalMarkdown({ call, preview, risk }: ApprovalRequest): string {
  const shown = shownArguments(call.arguments) ?? preview;
  const cut = shown.length > shownUnits;
  const fenced = fence(cut ? `${shown.slice(0, shownUnits).toWellFormed()}…` : shown);
  const rest = cut
    ? `\n⚠️ This is only the beginning: ${shown.length - shownUnits} more characters are not shown. Say no if you are not sure.`
    : '';
  return `**May I run this?** (${call.name})\n${fenced}\n${risk.why}${rest}`.trim();
}

/** A command as it is typed; other arguments as JSON. */
function shownArguments(json: string): string | undefined {
  try {
    const args = JSON.parse(json) as unknown;
    if (typeof args !== 'object' || args === null) return undefined;
    const { command, ...others } = args as Readonly<Record<string, unknown>>;
    if (typeof command !== 'string') return JSON.stringify(args, null, 2);
    const lines = Object.entries(others).map(([name, value]) => `# ${name}: ${JSON.stringify(value)}`);
    return [...lines, command].join('\n');
  } catch {
    return undefined;
  }
}

function fence(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const mark = '`'.repeat(longest + 1);
  return `${mark}\n${text}\n${mark}`;
}

export function questionMarkdown({ question }: Question): string {
  return question
    .trim()
    .slice(0, 2 * shownUnits)
    .toWellFormed();
}

/** Choices of a question are numbered, because their words may be long. */
export function choicesOf(body: AskRow['body']): readonly AskChoice[] {
  if (body.kind === 'question') return body.choices.map((label, index) => ({ id: String(index + 1), label: label.slice(0, 60) }));
  return [
    { id: 'once', label: '✅ Once' },
    { id: 'session', label: '✅ This session' },
    ...(body.remember.always === undefined ? [] : [{ id: 'always', label: '✅ Always' }]),
    { id: 'deny', label: '❌ No' },
  ];
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
    ...(replyTo === undefined ? {} : { replyTo }),
  };
}

function hint({ body, number }: Pick<AskRow, 'body' | 'number'>): string {
  if (body.kind === 'approval') return `/approve ${number} or /deny ${number}`;
  if (body.choices.length === 0) return 'Write your answer.';
  return body.allowFreetext ? 'Choose, or write an answer of your own.' : 'Choose one.';
}

function closedText({ state, decision, body }: Pick<AskRow, 'state' | 'decision' | 'body'>): string | undefined {
  if (state === 'open') return undefined;
  if (state === 'expired')
    return body.kind === 'approval' ? '⌛ Nobody decided in time, so it did not run.' : '⌛ Nobody answered in time.';
  if (state === 'closed' || decision === null) return '⏹ No longer needed.';
  const name = escaped(decision.by.name);
  if (body.kind === 'question') return `💬 ${name}: ${escaped(decision.text.slice(0, 500))}`;
  return decision.choice === 'deny' ? `❌ ${name} said no.` : `✅ ${name} allowed it ${howLong[decision.choice] ?? ''}.`;
}

/** Other people's words in our markdown. */
function escaped(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[\\`*_~[\]<>#|]/g, String.raw`\$&`)
    .replaceAll(/\s+/g, ' ');
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
  if (decision === 'gone') return `Refused: the question was withdrawn before anybody answered. ${noDetour}`;
  return `Refused: ${decision.by.name} said no. ${noDetour}`;
}

export const reviewRefusal = `Refused: an automatic review said no. ${noDetour}`;

export const unanswered = {
  expired:
    'Nobody answered in time. Decide yourself if you can do so safely, and say what you chose; else stop and say what you need to know.',
  gone: 'The question was withdrawn before anybody answered. Decide yourself if you can do so safely, and say what you chose; else stop.',
} as const;
