import { z } from 'zod';
import { auxiliarySection } from '../../agent/models/config.ts';
import { permissionsSection } from '../permissions/section.ts';
import { approvalsSection } from './approvals.ts';
import { auditSection } from './audit.ts';
import { displaySection } from './display.ts';
import type { ConfigSection } from './section.ts';
import { securitySection } from './security.ts';
import { platformToolsetsSection } from './toolsets.ts';

const sessionResetSchema = z.object({
  mode: z.enum(['both', 'daily', 'idle', 'none']).default('both'),
  at_hour: z.number().int().min(0).max(23).default(4),
  idle_minutes: z.number().int().min(1).default(1440),
  notify: z.boolean().default(true),
});

const gatewaySchema = z.object({
  group_sessions_per_user: z.boolean().default(true),
  thread_sessions_per_user: z.boolean().default(false),
  drain_timeout_seconds: z.number().min(0).max(3600).default(60),
  allow_all_users: z.boolean().default(false),
  allowed_users: z.array(z.string()).default([]),
  unauthorized_dm_behavior: z.enum(['pair', 'ignore']).default('pair'),
});

const loggingSchema = z.object({
  // Hermes Agent writes its levels in capitals ("INFO", "WARNING").
  level: z
    .string()
    .toLowerCase()
    .transform((level) => (level === 'warning' ? 'warn' : level === 'critical' ? 'fatal' : level))
    .pipe(z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']))
    .default('info'),
});

export type SessionResetConfig = z.infer<typeof sessionResetSchema>;
export type GatewayConfig = z.infer<typeof gatewaySchema>;
export type LoggingConfig = z.infer<typeof loggingSchema>;

const sessionReset: ConfigSection<SessionResetConfig> = {
  schema: sessionResetSchema,
  env: {},
  secrets: [],
  template: `# When a chat begins a new session by itself: both, daily, idle or none.
# mode: both
# The hour of the daily reset, local time.
# at_hour: 4
# Minutes without a message until the idle reset.
# idle_minutes: 1440
# Say so in the chat.
# notify: true`,
};

const gateway: ConfigSection<GatewayConfig> = {
  schema: gatewaySchema,
  env: { GATEWAY_ALLOW_ALL_USERS: 'allow_all_users', GATEWAY_ALLOWED_USERS: 'allowed_users' },
  secrets: [],
  template: `# In groups each person has a session of their own; in threads all share one.
# group_sessions_per_user: true
# thread_sessions_per_user: false
# How long a stop waits for turns that are running.
# drain_timeout_seconds: 60
# Who may talk to the bots, on every platform: immutable user ids. Each platform has a list of its own as well.
# allowed_users: []
# Lets everybody in where no list is set. Whoever may talk to the agent may run commands on this machine.
# allow_all_users: false
# What a stranger in a direct chat gets: a code with which you let them in (pair), or nothing (ignore).
# unauthorized_dm_behavior: pair`,
};

const logging: ConfigSection<LoggingConfig> = {
  schema: loggingSchema,
  env: { HERMES_LOG_LEVEL: 'level' },
  secrets: [],
  template: `# trace, debug, info, warn, error, fatal or silent.
# level: info`,
};

/** The gateway's own sections of config.yaml. */
export const gatewaySections = {
  display: displaySection,
  approvals: approvalsSection,
  permissions: permissionsSection,
  audit: auditSection,
  auxiliary: auxiliarySection,
  platform_toolsets: platformToolsetsSection,
  security: securitySection,
  session_reset: sessionReset,
  gateway,
  logging,
};

/** Where Hermes Agent has these: at the top level, and in a section that is the page's here. */
export const gatewayAliases = {
  group_sessions_per_user: 'gateway.group_sessions_per_user',
  thread_sessions_per_user: 'gateway.thread_sessions_per_user',
  unauthorized_dm_behavior: 'gateway.unauthorized_dm_behavior',
  'web.search_backend': 'web_tools.search_backend',
  'web.backend': 'web_tools.search_backend',
};
