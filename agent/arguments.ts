import { z } from 'zod';
import type { ToolCall } from './message.ts';
import type { Tool } from './tool.ts';

export type Resolved =
  | { readonly ok: true; readonly tool: Tool; readonly args: unknown }
  /** `problem` is written for the model, so that it can correct the call. */
  | { readonly ok: false; readonly problem: string };

const maxNearest = 3;

/** Finds the called tool and checks the arguments. Pure. */
export function resolveCall(call: ToolCall, tools: readonly Tool[]): Resolved {
  const tool = tools.find((candidate) => candidate.name === call.name);
  if (tool === undefined) return { ok: false, problem: unknownTool(call.name, tools) };
  const json = parseJson(call.arguments);
  if (!json.ok) return { ok: false, problem: invalidJson(call, json.why) };
  const parsed = tool.args.safeParse(json.value);
  if (parsed.success) return { ok: true, tool, args: parsed.data };
  return { ok: false, problem: invalidArguments(tool, parsed.error) };
}

type ParsedJson = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly why: string };

/** Models leave the arguments of a call without parameters empty. */
function parseJson(text: string): ParsedJson {
  if (text.trim() === '') return { ok: true, value: {} };
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch (error) {
    return { ok: false, why: error instanceof Error ? error.message : String(error) };
  }
}

function invalidJson(call: ToolCall, why: string): string {
  return `The call to "${call.name}" did not run: its arguments are not valid JSON (${why}). They may have been cut off; if they were long, send less at once. Call it again with one complete JSON object.`;
}

function invalidArguments(tool: Tool, error: z.ZodError): string {
  const issues = error.issues.map((issue) => `- ${issue.path.length > 0 ? issue.path.join('.') : 'arguments'}: ${issue.message}`);
  const names = tool.args instanceof z.ZodObject ? ` "${tool.name}" takes: ${Object.keys(tool.args.shape).join(', ')}.` : '';
  return `The call to "${tool.name}" did not run: its arguments are invalid.\n${issues.join('\n')}\nCorrect them and call it again.${names}`;
}

function unknownTool(name: string, tools: readonly Tool[]): string {
  if (tools.length === 0) return `There is no tool "${name}": no tools are available. Answer without tools.`;
  const near = nearestNames(
    name,
    tools.map((tool) => tool.name),
  );
  return `There is no tool "${name}". Nearest: ${near.join(', ')}. Call one of the tools that you were given.`;
}

/** The names that differ least, best first. */
function nearestNames(name: string, known: readonly string[]): string[] {
  const wanted = name.toLowerCase();
  const scored = known.map((candidate) => ({ candidate, score: distance(wanted, candidate.toLowerCase()) }));
  scored.sort((left, right) => left.score - right.score || left.candidate.localeCompare(right.candidate));
  return scored.slice(0, maxNearest).map((entry) => entry.candidate);
}

/** Levenshtein; a name inside the other ("functions.terminal") counts as near. */
function distance(left: string, right: string): number {
  if (left.includes(right) || right.includes(left)) return 1;
  let previous = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let row = 1; row <= left.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= right.length; column += 1) {
      const substitution = (previous[column - 1] ?? 0) + (left[row - 1] === right[column - 1] ? 0 : 1);
      current.push(Math.min(substitution, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[right.length] ?? left.length;
}
