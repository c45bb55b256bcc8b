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

/** A tool that runs until it is interrupted, or until the gate opens. */
export function pausingTool(gate: Promise<void> = new Promise(() => undefined)): {
  readonly tool: Tool;
  readonly ended: { started: number; ended: number };
} {
  const ended = { started: 0, ended: 0 };
  const tool = defineTool({
    name: 'pause',
    toolset: 'test',
    description: 'Waits.',
    args: z.object({}),
    effect: 'external',
    preview: () => '',
    run: async (_args, { signal }) => {
      ended.started += 1;
      const cut = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
      await Promise.race([gate, cut]);
      ended.ended += 1;
      return { content: 'waited' };
    },
  });
  return { tool, ended };
}
