import type { z } from 'zod';

/** One section of config.yaml, owned by the module that it configures (a platform, a tool family, the model layer, the gateway). */
export interface ConfigSection<T = unknown> {
  readonly schema: z.ZodType<T>;
  /** Environment variable to key below this section ("bot_token"). Lists are split at commas. The environment beats config.yaml for these. */
  readonly env: Readonly<Record<string, string>>;
  /** Keys whose values are secrets. */
  readonly secrets: readonly string[];
  /** Lines of the commented config.yaml of a fresh home, without the section's own key and without indentation. */
  readonly template: string;
}
