import type { Risk } from '../../../agent/risk.ts';
import { commandName, type Finding, type Reading, type SimpleCommand } from './command.ts';
import { isDeceiving, resolveWord, shown } from './pattern.ts';
import { codeRules, interpreters } from './rules/code.ts';
import { combinationFindings } from './rules/combination.ts';
import { converters, servers } from './rules/converters.ts';
import { copiedLinks } from './rules/copied-links.ts';
import { credentials } from './rules/credentials.ts';
import { deleteRules, removedPlaces } from './rules/delete.ts';
import { diskRules, formatRule, wholeDisk } from './rules/disk.ts';
import { assignmentFindings, elsewhere, homeSweep, programName, redirectFindings, secretPaths, sourced } from './rules/generic.ts';
import { hiddenClimbs } from './rules/hidden-climbs.ts';
import { carried, isReader } from './rules/known.ts';
import type { ShellPlace } from './rules/links.ts';
import { namedOutput, outputRules } from './rules/output.ts';
import { remoteCopy, remoteRules } from './rules/remote.ts';
import type { Rule } from './rules/rule.ts';
import { systemRules } from './rules/system.ts';
import { judgeUnknown } from './rules/unknown.ts';
import { writeRules } from './rules/write.ts';
import { inWords, touchesOf } from './touches.ts';
import type { ParseShell } from './tree.ts';
import { readShell } from './walk.ts';
import { WRAPPERS } from './wrappers.ts';

const MAX_LENGTH = 40_000;

/** Whoever stands in one of these is known well enough not to run the words that it is given. */
const KNOWN: readonly Readonly<Record<string, Rule>>[] = [deleteRules, diskRules, systemRules, writeRules, codeRules, remoteRules];
const TABLES = [...KNOWN, outputRules];
const FOR_ALL: readonly Rule[] = [
  programName,
  sourced,
  elsewhere,
  formatRule,
  wholeDisk,
  interpreters,
  secretPaths,
  homeSweep,
  remoteCopy,
  namedOutput,
  converters,
  servers,
  credentials,
  judgeUnknown((name) => KNOWN.some((table) => Object.hasOwn(table, name))),
];

/** Pure but for what `place.realPath` looks at. Never throws: what cannot be understood asks. */
export function classifyCommand(text: string, place: ShellPlace, parse: ParseShell): Risk {
  const reading = readShell(text.length > MAX_LENGTH ? text.slice(0, MAX_LENGTH) : text, place, parse);
  const findings = [...textFindings(text), ...reading.findings, ...readingFindings(reading, place)];
  return { ...toRisk(findings, subjectsOf(reading, { findings, text })), touches: touchesOf(reading, findings, place) };
}

function readingFindings(reading: Reading, place: ShellPlace): Finding[] {
  return [
    ...reading.commands.flatMap((command) => judgeCommand(command, place)),
    ...redirectFindings(reading, place),
    ...assignmentFindings(reading.assignments, place),
    ...combinationFindings(reading, place),
    ...hiddenClimbs(reading),
    ...copiedLinks(reading, place),
  ];
}

function judgeCommand(command: SimpleCommand, place: ShellPlace): Finding[] {
  const name = commandName(command);
  const own = TABLES.flatMap((table) => (Object.hasOwn(table, name) ? (table[name] ?? []) : []));
  const inside = isKnown(name) ? [] : carried(command, (inner) => judgeCommand(inner, place));
  const findings = [...[...own, ...FOR_ALL].flatMap((rule) => rule(command, place)), ...inside];
  return findings.map((finding) => ({ ...finding, about: [command, ...(finding.about ?? [])] }));
}

function isKnown(name: string): boolean {
  return isReader(name) || WRAPPERS.has(name) || KNOWN.some((table) => Object.hasOwn(table, name));
}

function textFindings(text: string): Finding[] {
  const findings: Finding[] = [];
  if (text.length > MAX_LENGTH) findings.push({ level: 'ask', why: 'It is too long to be judged.' });
  if (isDeceiving(text)) findings.push({ level: 'ask', why: 'It has invisible or misleading characters.' });
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
  const why = [...reasons].slice(0, 3).join(' ');
  const isSpecific = findings.length > 0 && findings.every((finding) => finding.about !== undefined);
  return isSpecific ? { level, why, subjects, doubtful: doubtfulOf(findings) } : { level, why, subjects };
}

/** Every simple command in its words, then every place that is removed, that a redirection writes or for whose sake somebody is asked. */
function subjectsOf(reading: Reading, from: { findings: readonly Finding[]; text: string }): string[] {
  const places = reading.redirects
    .flatMap(({ target, writes, directories }) => (writes ? (resolveWord(target, directories) ?? [target]) : []))
    .map(shown);
  const subjects = new Set([
    ...reading.commands.map(inWords),
    ...reading.commands.flatMap(removedPlaces),
    ...places,
    ...doubtfulOf(from.findings),
  ]);
  return subjects.size > 0 ? [...subjects] : [from.text];
}

function doubtfulOf(findings: readonly Finding[]): string[] {
  const about = findings.flatMap((finding) => finding.about ?? []);
  return [...new Set(about.flatMap((subject) => (typeof subject === 'string' ? subject : [inWords(subject), ...removedPlaces(subject)])))];
}
