import type { Model } from '../model.ts';
import { type AgentConfig, defaultModelName, type ModelChoice, type ModelConfig } from './config.ts';
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

/** The models that one configuration gives. */
export interface Models {
  /** What answers where no chat has chosen another. */
  readonly main: Model;
  /** Any model of the main one's provider, the same object for the same name. Whether the provider has it shows with its first request. */
  named(name: string): Model;
  /** For a side task. The main model where the choice is `auto`, and where it names a provider that is not the main one's. */
  auxiliary(choice: ModelChoice): Model;
}

/** More names than people try; beyond it the oldest loses its open connections. */
const maxNamed = 32;

/** Opens nothing: a client is loaded with the first request. */
export function createModels(settings: ModelSettings): Models {
  const main = createModel(settings);
  const cache = new Map<string, Model>();
  const named = (name: string): Model => {
    if (isDemo(settings.model) || name === main.name) return main;
    const known = cache.get(name);
    if (known !== undefined) return known;
    const oldest = cache.size < maxNamed ? undefined : cache.keys().next().value;
    if (oldest !== undefined) cache.delete(oldest);
    const made = createModel({ ...settings, model: { ...settings.model, default: name } });
    cache.set(name, made);
    return made;
  };
  const ours: readonly string[] = ['auto', 'main', settings.model.provider];
  return {
    main,
    named,
    auxiliary: ({ provider, model }) => (model === 'auto' || !ours.includes(provider) ? main : named(model)),
  };
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
