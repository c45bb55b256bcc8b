import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { nearest } from '../nearest.ts';
import { accountsOf, alone } from './accounts.ts';
import { parseEnvFile } from './env-file.ts';
import { Environment } from './environment.ts';
import { hermesInnerKeys, hermesKeys } from './hermes-keys.ts';
import { isMap } from './known-keys.ts';
import { readSection, type SectionInput, type Source } from './read-section.ts';
import { ReusedSecrets } from './reused-secrets.ts';
import { withInner } from './secret-values.ts';
import type { ConfigSection } from './section.ts';
import { type Path, readYaml } from './yaml-file.ts';

export type Sections = Readonly<Record<string, ConfigSection>>;
export type ConfigOf<S extends Sections> = { readonly [Name in keyof S]: S[Name] extends ConfigSection<infer T> ? T : never };

export interface LoadOptions {
  /** The directory of config.yaml and .env; neither has to exist. */
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Keys that are also accepted at the top level, or in another section: "name" or "section.key" to "section.key". What the section itself says wins. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** Sections that may be a single value ("model: some-model"): name to the key that it stands for. */
  readonly shorthands?: Readonly<Record<string, string>>;
  /** Sections that may describe several accounts: what is said of one below `accounts` is added to, or beats, what the section itself says. */
  readonly accounts?: readonly string[];
}

export interface NamedAccount {
  readonly section: string;
  readonly name: string;
  /** As the section's own schema makes it. */
  readonly config: unknown;
}

export interface LoadedConfig<S extends Sections> {
  /** Frozen through and through: a change of the files makes a new one. */
  readonly config: ConfigOf<S>;
  /** The further accounts of the sections that may have them, in the order of the file. */
  readonly accounts: readonly NamedAccount[];
  /** Sentences for the owner about what does not block. */
  readonly warnings: readonly string[];
  /** Every secret value that is known, for redaction. */
  readonly secrets: readonly string[];
}

/** The configuration cannot be used. Lists everything that is wrong, so that it is mended in one go; holds no secret. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly string[];

  constructor(home: string, problems: readonly string[]) {
    const count = problems.length === 1 ? 'a problem' : `${problems.length} problems`;
    super(`The configuration in ${home} has ${count}:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
    this.problems = problems;
  }
}

/** Reads config.yaml, .env and the environment (which wins, in this order, for the keys that a section maps). Throws ConfigError. */
export function loadConfig<S extends Sections>(sections: S, options: LoadOptions): LoadedConfig<S> {
  const problems: string[] = [];
  const file = readYaml(readText(options.home, 'config.yaml', problems), 'config.yaml');
  const envFile = parseEnvFile(readText(options.home, '.env', problems));
  problems.push(...file.problems);
  const env = new Environment(options.env, envFile);
  const data = normalise(file.data, options);
  const unknown = new UnknownKeys(Object.keys(sections));
  for (const key of Object.keys(data)) if (!Object.hasOwn(sections, key)) unknown.topLevel(key, file.line([key]));

  const config: Record<string, unknown> = {};
  const secrets = new Set(env.secrets());
  const source: Source = { file, env, report: (path, known) => unknown.below(path, known, file.line(path)) };
  const reused = new ReusedSecrets();
  const read = (input: SectionInput): unknown => {
    const result = readSection(input, source);
    problems.push(...result.problems);
    for (const secret of result.secrets) secrets.add(secret);
    if (options.accounts?.includes(input.name) === true) problems.push(...reused.problems(input, result.value));
    return deepFreeze(result.value);
  };
  const accounts: NamedAccount[] = [];
  for (const [name, section] of Object.entries(sections)) {
    const { own, others, problem } = options.accounts?.includes(name) ? accountsOf(name, section, data[name]) : alone(data[name]);
    config[name] = read({ name, section, data: own });
    if (problem !== undefined) problems.push(problem);
    for (const other of others) accounts.push({ section: name, name: other.name, config: read(other.input) });
  }
  if (problems.length > 0) throw new ConfigError(options.home, problems);
  // Each section's schema has just made its part; only the map over their names is beyond the type checker.
  return {
    config: Object.freeze(config) as ConfigOf<S>,
    accounts,
    warnings: [...envFile.problems, ...unknown.warnings()],
    secrets: withInner(secrets),
  };
}

function readText(home: string, name: string, problems: string[]): string {
  try {
    return readFileSync(join(home, name), 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    if (code !== 'ENOENT') problems.push(`${name} cannot be read (${code}): check that it is a file that this user may read`);
    return '';
  }
}

/** The top level with aliases and shorthands in the place that they stand for. */
function normalise(data: Readonly<Record<string, unknown>>, options: LoadOptions): Record<string, unknown> {
  const result = new Map(Object.entries(data));
  for (const [name, key] of Object.entries(options.shorthands ?? {})) {
    const value = result.get(name);
    if (typeof value === 'string' || typeof value === 'number') result.set(name, { [key]: value });
  }
  for (const [alias, target] of Object.entries(options.aliases ?? {})) {
    const [name = '', key = ''] = target.split('.');
    const section = result.get(name) ?? {};
    const value = taken(result, alias);
    if (!isMap(section) || value === undefined || Object.hasOwn(section, key)) continue;
    result.set(name, { ...section, [key]: value });
  }
  return Object.fromEntries(result);
}

/** Takes it out of where it stands; undefined where it does not. */
function taken(data: Map<string, unknown>, alias: string): unknown {
  const [name = '', key] = alias.split('.');
  const section = data.get(name);
  if (key === undefined) data.delete(name);
  if (key === undefined || !isMap(section)) return key === undefined ? section : undefined;
  const { [key]: value, ...rest } = section;
  data.set(name, rest);
  return value;
}

/** Keys that nobody reads: a warning each with what was probably meant, and one line for all that Hermes Agent would have read. */
class UnknownKeys {
  readonly #sections: readonly string[];
  readonly #hermes = new Set<string>();
  readonly #warnings: string[] = [];

  constructor(sections: readonly string[]) {
    this.#sections = sections;
  }

  topLevel(key: string, line: number | undefined): void {
    if (Object.hasOwn(hermesKeys, key)) this.#hermes.add(key);
    else this.#warn(key, line, nearest(key, [...this.#sections, ...Object.keys(hermesKeys)]));
  }

  below(path: Path, known: readonly string[], line: number | undefined): void {
    const steps = path.map(String);
    const name = steps.join('.');
    const key = steps.at(-1) ?? '';
    if (hermesKeysBelow(steps.slice(0, -1)).includes(key)) this.#hermes.add(name);
    else this.#warn(name, line, nearest(key, known));
  }

  warnings(): string[] {
    if (this.#hermes.size === 0) return this.#warnings;
    const names = [...this.#hermes];
    const more = names.length > 12 ? ` and ${names.length - 12} more` : '';
    const count = names.length === 1 ? '1 key' : `${names.length} keys`;
    return [...this.#warnings, `config.yaml: ${count} of Hermes Agent not used here yet: ${names.slice(0, 12).join(', ')}${more}`];
  }

  #warn(name: string, line: number | undefined, near: string | undefined): void {
    const place = line === undefined ? 'config.yaml' : `config.yaml line ${line}`;
    this.#warnings.push(`${place}: ${name} is not a known key and is ignored${near === undefined ? '' : `; did you mean ${near}?`}`);
  }
}

function hermesKeysBelow(path: readonly string[]): readonly string[] {
  if (path.length === 1) return hermesKeys[path.join()] ?? [];
  return hermesInnerKeys[path.join('.')] ?? hermesInnerKeys[[...path.slice(0, -1), '*'].join('.')] ?? [];
}

function deepFreeze(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const inner of Object.values(value)) deepFreeze(inner);
  return Object.freeze(value);
}
