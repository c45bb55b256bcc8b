import type { core, z } from 'zod';
import type { Path } from './yaml-file.ts';

/** Called for each key that a schema does not have, with those that it has. */
export type ReportUnknown = (path: Path, known: readonly string[]) => void;

/**
 * The data without the keys that the schema does not know, so that even a strict schema is never blocked by one. Records, open objects
 * and unions are left alone: every key may be right there.
 */
export function withoutUnknownKeys(schema: z.ZodType, data: unknown, report: ReportUnknown): unknown {
  return clean(schema, data, { path: [], report });
}

interface Place {
  readonly path: Path;
  readonly report: ReportUnknown;
}

function clean(schema: core.$ZodType, data: unknown, place: Place): unknown {
  const def = (schema as core.$ZodTypes)._zod.def;
  switch (def.type) {
    case 'object':
      return isMap(data) ? cleanObject(def, data, place) : data;
    case 'record':
      return isMap(data) ? mapValues(data, (value, key) => clean(def.valueType, value, below(place, key))) : data;
    case 'array':
      return Array.isArray(data) ? data.map((value, index) => clean(def.element, value, below(place, index))) : data;
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
    case 'readonly':
    case 'catch':
    case 'nonoptional':
      return clean(def.innerType, data, place);
    case 'pipe':
      return clean((def.in as core.$ZodTypes)._zod.def.type === 'transform' ? def.out : def.in, data, place);
    default:
      return data;
  }
}

function cleanObject(def: core.$ZodObjectDef, data: Readonly<Record<string, unknown>>, place: Place): unknown {
  const open = def.catchall !== undefined && (def.catchall as core.$ZodTypes)._zod.def.type !== 'never';
  const known = Object.keys(def.shape);
  const kept: [string, unknown][] = [];
  for (const [key, value] of Object.entries(data)) {
    const schema = Object.hasOwn(def.shape, key) ? def.shape[key] : undefined;
    if (schema !== undefined) kept.push([key, clean(schema, value, below(place, key))]);
    else if (open) kept.push([key, value]);
    else place.report([...place.path, key], known);
  }
  return Object.fromEntries(kept);
}

function below(place: Place, key: PropertyKey): Place {
  return { path: [...place.path, key], report: place.report };
}

function mapValues(data: Readonly<Record<string, unknown>>, change: (value: unknown, key: string) => unknown): unknown {
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, change(value, key)]));
}

/** A map of YAML, as opposed to a list or a single value. */
export function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
