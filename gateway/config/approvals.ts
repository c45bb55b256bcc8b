import { z } from 'zod';
import type { ConfigSection } from './section.ts';

/** `false` is what YAML's older dialect makes of `off`. */
const mode = z.preprocess((value) => (value === false ? 'off' : value), z.enum(['manual', 'ask', 'smart', 'off']).optional());

const approvalsSchema = z.object({
  mode: mode.transform((given) => (given === undefined || given === 'ask' ? 'manual' : given)),
  gateway_timeout: z.number().positive().max(86_400).default(300),
});

export type ApprovalsConfig = z.output<typeof approvalsSchema>;

/** `timeout` of Hermes Agent is its terminal's, and homes have it written out with a minute: here it is none of ours. */
export const approvalsSection: ConfigSection<ApprovalsConfig> = {
  schema: approvalsSchema,
  env: {},
  secrets: [],
  template: `# Before something dangerous: manual (ask a person), smart (auxiliary.approval decides what it is sure of) or off (never ask).
# What may never be done is refused in every mode.
# mode: manual
# How long a person has to answer, in seconds; no answer means no.
# gateway_timeout: 300`,
};
