import type { AccountConfig } from '../../../adapters/platform.ts';
import type { Model } from '../../../agent/model.ts';
import type { GlobalAccess } from '../../../gateway/access.ts';
import { createPermissions, type Permissions } from '../../../gateway/permissions/permissions.ts';
import { shippedRules } from '../../../gateway/permissions/shipped.ts';
import { personalityNames, personalityPrompt } from '../../../gateway/personalities.ts';
import type { AgentSettings, ApprovalSettings, DisplaySettings, Settings } from '../../../gateway/settings.ts';
import { echo, scriptedModel } from './model.ts';

export interface SettingsChange {
  agent?: Partial<AgentSettings>;
  approvals?: Partial<ApprovalSettings>;
  display?: Partial<Omit<DisplaySettings, 'everywhere'>>;
  everywhere?: Partial<DisplaySettings['everywhere']>;
  permissions?: Permissions;
  audit?: Settings['audit'];
  tools?: Settings['tools'];
}

export interface SettingsFacts {
  readonly model?: Model;
  readonly maxSteps?: number;
  readonly change?: SettingsChange;
  readonly access?: Partial<GlobalAccess>;
  readonly account: (key: string) => AccountConfig | undefined;
}

const fallback = scriptedModel(echo);
const shipped = createPermissions(shippedRules, { home: '/home/owner', realPath: (file) => file });

/** As a fresh configuration gives them, but a busy chat queues and says nothing: most tests are about something else. */
export function testSettings({ model = fallback, maxSteps = 20, change = {}, access, account }: SettingsFacts): Settings {
  const everywhere = { busyAck: false, footer: false, interim: true, previewUnits: 40, ...change.everywhere };
  return {
    agent: {
      models: { get: () => model, choices: [], approver: model, demo: false },
      maxSteps,
      instructions: undefined,
      reasoning: undefined,
      personalities: { chosen: 'none', names: personalityNames({}), prompt: (name) => personalityPrompt(name, {}) },
      limits: { inactivityMs: 0, warningMs: 0, deadlineMs: 0 },
      ...change.agent,
    },
    approvals: { mode: 'manual', approvalMs: 300_000, questionMs: 600_000, ...change.approvals },
    display: () => ({ busyMode: 'queue', progress: 'new', streaming: true, ...change.display, everywhere }),
    access: { allowed_users: [], allow_all_users: false, unauthorized_dm_behavior: 'ignore', ...access },
    permissions: change.permissions ?? shipped,
    tools: change.tools ?? { platforms: {}, disabled: [] },
    audit: change.audit ?? { retentionMs: 0 },
    account,
  };
}
