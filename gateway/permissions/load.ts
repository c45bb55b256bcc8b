/** `permissions.yaml` in the home, and the `permissions:` key of config.yaml. */
import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '../config/load.ts';
import { readYaml } from '../config/yaml-file.ts';
import { type ParsedRules, parseRules } from './parse.ts';
import type { Rule } from './rule.ts';
import { shippedRules } from './shipped.ts';

export interface LoadedPermissions {
  /** In the order in which they count. */
  readonly rules: readonly Rule[];
  readonly hasFile: boolean;
}

export interface PermissionsOptions {
  readonly home: string;
  /** What an override may name: "telegram", and its further accounts: "telegram:work". */
  readonly platforms: readonly string[];
  /** What holds now. A file that is gone is then no file without rules: whoever removed it may have meant to, or a program writes it anew. */
  readonly before?: LoadedPermissions;
}

export const permissionsFile = 'permissions.yaml';

/** Throws ConfigError with every problem: with a part of the rules nobody would know what is forbidden. */
export function loadPermissions({ home, platforms, before }: PermissionsOptions): LoadedPermissions {
  const own = readText(home, permissionsFile);
  if (own === undefined && before?.hasFile === true)
    throw new ConfigError(home, [`${permissionsFile} is gone: put it back, an empty one where no rule is wanted, or restart the gateway`]);
  const config = parsed(readText(home, 'config.yaml') ?? '', { name: 'config.yaml', key: 'permissions', platforms });
  const file = parsed(own ?? '', { name: permissionsFile, platforms });
  const problems = [...config.problems, ...file.problems];
  if (problems.length > 0) throw new ConfigError(home, problems);
  const shipped = (file.shipped ?? config.shipped ?? true) ? shippedRules : [];
  return {
    rules: [...config.rules, ...file.rules, ...shipped, ...config.overrides, ...file.overrides],
    hasFile: own !== undefined,
  };
}

interface Kind {
  readonly name: string;
  readonly key?: string;
  readonly platforms: readonly string[];
}

function parsed(text: string, { name, key, platforms }: Kind): ParsedRules {
  const file = readYaml(text, name);
  if (file.problems.length > 0) return { rules: [], overrides: [], problems: file.problems };
  return parseRules(key === undefined ? file.data : file.data[key], { file, name, at: key === undefined ? [] : [key], platforms });
}

/** Nobody writes more by hand, and every call is compared with each rule. */
const mostBytes = 64 * 1024;

/** Undefined: there is none. One that is there and cannot be read is a problem, and so is a link that leads nowhere. */
function readText(home: string, name: string): string | undefined {
  const file = join(home, name);
  try {
    return readRegular(file);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : undefined;
    if (code === 'ENOENT' && lstatSync(file, { throwIfNoEntry: false }) === undefined) return undefined;
    const why = code === undefined ? sentence(error) : (reasons[code] ?? code);
    throw new ConfigError(home, [`${name} cannot be read (${why}): check that it is a file that this user may read`]);
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'it is a link that leads nowhere',
  ERR_ENCODING_INVALID_ENCODED_DATA: 'it is no text in UTF-8',
};

/** A pipe or a device in its place would keep us waiting, or never end. */
function readRegular(file: string): string {
  const handle = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const facts = fstatSync(handle);
    if (facts.isDirectory()) throw new Error('it is a directory');
    if (!facts.isFile()) throw new Error('it is no ordinary file');
    if (facts.size > mostBytes) throw new Error(`it has ${facts.size} bytes, more than the ${mostBytes} that are looked at`);
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(handle));
  } finally {
    closeSync(handle);
  }
}

function sentence(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
