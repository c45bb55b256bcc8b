import { z } from 'zod';
import { defineTool, type Effect, type Tool, type ToolContext, type ToolOutput } from '../../../agent/tool.ts';

export interface CountedTool {
  readonly tool: Tool;
  /** Arguments of every run, also of those that a kill cut. */
  readonly runs: readonly unknown[];
}

type Work = (args: { readonly n?: number | undefined }, ctx: ToolContext) => ToolOutput | Promise<ToolOutput>;

/** A tool that records its runs. */
export function countedTool(name: string, effect: Effect, work: Work = () => ({ content: `${name} done` })): CountedTool {
  const runs: unknown[] = [];
  const tool = defineTool({
    name,
    toolset: 'test',
    description: name,
    args: z.object({ n: z.number().optional() }),
    effect,
    preview: ({ n }) => `${name} ${n ?? ''}`.trim(),
    run: async (args, ctx) => {
      runs.push(args);
      return work(args, ctx);
    },
  });
  return { tool, runs };
}
