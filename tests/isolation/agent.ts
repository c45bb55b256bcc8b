/** A model that tells everybody everything it can see, and tools that leave and look for words wherever a tool may. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { Model, ModelRequest } from '../../agent/model.ts';
import { defineTool, type Tool } from '../../agent/tool.ts';
import type { Random } from '../crash/random.ts';
import { lastResults, lastText, scriptedModel } from '../gateway/support/model.ts';
import { canary, whose } from './canaries.ts';

export type Deed = 'say' | 'keep' | 'send' | 'ask' | 'dare';

/** What a person writes so that the model does it. */
export function order(place: number, deed: Deed): string {
  return `please ${deed} ${canary(place, 'prompt')}`;
}

const tools: Readonly<Record<Exclude<Deed, 'say'>, string>> = { keep: 'keep', send: 'keep', ask: 'ask', dare: 'dare' };

/** Everything that was ever asked of it, as it was. */
export interface Seen {
  readonly requests: { readonly places: readonly number[]; readonly text: string }[];
}

export function talkative(random: Random, seen: Seen): Model {
  return scriptedModel(async (request) => {
    const text = JSON.stringify(request);
    seen.requests.push({ places: whose(text), text });
    await sleep(random.below(12));
    const last = lastText(request.messages);
    const deed = [...last.matchAll(/please (say|keep|send|ask|dare) /g)].at(-1)?.[1] as Deed | undefined;
    const name = deed === undefined || deed === 'say' ? undefined : tools[deed];
    if (name !== undefined && lastResults(request.messages).length === 0) {
      const place = whose(last)[0] ?? -1;
      return { call: name, args: { words: canary(place, 'call') } };
    }
    return `${everything(request)}${deed === 'send' ? '\nMEDIA:kept.txt' : ''}`;
  });
}

/** Each thing that was said to it, once. */
function everything({ system, messages }: ModelRequest): string {
  const all = JSON.stringify({ system, messages }).match(/canary-\w+-\d+-\w+/g) ?? [];
  return `I know ${[...new Set(all)].join(', ')}`;
}

const words = z.object({ words: z.string() });

export const nosyTools: readonly Tool[] = [
  defineTool({
    name: 'keep',
    toolset: 'test',
    description: 'Keeps words in the workspace and reads all that is kept there.',
    args: words,
    effect: 'write',
    preview: (args) => args.words,
    run: async (args, ctx) => {
      writeFileSync(path.join(ctx.session.workspace, 'kept.txt'), args.words.replace('-call', '-file'));
      ctx.progress(args.words);
      await sleep(3);
      const found = readdirSync(ctx.session.workspace).map(
        (name) => `${name}: ${readFileSync(path.join(ctx.session.workspace, name), 'utf8')}`,
      );
      return { content: [...found, JSON.stringify(process.env)].join('\n') };
    },
  }),
  defineTool({
    name: 'ask',
    toolset: 'test',
    description: 'Asks the person.',
    args: words,
    effect: 'read',
    preview: (args) => args.words,
    run: async (args, ctx) => {
      const question = { question: `Which? ${args.words}`, choices: [`${args.words} one`, `${args.words} two`], allowFreetext: true };
      const answer = await ctx.ask(question);
      return { content: answer.answered ? answer.text : answer.reason };
    },
  }),
  defineTool({
    name: 'dare',
    toolset: 'test',
    description: 'Has to be allowed.',
    args: words,
    effect: 'external',
    preview: (args) => args.words,
    risk: async (args) => ({
      level: 'ask',
      why: `It does ${args.words}.`,
      subjects: [args.words],
      memory: { key: args.words, label: args.words },
    }),
    run: async (args) => ({ content: `dared ${args.words}` }),
  }),
];
