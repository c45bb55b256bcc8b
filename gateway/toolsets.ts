/** Which tools are offered on which platform. Pure. */
import type { Tool } from '../agent/tool.ts';
import { nearest } from './nearest.ts';

export interface ToolChoices {
  /** By platform: toolsets, tools or sets of them. A platform that is not named has all. */
  readonly platforms: Readonly<Record<string, readonly string[]>>;
  /** Toolsets and tools that are offered nowhere. */
  readonly disabled: readonly string[];
}

type Named = Pick<Tool, 'name' | 'toolset'>;

/** Hermes Agent's names for several toolsets at once. Its sets for single platforms ("hermes-telegram") all hold everything. */
const sets: Readonly<Record<string, readonly string[]>> = {
  search: ['web_search'],
  debugging: ['terminal', 'web', 'file'],
  safe: ['web', 'vision', 'image_gen'],
  'hermes-webhook': ['web_search', 'web_extract', 'vision_analyze', 'clarify'],
};

/** Toolsets and tools of Hermes Agent that we do not have yet: named in an existing home, they are no mistake. */
const foreign =
  'browser vision video image_gen video_gen tts skills cronjob moa homeassistant kanban discord discord_admin feishu_doc feishu_drive spotify x_search yuanbao computer_use context_engine coding vision_analyze';

export function isOffered({ name, toolset }: Named, { platforms, disabled }: ToolChoices, platform: string): boolean {
  const covers = (choice: string): boolean =>
    isEverything(choice) || [choice, ...(sets[choice] ?? [])].some((one) => one === name || one === toolset);
  const chosen = Object.hasOwn(platforms, platform) ? platforms[platform] : undefined;
  return (chosen === undefined || chosen.some(covers)) && !disabled.some(covers);
}

function isEverything(choice: string): boolean {
  return choice === 'all' || (choice.startsWith('hermes-') && !Object.hasOwn(sets, choice));
}

/** A sentence about each tool that lacks something, for whoever can give it. */
export function notOffered(tools: readonly Pick<Tool, 'name' | 'missing'>[]): readonly string[] {
  return tools.flatMap(({ name, missing }) => (missing === undefined ? [] : [`${name} is not offered: ${missing}`]));
}

/** A sentence about each name that stands for nothing. */
export function strangeToolChoices(choices: ToolChoices, tools: readonly Named[]): readonly string[] {
  const known = [...new Set([...tools.flatMap(({ name, toolset }) => [name, toolset]), ...Object.keys(sets), 'all'])];
  const places = Object.entries({
    ...Object.fromEntries(Object.entries(choices.platforms).map(([platform, names]) => [`platform_toolsets.${platform}`, names])),
    'agent.disabled_toolsets': choices.disabled,
  });
  return places.flatMap(([place, names]) => names.filter((name) => !isKnown(name, known)).map((name) => strange(place, name, known)));
}

function isKnown(name: string, known: readonly string[]): boolean {
  return known.includes(name) || isEverything(name) || foreign.split(' ').includes(name);
}

function strange(place: string, name: string, known: readonly string[]): string {
  const near = nearest(name, known);
  return `config.yaml: ${place} names "${name}", which is no toolset and no tool${near === undefined ? '' : `; did you mean ${near}?`}`;
}
