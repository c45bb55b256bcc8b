/** Rules as people write them. Pure; every problem says where it is and what to write instead. */
import { z } from 'zod';
import { isMap } from '../config/known-keys.ts';
import type { Path, YamlFile } from '../config/yaml-file.ts';
import { nearest } from '../nearest.ts';
import type { Rule, RuleDecision, RuleScope } from './rule.ts';

export interface RuleSource {
  readonly file: YamlFile;
  /** For people: "permissions.yaml". */
  readonly name: string;
  /** Where in the file the rules stand; empty: they are the file. */
  readonly at: Path;
  /** What an override may name: "telegram", and its further accounts: "telegram:work". */
  readonly platforms: readonly string[];
}

export interface ParsedRules {
  readonly rules: readonly Rule[];
  readonly overrides: readonly Rule[];
  /** Absent: the file does not say whether the shipped rules hold. */
  readonly shipped?: boolean;
  readonly problems: readonly string[];
}

const none: ParsedRules = { rules: [], overrides: [], problems: [] };

export function parseRules(data: unknown, source: RuleSource): ParsedRules {
  if (data === undefined || data === null) return none;
  const reader = createReader(source);
  if (!isMap(data)) return { ...none, problems: [reader.at([], `${wantedRules}, but it is ${kindOf(data)}`)] };
  const { overrides, shipped_rules: shipped, ...rules } = data;
  if (shipped !== undefined && typeof shipped !== 'boolean') reader.problem(['shipped_rules'], 'shipped_rules: expected true or false');
  const own = reader.rules(rules, [], {});
  const scoped = overridesOf(overrides, reader);
  return { rules: own, overrides: scoped, ...(typeof shipped === 'boolean' ? { shipped } : {}), problems: reader.problems };
}

const wantedRules = 'expected rules such as "terminal(git push *): ask", one a line';

interface Reader {
  readonly problems: readonly string[];
  problem(path: Path, sentence: string): void;
  /** With its place before it. */
  at(path: Path, sentence: string): string;
  rules(data: Readonly<Record<string, unknown>>, path: Path, scope: RuleScope): Rule[];
  /** One value or a list, as they are written: an id may be longer than a number holds. */
  texts(data: unknown, path: Path): readonly string[];
  readonly platforms: readonly string[];
}

function createReader({ file, name, at, platforms }: RuleSource): Reader {
  const problems: string[] = [];
  const lineOf = (path: Path): number | undefined => file.line([...at, ...path]);
  const located = (path: Path, sentence: string): string => {
    const line = [path, path.slice(0, -1), []].map(lineOf).find((found) => found !== undefined);
    return `${name}${line === undefined ? '' : ` line ${line}`}: ${sentence}`;
  };
  const problem = (path: Path, sentence: string): void => void problems.push(located(path, sentence));
  const text = (value: unknown, path: Path): string =>
    typeof value === 'string' ? value : (file.source([...at, ...path]) ?? String(value));
  return {
    problems,
    problem,
    at: located,
    platforms,
    rules: (data, path, scope) =>
      Object.entries(data).flatMap(([key, value]) => {
        const rule = ruleOf(key, value);
        if (typeof rule === 'string') problem([...path, key], rule);
        const line = lineOf([...path, key]);
        return typeof rule === 'string' ? [] : [{ ...rule, scope, origin: name, ...(line === undefined ? {} : { line }) }];
      }),
    texts: (data, path) => (Array.isArray(data) ? data.map((value, index) => text(value, [...path, index])) : [text(data, path)]),
  };
}

const decisions: readonly RuleDecision[] = ['allow', 'ask', 'deny'];
const name = /^(?<tool>[\w*-]+(?:\.[\w*-]+)?)\s*(?:\((?<pattern>[\s\S]*)\))?$/u;

/** As a path below the working directory, "$HOME/x" would be about nothing, and what it is to forbid would not be forbidden. */
const aboutFiles = /^(?:file\..+|read_file|write_file|search_files|patch)$/u;

/** A sentence: what is wrong with it. */
function ruleOf(key: string, value: unknown): Pick<Rule, 'tool' | 'pattern' | 'decision'> | string {
  const { tool, pattern: given } = name.exec(key.trim())?.groups ?? {};
  if (tool === undefined)
    return `${quoted(key)} is no rule: expected a tool (terminal), a toolset (browser.*) or a tool with a pattern (terminal(git push *))`;
  const decision = decisions.find((one) => one === String(value).trim().toLowerCase());
  if (decision === undefined) return `${quoted(key)}: expected allow, ask or deny, but it is ${shownValue(value)}`;
  const pattern = given?.trim();
  if (pattern === '') return `${quoted(key)} has an empty pattern: write ${tool} alone for whatever its argument is`;
  if (pattern !== undefined && /[\p{Cc}\p{Co}\u200e\u200f\u202a-\u202e\u2066-\u2069]/u.test(pattern))
    return `${quoted(tool)}: its pattern has characters that nobody can see`;
  if (pattern !== undefined && aboutFiles.test(tool) && /^(?:\$|~[^/])/u.test(pattern))
    return `${quoted(key)}: no variable and nobody else's home is looked up here; write the whole path, or ~/ for your home`;
  return pattern === undefined || /^\*+$/u.test(pattern) ? { tool, decision } : { tool, pattern, decision };
}

const conditions = ['platform', 'chat_type', 'chat', 'role'] as const;
const chatTypes = z.enum(['dm', 'group', 'channel']);
const roles = z.enum(['owner', 'admin', 'user']);

function overridesOf(data: unknown, reader: Reader): Rule[] {
  if (data === undefined || data === null) return [];
  if (!Array.isArray(data)) {
    reader.problem(['overrides'], `overrides: expected a list (lines that begin with "- "), but it is ${kindOf(data)}`);
    return [];
  }
  return data.flatMap((item: unknown, index) => overrideOf(item, ['overrides', index], reader));
}

/** A condition that is not understood is a problem and no warning: without it the rules would hold where they are not meant. */
function overrideOf(item: unknown, path: Path, reader: Reader): Rule[] {
  if (!isMap(item)) {
    reader.problem(path, `an override is ${conditions.join(', ')} and rules, but this is ${kindOf(item)}`);
    return [];
  }
  const { rules, ...given } = item;
  for (const key of Object.keys(given)) {
    if (conditions.some((known) => known === key)) continue;
    const near = nearest(key, [...conditions, 'rules']);
    reader.problem(
      [...path, key],
      `${quoted(key)} is no condition${near === undefined ? '' : `; did you mean ${near}?`} Rules stand below "rules:".`,
    );
  }
  if (!conditions.some((key) => given[key] !== undefined && given[key] !== null))
    reader.problem(path, `an override says where it holds: ${conditions.join(', ')}`);
  if (!isMap(rules)) {
    reader.problem([...path, 'rules'], `rules: ${wantedRules}, but it is ${kindOf(rules)}`);
    return [];
  }
  return reader.rules(rules, [...path, 'rules'], scopeOf(given, path, reader));
}

function scopeOf(given: Readonly<Record<string, unknown>>, path: Path, reader: Reader): RuleScope {
  const read = <T extends string>(key: (typeof conditions)[number], valid: (value: string) => T | undefined, wanted: string) => {
    if (given[key] === undefined || given[key] === null) return undefined;
    return reader.texts(given[key], [...path, key]).flatMap((value) => {
      const found = valid(value.trim());
      if (found === undefined) reader.problem([...path, key], `${key}: expected ${wanted}, but it is ${quoted(value)}`);
      return found === undefined ? [] : [found];
    });
  };
  const { platforms: known } = reader;
  const platforms = read(
    'platform',
    (value) => (known.includes(value.replace(/:main$/u, '')) ? value : undefined),
    `one of ${known.join(', ')}`,
  );
  const types = read('chat_type', (value) => chatTypes.safeParse(value).data, 'dm, group or channel');
  const chats = read('chat', (value) => (value === '' ? undefined : value), 'the id of a chat');
  const who = read('role', (value) => roles.safeParse(value).data, 'owner, admin or user');
  return {
    ...(platforms === undefined ? {} : { platforms }),
    ...(types === undefined ? {} : { chatTypes: types }),
    ...(chats === undefined ? {} : { chats }),
    ...(who === undefined ? {} : { roles: who }),
  };
}

const shownUnits = 80;

function quoted(text: string): string {
  return JSON.stringify(text.length > shownUnits ? `${text.slice(0, shownUnits)}…` : text);
}

function shownValue(value: unknown): string {
  if (value === undefined || value === null) return 'missing';
  return typeof value === 'object' ? kindOf(value) : quoted(String(value));
}

function kindOf(value: unknown): string {
  if (value === undefined || value === null) return 'missing';
  return Array.isArray(value) ? 'a list' : isMap(value) ? 'a map' : 'a single value';
}
