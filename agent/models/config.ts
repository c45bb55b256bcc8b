import { z } from 'zod';

/** What is asked for when there is a key and no model name. */
export const defaultModelName = 'gpt-5.4-mini';

const modelSchema = z.object({
  default: z.string().min(1).optional(),
  provider: z.enum(['auto', 'openai', 'demo']).default('auto'),
  base_url: z.url({ protocol: /^https?$/ }).optional(),
  api_key: z.string().min(1).optional(),
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

const agentSchema = z.object({
  max_turns: z.int().min(1).max(10_000).default(90),
  api_max_retries: z.int().min(0).max(20).default(3),
  system_prompt: z.string().optional(),
});

export type AgentConfig = z.output<typeof agentSchema>;

const agentTemplate = `# max_turns: 90               # steps (model requests) a message may take (HERMES_MAX_ITERATIONS)
# api_max_retries: 3          # how often a failed model request is made again
# system_prompt: ""           # added to the built-in one
`;

/** The `agent:` section of config.yaml. */
export const agentSection = {
  schema: agentSchema,
  env: { HERMES_MAX_ITERATIONS: 'max_turns' },
  secrets: [],
  template: agentTemplate,
};
