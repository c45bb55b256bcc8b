import { z } from 'zod';
import type { Risk } from '../../../agent/risk.ts';
import { defineTool, type Tool } from '../../../agent/tool.ts';
import type { FakePlatform } from '../../fakes/platform.ts';
import { type Gateway, type GatewayOptions, startGateway, until } from '../support/gateway.ts';
import { lastResults, type Script, scriptedModel } from '../support/model.ts';

/** A tool whose risk is what its arguments say; it notes what it ran. */
export function riskyTool(name = 'remove', risk: Partial<Risk> = {}): { readonly tool: Tool; readonly ran: string[] } {
  const ran: string[] = [];
  const tool = defineTool({
    name,
    toolset: 'test',
    description: 'Removes things.',
    args: z.object({ path: z.string() }),
    effect: 'external',
    preview: ({ path }) => path,
    risk: async ({ path }) => ({ level: 'ask', why: 'It deletes files.', subjects: [`rm ${path}`], ...risk }),
    run: async ({ path }) => {
      ran.push(path);
      return { content: `removed ${path}` };
    },
  });
  return { tool, ran };
}

export function questionTool(choices: readonly string[] = [], allowFreetext = true): Tool {
  return defineTool({
    name: 'clarify',
    toolset: 'test',
    description: 'Asks.',
    args: z.object({ question: z.string() }),
    effect: 'external',
    resumable: true,
    preview: ({ question }) => question,
    run: async ({ question }, ctx) => {
      const answer = await ctx.ask({ question, choices, allowFreetext });
      return { content: answer.answered ? `They said: ${answer.text}` : answer.reason };
    },
  });
}

/** Calls a tool for each word of the message after its name ("remove a b"), one after the other, then says what came of it. */
export const calls: Script = (request) => {
  const [name = '', ...args] = wordsOf(request);
  const done = lastResults(request.messages);
  const next = args[done.length];
  if (next === undefined) return done.join('\n') || 'nothing to do';
  return { call: name, args: name === 'clarify' ? { question: next } : { path: next } };
};

function wordsOf(request: Parameters<Script>[0]): readonly string[] {
  const last = request.messages.findLast((message) => message.role === 'user');
  const text = last?.role === 'user' ? last.content.map((part) => (part.type === 'text' ? part.text : '')).join('') : '';
  return (
    text
      .split('\n')
      .at(-1)
      ?.replace(/^\[\w+\] /, '')
      .split(' ') ?? []
  );
}

export async function askingGateway(options: GatewayOptions & { readonly tools: readonly Tool[] }): Promise<Gateway> {
  return startGateway({ model: scriptedModel(calls), ...options });
}

/** The chat's newest card, once there are so many. */
export async function card(platform: FakePlatform, chat: string, count = 1) {
  await until(
    () => platform.cards(chat).length >= count,
    () => `${chat} shows ${platform.cards(chat).length} cards`,
  );
  const found = platform.cards(chat)[count - 1];
  if (found === undefined) throw new Error('no card');
  return found;
}

export async function closedCard(platform: FakePlatform, chat: string, index = 0): Promise<string> {
  await until(
    () => platform.cards(chat)[index]?.closed !== undefined,
    () => 'the card is open',
  );
  return platform.cards(chat)[index]?.closed ?? '';
}
