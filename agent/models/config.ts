import { z } from 'zod';
import { reasoningEfforts } from '../model.ts';

/** What is asked for when there is a key and no model name. */
export const defaultModelName = 'gpt-5.4-mini';

const modelSchema = z.object({
  default: z.string().min(1).optional(),
  provider: z.enum(['auto', 'openai', 'demo']).default('auto'),
  base_url: z.url({ protocol: /^https?$/ }).optional(),
  api_key: z.string().min(1).optional(),
  choices: z.array(z.string().trim().min(1)).default([]),
  context_length: z.int().min(1_000).default(128_000),
  vision: z.boolean().default(true),
  headers: z.record(z.string(), z.string()).default({}),
  timeout_seconds: z.number().min(1).max(300).default(300),
});

export type ModelConfig = z.output<typeof modelSchema>;

const modelTemplate = `# What answers. Without a key and without a base_url the offline demo model does.
# default: ${defaultModelName}      # the model's name (HERMES_MODEL)
# provider: auto              # auto, openai (anything that speaks OpenAI's chat completions) or demo
# base_url: https://api.openai.com/v1   # OPENAI_BASE_URL
# api_key: \${OPENAI_API_KEY}  # better kept in .env
# choices: []                 # names that /model offers; it takes any other name as well
# context_length: 128000      # tokens of a request and its answer together
# vision: true                # the model sees images
# headers: {}                 # sent with every request
# timeout_seconds: 300        # longest silence of the provider (at most 300)
`;

/** The `model:` section of config.yaml. Of the gateway's ConfigSection shape. */
export const modelSection = {
  schema: modelSchema,
  env: { OPENAI_API_KEY: 'api_key', OPENAI_BASE_URL: 'base_url', HERMES_MODEL: 'default' },
  secrets: ['api_key', 'headers'],
  template: modelTemplate,
};

/** Eleven days: longer timers than 2^31 ms fire at once. */
const maxSeconds = 1_000_000;

/** 0 = no limit. */
function limitSeconds(seconds: number) {
  return z.number().min(0).max(maxSeconds).default(seconds);
}

/** Hermes Agent also writes a personality as a map; its parts are one prompt. */
const personality = z.union([
  z.string(),
  z
    .object({ system_prompt: z.string(), tone: z.string().optional(), style: z.string().optional(), description: z.string().optional() })
    .transform(({ system_prompt, tone, style }) =>
      [system_prompt, ...(tone ? [`Tone: ${tone}`] : []), ...(style ? [`Style: ${style}`] : [])].join('\n'),
    ),
]);

const agentSchema = z.object({
  max_turns: z.int().min(1).max(10_000).default(90),
  api_max_retries: z.int().min(0).max(20).default(3),
  system_prompt: z.string().optional(),
  reasoning_effort: z.enum(['', ...reasoningEfforts]).default(''),
  personality: z.string().trim().default('none'),
  personalities: z.record(z.string(), personality).default({}),
  clarify_timeout: z.number().positive().max(maxSeconds).default(600),
  gateway_timeout: limitSeconds(1_800),
  gateway_timeout_warning: limitSeconds(900),
  turn_timeout: limitSeconds(14_400),
  disabled_toolsets: z.array(z.string().trim().min(1)).default([]),
  restart_drain_timeout: z.number().min(0).max(3_600).default(60),
});

export type AgentConfig = z.output<typeof agentSchema>;

const agentTemplate = `# max_turns: 90               # steps (model requests) a message may take (HERMES_MAX_ITERATIONS)
# api_max_retries: 3          # how often a failed model request is made again
# system_prompt: ""           # added to the built-in one
# reasoning_effort: ""        # none, minimal, low, medium, high or xhigh; "" leaves it to the provider
# personality: none           # how it talks until a chat chooses with /personality
# personalities: {}           # your own, as name: "how it talks"; the built-in ones are listed by /personality
# disabled_toolsets: []       # toolsets or tools that are offered nowhere (terminal, web, memory, ...)
# Times in seconds. None of them runs while a question or an approval is waiting for a person, except that question's own.
# clarify_timeout: 600        # how long a question to a person stays open
# gateway_timeout: 1800       # a turn in which nothing happens for this long is ended (0 = never)
# gateway_timeout_warning: 900   # and this is when it is said that nothing happens (0 = not at all)
# turn_timeout: 14400         # longest turn (0 = any length)
# restart_drain_timeout: 60   # how long /restart waits for turns that are running
`;

/** The `agent:` section of config.yaml. */
export const agentSection = {
  schema: agentSchema,
  env: { HERMES_MAX_ITERATIONS: 'max_turns' },
  secrets: [],
  template: agentTemplate,
};

/** Empty is what Hermes Agent writes for "the main model". */
const choice = z
  .object({ provider: z.string().trim().default('auto'), model: z.string().trim().default('auto') })
  .transform((given) => ({ provider: given.provider || 'auto', model: given.model || 'auto' }))
  .prefault({});

const auxiliarySchema = z.object({ approval: choice });

export type AuxiliaryConfig = z.output<typeof auxiliarySchema>;
/** Which model does a side task. `auto`: the main one's provider, the main one itself. */
export type ModelChoice = AuxiliaryConfig['approval'];

const auxiliaryTemplate = `# Models for side tasks; "auto" is the main model. A name is asked for at the main model's provider.
# approval judges commands where approvals.mode is smart.
# approval:
#   provider: auto
#   model: auto
`;

/** The `auxiliary:` section of config.yaml. */
export const auxiliarySection = { schema: auxiliarySchema, env: {}, secrets: [], template: auxiliaryTemplate };
