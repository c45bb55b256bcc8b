import { z } from 'zod';

/** The `memory` section of config.yaml, with Hermes Agent's names. */
export const memorySchema = z.object({
  memory_enabled: z.boolean().default(true),
  user_profile_enabled: z.boolean().default(true),
  memory_char_limit: z.number().int().min(100).max(100_000).default(2200),
  user_char_limit: z.number().int().min(100).max(100_000).default(1375),
  write_approval: z.boolean().default(false),
});

export type MemoryConfig = z.output<typeof memorySchema>;

const template = `# Notes of the agent about this machine and its work (memories/MEMORY.md).
memory_enabled: true
# What the agent knows about the person (memories/USER.md).
user_profile_enabled: true
# How long the two may become, in characters. Both are part of every request.
memory_char_limit: 2200
user_char_limit: 1375
# true: a person is asked before anything is written there.
write_approval: false
`;

/** Shaped like gateway/config/section.ts, which this room may not import. */
export const memorySection = { schema: memorySchema, env: {}, secrets: [], template };
