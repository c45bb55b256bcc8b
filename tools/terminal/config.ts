import { z } from 'zod';

/** The `terminal` section of config.yaml, with Hermes Agent's names. Times are in seconds, as there. */
export const terminalSchema = z.object({
  timeout: z.number().positive().default(180),
  max_timeout: z.number().positive().default(600),
  env_passthrough: z.array(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/u, 'a variable name')).default([]),
  process_namespace: z.enum(['auto', 'off']).default('auto'),
});

export type TerminalConfig = z.output<typeof terminalSchema>;

const template = `# Seconds a command may take when the model names no other time.
timeout: 180
# The longest time that the model may ask for.
max_timeout: 600
# Variables of the daemon that commands may see besides the harmless ones (PATH, HOME, LANG and the like).
env_passthrough: []
# auto: commands run in a process namespace of their own where the system allows it, so that nothing they start outlives them.
# off: commands see and signal all your processes (ps, kill); what they start is found by a mark in its environment.
process_namespace: auto
`;

/** Shaped like gateway/config/section.ts, which this room may not import. */
export const terminalSection = {
  schema: terminalSchema,
  env: { TERMINAL_TIMEOUT: 'timeout', TERMINAL_MAX_FOREGROUND_TIMEOUT: 'max_timeout' },
  secrets: [],
  template,
};
