import type { AgentConfig, AuxiliaryConfig, ModelConfig } from '../../agent/models/config.ts';
import { createModels, isDemo } from '../../agent/models/create.ts';
import { personalityNames, personalityPrompt } from '../personalities.ts';
import type { AgentSettings, Settings } from '../settings.ts';
import type { ApprovalsConfig } from './approvals.ts';
import type { AuditConfig } from './audit.ts';
import { type DisplayConfig, displayOn } from './display.ts';
import type { GatewayConfig } from './sections.ts';
import type { PlatformToolsetsConfig } from './toolsets.ts';

export interface SettingsConfig {
  readonly model: ModelConfig;
  readonly agent: AgentConfig;
  readonly auxiliary: AuxiliaryConfig;
  readonly approvals: ApprovalsConfig;
  readonly audit: AuditConfig;
  readonly display: DisplayConfig;
  readonly gateway: GatewayConfig;
  readonly platform_toolsets: PlatformToolsetsConfig;
}

/** The settings that one snapshot of the configuration gives. */
export function settingsOf(config: SettingsConfig, { account, permissions }: Pick<Settings, 'account' | 'permissions'>): Settings {
  const { display, approvals, agent, audit, gateway } = config;
  const everywhere = {
    busyAck: display.busy_ack_enabled,
    footer: display.runtime_metadata_footer,
    interim: display.interim_assistant_messages,
    previewUnits: display.tool_preview_length,
  };
  return {
    agent: agentSettings(config),
    approvals: { mode: approvals.mode, approvalMs: approvals.gateway_timeout * 1000, questionMs: agent.clarify_timeout * 1000 },
    display: (platform) => {
      const { busyInputMode, toolProgress, streaming } = displayOn(display, platform);
      return { busyMode: busyInputMode, progress: toolProgress, streaming, everywhere };
    },
    audit: { retentionMs: audit.retention_days * 86_400_000 },
    access: gateway,
    permissions,
    account,
    tools: { platforms: config.platform_toolsets, disabled: agent.disabled_toolsets },
  };
}

function agentSettings({ model, agent, auxiliary }: SettingsConfig): AgentSettings {
  const models = createModels({ model, agent });
  return {
    models: {
      get: (name) => (name === undefined ? models.main : models.named(name)),
      choices: model.choices,
      approver: models.auxiliary(auxiliary.approval),
      demo: isDemo(model),
    },
    maxSteps: agent.max_turns,
    instructions: agent.system_prompt,
    reasoning: agent.reasoning_effort === '' ? undefined : agent.reasoning_effort,
    personalities: {
      chosen: agent.personality,
      names: personalityNames(agent.personalities),
      prompt: (name) => personalityPrompt(name, agent.personalities),
    },
    limits: {
      inactivityMs: agent.gateway_timeout * 1000,
      warningMs: agent.gateway_timeout_warning * 1000,
      deadlineMs: agent.turn_timeout * 1000,
    },
  };
}
