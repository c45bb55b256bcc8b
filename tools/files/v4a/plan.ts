import { lstat } from 'node:fs/promises';
import type { SessionRef } from '../../../agent/tool.ts';
import type { Change } from '../../shared/contained-changes.ts';
import type { FileStates, Snapshot } from '../../shared/file-states.ts';
import { type FilePlaces, locate, type Target, writeRefusal } from '../place.ts';
import { snapshotOf, staleSentence } from '../snapshot.ts';
import { decode, fileProblem, missingSentence, readTextFile, whyNoFile, whyProtected } from '../text-file.ts';
import { type Applied, applyHunks } from './hunks.ts';
import type { Hunk, Operation } from './parse.ts';

/** Judges a whole patch against the files before anything is written. */

export interface PatchedFile {
  readonly action: 'added' | 'updated' | 'deleted' | 'moved';
  /** As the patch names it. */
  readonly path: string;
  readonly to?: string;
  readonly added: number;
  readonly removed: number;
  readonly diff: readonly string[];
  readonly tolerances: readonly string[];
  /** A sentence: the file was not as the session knew it. */
  readonly stale?: string;
}

export interface PlannedFile {
  readonly report: PatchedFile;
  readonly changes: readonly Change[];
}

export interface PlanParts {
  readonly places: FilePlaces;
  readonly states: FileStates;
  readonly session: SessionRef;
}

/** Strings are problems, one sentence each. */
export async function planPatch(operations: readonly Operation[], parts: PlanParts): Promise<(PlannedFile | string)[]> {
  const works = await worksOf(operations, parts);
  const twice = namedTwice(works);
  const planned: (PlannedFile | string)[] = [...twice];
  for (const work of works)
    planned.push(...[await planWork(work, parts).catch((error: unknown) => [fileProblem(error, work.target.named)])].flat());
  return planned;
}

interface Work {
  readonly operation: Operation;
  readonly target: Target;
  readonly to?: Target;
  /** Of an update: those of each section of the patch that names the file, one after the other. */
  readonly hunks: (readonly Hunk[])[];
}

/** Several updates of one file are one. */
async function worksOf(operations: readonly Operation[], { session, places }: PlanParts): Promise<Work[]> {
  const works: Work[] = [];
  for (const operation of operations) {
    const target = await locate(operation.path, session, places);
    const isUpdate = operation.kind === 'update';
    const same = works.find((work) => work.target.real === target.real && work.operation.kind === 'update');
    if (isUpdate && operation.to === undefined && same !== undefined) same.hunks.push(operation.hunks);
    else
      works.push({
        operation,
        target,
        hunks: isUpdate ? [operation.hunks] : [],
        ...(isUpdate && operation.to !== undefined ? { to: await locate(operation.to, session, places) } : {}),
      });
  }
  return works;
}

function namedTwice(works: readonly Work[]): string[] {
  const names = works.flatMap(({ target, to }) => (to === undefined ? [target.real] : [target.real, to.real]));
  const twice = new Set(names.filter((name, index) => names.indexOf(name) !== index));
  return [...twice].map(
    (name) => `${name} is named by several parts of the patch that do not go together. Do one of them, or use several patches.`,
  );
}

async function planWork(work: Work, parts: PlanParts): Promise<PlannedFile | string | string[]> {
  const { session, places } = parts;
  const refusal = [work.target, ...(work.to === undefined ? [] : [work.to])].map((target) => writeRefusal(target, session, places));
  const why = refusal.find((each) => each !== undefined) ?? whyNoName(work.operation);
  if (why !== undefined) return why;
  if (work.operation.kind === 'add') return planAdd(work, work.operation.content, parts);
  if (work.operation.kind === 'delete') return planDelete(work, parts);
  return work.to !== undefined && work.hunks.flat().length === 0 ? planMove(work, work.to, parts) : planUpdate(work, parts);
}

function whyNoName(operation: Operation): string | undefined {
  const names = [operation.path, ...(operation.kind === 'update' && operation.to !== undefined ? [operation.to] : [])];
  const directory = names.find((name) => /[/\\]$/u.test(name));
  return directory === undefined ? undefined : `${directory} names a directory. Give the name of a file.`;
}

async function planAdd({ operation: { path }, target }: Work, content: string, { places }: PlanParts): Promise<PlannedFile | string> {
  if (!content.isWellFormed()) return `${path}: the content has half characters that no file can hold.`;
  const there = await places.files.look(target.real);
  if (there !== undefined) return `${path} exists already. Change it with "*** Update File", or replace it with write_file.`;
  const lines = content === '' ? [] : content.slice(0, -1).split('\n');
  return {
    report: { action: 'added', path, added: lines.length, removed: 0, diff: lines.map((line) => `+${line}`), tolerances: [] },
    changes: [{ kind: 'write', file: target.real, content }],
  };
}

async function planDelete(work: Work, parts: PlanParts): Promise<PlannedFile | string> {
  const { path } = work.operation;
  const facts = await plainFile(work, parts);
  if (typeof facts === 'string') return facts;
  return {
    report: { action: 'deleted', path, added: 0, removed: 0, diff: [], tolerances: [], ...(await staleness(work.target, parts)) },
    changes: [{ kind: 'remove', file: work.target.real, seen: facts }],
  };
}

async function planMove(work: Work, to: Target, parts: PlanParts): Promise<PlannedFile | string> {
  const { path } = work.operation;
  const facts = await plainFile(work, parts);
  if (typeof facts === 'string') return facts;
  if ((await parts.places.files.look(to.real)) !== undefined) return occupied(path, to);
  return {
    report: {
      action: 'moved',
      path,
      to: nameOf(work),
      added: 0,
      removed: 0,
      diff: [],
      tolerances: [],
      ...(await staleness(work.target, parts)),
    },
    changes: [{ kind: 'move', file: work.target.real, to: to.real, seen: facts }],
  };
}

function occupied(path: string, to: Target): string {
  return `${path} cannot be moved: ${to.named} exists already. Delete it first, or choose another name.`;
}

function nameOf({ operation }: Work): string {
  return operation.kind === 'update' ? (operation.to ?? operation.path) : operation.path;
}

/** Facts of a file that may be taken away; a link is not followed: what it leads to would go and the link would stay. */
async function plainFile({ target, operation: { path } }: Work, { places: { files } }: PlanParts) {
  const link = await lstat(target.placed).catch(() => undefined);
  if (link?.isSymbolicLink() === true)
    return `${path} is a link to ${target.real}. Name that file itself, or remove the link in the terminal.`;
  const facts = await files.look(target.real);
  return facts === undefined
    ? missingSentence(files, target, 'Look for it with search_files (target "files").')
    : (whyNoFile(facts, path) ?? facts);
}

async function planUpdate(work: Work, parts: PlanParts): Promise<PlannedFile | string | string[]> {
  const { path } = work.operation;
  const { files } = parts.places;
  const found = await readTextFile(files, work.target.real, path);
  if (found.kind === 'refused') return found.why;
  if (found.kind === 'missing') return missingSentence(files, work.target, 'Create it with "*** Add File".');
  const text = decode(found.bytes);
  if (text === undefined) return `${path} is not UTF-8 text, so that a change would damage it. Use a script in the terminal.`;
  const refusal = whyProtected(found.facts, path) ?? (work.to === undefined ? undefined : await whyNotThere(work.to, work, parts));
  if (refusal !== undefined) return refusal;
  const applied = applyAll(text, work.hunks);
  if (applied.kind === 'refused') return applied.problems.map((problem) => `${path}, ${problem}`);
  if (!applied.text.isWellFormed()) return `${path}: the patch has half characters that no file can hold.`;
  if (applied.text === text && work.to === undefined) return `${path} has this text already.`;
  const stale = staleNote(work.target, parts, snapshotOf(found.facts, found.bytes));
  const { added, removed, diff, tolerances } = applied;
  const report = { path, added, removed, diff, tolerances, ...stale };
  if (work.to === undefined)
    return {
      report: { ...report, action: 'updated' },
      changes: [{ kind: 'write', file: work.target.real, content: applied.text, seen: found.facts }],
    };
  return {
    report: { ...report, action: 'moved', to: nameOf(work) },
    changes: [
      { kind: 'write', file: work.to.real, content: applied.text, mode: found.facts.mode },
      { kind: 'remove', file: work.target.real, seen: found.facts },
    ],
  };
}

/** Why an updated file cannot go to its new name. */
async function whyNotThere(to: Target, work: Work, parts: PlanParts): Promise<string | undefined> {
  const facts = await plainFile(work, parts);
  if (typeof facts === 'string') return facts;
  return (await parts.places.files.look(to.real)) === undefined ? undefined : occupied(work.operation.path, to);
}

function applyAll(text: string, sections: readonly (readonly Hunk[])[]): Applied {
  const [first = [], ...rest] = sections;
  const applied = applyHunks(text, first);
  if (applied.kind === 'refused' || rest.length === 0) return applied;
  const further = applyAll(applied.text, rest);
  if (further.kind === 'refused') return further;
  return {
    ...further,
    tolerances: [...new Set([...applied.tolerances, ...further.tolerances])],
    diff: [...applied.diff, ...further.diff],
    added: applied.added + further.added,
    removed: applied.removed + further.removed,
  };
}

/** Of a file that is taken away or moved as it is. */
async function staleness(target: Target, parts: PlanParts): Promise<Pick<PatchedFile, 'stale'>> {
  const found = await readTextFile(parts.places.files, target.real, target.named);
  if (found.kind === 'missing' || found.facts === undefined) return {};
  return staleNote(target, parts, snapshotOf(found.facts, found.kind === 'text' ? found.bytes : undefined));
}

function staleNote({ real, named }: Target, { states, session }: PlanParts, now: Snapshot): Pick<PatchedFile, 'stale'> {
  const stale = states.staleness(session.id, real, now);
  return stale === undefined ? {} : { stale: staleSentence(named, stale) };
}
