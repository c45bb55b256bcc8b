import type { Risk } from '../../../agent/risk.ts';
import { commandName, type Finding, type Reading, type SimpleCommand } from './command.ts';
import { isStatic, resolveWord, shown } from './pattern.ts';
import { codeRules, interpreters } from './rules/code.ts';
import { combinationFindings } from './rules/combination.ts';
import { deleteRules } from './rules/delete.ts';
import { diskRules, formatRule } from './rules/disk.ts';
import { assignmentFindings, elsewhere, homeSweep, programName, redirectFindings, secretPaths, sourced } from './rules/generic.ts';
import { carried, isReader } from './rules/known.ts';
import { remoteCopy, remoteRules } from './rules/remote.ts';
import type { Rule, ShellPlace } from './rules/rule.ts';
import { systemRules } from './rules/system.ts';
import { namedOutput, writeRules } from './rules/write.ts';
import type { ParseShell } from './tree.ts';
import { readShell } from './walk.ts';
import { WRAPPERS } from './wrappers.ts';

const MAX_LENGTH = 40_000;

const TABLES: readonly Readonly<Record<string, Rule>>[] = [deleteRules, diskRules, systemRules, writeRules, codeRules, remoteRules];
const FOR_ALL: readonly Rule[] = [
  programName,
  sourced,
  elsewhere,
  formatRule,
  interpreters,
  secretPaths,
  homeSweep,
  remoteCopy,
  namedOutput,
];

/** Pure but for what `place.realPath` looks at. Never throws: what cannot be understood asks. */
export function classifyCommand(text: string, place: ShellPlace, parse: ParseShell): Risk {
  const reading = readShell(text.length > MAX_LENGTH ? text.slice(0, MAX_LENGTH) : text, place, parse);
  const findings = [...textFindings(text), ...reading.findings, ...readingFindings(reading, place)];
  return toRisk(findings, subjectsOf(reading, text));
}

function readingFindings(reading: Reading, place: ShellPlace): Finding[] {
  return [
    ...reading.commands.flatMap((command) => judgeCommand(command, place)),
    ...redirectFindings(reading, place),
    ...assignmentFindings(reading.assignments, place),
    ...combinationFindings(reading, place),
  ];
}

function judgeCommand(command: SimpleCommand, place: ShellPlace): Finding[] {
  const name = commandName(command);
  const own = TABLES.flatMap((table) => (Object.hasOwn(table, name) ? (table[name] ?? []) : []));
  const findings = [...own, ...FOR_ALL].flatMap((rule) => rule(command, place));
  return isKnown(name) ? findings : [...findings, ...carried(command, (inner) => judgeCommand(inner, place))];
}

function isKnown(name: string): boolean {
  return isReader(name) || WRAPPERS.has(name) || TABLES.some((table) => Object.hasOwn(table, name));
}

// Characters that make a text look different from what runs, and those that we use ourselves as marks.
const DECEIVING = /[[\p{Cc}--[\t\n]]\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ue000-\uf8ff]/v;

function textFindings(text: string): Finding[] {
  const findings: Finding[] = [];
  if (text.length > MAX_LENGTH) findings.push({ level: 'ask', why: 'It is too long to be judged.' });
  if (DECEIVING.test(text) || !text.isWellFormed()) findings.push({ level: 'ask', why: 'It has invisible or misleading characters.' });
  // bash evaluates an array subscript even inside a quoted name (`printf -v 'a[$(id)]'`).
  if (/\w\[[^\]\s]*(?:\$\(|`)/u.test(text)) findings.push({ level: 'ask', why: 'It runs a command inside an array subscript.' });
  if (/\bfork\s*(?:\(\s*\))?\s*while\s+(?:fork|1|true)|%0\s*\|\s*%0/u.test(text))
    findings.push({ level: 'hardline', why: 'It is a fork bomb: it multiplies itself until the machine stands still.' });
  return findings;
}

function toRisk(findings: readonly Finding[], subjects: readonly string[]): Risk {
  const forbidden = findings.filter((finding) => finding.level === 'hardline');
  const level = forbidden.length > 0 ? 'hardline' : findings.length > 0 ? 'ask' : 'safe';
  const reasons = new Set((forbidden.length > 0 ? forbidden : findings).map((finding) => finding.why));
  return { level, why: [...reasons].slice(0, 3).join(' '), subjects };
}

/** Every simple command in its words, then every place that a redirection writes. */
function subjectsOf(reading: Reading, text: string): string[] {
  const commands = reading.commands.map((command) => command.argv.map(quoted).join(' '));
  const places = reading.redirects
    .flatMap(({ target, writes, directories }) => (writes ? (resolveWord(target, directories) ?? [target]) : []))
    .map(shown);
  const subjects = [...new Set([...commands, ...places])];
  return subjects.length > 0 ? subjects : [text];
}

function quoted(word: string): string {
  if (!isStatic(word)) return shown(word);
  return /^[\w@%+=:,./-]+$/u.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
