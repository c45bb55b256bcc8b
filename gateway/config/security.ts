import { z } from 'zod';
import type { ConfigSection } from './section.ts';

const securitySchema = z.object({
  allow_private_urls: z.boolean().default(false),
  redact_secrets: z.boolean().default(true),
});

export type SecurityConfig = z.infer<typeof securitySchema>;

export const securitySection: ConfigSection<SecurityConfig> = {
  schema: securitySchema,
  env: { HERMES_ALLOW_PRIVATE_URLS: 'allow_private_urls' },
  secrets: [],
  template: `# Tools that fetch addresses may reach this machine and your own network, too. Whoever talks to the agent, and whoever writes a page
# that it reads, can then make it ask your router and every service that trusts this machine. Metadata services of clouds stay closed.
# allow_private_urls: false
# What looks like a key, a token or a password is taken out of what tools report before the model reads it. The gateway's own secrets always are.
# redact_secrets: true`,
};
