import { z } from 'zod';
import { nearest } from '../nearest.ts';
import { hermesKeys } from './hermes-keys.ts';
import type { ConfigSection } from './section.ts';

const busyInputModes = ['interrupt', 'queue', 'steer'] as const;
/** What a message does that arrives while a turn is running in its chat. */
export type BusyInputMode = (typeof busyInputModes)[number];

export const toolProgressModes = ['off', 'new', 'all', 'verbose'] as const;
export type ToolProgressMode = (typeof toolProgressModes)[number];

/** Programs that write YAML's older dialect turn `off` into false; Hermes Agent writes "" for "not set". */
const toolProgress = z.preprocess((value) => {
  if (value === false) return 'off';
  if (value === true) return 'all';
  return value === '' ? undefined : value;
}, z.enum(toolProgressModes).optional());

const defaultPreviewLength = 40;

const displaySchema = z.object({
  busy_input_mode: z.enum(busyInputModes).default('interrupt'),
  busy_ack_enabled: z.boolean().default(true),
  tool_progress: toolProgress.transform((mode) => mode ?? 'new'),
  // Hermes Agent writes 0 for "not set"; only its terminal shows everything then.
  tool_preview_length: z
    .int()
    .min(0)
    .max(1_000)
    .default(defaultPreviewLength)
    .transform((length) => length || defaultPreviewLength),
  streaming: z.boolean().default(true),
  interim_assistant_messages: z.boolean().default(true),
  runtime_metadata_footer: z.boolean().default(false),
  platforms: z
    .record(
      z.string(),
      z.object({
        tool_progress: toolProgress,
        busy_input_mode: z.enum(busyInputModes).optional(),
        streaming: z.boolean().optional(),
      }),
    )
    .default({}),
});

export type DisplayConfig = z.output<typeof displaySchema>;

export const displaySection: ConfigSection<DisplayConfig> = {
  schema: displaySchema,
  env: { HERMES_GATEWAY_BUSY_INPUT_MODE: 'busy_input_mode' },
  secrets: [],
  template: `# What a message does that arrives while its chat is busy: interrupt, queue or steer. A chat may choose otherwise.
# busy_input_mode: interrupt
# Say in the chat what became of such a message, at most once in 30 s.
# busy_ack_enabled: true
# Which tools the progress message names: off, new (when the tool changes), all, or verbose (with arguments).
# tool_progress: new
# How much of a command or a path it shows, in characters.
# tool_preview_length: 40
# Show the answer while it is being written.
# streaming: true
# Send what is said between two tools as messages of their own.
# interim_assistant_messages: true
# A last line under each answer with the model, the time and the tokens it took.
# runtime_metadata_footer: false
# Other choices for single platforms.
# platforms:
#   telegram:
#     tool_progress: new
#     busy_input_mode: interrupt
#     streaming: true`,
};

/** A sentence about each platform of `display.platforms` that there is not. Those of Hermes Agent may stand there. */
export function strangePlatforms({ platforms }: DisplayConfig, known: readonly string[]): readonly string[] {
  const strange = Object.keys(platforms).filter((name) => !known.includes(name) && !Object.hasOwn(hermesKeys, name));
  return strange.map((name) => {
    const near = nearest(name, known);
    return `config.yaml: display.platforms.${name} is no platform and is ignored${near === undefined ? '' : `; did you mean ${near}?`}`;
  });
}

/** What holds on one platform. */
export interface PlatformDisplay {
  readonly busyInputMode: BusyInputMode;
  readonly toolProgress: ToolProgressMode;
  readonly streaming: boolean;
}

export function displayOn(display: DisplayConfig, platform: string): PlatformDisplay {
  const own = display.platforms[platform];
  return {
    busyInputMode: own?.busy_input_mode ?? display.busy_input_mode,
    toolProgress: own?.tool_progress ?? display.tool_progress,
    streaming: own?.streaming ?? display.streaming,
  };
}
