/** A call as people write it, "terminal(rm -rf build)": like a rule, but one that happens. */
import { z } from 'zod';
import type { Tool } from '../../agent/tool.ts';

export interface WrittenCall {
  readonly tool: string;
  readonly toolset: string;
  /** Absent: this gateway has no such tool, so nobody knows what it would do. */
  readonly known?: { readonly tool: Tool; readonly args: unknown };
  readonly argument: string;
}

/** Which tool stands for what is done to a file. */
const fileTools: Readonly<Record<string, string>> = { 'file.read': 'read_file', 'file.write': 'write_file', 'file.search': 'search_files' };
/** What a rule's pattern is about, where that is not the first text that the tool needs. */
const subjectArguments: Readonly<Record<string, string>> = { search_files: 'path', patch: 'path' };

/** A sentence where it cannot be understood. */
export function parseCall(text: string, tools: readonly Tool[]): WrittenCall | string {
  const [, name, argument = ''] = /^([\w-]+(?:\.[\w-]+)?)\s*(?:\(([\s\S]*)\))?$/u.exec(text.trim()) ?? [];
  if (name === undefined) return 'Write the call as a tool with what it is given: terminal(rm -rf build), file.write(~/notes/a.md).';
  const wanted = fileTools[name] ?? name;
  const found = tools.find((tool) => wanted === tool.name || wanted === `${tool.toolset}.${tool.name}`);
  if (found === undefined) {
    const [first = '', second] = name.split('.');
    return { tool: second ?? first, toolset: second === undefined ? '' : first, argument };
  }
  const args = argumentsOf(found, argument);
  if (args === undefined)
    return `What ${found.name} would be given cannot be told from "${argument}". Write its arguments as JSON: ${found.name}({"…": "…"}).`;
  return { tool: found.name, toolset: found.toolset, known: { tool: found, args }, argument };
}

/** Undefined: the tool does not take them. */
function argumentsOf(tool: Tool, argument: string): unknown {
  const given = argument.trimStart().startsWith('{') ? jsonOf(argument) : filled(tool, argument);
  const parsed = tool.args.safeParse(given);
  return parsed.success ? parsed.data : undefined;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The one that matters is as it was written, alone where there may be several; every other text that the tool insists on is a stand-in. */
function filled(tool: Tool, argument: string): unknown {
  const { properties = {}, required = [] } = z.toJSONSchema(tool.args, { io: 'input', unrepresentable: 'any' });
  const isText = (name: string): boolean => typeof properties[name] === 'object' && properties[name].type === 'string';
  const texts = required.filter(isText);
  const subject = subjectArguments[tool.name] ?? texts[0] ?? required[0];
  return {
    ...Object.fromEntries(texts.map((name) => [name, '-'])),
    ...(subject === undefined || argument === '' ? {} : { [subject]: isList(properties[subject]) ? [argument] : argument }),
  };
}

function isList(property: unknown): boolean {
  return typeof property === 'object' && property !== null && 'type' in property && property.type === 'array';
}
