import { z } from 'zod';
import type { ConfigSection } from './section.ts';

const auditSchema = z.object({
  retention_days: z.number().int().min(0).max(36_500).default(90),
});

export type AuditConfig = z.infer<typeof auditSchema>;

export const auditSection: ConfigSection<AuditConfig> = {
  schema: auditSchema,
  env: {},
  secrets: [],
  template: `# How long the record of who had what run is kept ("hermes audit" shows it); 0: for ever.
# retention_days: 90`,
};
