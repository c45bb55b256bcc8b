/** Whether a rule is about something that a call does. Pure but for where links lead. */
import path from 'node:path';
import type { Touch } from '../../agent/risk.ts';
import { UNKNOWN } from '../../agent/risk.ts';
import { createGlob, type Glob, literal, literalLength } from './glob.ts';
import type { Rule } from './rule.ts';

/** `maybe`: that only shows when the call runs. */
export type Match = 'yes' | 'maybe' | 'no';

export interface RuledCall {
  readonly tool: string;
  readonly toolset: string;
  /** Absolute; what relative patterns are below. */
  readonly workspace: string;
  /** Some of what it does are commands, so that its own patterns are about these. */
  readonly hasCommands: boolean;
}

export interface Files {
  /** The user's, for `~`. */
  readonly home: string;
  /** Follows links as far as the path exists. */
  realPath(file: string): string;
}

export type Matcher = (call: RuledCall, touch: Touch) => Match;

/** What is allowed must be that for certain, by its real name; what is forbidden or asked about goes by any name, and reaches hidden files. */
export function createMatcher(rule: Rule, files: Files): Matcher {
  const { tool, pattern } = rule;
  const strict = rule.decision !== 'allow';
  const names = createGlob(tool, { isPath: false, hidden: true });
  const asText = (wanted: string): Glob => createGlob(wanted, { isPath: false, hidden: true });
  const texts = { text: asText(pattern ?? '*'), command: asText(withHome(pattern ?? '*', files.home)) };
  const absolute = pattern !== undefined && /^(?:~(?:\/|$)|\/)/u.test(pattern) ? pathGlobs(pattern, files, strict) : undefined;
  return (call, touch) => {
    const isOwn = ownNames(call, strict).some(names.matches);
    if (!isOwn && !fileNames(touch, strict).some(names.matches)) return 'no';
    if (pattern === undefined) return 'yes';
    if (!isPath(touch)) return byText(touch.kind === 'command' ? texts.command : texts.text, touch, strict);
    if (isOwn && call.hasCommands) return 'no';
    return byPath(absolute ?? relativeGlobs(pattern, call, { files, strict }), touch, strict);
  };
}

/** `~/bin/x *`: commands are told with the paths that a shell makes of their words. */
function withHome(pattern: string, home: string): string {
  return pattern.replaceAll(/(?<=^|\s)~(?=\/|\s|$)/gu, literal(home));
}

/** A toolset's name alone may forbid what is in it: whoever writes "file: deny" means it. */
function ownNames({ tool, toolset }: RuledCall, strict: boolean): readonly string[] {
  return [tool, `${toolset}.${tool}`, ...(strict ? [toolset] : [])];
}

/** Also for what is done to files in another way: the redirections of a command. What may not be read may not be searched either. */
function fileNames(touch: Touch, strict: boolean): readonly string[] {
  if (!isPath(touch)) return [];
  return [`file.${touch.kind}`, ...(strict && touch.kind === 'search' ? ['file.read'] : [])];
}

function isPath({ kind }: Touch): boolean {
  return kind === 'read' || kind === 'write' || kind === 'search';
}

function byText(glob: Glob, { name, also = [] }: Touch, strict: boolean): Match {
  if (!strict) return glob.matches(name) ? 'yes' : 'no';
  const all = [name, ...also];
  if (all.some(glob.matches)) return 'yes';
  return all.some((one) => one.includes(UNKNOWN) && glob.mayMatch(one)) ? 'maybe' : 'no';
}

function byPath(globs: readonly Glob[], { kind, name, also = [] }: Touch, strict: boolean): Match {
  const isCovered = (file: string): boolean =>
    globs.some((glob) => glob.matches(file) && (kind !== 'search' || glob.matches(anywhereIn(file))));
  if (!strict) return isCovered(name) ? 'yes' : 'no';
  const all = [name, ...also];
  if (all.some((file) => globs.some((glob) => glob.matches(file)))) return 'yes';
  const wider = kind === 'search' ? all.map((file) => below(file, UNKNOWN)) : all.filter((file) => file.includes(UNKNOWN));
  return wider.some((file) => globs.some((glob) => glob.mayMatch(file))) ? 'maybe' : 'no';
}

/** No pattern names it. */
const somewhere = '\ue001';

function anywhereIn(directory: string): string {
  return below(directory, `${somewhere}/${somewhere}`);
}

function below(directory: string, rest: string): string {
  return directory === '/' ? `/${rest}` : `${directory}/${rest}`;
}

function relativeGlobs(pattern: string, { workspace }: RuledCall, { files, strict }: { files: Files; strict: boolean }): readonly Glob[] {
  return pathGlobs(`${literal(workspace)}/${pattern}`, files, strict);
}

/** As it is written, and with the links followed in the part of it that is no wildcard. */
function pathGlobs(pattern: string, { home, realPath }: Files, strict: boolean): readonly Glob[] {
  const wanted = path.posix.normalize(pattern.replace(/^~(?=\/|$)/u, literal(home))).replace(/(?<=.)\/$/u, '');
  const fixed = unescaped(wanted.slice(0, fixedLength(wanted)));
  const real = literal(realPath(fixed === '' ? '/' : fixed).replace(/\/$/u, '')) + wanted.slice(fixedLength(wanted));
  return [...new Set([wanted, real])].map((one) => createGlob(one === '' ? '/' : one, { isPath: true, hidden: strict }));
}

/** Of the whole directories before the first wildcard. */
function fixedLength(pattern: string): number {
  const plain = pattern.replaceAll(/\\[\\*?]/gu, '__');
  const end = literalLength(plain);
  return end === plain.length ? end : plain.lastIndexOf('/', end);
}

function unescaped(pattern: string): string {
  return pattern.replaceAll(/\\([\\*?])/gu, '$1');
}
