import type { core } from 'zod';
import { coerceIssues, valueAt, withValue } from './coerce.ts';
import { type Environment, interpolate, type Variable } from './environment.ts';
import { expected, suggestion } from './expected.ts';
import { isMap, type ReportUnknown, withoutUnknownKeys } from './known-keys.ts';
import { isSecretName, namedSecrets, textsIn } from './secret-values.ts';
import type { ConfigSection } from './section.ts';
import type { Path, YamlFile } from './yaml-file.ts';

export interface Source {
  readonly file: YamlFile;
  readonly env: Environment;
  /** Paths begin with the section's name. */
  readonly report: ReportUnknown;
}

export interface SectionInput {
  readonly name: string;
  readonly section: ConfigSection;
  /** What config.yaml says; undefined when it has no such section. */
  readonly data: unknown;
  /** Where it stands in the file; not set: below its name. */
  readonly at?: Path;
}

export interface SectionResult {
  readonly value: unknown;
  readonly problems: readonly string[];
  readonly secrets: readonly string[];
}

/** What is known about where values came from, for messages. Keys are paths below the section, joined by dots. */
interface Origins {
  readonly variables: ReadonlyMap<string, Variable>;
  readonly interpolated: ReadonlySet<string>;
}

/** One section from its part of config.yaml and its variables. Never throws for what a person wrote. */
export function readSection(input: SectionInput, source: Source): SectionResult {
  const { name, section, at = [name] } = input;
  const missing: string[] = [];
  const interpolated = new Set<string>();
  const filled = fill(input.data ?? {}, [], (text, path) => {
    const value = interpolate(text, source.env, (variable) => {
      missing.push(
        `${place(source.file, [...at, ...path])}: ${[...at, ...path].join('.')} uses \${${variable}}, which is not set in .env or the environment`,
      );
    });
    if (value !== text) interpolated.add(path.join('.'));
    return value;
  });
  const variables = mappedVariables(section, source.env);
  let data = withoutUnknownKeys(section.schema, filled, (path, known) => source.report([...at, ...path], known));
  if (isMap(data)) for (const [key, variable] of variables) data = withValue(data, key.split('.'), variable.value);
  if (missing.length > 0) return { value: undefined, problems: missing, secrets: [] };

  const parsed = parse(section, data, (path) => source.file.source([...at, ...path]));
  const secrets = [...section.secrets.flatMap((key) => textsIn(valueAt(parsed.data, key.split('.')))), ...namedSecrets(filled)];
  const describe = (issue: core.$ZodIssue) =>
    problem(input, { issue, data: parsed.data, origins: { variables, interpolated } }, source.file);
  return { value: parsed.value, problems: parsed.issues.map(describe), secrets };
}

/** Interpolates every text and leaves out keys without a value: `key:` with all of it commented means "not set". */
function fill(data: unknown, path: Path, change: (text: string, path: Path) => string): unknown {
  if (typeof data === 'string') return change(data, path);
  if (Array.isArray(data)) return data.map((value, index) => fill(value, [...path, index], change));
  if (!isMap(data)) return data;
  const entries = Object.entries(data).filter(([, value]) => value !== null);
  return Object.fromEntries(entries.map(([key, value]) => [key, fill(value, [...path, key], change)]));
}

/** Key below the section to the variable that sets it; of several variables for one key the first that is set. */
function mappedVariables(section: ConfigSection, env: Environment): Map<string, Variable> {
  const found = new Map<string, Variable>();
  for (const [name, key] of Object.entries(section.env)) {
    const variable = env.find(name);
    if (variable !== undefined && !found.has(key)) found.set(key, variable);
  }
  return found;
}

/** A coerced list may hold texts that must be coerced in turn, hence the rounds; depth of a configuration is far below their number. */
function parse(section: ConfigSection, data: unknown, source: (path: Path) => string | undefined) {
  let current = data;
  let result = section.schema.safeParse(current);
  for (let round = 0; round < 5 && !result.success; round += 1) {
    const next = coerceIssues(current, result.error.issues, source);
    if (next === undefined) break;
    current = next;
    result = section.schema.safeParse(current);
  }
  return { value: result.data, data: current, issues: result.success ? [] : result.error.issues };
}

interface Complaint {
  readonly issue: core.$ZodIssue;
  readonly data: unknown;
  readonly origins: Origins;
}

function problem({ name, section, at = [name] }: SectionInput, { issue, data, origins }: Complaint, file: YamlFile): string {
  const value = valueAt(data, issue.path);
  const key = issue.path.map(String).join('.');
  const full = [...at, ...issue.path].map(String).join('.');
  const variable = origins.variables.get(key) ?? origins.variables.get(String(issue.path[0]));
  const secret = isSecretKey(section, issue.path);
  const hidden = secret || origins.interpolated.has(key);
  const is = hidden && value !== undefined ? 'its value is something else (not shown)' : shown(value);
  const wanted = `expected ${expected(issue)}, but ${is}${secret ? '' : suggestion(issue, value)}`;
  if (variable !== undefined) return `${variable.name} (${variable.origin}, for ${full}): ${wanted}`;
  return `${place(file, [...at, ...issue.path])}: ${full}: ${wanted}`;
}

function isSecretKey(section: ConfigSection, path: Path): boolean {
  const key = path.map(String).join('.');
  const named = section.secrets.some((secret) => key === secret || key.startsWith(`${secret}.`));
  return named || path.some((step) => isSecretName(String(step)));
}

function shown(value: unknown): string {
  if (value === undefined) return 'it is missing';
  if (Array.isArray(value)) return 'it is a list';
  if (isMap(value)) return 'it has keys below it';
  const text = JSON.stringify(value);
  return `it is ${text.length > 60 ? `${text.slice(0, 60)}…` : text}`;
}

/** The line of a value, or of the nearest key above it that is in the file. */
function place(file: YamlFile, path: Path): string {
  for (let depth = path.length; depth > 0; depth -= 1) {
    const line = file.line(path.slice(0, depth));
    if (line !== undefined) return `config.yaml line ${line}`;
  }
  return 'config.yaml';
}
