import path from 'node:path';
import { z } from 'zod';

const absolute = z.string().refine((place) => path.isAbsolute(place), 'an absolute path');

/** The `terminal` section of config.yaml, with Hermes Agent's names. Times are in seconds, as there. */
export const terminalSchema = z.object({
  timeout: z.number().positive().default(180),
  max_timeout: z.number().positive().default(600),
  env_passthrough: z.array(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/u, 'a variable name')).default([]),
  process_namespace: z.enum(['auto', 'off']).default('auto'),
  isolation: z.enum(['auto', 'none', 'bwrap']).default('auto'),
  writable_paths: z.array(absolute).default([]),
  sudo_password: z.string().default(''),
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
# What keeps commands from your other files. auto: bubblewrap, where a self-test shows that it holds (Linux); else nothing, as /status says.
# bwrap: the same, and commands are refused where it does not hold. none: commands can do what you can.
# Isolated commands read your home directory but for keys and what belongs to the gateway, write to their workspace, and have a /tmp of their own.
isolation: auto
# Absolute paths of directories that isolated commands may write to, besides their workspace.
writable_paths: []
# What sudo is answered with, once a person has approved the command. It belongs into .env, as SUDO_PASSWORD. Isolated commands cannot use sudo.
sudo_password: ""
`;

/** Shaped like gateway/config/section.ts, which this room may not import. */
export const terminalSection = {
  schema: terminalSchema,
  env: { TERMINAL_TIMEOUT: 'timeout', TERMINAL_MAX_FOREGROUND_TIMEOUT: 'max_timeout', SUDO_PASSWORD: 'sudo_password' },
  secrets: ['sudo_password'],
  template,
};
