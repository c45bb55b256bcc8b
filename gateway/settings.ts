/** What may change while the daemon runs: read anew for each turn and each message, never kept. */
import type { AccountConfig } from '../adapters/platform.ts';
import type { Model, ReasoningEffort } from '../agent/model.ts';
import type { GlobalAccess } from './access.ts';
import type { Permissions } from './permissions/permissions.ts';
import type { ChatSettings } from './store/schema.ts';
import type { ToolChoices } from './toolsets.ts';

export type BusyMode = NonNullable<ChatSettings['busy']>;
export type ProgressMode = NonNullable<ChatSettings['progress']>;

export interface DisplaySettings {
  readonly busyMode: BusyMode;
  readonly progress: ProgressMode;
  readonly streaming: boolean;
  readonly everywhere: {
    readonly busyAck: boolean;
    readonly footer: boolean;
    /** What is said between two tools is sent as a message of its own. */
    readonly interim: boolean;
    readonly previewUnits: number;
  };
}

export interface ApprovalSettings {
  readonly mode: 'manual' | 'smart' | 'off';
  readonly approvalMs: number;
  readonly questionMs: number;
}

/** ms; 0 = none. */
export interface TurnLimits {
  readonly inactivityMs: number;
  readonly warningMs: number;
  readonly deadlineMs: number;
}

export interface AgentModels {
  /** The model of this name, or the configured one. */
  get(name?: string): Model;
  /** Names that `/model` offers. */
  readonly choices: readonly string[];
  /** Judges in `smart` mode. */
  readonly approver: Model;
  /** No model is configured: the offline demo answers. */
  readonly demo: boolean;
}

export interface Personalities {
  /** Where no chat has chosen another; `none` for none. */
  readonly chosen: string;
  readonly names: readonly string[];
  /** Undefined for `none` and for a name that is not known. */
  prompt(name: string): string | undefined;
}

export interface AgentSettings {
  readonly models: AgentModels;
  readonly maxSteps: number;
  /** The owner's own words for the system prompt. */
  readonly instructions: string | undefined;
  readonly reasoning: ReasoningEffort | undefined;
  readonly personalities: Personalities;
  readonly limits: TurnLimits;
}

export interface Settings {
  readonly agent: AgentSettings;
  readonly approvals: ApprovalSettings;
  display(platform: string): DisplaySettings;
  /** How long the record of what was done is kept, ms; 0 = for ever. */
  readonly audit: { readonly retentionMs: number };
  readonly access: GlobalAccess;
  readonly permissions: Permissions;
  /** The configuration of an account's platform; undefined when it is off. */
  account(key: string): AccountConfig | undefined;
  readonly tools: ToolChoices;
}
