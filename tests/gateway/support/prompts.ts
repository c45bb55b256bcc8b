import path from 'node:path';
import type { Tool } from '../../../agent/tool.ts';
import type { PromptPorts } from '../../../gateway/prompt/sources.ts';
import { createRedactor } from '../../../gateway/secrets.ts';
import { type MemoryConfig, memorySchema } from '../../../tools/memory/config.ts';
import { createMemories } from '../../../tools/memory/memories.ts';
import { createMemoryTool } from '../../../tools/memory/memory.ts';
import { injectionIn } from '../../../tools/shared/injection.ts';
import { readPromptFile } from '../../../tools/shared/prompt-file.ts';

/** As main.ts puts them together, over the files of a home. */
export function realPrompts(
  home: string,
  config: Partial<MemoryConfig> = {},
  secrets: readonly string[] = [],
): { readonly prompts: PromptPorts; readonly memory: Tool } {
  const memories = createMemories({ directory: path.join(home, 'memories'), config: memorySchema.parse(config) });
  const redact = createRedactor(() => secrets, 'plain');
  const memory = createMemoryTool({ memories, asksBeforeWriting: false });
  return { prompts: { read: readPromptFile, attack: injectionIn, memory: memories.snapshot, redact }, memory };
}
