import { z } from 'zod';
import type { ToolSpec } from './model.ts';
import type { Tool } from './tool.ts';

/** Pure memoisation: tools are immutable, and making a schema costs far more than a request's other work. */
const specs = new WeakMap<Tool, ToolSpec>();

/** zod writes the safe-integer bounds into every integer; a model has no use for them. */
function dropIntegerBounds({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
}

export function toolSpec(tool: Tool): ToolSpec {
  const known = specs.get(tool);
  if (known !== undefined) return known;
  const { $schema: _, ...parameters } = z.toJSONSchema(tool.args, { io: 'input', override: dropIntegerBounds });
  const spec = { name: tool.name, description: tool.description, parameters };
  specs.set(tool, spec);
  return spec;
}
