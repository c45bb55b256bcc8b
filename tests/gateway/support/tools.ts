import { z } from 'zod';
import { defineTool, type Tool } from '../../../agent/tool.ts';

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
