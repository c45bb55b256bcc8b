import type { core } from 'zod';
import { isMap } from './known-keys.ts';
import type { Path } from './yaml-file.ts';

const words: Readonly<Record<string, boolean>> = {
  true: true,
  yes: true,
  on: true,
  1: true,
  false: false,
  no: false,
  off: false,
  0: false,
};

/**
 * The value as the type that a schema expected, where its meaning is plain: variables are always text, lists may be written with
 * commas, and ids that consist of digits are numbers to YAML. `undefined` when it cannot be meant. `source` is the scalar as written.
 */
function coerce(value: unknown, type: string, source: string | undefined): unknown {
  if (typeof value === 'string') return coerceText(value.trim(), type);
  if (typeof value !== 'number') return undefined;
  const written = source ?? String(value);
  if (type === 'string') return written;
  return type === 'array' ? [written] : undefined;
}

function coerceText(text: string, type: string): unknown {
  if (type === 'boolean') return words[text.toLowerCase()];
  if (type === 'number' || type === 'int') return /^[+-]?(\d+\.?\d*|\.\d+)$/.test(text) ? Number(text) : undefined;
  if (type !== 'array') return undefined;
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** The data with each complaint about a type answered by a coerced value, or undefined when nothing could be changed. */
export function coerceIssues(data: unknown, issues: readonly core.$ZodIssue[], source: (path: Path) => string | undefined): unknown {
  let changed = false;
  let next = data;
  for (const { path, type } of issues.flatMap(wantedTypes)) {
    const value = coerce(valueAt(next, path), type, source(path));
    if (value === undefined) continue;
    next = withValue(next, path, value);
    changed = true;
  }
  return changed ? next : undefined;
}

function wantedTypes(issue: core.$ZodIssue): { path: Path; type: string }[] {
  if (issue.code === 'invalid_type') return [{ path: issue.path, type: issue.expected }];
  if (issue.code !== 'invalid_union') return [];
  return issue.errors.flat().flatMap((nested) => wantedTypes({ ...nested, path: [...issue.path, ...nested.path] }));
}

export function valueAt(data: unknown, path: Path): unknown {
  let value = data;
  for (const step of path) {
    if (Array.isArray(value)) value = value[Number(step)];
    else value = isMap(value) && Object.hasOwn(value, step) ? value[String(step)] : undefined;
  }
  return value;
}

/** A copy with one value replaced; maps that are missing on the way are made. */
export function withValue(data: unknown, path: Path, value: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return value;
  const inner = withValue(valueAt(data, [step]), rest, value);
  if (Array.isArray(data)) return data.with(Number(step), inner);
  return Object.fromEntries([...Object.entries(isMap(data) ? data : {}).filter(([key]) => key !== step), [String(step), inner]]);
}
