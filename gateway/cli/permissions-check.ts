import type { CheckAnswer, CheckQuestion } from '../permissions/control.ts';
import { permissionsSource } from './permissions-source.ts';
import { printable } from './printable.ts';
import { UsageError } from './usage-error.ts';
import { type Act, exitCodes } from './verbs.ts';

export const act: Act = async (context) => {
  const { args, options, print } = context;
  const question = questionOf(args[0] ?? '', options);
  const { isRunning, check } = await permissionsSource(context);
  const answer = await check(question);
  if (options['json'] === true) print(JSON.stringify(answer, undefined, 2));
  else for (const line of describe(question, answer, isRunning)) print(printable(line));
  return exitCodes.ok;
};

/** Without a person: the owner, on the page. Without a chat: the direct chat with them. */
function questionOf(call: string, options: Readonly<Record<string, unknown>>): CheckQuestion {
  const [, platform, person] = /^([a-z0-9_-]{1,32}):(.+)$/s.exec(String(options['as'] ?? 'web:owner')) ?? [];
  if (platform === undefined || person === undefined)
    throw new UsageError('Write --as <platform>:<id of the person>, as in --as telegram:123.');
  const [, type, chat] = /^(dm|group|channel)(?::(.+))?$/s.exec(String(options['chat'] ?? 'dm')) ?? [];
  if (type === undefined) throw new UsageError('Write --chat group:<id of the chat>, --chat channel:<id> or --chat dm.');
  const account = String(options['account'] ?? 'main');
  // checked by the pattern
  return { platform, account, person, chatType: type as CheckQuestion['chatType'], chat: chat ?? person, call };
}

const words = { allow: 'allowed, without being asked about', ask: 'asked about first', deny: 'refused' } as const;

function describe(question: CheckQuestion, answer: CheckAnswer, isRunning: boolean): string[] {
  const { platform, person, chatType, chat } = question;
  const where = chatType === 'dm' ? 'in a direct chat' : `in the ${chatType} ${chat}`;
  const touches = answer.touches.map(({ name, rule }) => `  ${name === '' ? '(the call as a whole)' : name}  <-  ${rule ?? 'no rule'}`);
  return [
    ...(isRunning ? [] : ['No gateway runs: this is by the files.']),
    `${question.call}`,
    `for ${platform}:${person} (${answer.role}) ${where}: ${answer.decision} - it is ${words[answer.decision]}`,
    answer.why,
    'What it touches, and what is said about it:',
    ...touches,
  ];
}
