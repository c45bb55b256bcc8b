import type { ToolContext } from '../../../agent/tool.ts';

export function toolContext(signal: AbortSignal = new AbortController().signal): ToolContext {
  return {
    signal,
    session: { id: 's1', workspace: '/workspace' },
    progress: () => undefined,
    child: () => undefined,
    ask: async () => ({ answered: false, reason: '' }),
  };
}
