/** What every request costs before anybody has said anything: the prompt of a direct chat and the descriptions of every tool that there is. */
import { textTokens, toolTokens } from '../../agent/context/estimate.ts';
import { promptLayers } from '../../agent/system-prompt.ts';
import type { Tool } from '../../agent/tool.ts';
import { toolSpec } from '../../agent/tool-spec.ts';
import { mediaRule } from '../../gateway/prompt/session-prompt.ts';
import { createTools, toolSections } from '../../tools/index.ts';

export interface PromptPart {
  /** "prompt: guidance", "tools: file". */
  readonly name: string;
  readonly tokens: number;
  /** Of the tools: which. */
  readonly detail: string;
}

/** Whatever is configured or installed here. */
function everyTool(): readonly Tool[] {
  const { terminal, memory, web_tools: web } = toolSections;
  return createTools({
    terminal: terminal.schema.parse({ isolation: 'none' }),
    memory: memory.schema.parse({}),
    web: { config: web.schema.parse({}), allowPrivate: false },
    environment: { PATH: process.env['PATH'] },
    home: '/home/ada',
    protectedPaths: [],
    marker: 'bench',
  });
}

/** The texts that a person or a project adds (instructions, project file, memory, personality) are as long as they make them. */
export function promptParts(): readonly PromptPart[] {
  const facts = { platformLabel: 'Telegram', chatType: 'dm', workspace: '/home/ada/.hermes/workspaces/20261122_093000_0a1b2c3d' } as const;
  const day = { timeZone: 'Europe/Berlin', began: 'Wednesday, 2026-11-25', model: 'anthropic/claude-sonnet-4.5' };
  const layers = promptLayers({ ...facts, ...day, instructions: mediaRule });
  const tools = everyTool();
  const toolsets = [...new Set(tools.map(({ toolset }) => toolset))];
  return [
    ...layers.map(({ name, text }) => ({ name: `prompt: ${name}`, tokens: Math.ceil(textTokens(text)), detail: '' })),
    ...toolsets.map((toolset) => {
      const own = tools.filter((tool) => tool.toolset === toolset);
      const detail = own.map((tool) => `${tool.name} ${Math.ceil(toolTokens([toolSpec(tool)]))}`).join(', ');
      return { name: `tools: ${toolset}`, tokens: Math.ceil(toolTokens(own.map(toolSpec))), detail };
    }),
  ];
}

export const mostTokens = 6_000;
