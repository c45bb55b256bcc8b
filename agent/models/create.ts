import type { Model } from '../model.ts';
import { type AgentConfig, defaultModelName, type ModelConfig } from './config.ts';
import { createDemoModel } from './demo.ts';
import { createOpenAiModel } from './openai.ts';
import { withRetry } from './retry.ts';

/** `auto`: a key or an address of a server means that a real model is wanted. */
export function isDemo(config: ModelConfig): boolean {
  if (config.provider !== 'auto') return config.provider === 'demo';
  return config.api_key === undefined && config.base_url === undefined;
}

export interface ModelSettings {
  readonly model: ModelConfig;
  readonly agent: Pick<AgentConfig, 'api_max_retries'>;
}

/** The model of the configuration. Opens nothing: the client is loaded with the first request. */
export function createModel({ model: config, agent }: ModelSettings): Model {
  if (isDemo(config)) return createDemoModel({ windowTokens: config.context_length });
  const model = createOpenAiModel({
    model: config.default ?? defaultModelName,
    windowTokens: config.context_length,
    vision: config.vision,
    headers: config.headers,
    idleTimeoutMs: config.timeout_seconds * 1_000,
    ...(config.api_key === undefined ? {} : { apiKey: config.api_key }),
    ...(config.base_url === undefined ? {} : { baseUrl: config.base_url }),
  });
  return withRetry(model, { maxRetries: agent.api_max_retries });
}
