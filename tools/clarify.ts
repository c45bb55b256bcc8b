import { z } from 'zod';
import { defineTool, type Tool, type ToolContext, type ToolOutput } from '../agent/tool.ts';

const MOST_CHOICES = 6;
const CHOICE_UNITS = 200;
const QUESTION_UNITS = 2000;
const PREVIEW_UNITS = 80;

const args = z.object({
  question: z.string().trim().min(1).max(QUESTION_UNITS).describe('What you ask, whole: the person sees nothing else of the matter.'),
  choices: z
    .array(z.string().trim().min(1).max(CHOICE_UNITS))
    .max(MOST_CHOICES)
    .refine(areDistinct, 'must differ from each other in more than upper and lower case')
    .default([])
    .describe('Answers to choose from, the one you recommend first. None: an open question.'),
  allow_freetext: z
    .boolean()
    .default(true)
    .describe('false: only one of the choices is an answer. An open question is always answered freely.'),
  timeout: z.number().min(10).max(86_400).optional().describe('Seconds to wait for the answer; leave it out for the usual time.'),
});

const DESCRIPTION = `Ask the person a question and wait for the answer.
Use it when you cannot go on without a decision that is theirs: what they want, which of several ways, whom or what they mean. Ask one thing at a time.
Do not use it for what you can find out yourself, for a small choice with a sensible default, or for permission to run a command: the command is asked about by itself when you call it.`;

/** The person is reached through `ctx.ask`. */
export function createClarify(): Tool {
  return defineTool({
    name: 'clarify',
    toolset: 'clarify',
    description: DESCRIPTION,
    args,
    effect: 'external',
    resumable: true, // the same question of the same call is never asked twice
    preview: ({ question }) => oneLine(question),
    run,
  });
}

async function run({ question, choices, allow_freetext, timeout }: z.output<typeof args>, ctx: ToolContext): Promise<ToolOutput> {
  const answer = await ctx.ask({
    question,
    choices,
    allowFreetext: allow_freetext,
    ...(timeout === undefined ? {} : { timeoutMs: timeout * 1000 }),
  });
  return { content: answer.answered ? `The person answered:\n${answer.text}` : `No answer. ${answer.reason}` };
}

/** As the answer is compared with them. */
function areDistinct(choices: readonly string[]): boolean {
  return new Set(choices.map((choice) => choice.toLowerCase())).size === choices.length;
}

function oneLine(text: string): string {
  const line = text.replace(/\s+/gu, ' ');
  return line.length > PREVIEW_UNITS ? `${line.slice(0, PREVIEW_UNITS - 1).toWellFormed()}…` : line;
}
