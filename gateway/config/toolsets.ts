import { z } from 'zod';
import type { ConfigSection } from './section.ts';

const platformToolsetsSchema = z.record(z.string(), z.array(z.string().trim().min(1)));

export type PlatformToolsetsConfig = z.output<typeof platformToolsetsSchema>;

/** The `platform_toolsets:` section of config.yaml. */
export const platformToolsetsSection: ConfigSection<PlatformToolsetsConfig> = {
  schema: platformToolsetsSchema.prefault({}),
  env: {},
  secrets: [],
  template: `# Which tools are offered on which platform, by toolset or by tool; a platform that is not named here has all of them.
# (agent.disabled_toolsets takes tools away everywhere.)
# discord: [web, file, clarify]`,
};
